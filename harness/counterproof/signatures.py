"""A function's signature as plain values.

This module runs inside the engine's own environment: the standard library alone, Python 3.10
and later, nothing else of the harness.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

_PLAIN = (type(None), bool, int, float, str, bytes)


def described(function: Callable[..., Any], history: str) -> dict[str, Any]:
    """The parameters of a function, in order.

    Args:
        function: the function; of a method, what is left to be given. A wrapper that hands on
            whatever it is given is looked through where it says what it wraps.
        history: the name of its parameter for the conversation.

    Returns:
        ``{"history": name, "parameters": [{"name", "kind", "has_default", "default"}]}``: kinds
        as Python names them, such as ``keyword-only``; of defaults that are no plain values only
        the type is told.

    Raises:
        TypeError, ValueError: it has no signature Python can tell.
    """
    parameters = inspect.signature(_wrapped(function), follow_wrapped=False).parameters
    return {
        "history": history,
        "parameters": [
            {
                "name": each.name,
                "kind": each.kind.description,
                "has_default": each.default is not each.empty,
                "default": None if each.default is each.empty else _shown(each.default),
            }
            for each in parameters.values()
        ],
    }


def _wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """What a mere wrapper wraps: its own parameters say nothing of what may be given."""
    while hasattr(function, "__wrapped__") and _hands_on_everything(function):
        function = function.__wrapped__
    return function


def _hands_on_everything(function: Callable[..., Any]) -> bool:
    parameters = inspect.signature(function, follow_wrapped=False).parameters.values()
    kinds = [each.kind for each in parameters if each.default is each.empty]
    return kinds == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]


def _shown(default: Any) -> str:
    if isinstance(default, _PLAIN) or (isinstance(default, (list, tuple, dict)) and not default):
        return repr(default)
    return f"<{type(default).__name__}>"
