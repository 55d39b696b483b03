"""Answers as text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from counterproof_reference.engine import EngineResult, Source, answer_question
from counterproof_reference.facts import Fact, FactStore
from counterproof_reference.vocabulary import Term, Vocabulary
from reference_engine.doubles import TODAY, Script, say

Ask = Callable[..., EngineResult]


def unused() -> Script:
    """A model that must not be needed."""
    return Script(AssertionError("the model was asked"))


class TestSeveralFigures:
    def test_two_years_are_two_lines_and_their_difference(self, ask: Ask) -> None:
        """Without a call to the model."""
        answer = ask("香港 FY2025 和 FY2024 的营收", unused())
        assert answer.text.splitlines() == [
            "香港 FY2025 营收：57812.5 USD_M [hk.xlsx, R!2025]",
            "香港 FY2024 营收：84994 USD_M [hk.xlsx, R!2024]",
            "香港 营收 FY2024 至 FY2025 的变化：-27181.5 USD_M",
        ]
        assert answer.route == "multi"
        assert answer.sources == (Source("hk.xlsx", "R!2025"), Source("hk.xlsx", "R!2024"))
        assert "[" not in answer.plain

    def test_entities_and_metrics_multiply(self, ask: Ask) -> None:
        """What is missing has a line of its own."""
        answer = ask("Revenue and operating profit of Hong Kong and China in FY2025?", unused())
        assert answer.plain.splitlines() == [
            "Hong Kong revenue, FY2025: 57812.5 USD_M",
            "Hong Kong operating profit, FY2025: 31117 USD_M",
            "China revenue, FY2025: 63331 USD_M",
            "China operating profit, FY2025: not found; no figure is stated.",
        ]
        assert not answer.refused
        assert [r["status"] for r in answer.tool_results] == ["found"] * 3 + ["not_found"]

    @pytest.mark.parametrize(
        "question",
        [
            "China revenue FY2024 and FY2025",
            "HK revenue FY2025 and FY2023",
            "HK revenue FY1320, FY2024, FY2025",
        ],
    )
    def test_a_difference_needs_two_figures_of_one_unit(self, ask: Ask, question: str) -> None:
        """Two units, one figure, three figures have none."""
        assert "Change" not in ask(question, unused()).text

    def test_a_rise_has_a_sign_and_no_rounding_error(self) -> None:
        """0.3 less 0.1 is 0.2."""
        words = Vocabulary([Term("X", ("Exville",))], [Term("M", ("margin",))])
        facts = [Fact("X", "M", f"FY{y}", v, "%", "d") for y, v in ((2024, 0.1), (2025, 0.3))]
        with FactStore(facts, words) as store:
            answer = answer_question("Exville margin FY2024, FY2025", store, unused())
        assert answer.text.endswith("FY2024 to FY2025: +0.2 %")
        assert "[d]" in answer.text

    def test_where_all_are_missing_the_answer_is_a_refusal(self, ask: Ask) -> None:
        """Every line says so."""
        answer = ask("Shanghai revenue FY2024, FY2025", unused())
        assert answer.refused
        assert answer.sources == ()

    def test_too_many_at_once_are_asked_back(self, ask: Ask) -> None:
        """Instead of a page of lines."""
        years = " ".join(f"FY{year}" for year in range(2000, 2025))
        answer = ask(f"HK revenue {years}", unused())
        assert answer.route == "clarification"
        assert answer.clarification == answer.text
        assert not answer.refused


class TestWhatIsLeftOpen:
    @pytest.mark.parametrize(
        ("question", "said"),
        [
            ("What was the revenue?", "assumed: Hong Kong, FY2025."),
            ("What was Hong Kong's revenue?", "assumed: FY2025."),
            ("What was the revenue in FY2025?", "assumed: Hong Kong."),
            ("FY2025 的营收？", "按以下假定作答：香港。"),
            ("What was Shanghai's revenue?", "assumed: FY2025."),
        ],
    )
    def test_an_assumption_is_stated(self, ask: Ask, question: str, said: str) -> None:
        """Of what the question does not name, and of nothing else."""
        answer = ask(question, Script(say("x")))
        assert answer.text.endswith(said)
        assert answer.plain.endswith(said)

    @pytest.mark.parametrize(
        ("question", "text"),
        [
            ("香港 FY2025 是多少？", "请问要查哪一项指标：营收、营运利润？"),
            ("and Hong Kong?", "Which figure do you mean: revenue, operating profit?"),
        ],
    )
    def test_a_missing_metric_is_asked_for(self, ask: Ask, question: str, text: str) -> None:
        """Without the model, whatever history would suggest."""
        for history in (None, [("user", "香港 FY2024 的营收？"), ("assistant", "84994")]):
            answer = ask(question, unused(), history=history)
            assert (answer.text, answer.clarification, answer.route) == (
                text,
                text,
                "clarification",
            )
            assert (answer.sources, answer.tool_results) == ((), ())

    def test_without_metrics_it_is_asked_for_all_the_same(self) -> None:
        """There is nothing to choose from."""
        with FactStore([], Vocabulary([Term("X", ("Exville",))], [])) as store:
            answer = answer_question("Exville FY2025?", store, unused(), reference_date=TODAY)
        assert answer.text == "Which figure do you mean?"


def test_braces_in_names_mean_nothing() -> None:
    """A name is not a template."""
    words = Vocabulary([Term("X", ("Ex{v}ville {e}",))], [Term("M", ("margin {0}",))])
    with FactStore([Fact("X", "M", "FY2025", 7, "{u}", "{doc}")], words) as store:
        answer = answer_question("Ex{v}ville {e} margin {0} FY2025", store, Script(say("x")))
    assert answer.text == "Ex{v}ville {e} margin {0}, FY2025: 7 {u} [{doc}]"
