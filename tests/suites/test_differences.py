"""Where two traces differ, as a pointer into the second."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterproof_suites.engine.differences import first_difference

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("a/~", max_size=2), inner),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("expected", "found", "pointer"),
    [
        ({"a": 1}, {"a": 1}, ""),
        (1, 2, ""),
        ("ab", "ac", ""),
        ({"a": 1}, {"a": 2}, "/a"),
        ({"a": {"b": [1, {"c": 2}]}}, {"a": {"b": [1, {"c": 3}]}}, "/a/b/1/c"),
        ({"a": 1}, {"a": 1, "b": 2}, "/b"),
        ({"a": 1, "b": 2}, {"a": 1}, ""),
        ({"x": {"a": 1, "b": 2}}, {"x": {"a": 1}}, "/x"),
        ({"a": 1, "b": 2}, {"b": 3, "a": 3}, "/b"),
        ({"a/b": 1}, {"a/b": 2}, "/a~1b"),
        ({"a~b": 1}, {"a~b": 2}, "/a~0b"),
        ({"~1": {"/": 1}}, {"~1": {"/": 2}}, "/~01/~1"),
        ({"": 1}, {"": 2}, "/"),
        ([1, 2], [1, 3], "/1"),
        ([1], [1, 2, 3], "/1"),
        ([], [1], "/0"),
        ([1, 2, 3], [1], ""),
        ({"l": [1, 2]}, {"l": [1]}, "/l"),
        ([1, 2], [3], "/0"),
        ((1, 2), [1, 3], "/1"),
        ({"a": [1]}, {"a": {"0": 1}}, "/a"),
        ({"a": "1"}, {"a": ["1"]}, "/a"),
        ({"a": None}, {"a": {"b": 1}}, "/a"),
        ({}, {"a": {"b": 1}}, "/a"),
    ],
)
def test_the_first_place_that_differs(expected: Any, found: Any, pointer: str) -> None:
    """Escaped as RFC 6901 has it; where something lacks, what should hold it."""
    assert pointer == first_difference(expected, found)


def resolved(value: Any, pointer: str) -> Any:
    """What a pointer points to."""
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


@given(JSON, JSON)
def test_a_pointer_points_into_what_was_found(expected: Any, found: Any) -> None:
    """Whatever the two are; a report can mark it."""
    pointer = first_difference(expected, found)
    if expected == found:
        assert pointer == ""
    resolved(found, pointer)


@given(JSON)
def test_equal_values_differ_nowhere(value: Any) -> None:
    """The pointer is empty."""
    assert first_difference(value, value) == ""
