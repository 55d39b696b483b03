"""JSON values that cannot change, made without recursion and in bounded time."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from counterproof_reference.chat_history.errors import MessageError

MAX_DEPTH = 100
"""How deep arrays and objects may stand in one another."""

MAX_VALUES = 1_000_000
"""How many values one JSON value may hold. Objects that share parts can be small in memory and
beyond all bounds when written out."""

_MAX_BITS = 14_000
"""Python writes integers of up to 4,300 digits as text, and reads no longer ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Json:
    """A JSON value, kept as text; what is read from it is the reader's own copy.

    Values are equal where JSON takes them for the same: the order of keys does not count, the
    difference between ``1``, ``1.0`` and ``true`` does.

    Args:
        text: the value as JSON, keys in the order they were given.
    """

    text: str

    @classmethod
    def of(cls, value: Any, what: str) -> Json:
        """Keep a value.

        Args:
            value: None, a boolean, number, string, or list, tuple or dict of such.
            what: what the value is, for the error.

        Raises:
            MessageError: the value is not JSON, holds itself, or is too deep or too large.
        """
        return cls(json.dumps(_copied(value, what), ensure_ascii=False))

    @property
    def value(self) -> Any:
        """A fresh copy of the value."""
        return json.loads(self.text)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Json):
            return NotImplemented
        return self.text == other.text or self._canonical() == other._canonical()

    def __hash__(self) -> int:
        return hash(self._canonical())

    def _canonical(self) -> str:
        return json.dumps(self.value, ensure_ascii=False, sort_keys=True)


def plain_text(value: Any, what: str) -> str:
    """A string as it stands, of the type ``str`` itself.

    Two surrogates that make up one character become that character: JSON cannot tell them apart.

    Args:
        value: the string.
        what: what it is, for the error.

    Raises:
        MessageError: it is no string.
    """
    if not isinstance(value, str):
        raise MessageError(f"{what} is of type {type(value).__name__}, not a string")
    text = str.__str__(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return text


_LEAVE = object()
"""On the stack: everything in a container has been seen."""


def _copied(value: Any, what: str) -> Any:
    """A copy of plain lists and dicts."""
    root: list[Any] = [None]
    entered: set[int] = set()
    stack: list[tuple[Any, Any, Any]] = [(root, 0, value)]
    seen = 0
    while stack:
        into, key, each = stack.pop()
        if into is _LEAVE:
            entered.discard(key)
            continue
        seen += 1
        if seen > MAX_VALUES:
            raise MessageError(f"{what} holds more than {MAX_VALUES} values")
        if not isinstance(each, (list, tuple, dict)):
            into[key] = _scalar(each, what)
            continue
        if id(each) in entered:
            raise MessageError(f"{what} holds itself: a cyclic value is not JSON")
        if len(entered) == MAX_DEPTH:
            raise MessageError(f"{what} is nested more than {MAX_DEPTH} deep")
        entered.add(id(each))
        stack.append((_LEAVE, id(each), None))
        if isinstance(each, dict):
            items = [(_key(name, what), inner) for name, inner in list(dict.items(each))]
            into[key] = copy = dict.fromkeys(name for name, _ in items)
            stack.extend((copy, name, inner) for name, inner in reversed(items))
        else:
            inside = list(each)
            into[key] = elements = [None] * len(inside)
            stack.extend((elements, at, inside[at]) for at in reversed(range(len(inside))))
    return root[0]


def _key(name: Any, what: str) -> str:
    if not isinstance(name, str):
        raise MessageError(f"{what} has a key of type {type(name).__name__}; JSON has strings only")
    return plain_text(name, what)


def _scalar(value: Any, what: str) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return plain_text(value, what)
    if isinstance(value, int):
        number = int(value)
        if number.bit_length() > _MAX_BITS:
            raise MessageError(f"{what} holds an integer of more than {_MAX_BITS} bits")
        return number
    if isinstance(value, float):
        if not math.isfinite(value):
            raise MessageError(f"{what} holds {float(value)}, which JSON has no number for")
        return float(value)
    raise MessageError(f"{what} holds a {type(value).__name__}, which is not JSON")
