"""Signatures as plain values: what a caller has to give, whatever wraps the function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from counterproof.signatures import described


def parameters(function: Callable[..., Any]) -> dict[str, str]:
    """Each parameter's kind, and its default behind it where it has one."""
    return {
        each["name"]: each["kind"] + (f" = {each['default']}" if each["has_default"] else "")
        for each in described(function, "history")["parameters"]
    }


def plain(question: str, /, store: Any, *rest: Any, history: Any = None, **more: Any) -> None:
    """One parameter of each kind."""


def defaults(*, a: Any = (), b: Any = object(), c: Any = "x", d: Any = [1]) -> None:  # noqa: B006, B008  # only looked at
    """Defaults that can be shown, and defaults that cannot."""


def handing_on(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator as type checkers at run time write theirs, with parameters of its own."""

    @functools.wraps(function)
    def wrapper(*args: Any, __checks: object = None, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def giving_more(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that asks for something that what it wraps does not know."""

    @functools.wraps(function)
    def wrapper(tenant: str, *args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


class Engine:
    """An engine whose first-answer function is a method."""

    def answer(self, question: str, *, history: Any = None) -> None:
        """Not called."""


class TestDescribed:
    """The parameters of a function, in order."""

    def test_each_kind_is_named_as_python_names_it(self) -> None:
        assert parameters(plain) == {
            "question": "positional-only",
            "store": "positional or keyword",
            "rest": "variadic positional",
            "history": "keyword-only = None",
            "more": "variadic keyword",
        }

    def test_defaults_without_an_address(self) -> None:
        """Two runs give the same words."""
        assert [each.partition(" = ")[2] for each in parameters(defaults).values()] == [
            "()", "<object>", "'x'", "<list>",
        ]  # fmt: skip

    def test_the_name_of_the_parameter_for_history_is_told(self) -> None:
        assert described(plain, "chat_history")["history"] == "chat_history"

    @pytest.mark.parametrize("layers", [1, 2])
    def test_a_wrapper_that_hands_on_everything_is_looked_through(self, layers: int) -> None:
        wrapped = plain
        for _ in range(layers):
            wrapped = handing_on(wrapped)
        assert parameters(wrapped) == parameters(plain)

    def test_a_wrapper_that_asks_for_more_is_what_a_caller_calls(self) -> None:
        assert list(parameters(giving_more(plain))) == ["tenant", "args", "kwargs"]

    def test_a_method_is_what_is_left_to_be_given(self) -> None:
        assert list(parameters(Engine().answer)) == ["question", "history"]

    def test_what_has_no_signature_is_an_error(self) -> None:
        with pytest.raises(ValueError, match="no signature"):
            described(dict, "history")
