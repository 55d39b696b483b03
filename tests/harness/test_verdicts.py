"""From what each item found to a verdict a requirement: which cause wins, and its evidence."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import pytest

from counterproof.bench import Result
from counterproof.certificate import Verdict
from counterproof.certify.verdicts import verdicts
from counterproof.check import Found, Violation
from counterproof.contract import Answer
from counterproof.judge import CounterproofOutcome, EngineResult
from counterproof.plan import Left, Plan
from counterproof.suite import Suite
from counterproof.trace import OMITTED, Ask, History, Trace
from harness.judged import (
    BREAKS_1,
    BREAKS_2,
    BROKEN,
    CAUGHT,
    COMMAND,
    CRASHED,
    ENGINE_1,
    ENGINE_2,
    FAILED,
    FORGES_1,
    HERE_1,
    HERE_2,
    ITEMS,
    ONE,
    PASSED,
    ROW,
    THERE_1,
    THERE_2,
    TRACE,
    TWO,
    UNCAUGHT,
    UNLANDED,
    UNSEEN,
    WHOLE,
    breaks,
    every,
    forges,
    judged,
)


class TestVerdict:
    def test_pass(self) -> None:
        """Every check passed, and each was seen to fail when it had to."""
        row = judged({})
        assert (row.verdict, row.reason, row.counterexample) == (Verdict.PASS, None, None)
        assert [(each.id, each.outcome, each.examples, each.asks) for each in row.checks] == [
            (each, Verdict.PASS, 5, 9) for each in (*ENGINE_1, *ENGINE_2)
        ]

    def test_it_carries_its_requirement(self) -> None:
        """What the catalogue says of it stands in the certificate."""
        row = judged({})
        told = ROW.model_dump() | {"seams": ("model", "retrieval")}
        assert told == {key: getattr(row, key) for key in told}

    @pytest.mark.parametrize(
        ("results", "verdict", "reason"),
        [
            (
                {THERE_2: FAILED, HERE_1: BROKEN, BREAKS_1: CRASHED, HERE_2: UNSEEN},
                Verdict.FAIL,
                None,
            ),
            ({HERE_1: BROKEN, HERE_2: UNSEEN}, Verdict.ERROR, f"{HERE_1}: KeyError: 'x'"),
            (
                {BREAKS_2: CRASHED, FORGES_1: UNCAUGHT} | every(UNSEEN, *ENGINE_1, *ENGINE_2),
                Verdict.ERROR,
                f"under the sabotage {BREAKS_2} the run broke: the check itself failed",
            ),
            (
                every(UNSEEN, *ENGINE_1, *ENGINE_2) | {BREAKS_1: UNCAUGHT},
                Verdict.NOT_OBSERVABLE,
                "no query was made",
            ),
            ({BREAKS_2: UNCAUGHT}, Verdict.VACUOUS, f"{BREAKS_2}: {UNCAUGHT.message}"),
            ({FORGES_1: UNCAUGHT}, Verdict.VACUOUS, f"{FORGES_1}: {UNCAUGHT.message}"),
            (
                every(UNLANDED, BREAKS_1, FORGES_1),
                Verdict.VACUOUS,
                "RET-1/one: nothing could break it here: breaks: nothing to alter;"
                " forges: nothing to alter",
            ),
            (
                {BREAKS_2: UNLANDED},
                Verdict.VACUOUS,
                "RET-1/two: nothing could break it here: breaks: nothing to alter",
            ),
            ({BREAKS_1: UNLANDED}, Verdict.PASS, None),
            (every(UNSEEN, HERE_1, HERE_2), Verdict.PASS, None),
            (every(UNSEEN, *ENGINE_2) | {BREAKS_2: UNLANDED}, Verdict.PASS, None),
            (
                every(UNSEEN, *ENGINE_2) | {BREAKS_2: UNCAUGHT},
                Verdict.VACUOUS,
                f"{BREAKS_2}: {UNCAUGHT.message}",
            ),
        ],
    )
    def test_the_first_cause_wins(
        self, results: dict[str, Result], verdict: Verdict, reason: str | None
    ) -> None:
        """A violation seen is not hidden by an error, nor what was not seen by a passing check."""
        row = judged(results)
        assert (row.verdict, row.reason) == (verdict, reason)

    @pytest.mark.parametrize("lacking", [each.id for each in ITEMS])
    def test_a_missing_item(self, lacking: str) -> None:
        """What was planned and did not run is an ERROR, whichever it is."""
        row = judged({}, lacking=lacking)
        assert row.verdict is Verdict.ERROR
        assert row.reason is not None
        assert lacking in row.reason
        assert row.reason.endswith("it was planned and did not run")

    @pytest.mark.parametrize("swapped", [HERE_1, BREAKS_1])
    def test_a_result_of_the_other_kind(self, swapped: str) -> None:
        """It is no result of the item."""
        row = judged({swapped: CAUGHT if swapped == HERE_1 else PASSED})
        assert row.verdict is Verdict.ERROR

    def test_nothing_at_all(self) -> None:
        """A requirement without a check of the suite does not apply."""
        (row,) = verdicts(Suite({"RET-1": ROW}, ()), Plan((), {}), {}, COMMAND)
        assert (row.verdict, row.reason) == (Verdict.NOT_APPLICABLE, "it has no check")


class TestLeft:
    UNCLAIMED = Left(True, "the engine does not claim it")
    HIDDEN = Left(False, "the adapter does not expose the seam retrieval")

    @pytest.mark.parametrize(
        ("left", "verdict", "reason"),
        [
            ([UNCLAIMED, UNCLAIMED], Verdict.NOT_APPLICABLE, UNCLAIMED.reason),
            ([HIDDEN, HIDDEN], Verdict.NOT_OBSERVABLE, HIDDEN.reason),
            ([UNCLAIMED, HIDDEN], Verdict.NOT_OBSERVABLE, HIDDEN.reason),
        ],
    )
    def test_no_check_ran(self, left: Iterable[Left], verdict: Verdict, reason: str) -> None:
        """What does not apply is not what could not be seen; each check tells its own."""
        gone = dict(zip((ONE.id, TWO.id), left, strict=True))
        row = judged({}, gone)
        assert (row.verdict, row.reason) == (verdict, reason)
        assert [(each.id, each.outcome, each.reason) for each in row.checks] == [
            (
                key,
                Verdict.NOT_APPLICABLE if each.observable else Verdict.NOT_OBSERVABLE,
                each.reason,
            )
            for key, each in gone.items()
        ]
        assert row.counterproofs == ()

    def test_another_check_passed(self) -> None:
        """The requirement passes on what was seen; the certificate tells what was not."""
        row = judged({}, {TWO.id: self.HIDDEN})
        assert row.verdict is Verdict.PASS
        assert row.checks[-1].outcome is Verdict.NOT_OBSERVABLE
        assert {each.check for each in row.counterproofs} == {ONE.id}

    def test_another_check_failed(self) -> None:
        """What was seen counts."""
        assert judged({THERE_1: FAILED}, {TWO.id: self.HIDDEN}).verdict is Verdict.FAIL


class TestCounterproofs:
    def test_each_is_told(self) -> None:
        """What landed has a message, what did not a reason; the forged ones are marked."""
        row = judged({BREAKS_1: UNLANDED, BREAKS_2: UNCAUGHT})
        told = [
            (c.check, c.sabotage, c.landed, c.caught, c.forged, c.message, c.inapplicable)
            for c in row.counterproofs
        ]
        assert told == [
            (ONE.id, "breaks", False, False, False, None, "nothing to alter"),
            (ONE.id, "forges", True, True, True, "it is not", None),
            (TWO.id, "breaks", True, False, False, UNCAUGHT.message, None),
        ]

    @pytest.mark.parametrize("landed", [True, False])
    def test_a_crash_is_told_as_such(self, landed: bool) -> None:
        """It is the message, and no reason why nothing landed."""
        row = judged({FORGES_1: CounterproofOutcome(landed, False, "said", "RuntimeError: no")})
        (told,) = (each for each in row.counterproofs if each.sabotage == "forges")
        assert (told.message, told.inapplicable) == ("RuntimeError: no", None)
        assert (told.landed, told.caught) == (landed, False)


class TestCounterexample:
    def test_it_is_that_of_the_first_failure(self) -> None:
        """The ask, the trace, what offends in it, and one command that finds it again."""
        row = judged({THERE_1: FAILED, HERE_2: FAILED})
        assert row.reason is None
        told = row.counterexample
        assert told is not None
        assert (told.check, told.probe, told.question) == (THERE_1, "narrative_miss", "Why?")
        assert told.history == (["user", "$surrogates:\\uD800"], ["assistant", "b"])
        assert (told.history_kind, told.behaviour) == ("tuple", "parrot")
        assert told.trace == TRACE.comparable()
        assert told.mark == ("/crossings/0/query", "Why")
        assert told.message == "it is not"
        assert told.reproduce == (
            "counterproof certify 'my pkg:engine' --profile gate --only RET-1"
        )

    @pytest.mark.parametrize(
        ("history", "told"),
        [
            (OMITTED, None),
            (History("none"), None),
            (History("list"), ()),
            (History("raw", (("user", "x", 1), {"role": "tool"}, None)),
             (["user", "x", 1], {"role": "tool"}, None)),
        ],
    )  # fmt: skip
    def test_the_history_it_was_asked_with(self, history: History, told: Any) -> None:
        """None where there was none; an empty one is one."""
        trace = Trace(Ask("narrative_hit", "Why?", history), (), Answer("no"))
        result = EngineResult(
            Verdict.FAIL, "no", 1, 1, Found(history, Violation("no", trace)), trace
        )
        found = judged({HERE_1: result}).counterexample
        assert found is not None
        assert (found.history, found.history_kind) == (told, history.kind)


def test_requirements_stand_in_the_catalogues_order() -> None:
    """Each with its own checks only."""
    other = ROW.model_copy(update={"id": "RET-0"})
    suite = Suite({"RET-1": ROW, "RET-0": other}, (ONE, TWO), (breaks, forges))
    rows = verdicts(suite, Plan(ITEMS, {}), WHOLE, COMMAND)
    assert [(each.id, each.verdict) for each in rows] == [
        ("RET-1", Verdict.PASS),
        ("RET-0", Verdict.NOT_APPLICABLE),
    ]


class TestCircumstances:
    def found(self, **given: Any) -> Any:
        """The trace of a counterexample whose ask has these members."""
        trace = dataclasses.replace(TRACE, ask=dataclasses.replace(TRACE.ask, **given))
        told = judged({HERE_1: dataclasses.replace(FAILED, trace=trace)}).counterexample
        assert told is not None
        return told.trace

    def test_an_ordinary_ask_needs_no_more(self) -> None:
        assert set(self.found()) == {"crossings", "answer", "failure"}

    def test_what_was_asked_before_is_told(self) -> None:
        """In order, with what each ask was put to and with."""
        history = History.of([("user", "a")])
        before = (
            Ask("narrative_hit", "One?", session=()),
            Ask("narrative_hit", "Two?", history, session=()),
            Ask("narrative_hit", "Three?", history),
        )
        assert self.found(session=before)["asked_before"] == [
            "One?",
            "Two? (with a history)",
            "Three? (with a history) (beside the session)",
        ]
        assert self.found(session=())["asked_before"] == []

    def test_an_open_exit_and_another_label_are_told(self) -> None:
        assert self.found(opened=frozenset({"link"}))["held_open"] == ["link"]
        assert self.found(label="")["labelled"] == ""
