"""Histories as they travel: built in the worker, of the kind the ask names.

A history may hold anything (ROL-4), so tuples travel tagged; everything else is JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

TUPLE = "$tuple"


class OtherSequence(Sequence):  # type: ignore[type-arg]  # not subscriptable for every reader
    """A sequence that is neither list nor tuple (DEF-5)."""

    def __init__(self, items: Any) -> None:
        self._items = tuple(items)

    def __getitem__(self, index: Any) -> Any:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OtherSequence) and self._items == other._items

    def __repr__(self) -> str:
        return f"OtherSequence({list(self._items)!r})"

    __hash__ = None  # type: ignore[assignment]  # as a list, it is compared, never hashed


def tagged(value: Any) -> Any:
    """``value`` as JSON that remembers which of its lists were tuples."""
    if isinstance(value, tuple):
        return {TUPLE: [tagged(each) for each in value]}
    if isinstance(value, list):
        return [tagged(each) for each in value]
    if isinstance(value, dict):
        return {key: tagged(each) for key, each in value.items()}
    return value


def untagged(value: Any) -> Any:
    """The reverse of :func:`tagged`."""
    if isinstance(value, list):
        return [untagged(each) for each in value]
    if isinstance(value, dict):
        if set(value) == {TUPLE}:
            return tuple(untagged(each) for each in value[TUPLE])
        return {key: untagged(each) for key, each in value.items()}
    return value


def build(kind: str, turns: Any) -> Any:
    """The history object an engine is given.

    Args:
        kind: ``none``, ``list``, ``tuple``, ``sequence`` (of pairs), or ``raw`` (tagged).
        turns: the pairs, or the tagged value.
    """
    if kind == "none":
        return None
    if kind == "raw":
        return untagged(turns)
    pairs = [(role, text) for role, text in turns]
    if kind == "tuple":
        return tuple(pairs)
    return OtherSequence(pairs) if kind == "sequence" else pairs
