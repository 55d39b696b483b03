"""Names in text."""

from __future__ import annotations

import pytest

from counterproof_reference.vocabulary import Term, Vocabulary
from reference_engine.doubles import VOCABULARY


class TestNames:
    @pytest.mark.parametrize(
        "text",
        [
            "香港营收",
            "HONG KONG's",
            "hong  kong",
            "HK",
            "在Hong Kong的",
            "Ｈｏｎｇ Ｋｏｎｇ",
            "Hong\u200b Kong",
            "HongKong",
        ],
    )
    def test_every_spelling_is_found(self, text: str) -> None:
        """Whatever the case, the width, the spacing or the neighbours of another script."""
        assert VOCABULARY.entities_in(text) == ("HK",)

    @pytest.mark.parametrize("text", ["HKD", "Chinaware", "superchina", "hk", "mainland", ""])
    def test_a_part_of_a_word_is_no_name(self, text: str) -> None:
        """And a code counts in its own case."""
        assert VOCABULARY.entities_in(text) == ()

    def test_the_longest_spelling_wins(self) -> None:
        """A profit margin is not also a profit."""
        margin, profit = Term("PM", ("profit margin",)), Term("P", ("profit",))
        for metrics in ([profit, margin], [margin, profit]):
            words = Vocabulary([Term("A", ("Ay",))], metrics)
            assert words.metrics_in("Profit margins, then profit") == ("PM", "P")

    def test_a_plural_is_found(self) -> None:
        """Of an English name."""
        assert VOCABULARY.metrics_in("revenues") == ("REVENUE",)

    def test_names_with_special_characters_are_themselves(self) -> None:
        """A name is no pattern."""
        words = Vocabulary([Term("X", ("A+B (x)",))], [])
        assert words.entities_in("AAB x") == ()
        assert words.entities_in("the A+B (x) case") == ("X",)

    def test_a_tool_argument_must_be_the_whole_name(self) -> None:
        """In any spelling, the code included, in any case."""
        assert [
            VOCABULARY.entity(n) for n in ("香港", "hong kong", "hk", "Hong Kong FY2025", "")
        ] == [
            "HK",
            "HK",
            "HK",
            None,
            None,
        ]

    def test_display_names_follow_the_language(self) -> None:
        """The English one where there is no other."""
        words = Vocabulary([Term("X", ("Exville",))], [])
        assert VOCABULARY.entity_name("HK", chinese=True) == "香港"
        assert VOCABULARY.entity_name("HK", chinese=False) == "Hong Kong"
        assert words.entity_name("X", chinese=True) == "Exville"
        assert words.entity_name("Z", chinese=True) == "Z"

    def test_a_vocabulary_needs_an_entity_and_spellings(self) -> None:
        """It says which is missing."""
        with pytest.raises(ValueError, match="at least one entity"):
            Vocabulary([], [])
        with pytest.raises(ValueError, match="'X' has no spelling"):
            Vocabulary([Term("X", (" ",))], [])
