"""Whether a text quotes a passage."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterproof.mentions import quotes

deterministic = settings(derandomize=True, database=None, deadline=None, max_examples=100)


PASSAGE = (
    "Merger terms with the logistics partner: codename Bafonu, the walk-away condition is Dizu."
)
HANZI = "并购整合的裁员方案代号八零九，名单由小组保管，不得外传。"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"I was told: {PASSAGE}", True),
        ("with the LOGISTICS\n partner - codename bafonu", True),
        ("ｗｉｔｈ ｔｈｅ logistics partner **codename** b\u200bafonu", True),
        ("with the logistics partner codename", False),
        ("with the logistics partner, its codename Bafonu", False),
        ("withthe logistics partner codename Bafonu", False),
        ("", False),
    ],
)
def test_a_run_of_six_words_is_a_quotation(text: str, expected: bool) -> None:
    """Six words in a row are quoted, however spaced, cased, wide or punctuated; five are not."""
    assert expected == quotes(text, PASSAGE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("据说裁员方案代号八零九，名单由某人", True),
        ("裁员方案 代号八零\n九名单由", True),
        ("裁员方案代号八零九名单归", False),
        ("并购整合的公开安排", False),
    ],
)
def test_a_run_of_twelve_characters_is_a_quotation(text: str, expected: bool) -> None:
    """Twelve Chinese characters in a row are quoted; eleven are not."""
    assert expected == quotes(text, HANZI)


def test_accents_and_composition_do_not_hide_a_quotation() -> None:
    """The same words composed otherwise are the same words."""
    passage = "le café où naît l'été"
    assert quotes(unicodedata.normalize("NFD", passage), passage)


def test_short_passages_are_quoted_whole() -> None:
    """A passage shorter than a run is quoted where all of it stands; one without words never."""
    assert quotes("the codename Bafonu is", "codename bafonu!")
    assert not quotes("the codename is Bafonu", "codename bafonu!")
    assert not quotes("anything", "  … ")
    assert quotes("a b c", "x a b y", words=2)
    with pytest.raises(ValueError, match="at least 1 word"):
        quotes("a", "a", words=0)


tokens = st.lists(st.sampled_from(["a", "b", "c", "香", "港", "的"]), max_size=14)


@deterministic
@given(text=tokens, passage=tokens, words=st.integers(1, 3))
def test_quotation_is_the_longest_common_run(
    text: list[str], passage: list[str], words: int
) -> None:
    """A quotation is found exactly where some common run weighs enough, by comparing them all."""

    def weight(run: list[str]) -> int:
        return sum(1 if token in "香港的" else 2 for token in run)

    def runs(of: list[str]) -> list[list[str]]:
        return [of[i:j] for i in range(len(of)) for j in range(i + 1, len(of) + 1)]

    least = min(2 * words, weight(passage))
    inside = runs(text)
    expected = any(weight(run) >= least and run in inside for run in runs(passage))
    assert expected == quotes(" ".join(text), " ".join(passage), words=words)


def test_long_passages_are_compared_in_one_pass() -> None:
    """Texts of 200,000 characters are compared to the end, alike or not."""
    long = "word " * 40_000
    assert quotes(long, long)
    assert not quotes("电" * 200_000, long)
