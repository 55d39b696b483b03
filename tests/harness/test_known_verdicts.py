"""What known failures do to verdicts, and which of their entries are found to be stale."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest

from counterproof.bench import Result
from counterproof.certificate import Requirement, Verdict
from counterproof.certify.stale import stale_entries
from counterproof.judge import CounterproofOutcome, EngineResult
from counterproof.known import KnownFailure, KnownFailures
from counterproof.plan import Left
from harness.judged import (
    BREAKS_1,
    BREAKS_2,
    BROKEN,
    CAUGHT,
    CRASHED,
    FAILED,
    HERE_1,
    HERE_2,
    PASSED,
    THERE_1,
    THERE_2,
    TWO,
    UNCAUGHT,
    UNLANDED,
    UNSEEN,
    judged,
)

DAY = date(2026, 12, 31)
OF_ONE = {BREAKS_1, "RET-1/one[forges]"}
UNRUN = CounterproofOutcome(False, False, "not run: the engine itself fails this check")
OTHERWISE = EngineResult(Verdict.FAIL, "it is otherwise", 2, 4, FAILED.found, FAILED.trace)


def entry(**given: Any) -> KnownFailure:
    """An entry that knows of the failure of check ``one``, with these members changed."""
    return KnownFailure.model_validate(
        {
            "id": "RET-1",
            "check": "one",
            "behaviour": "parrot",
            "message": "it is not",
            "reason": "a new index",
            "link": "https://tracker.example/12",
            "expires": DAY,
        }
        | given
    )


def known(*entries: KnownFailure, on: date = DAY) -> KnownFailures:
    """A list of these."""
    return KnownFailures(entries, on, "4e")


def row(
    results: Mapping[str, Result], *entries: KnownFailure, on: date = DAY, **given: Any
) -> Requirement:
    """The requirement, where the counterproofs of a failing check did not run, as in a run."""
    every = {**dict.fromkeys(OF_ONE, UNRUN), **results}
    return judged(every, known=known(*entries, on=on), **given)


class TestVerdict:
    def test_known(self) -> None:
        """Where every failure is known of: with the entry, the reason and what shows it."""
        found = row({HERE_1: FAILED, THERE_1: FAILED}, entry())
        assert (found.verdict, found.reason) == (Verdict.KNOWN, "known: a new index")
        assert [each.outcome for each in found.checks] == [Verdict.KNOWN] * 2 + [Verdict.PASS] * 2
        assert [each.model_dump(mode="json") for each in found.known] == [
            entry().model_dump(mode="json", exclude={"id"})
        ]
        assert found.counterexample is not None
        assert found.counterexample.check == HERE_1

    def test_by_several_entries(self) -> None:
        """Each is told once, with its own reason."""
        first, second = entry(), entry(message="it is otherwise", reason="another")
        found = row({HERE_1: FAILED, THERE_1: OTHERWISE}, first, second)
        assert found.verdict is Verdict.KNOWN
        assert found.reason == "known: a new index; known: another"
        assert [each.message for each in found.known] == ["it is not", "it is otherwise"]

    @pytest.mark.parametrize(
        "results",
        [
            {HERE_1: FAILED, HERE_2: FAILED},
            {HERE_1: FAILED, THERE_1: OTHERWISE},
            {HERE_1: OTHERWISE},
        ],
    )
    def test_another_failure_of_the_row(self, results: dict[str, Result]) -> None:
        """It fails, and what is new is what is shown."""
        found = row(results, entry())
        assert (found.verdict, found.reason) == (Verdict.FAIL, None)
        assert found.counterexample is not None
        assert found.counterexample.check == list(results)[-1]

    @pytest.mark.parametrize(
        "other",
        [
            {"check": "two"},
            {"behaviour": "cooperative"},
            {"message": "it is"},
            {"id": "RET-2"},
            {"expires": date(2026, 12, 30)},
        ],
    )
    def test_an_entry_of_something_else(self, other: dict[str, Any]) -> None:
        """It knows nothing of this; an expired one no more."""
        found = row({HERE_1: FAILED}, entry(**other))
        assert (found.verdict, found.known) == (Verdict.FAIL, ())

    @pytest.mark.parametrize(
        ("results", "verdict"),
        [
            ({THERE_1: BROKEN}, Verdict.ERROR),
            ({HERE_2: BROKEN}, Verdict.ERROR),
            ({BREAKS_2: CRASHED}, Verdict.ERROR),
            ({BREAKS_2: UNCAUGHT}, Verdict.VACUOUS),
            ({BREAKS_2: UNLANDED}, Verdict.VACUOUS),
            ({BREAKS_1: CRASHED}, Verdict.KNOWN),
            ({BREAKS_1: UNCAUGHT}, Verdict.KNOWN),
            ({THERE_1: UNSEEN, HERE_2: UNSEEN, THERE_2: UNSEEN}, Verdict.KNOWN),
        ],
    )
    def test_nothing_else_is_excused(self, results: dict[str, Result], verdict: Verdict) -> None:
        """An error, or another check that nothing could break, is told as ever.

        A check that fails on the engine itself needs no counterproof to show that it can.
        """
        assert row({HERE_1: FAILED} | results, entry()).verdict is verdict

    def test_a_missing_item_is_an_error(self) -> None:
        """Whatever is known."""
        assert row({HERE_1: FAILED}, entry(), lacking=THERE_2).verdict is Verdict.ERROR

    def test_the_message_as_the_certificate_gives_it(self) -> None:
        """What JSON cannot hold is tagged there, and that is what a vendor can write down."""
        odd = EngineResult(Verdict.FAIL, "\ud800", 1, 1, FAILED.found, FAILED.trace)
        assert row({HERE_1: odd}, entry(message="$surrogates:\\uD800")).verdict is Verdict.KNOWN

    def test_checks_tell_the_models_behaviour(self) -> None:
        """An entry is pinned to it."""
        assert {each.behaviour for each in row({}).checks} == {"parrot"}
        gone = {TWO.id: Left(True, "the engine does not claim it")}
        assert judged({}, gone).checks[-1].behaviour is None


def stale(
    results: Mapping[str, Result], *entries: KnownFailure, on: date = DAY, **given: Any
) -> list[tuple[int, str]]:
    """Which entries a run with these results finds stale, and why."""
    found = row(results, *entries, on=on, **given)
    return [(each.entry, each.because) for each in stale_entries(known(*entries, on=on), [found])]


class TestStale:
    def test_not_while_it_fails_so(self) -> None:
        """On any of its probes."""
        assert stale({THERE_1: FAILED}, entry(), entry(message="it is …"), entry(message="…")) == []

    def test_it_passes(self) -> None:
        """The entry is told by its place, with what it is pinned to."""
        entries = (entry(check="two"), entry())
        results: dict[str, Result] = {HERE_2: FAILED, **dict.fromkeys(OF_ONE, CAUGHT)}
        assert stale(results, *entries) == [(2, "passes")]
        (told,) = stale_entries(known(*entries), [row({HERE_2: FAILED}, *entries)])
        pinned = told.model_dump(exclude={"entry", "because"})
        assert pinned == entry().model_dump(exclude={"reason", "link"})

    @pytest.mark.parametrize("results", [{HERE_1: OTHERWISE}, {HERE_1: FAILED}])
    def test_it_fails_otherwise(self, results: dict[str, Result]) -> None:
        """Known of by another entry, or not."""
        assert stale(results, entry(message="it was not"), entry()) == [
            (1, "fails otherwise"),
            *([(2, "fails otherwise")] if results[HERE_1] is OTHERWISE else []),
        ]

    def test_it_expired(self) -> None:
        """Whether it fails still or not; the day itself still counts."""
        late = date(2027, 1, 1)
        assert stale({HERE_1: FAILED}, entry()) == []
        assert stale({HERE_1: FAILED}, entry(), on=late) == [(1, "expired")]
        assert stale({}, entry(), on=late) == [(1, "expired")]

    @pytest.mark.parametrize(
        "results",
        [
            {HERE_1: UNSEEN, THERE_1: UNSEEN},
            {HERE_1: BROKEN, THERE_1: PASSED},
        ],
    )
    def test_not_where_nothing_was_learnt(self, results: dict[str, Result]) -> None:
        """What could not be observed, or broke, may fail still."""
        assert stale(results, entry()) == []

    def test_one_probe_that_passes_is_enough(self) -> None:
        """The others could not be observed."""
        assert stale({HERE_1: UNSEEN}, entry()) == [(1, "passes")]

    def test_not_of_a_check_that_did_not_run(self) -> None:
        """Its seam is not exposed, say."""
        gone = {TWO.id: Left(False, "the adapter does not expose the seam")}
        assert stale({}, entry(check="two"), left=gone) == []

    def test_not_of_another_behaviour(self) -> None:
        """The check passes with the model that the run had."""
        assert stale({}, entry(behaviour="empty")) == []

    def test_not_of_a_requirement_that_was_not_run(self) -> None:
        """With ``--only``; not even where its day is over."""
        other = entry(id="RET-2", expires=date(2000, 1, 1))
        assert stale({HERE_1: FAILED}, other, entry()) == []
