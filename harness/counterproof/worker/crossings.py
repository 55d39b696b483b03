"""What crosses a seam: its shape, verified where it arrives, so that a fault has one owner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from counterproof.worker.link import BadCrossing


def verify(seam: str, data: Any) -> None:
    """See that data is what crosses a seam.

    Args:
        seam: ``parse``, ``query``, ``passages``, ``exit`` or ``model``; at a service,
            ``request`` or ``response``.
        data: what crosses it, plain values.

    Raises:
        BadCrossing: there is no such seam, or it is something else; the message says what.
    """
    members = _MEMBERS.get(seam)
    if members is None:
        raise BadCrossing(f"there is no seam {seam!r}")
    if not isinstance(data, dict):
        raise BadCrossing(f"what crosses the seam {seam} is no object")
    for name, holds in members.items():
        if name not in data or not holds(data[name]):
            raise BadCrossing(f"{name} at the seam {seam} is missing or of another kind")


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _object(value: Any) -> bool:
    return isinstance(value, dict)


def _objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _passages(value: Any) -> bool:
    """Passages; a label or a locator may be of any kind, for an engine's own labels may be odd."""
    return _objects(value) and all(
        isinstance(each.get(name), str) for each in value for name in ("doc", "text")
    )


def _status(value: Any) -> bool:
    return isinstance(value, int)


def _tools(value: Any) -> bool:
    return value is None or (_objects(value) and all(map(_tool, value)))


def _tool(tool: Mapping[str, Any]) -> bool:
    """Whether the members of a tool that the scripted model reads are objects."""
    function = tool.get("function", tool)
    if not isinstance(function, dict):
        return False
    parameters = function.get("parameters") or {}
    return isinstance(parameters, dict) and isinstance(parameters.get("properties") or {}, dict)


_MEMBERS: Mapping[str, Mapping[str, Callable[[Any], bool]]] = {
    "parse": {"text": _text},
    "query": {"query": _text, "filters": _object},
    "passages": {"passages": _passages},
    "exit": {"name": _text, "given": _passages, "released": _passages},
    "model": {"messages": _objects, "tools": _tools},
    "request": {"body": _object},
    "response": {"status": _status, "type": _text},
}
