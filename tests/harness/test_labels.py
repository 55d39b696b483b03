"""Labels a careless comparison lets through."""

from __future__ import annotations

import unicodedata

import pytest

from counterproof.strategies.labels import EMPTY, UNKNOWN, look_alikes, padded

SEEDS = range(60)


def seen(label: str) -> str:
    """What is left of a label without what is not seen."""
    return "".join(
        each for each in label if not each.isspace() and unicodedata.category(each) != "Cf"
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_a_padded_label_is_the_word_to_the_eye(seed: int) -> None:
    for label in padded(seed):
        assert label.upper() != "RESTRICTED"
        assert seen(label).upper() == "RESTRICTED"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_look_alike_is_as_long_as_the_word_and_not_the_word(seed: int) -> None:
    for label in look_alikes(seed):
        assert len(label) == len("RESTRICTED")
        assert not label.isascii()


def test_every_kind_of_padding_is_reached() -> None:
    """Before, behind and inside; white space, and what is not even that."""
    every = {each for seed in SEEDS for each in padded(seed)}
    letters = "restricted"
    assert any(each.lower().startswith(letters) for each in every)
    assert any(each.lower().endswith(letters) for each in every)
    assert any(letters not in each.lower() for each in every)
    assert {" ", "\t", "\n", "\u00a0", "\u3000", "\u200b", "\u2060", "\ufeff", "\u00ad"} <= {
        char for each in every for char in each
    }


def test_every_kind_of_look_alike_is_reached() -> None:
    """Full width, Cyrillic, Greek, mathematical letters, and those with a mark."""
    every = "".join(each for seed in SEEDS for each in look_alikes(seed))
    names = {unicodedata.name(each).split()[0] for each in every}
    assert {"FULLWIDTH", "CYRILLIC", "GREEK", "MATHEMATICAL", "LATIN"} <= names


def test_the_seed_draws_others() -> None:
    assert padded(1) == padded(1) != padded(2)
    assert look_alikes(1) == look_alikes(1) != look_alikes(2)


def test_what_is_unknown_or_empty_is_neither_open_nor_the_word() -> None:
    for label in (*UNKNOWN, *EMPTY):
        assert seen(label).lower() not in ("restricted", "public", "internal")
    assert "" in EMPTY
    assert not any(seen(each) for each in EMPTY)
