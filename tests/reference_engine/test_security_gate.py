"""The security gate."""

from __future__ import annotations

import pytest

from counterproof_reference.security_gate import screen

NAMES = ("竞安", "Jingan")


@pytest.mark.parametrize(
    "question",
    [
        "竞安 FY2025 的营收是多少？",
        "What was Jingan's revenue?",
        "JINGAN",
        "Jing'an",
        "jing-an",
        "竞 安",
        "竞\u200b安",
        "Ｊｉｎｇａｎ",
        "关于Jingan的事",
        "竞·安",
    ],
)
def test_a_name_is_found_however_it_is_spaced_or_cased(question: str) -> None:
    """Invisible characters and full-width letters do not hide it."""
    assert screen(question, NAMES) in NAMES


@pytest.mark.parametrize("question", ["Beijing and Hong Kong", "Jingang", "竞争安排", "", "香港"])
def test_other_words_are_not_it(question: str) -> None:
    """A name inside another word refuses nothing."""
    assert screen(question, NAMES) is None


def test_a_name_without_letters_refuses_nothing() -> None:
    """It would otherwise be everywhere."""
    assert screen("a - b", (" - ", "")) is None
