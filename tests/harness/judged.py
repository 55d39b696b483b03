"""One requirement with two checks and two sabotages, and what is concluded from their results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterproof.bench import Result
from counterproof.case import Case
from counterproof.catalogue import RequirementSpec
from counterproof.certificate import Requirement, Verdict
from counterproof.certify.verdicts import verdicts
from counterproof.check import Found, Violation
from counterproof.contract import Answer
from counterproof.judge import CounterproofOutcome, EngineResult
from counterproof.known import KnownFailures
from counterproof.model.behaviours import PARROT
from counterproof.plan import CounterproofItem, EngineItem, Item, Left, Plan
from counterproof.suite import NO_HISTORY, Check, Suite, check, sabotage
from counterproof.trace import OMITTED, Ask, Crossing, History, Trace
from counterproof.worlds import builtin_world

WORLD = builtin_world(0)
HERE, THERE = WORLD.probe("narrative_hit"), WORLD.probe("narrative_miss")
COMMAND = ["counterproof", "certify", "my pkg:engine", "--profile", "gate"]


def clause(name: str) -> Check:
    """A check of that name."""

    def holds(case: Case, history: History) -> None:
        """Always."""

    holds.__name__ = name
    return check("RET-1", probes=lambda _: True, histories=NO_HISTORY)(holds)


ONE, TWO = clause("one"), clause("two")


@sabotage(ONE, TWO, on="query", witness=lambda _: OMITTED)
def breaks(scene: Any, value: Any) -> Any:
    return value


@sabotage(ONE, on="answer", witness=lambda _: OMITTED, forged=True)
def forges(scene: Any, value: Any) -> Any:
    return value


ROW = RequirementSpec.model_validate(
    {
        "id": "RET-1",
        "version": 3,
        "level": "core",
        "title": "Only the question",
        "sentence": "The query is the question.",
        "source": "a record",
        "seams": {"retrieval", "model"},
    }
)
SUITE = Suite({"RET-1": ROW}, (ONE, TWO), (breaks, forges))
ITEMS: tuple[Item, ...] = (
    *(EngineItem(each, probe, PARROT) for each in (ONE, TWO) for probe in (HERE, THERE)),
    *(CounterproofItem(c, each, (HERE,)) for each in (breaks, forges) for c in each.trips),
)
HERE_1, THERE_1, HERE_2, THERE_2, BREAKS_1, BREAKS_2, FORGES_1 = (each.id for each in ITEMS)
TRACE = Trace(
    Ask(
        "narrative_miss",
        "Why?",
        History.of([("user", "\ud800"), ("assistant", "b")], "tuple"),
        PARROT,
    ),
    (Crossing("query", {"query": "Why? a", "filters": {}}),),
    Answer("no"),
)
PASSED = EngineResult(Verdict.PASS, examples=5, asks=9)
FAILED = EngineResult(
    Verdict.FAIL,
    "it is not",
    2,
    4,
    Found(OMITTED, Violation("it is not", TRACE, ("/crossings/0/query", "", "Why"))),
    TRACE,
)
UNSEEN = EngineResult(Verdict.NOT_OBSERVABLE, "no query was made", asks=2)
BROKEN = EngineResult(Verdict.ERROR, "KeyError: 'x'")
CAUGHT = CounterproofOutcome(True, True, "it is not")
UNCAUGHT = CounterproofOutcome(True, False, "it landed, and the check did not catch it")
UNLANDED = CounterproofOutcome(False, False, "nothing to alter")
CRASHED = CounterproofOutcome(True, False, "it is not", crashed="the check itself failed")
WHOLE: dict[str, Result] = {
    each.id: PASSED if isinstance(each, EngineItem) else CAUGHT for each in ITEMS
}


def judged(
    results: Mapping[str, Result],
    left: dict[str, Left] | None = None,
    *,
    lacking: str = "",
    known: KnownFailures | None = None,
) -> Requirement:
    """The one requirement, where every item but these passed or was caught."""
    gone = left or {}
    plan = Plan(tuple(each for each in ITEMS if each.check.id not in gone), gone)
    found = {key: each for key, each in (WHOLE | dict(results)).items() if key != lacking}
    (row,) = verdicts(SUITE, plan, found, COMMAND, known or KnownFailures())
    return row


def every(outcome: Result, *ids: str) -> dict[str, Result]:
    return dict.fromkeys(ids, outcome)


ENGINE_1, ENGINE_2 = (HERE_1, THERE_1), (HERE_2, THERE_2)
