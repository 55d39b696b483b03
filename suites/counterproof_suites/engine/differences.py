"""Where two traces differ, as a JSON pointer a report can mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def first_difference(expected: Any, found: Any, path: str = "") -> str:
    """The JSON pointer, into ``found``, of the first place where two JSON values differ.

    Args:
        expected: what it should be.
        found: what it is.
        path: pointer of both.

    Returns:
        The pointer; where ``found`` lacks something, that of what should hold it; an empty
        one where they are equal.
    """
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        keys = [key for key in found if key not in expected or expected[key] != found[key]]
        if not keys:
            return path
        step = str(keys[0]).replace("~", "~0").replace("/", "~1")
        return first_difference(expected.get(keys[0]), found[keys[0]], f"{path}/{step}")
    if _list(expected) and _list(found):
        for number, (left, right) in enumerate(zip(expected, found, strict=False)):
            if left != right:
                return first_difference(left, right, f"{path}/{number}")
        if len(found) > len(expected):
            return f"{path}/{len(expected)}"
    return path


def _list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
