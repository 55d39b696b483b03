"""The exits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterproof_reference.exits import Exits, is_restricted
from counterproof_reference.passages import Passage


@pytest.mark.parametrize("label", ["public", "Public", "PUBLIC", "internal", "Internal"])
def test_public_and_internal_may_leave_in_any_case(label: str) -> None:
    """These two and no others."""
    assert not is_restricted(label)


@pytest.mark.parametrize(
    "label",
    [
        "RESTRICTED",
        "Restricted",
        " RESTRICTED ",
        "restrıcted",
        "RESTRICTED\u200b",
        "",
        " ",
        "public ",
        " public",
        "publіc",
        "pub\u200blic",
        "ＰＵＢＬＩＣ",
        "ınternal",
        "INTERNAL\n",
        "secret",
        "unknown",
        "publicinternal",
        None,
        0,
        b"public",
        ["public"],
    ],
)
def test_any_other_label_is_restricted(label: Any) -> None:
    """Padded, look-alike, unknown, empty, or no text at all."""
    assert is_restricted(label)


@given(st.text())
def test_no_label_but_the_allowed_leaves(label: str) -> None:
    """Whatever it is."""
    assert is_restricted(label) == (
        not (label.isascii() and label.lower() in {"public", "internal"})
    )


@pytest.mark.parametrize("name", ["link", "rerank"])
def test_each_exit_strips_by_itself(name: str) -> None:
    """And keeps the order of the rest."""
    kept = [Passage("a", "1", "x", "Public"), Passage("b", "1", "y", "internal")]
    held = Passage("c", "1", "z", "Restricted")
    assert kept == getattr(Exits(), name)([kept[0], held, kept[1]])
