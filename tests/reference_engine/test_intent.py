"""What a question asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterproof_reference.intent import (
    Intent,
    Slot,
    assumed_period,
    parser,
    periods_in,
    read_period,
)
from reference_engine.doubles import TODAY, VOCABULARY

parse = parser(VOCABULARY)


class TestPeriods:
    @pytest.mark.parametrize(
        ("text", "years"),
        [
            ("FY2025", ["FY2025"]),
            ("fy 2025", ["FY2025"]),
            ("FY25", ["FY2025"]),
            ("香港2025年的营收", ["FY2025"]),
            ("FY2025财年", ["FY2025"]),
            ("2025财年", ["FY2025"]),
            ("ＦＹ２０２５", ["FY2025"]),
            ("二〇二五年", ["FY2025"]),
            ("fiscal year 2025", ["FY2025"]),
            ("FY2024 和 FY2025", ["FY2024", "FY2025"]),
            ("2025年比FY2024", ["FY2025", "FY2024"]),
            ("FY2024, FY2024", ["FY2024"]),
            ("FY1320", ["FY1320"]),
            ("去年", ["FY2025"]),
            ("前年", ["FY2024"]),
            ("去年和FY2020", ["FY2025", "FY2020"]),
            ("今年", ["FY2026"]),
            ("上一财年", ["FY2025"]),
            ("last year", ["FY2025"]),
            ("the previous fiscal year", ["FY2025"]),
            ("the year before last", ["FY2024"]),
            ("next year", ["FY2027"]),
        ],
    )
    def test_a_year_is_read_however_it_is_written(self, text: str, years: list[str]) -> None:
        """In both languages, absolute and relative to the reference date."""
        assert tuple(years) == periods_in(text, TODAY)

    @pytest.mark.parametrize(
        "text", ["1320", "营收 1320", "it was 1320, was it?", "2025", "FY20251"]
    )
    def test_a_bare_number_is_no_year(self, text: str) -> None:
        """It may be an earlier answer."""
        assert periods_in(text, TODAY) == ()

    def test_a_relative_year_needs_a_date(self) -> None:
        """There is no clock in here."""
        assert periods_in("last year, FY2021") == ("FY2021",)

    @pytest.mark.parametrize("text", ["2025", "FY2025", "2025年", "last year", " ２０２５ "])
    def test_a_tool_argument_may_be_a_bare_year(self, text: str) -> None:
        """It stands where a year stands."""
        assert read_period(text, TODAY) == "FY2025"

    @pytest.mark.parametrize("text", ["", "25", "soon", "FY2024 FY2025", "20255", "٢٠٢٥x"])
    def test_a_tool_argument_names_one_year_or_none(self, text: str) -> None:
        """Two are not one."""
        assert read_period(text, TODAY) is None

    def test_the_assumed_year_is_the_last_that_is_over(self) -> None:
        """Reckoned from the reference date."""
        assert assumed_period(TODAY) == "FY2025"

    @given(st.text())
    def test_any_text_can_be_read(self, text: str) -> None:
        """Whatever is found is a fiscal year."""
        for period in periods_in(text, TODAY):
            assert period.startswith("FY")
            assert period[2:].isascii()
            assert period[2:].isdigit()


class TestQuestions:
    @pytest.mark.parametrize(
        ("question", "expected"),
        [
            ("香港 FY2025 的营收是多少？", Intent(("HK",), ("REVENUE",), ("FY2025",), True, False)),
            (
                "What was Hong Kong's revenue in FY2025?",
                Intent(("HK",), ("REVENUE",), ("FY2025",), True, False),
            ),
            (
                "What was Shanghai's REVENUE in FY2099?",
                Intent(("SH",), ("REVENUE",), ("FY2099",), True, False),
            ),
            (
                "为什么香港 FY2025 营收下降？",
                Intent(("HK",), ("REVENUE",), ("FY2025",), True, True),
            ),
            (
                "Why did Hong Kong's revenue fall in FY2025?",
                Intent(("HK",), ("REVENUE",), ("FY2025",), True, True),
            ),
            (
                "香港 FY2025 的营收是多少，变化的原因是什么？",
                Intent(("HK",), ("REVENUE",), ("FY2025",), True, True),
            ),
            (
                "香港和中国 FY2025 的营收与营运利润",
                Intent(("HK", "CN"), ("REVENUE", "PROFIT"), ("FY2025",), True, False),
            ),
            ("营收", Intent((), ("REVENUE",), (), True, False)),
            ("为什么香港的续约率下降？", Intent(("HK",), (), (), False, True)),
            ("Why did the ferry terminal close?", Intent((), (), (), False, True)),
            ("What is the revenue recognition policy?", Intent((), ("REVENUE",), (), False, True)),
            ("Who runs the ferry terminal in Hong Kong?", Intent(("HK",), (), (), False, True)),
            ("", Intent((), (), (), False, True)),
        ],
    )
    def test_a_question_is_read_for_names_years_and_kind(
        self, question: str, expected: Intent
    ) -> None:
        """Both languages; figures, reasons, or both."""
        assert expected == parse(question, TODAY)

    @pytest.mark.parametrize(
        "question",
        [
            "香港 FY2025 是多少？",
            "How much was it for Hong Kong in FY2025?",
            "那香港呢？",
            "and Hong Kong?",
            "FY2024呢？",
            "How many people left Hong Kong in FY2025?",
            "多少？",
        ],
    )
    def test_a_question_for_a_figure_without_a_metric_stays_open(self, question: str) -> None:
        """It asks for a figure, and not for which."""
        intent = parse(question, TODAY)
        assert intent.numeric
        assert not intent.narrative
        assert intent.metrics == ()

    def test_an_earlier_answer_is_no_second_year(self) -> None:
        """A single lookup stays single (PAR-3)."""
        intent = parse("香港 FY2025 的营收是 1320 吗？", TODAY)
        assert intent.slots("HK", "FY2025") == (Slot("HK", "REVENUE", "FY2025"),)

    def test_every_combination_is_a_slot_of_its_own(self) -> None:
        """In the question's order; what is left open is assumed."""
        intent = Intent(("HK", "CN"), ("REVENUE",), (), True)
        assert intent.slots("SH", "FY2025") == (
            Slot("HK", "REVENUE", "FY2025"),
            Slot("CN", "REVENUE", "FY2025"),
        )

    @given(st.text())
    def test_any_text_has_an_intent(self, text: str) -> None:
        """At least one channel takes it."""
        intent = parse(text, TODAY)
        assert intent.numeric or intent.narrative
