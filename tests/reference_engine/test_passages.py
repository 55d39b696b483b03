"""The passage index."""

from __future__ import annotations

import gc
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterproof_reference.passages import (
    Passage,
    PassageIndex,
    coverage,
    question_units,
)
from reference_engine.doubles import PASSAGES, VOCABULARY


def found(index: PassageIndex, query: str, **filters: object) -> list[str]:
    """Where the passages found stand."""
    hits = index.search(query, **filters)  # type: ignore[arg-type]
    return [f"{each.doc} {each.locator}" for each in hits]


class TestSearch:
    @pytest.mark.parametrize(
        "query", ["香港", "营收", "HK", "Hong Kong", "revenue", "客户", "续约推迟"]
    )
    def test_short_words_and_other_spellings_are_found(
        self, index: PassageIndex, query: str
    ) -> None:
        """Two characters are a word in Chinese, and a name is one thing in every spelling."""
        assert found(index, query) == ["drivers.md p1"]

    @pytest.mark.parametrize("query", ["HK", "香港", "营收", "terminal"])
    def test_words_are_found_without_a_vocabulary(self, query: str) -> None:
        """As they are written."""
        with PassageIndex([Passage("a", "", "HK 香港营收 of terminals")]) as plain:
            assert found(plain, query) == ["a "]

    def test_an_english_ending_does_not_hide_a_word(self, index: PassageIndex) -> None:
        """Expected finds expect."""
        assert found(index, "Which repair is expected?") == ["ferry.md p2"]

    def test_the_best_passage_comes_first(self, index: PassageIndex) -> None:
        """And restricted ones are found as well: the exits are behind the search."""
        hits = found(index, "Why did the ferry terminal close?")
        assert hits[0] == "ferry.md p1"
        assert set(hits) == {"ferry.md p1", "ferry.md p2", "ferry-plan.md p1"}

    @pytest.mark.parametrize(
        "query",
        [
            "Why do volcanoes erupt under glaciers?",
            "Why did the terminal illness spread?",
            "为什么火山爆发？",
            "香港的火山为什么爆发？",
            "",
            "why?",
            "为什么",
            "？！",
            '" OR "',
            "FY2025",
            "\ud800",
        ],
    )
    def test_an_unrelated_question_finds_nothing(self, index: PassageIndex, query: str) -> None:
        """One common word is not enough, and no word at all is none."""
        assert found(index, query) == []

    def test_equal_passages_keep_the_order_they_were_given_in(self) -> None:
        """Ties are broken by nothing else."""
        same = [Passage(f"d{n}", "", "the ferry terminal") for n in (3, 1, 2)]
        with PassageIndex(same) as index:
            assert found(index, "ferry terminal") == ["d3 ", "d1 ", "d2 "]
            assert found(index, "ferry terminal", limit=2) == ["d3 ", "d1 "]
            for none in (0, -1):
                assert found(index, "ferry terminal", limit=none) == []

    def test_a_period_leaves_out_passages_of_other_years_only(self) -> None:
        """A passage without a year may speak of any."""
        texts = ("terminal in FY2024", "terminal in 2025年", "terminal")
        passages = [Passage(str(number), "", text) for number, text in enumerate(texts)]
        with PassageIndex(passages) as index:
            assert sorted(found(index, "terminal", period="FY2025")) == ["1 ", "2 "]
            assert sorted(found(index, "terminal")) == ["0 ", "1 ", "2 "]

    @given(st.text())
    def test_any_text_can_be_searched_for(self, query: str) -> None:
        """The query language of the database is not spoken to."""
        with PassageIndex(PASSAGES, VOCABULARY) as index:
            assert set(index.search(query)) <= set(PASSAGES)

    @given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
    def test_any_text_can_be_indexed(self, text: str) -> None:
        """And comes back as it was."""
        passage = Passage("d", "l", f"{text} quokka", "odd label")
        with PassageIndex([passage]) as index:
            assert [passage] in (index.search("quokka"), index.search(text) or [passage])

    def test_it_is_closed_by_its_context_and_when_it_is_dropped(self) -> None:
        """No connection is left open."""
        with PassageIndex([]) as closed:
            connection = closed._connection
        with pytest.raises(sqlite3.ProgrammingError):
            connection.execute("SELECT 1")
        dropped = PassageIndex([])
        connection = dropped._connection
        del dropped
        gc.collect()
        with pytest.raises(sqlite3.ProgrammingError):
            connection.execute("SELECT 1")


class TestCoverage:
    @pytest.mark.parametrize(
        ("question", "text", "share"),
        [
            ("续约率下降", "续约的下降率", 0.8),
            ("ferry terminal", "a ferry", 0.5),
            ("ferry terminal", "terminals and a FERRY", 1.0),
            ("ferry FY2025", "ferry", 1.0),
            ("为什么营", "营业", 1.0),
            ("why", "ferry", 0.0),
        ],
    )
    def test_it_is_the_share_of_the_question_a_text_holds(
        self, question: str, text: str, share: float
    ) -> None:
        """Function words and years aside."""
        assert coverage(question_units(question), text) == share
