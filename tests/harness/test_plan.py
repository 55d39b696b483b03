"""What must run for an engine, and why the rest does not."""

from __future__ import annotations

from typing import Any

import pytest

from counterproof.case import Case
from counterproof.catalogue import RequirementSpec
from counterproof.model.behaviours import NO_TOOL, PARROT
from counterproof.plan import CounterproofItem, EngineItem, Left, Plan, applicable
from counterproof.subject import Declared
from counterproof.suite import (
    NO_HISTORY,
    Check,
    Counterproof,
    Suite,
    check,
    installed,
    sabotage,
)
from counterproof.trace import OMITTED, History
from counterproof.worlds import Probe, builtin_world

WORLD = builtin_world(0)
EVERYTHING = {
    "channels": {"structured", "narrative"},
    "claims": {"composite", "multi", "clarification", "security-gate", "restricted"},
    "seams": {"model", "parse", "retrieval"},
}


def declared(**given: Any) -> Declared:
    """What an adapter declares: all there is, but for what is given."""
    words: Any = {key: frozenset(value) for key, value in (EVERYTHING | given).items()}
    return Declared(
        "scrap", "1", volatile=frozenset(), concurrency="none", python="3", reducer=None, **words
    )


def row(id_: str, *seams: str) -> RequirementSpec:
    """A requirement."""
    given = {"title": "t", "sentence": "s", "source": "a record", "seams": frozenset(seams)}
    return RequirementSpec.model_validate({"id": id_, "version": 1, "level": "core"} | given)


def hit(probe: Probe) -> bool:
    return probe.kind == "hit" and probe.claim is None


@check("RET-1", probes=hit, histories=NO_HISTORY, seams=["parse"])
def first(case: Case, history: History) -> None:
    """Needs a seam besides its requirement's."""


@check("RET-1", probes=hit, histories=NO_HISTORY, behaviours=(PARROT, NO_TOOL))
def second(case: Case, history: History) -> None:
    """Runs with several behaviours."""


@check("RES-1", probes=lambda p: p.claim in ("restricted", "multi"), histories=NO_HISTORY)
def guarded(case: Case, history: History) -> None:
    """Speaks of probes that need a claim."""


@check("DEF-2", probes=lambda _: True, histories=NO_HISTORY, needs_baseline=True)
def recorded(case: Case, history: History) -> None:
    """Needs a baseline."""


def breaking(*trips: Check, name: str, **given: Any) -> Counterproof:
    """A sabotage of that name."""

    def hook(scene: Any, value: Any) -> Any:
        return value

    hook.__name__ = name
    return sabotage(*trips, on="query", witness=lambda _: OMITTED, **given)(hook)


BREAKS = breaking(first, second, guarded, recorded, name="breaks_all")
NARROW = breaking(first, name="on_short", probes=lambda probe: len(probe.question) < 10)
NEVER = breaking(first, name="nowhere", probes=lambda _: False)
SUITE = Suite(
    {"RET-1": row("RET-1", "retrieval"), "RES-1": row("RES-1"), "DEF-2": row("DEF-2")},
    (first, second, guarded, recorded),
    (BREAKS, NARROW, NEVER),
)


def plan(*, baseline: bool = True, **given: Any) -> Plan:
    """The plan for an engine that declares this."""
    return Plan.of(SUITE, declared(**given), WORLD, baseline=baseline)


def hits(*channels: str) -> list[str]:
    """Ids of the probes the first two checks speak of."""
    return [each.id for each in WORLD.probes if hit(each) and each.channel in channels]


class TestIds:
    def test_an_engine_item(self) -> None:
        """Requirement, clause and probe; the behaviour where there are several."""
        probe = WORLD.probe("narrative_hit")
        assert EngineItem(first, probe, PARROT).id == "RET-1/first[engine-narrative_hit]"
        assert EngineItem(second, probe, NO_TOOL).id == "RET-1/second[engine-narrative_hit-no-tool]"

    def test_a_counterproof_item(self) -> None:
        """Requirement, clause and sabotage."""
        assert CounterproofItem(first, NARROW, ()).id == "RET-1/first[on-short]"

    def test_the_installed_suites(self) -> None:
        """Unique, the same each time, and without path, space or anything else of a file."""
        ids = Plan.of(installed(), declared(), WORLD, baseline=True).ids
        assert ids == Plan.of(installed(), declared(), WORLD, baseline=True).ids
        assert len(set(ids)) == len(ids)
        assert not [each for each in ids if set(each) & set(" :.\\") or each.count("/") != 1]


class TestItems:
    def test_of_an_engine_that_declares_everything(self) -> None:
        """A check's engine items, one a probe and behaviour, before all its counterproofs."""
        made = plan()
        probes = hits("structured", "narrative")
        assert made.left == {}
        assert [each.id for each in made.of_check(first)] == [
            *(f"RET-1/first[engine-{each}]" for each in probes),
            "RET-1/first[breaks-all]",
            "RET-1/first[on-short]",
            "RET-1/first[nowhere]",
        ]
        assert [each.id for each in made.of_check(second)] == [
            *(f"RET-1/second[engine-{p}-{b}]" for p in probes for b in (PARROT, NO_TOOL)),
            "RET-1/second[breaks-all]",
        ]
        assert list(made.ids) == [item.id for each in SUITE.checks for item in made.of_check(each)]

    def test_every_counterproof_is_planned(self) -> None:
        """Also one that no probe shows: why it did not land must stand in the certificate."""
        made = {
            (each.check.id, each.counterproof.name): [probe.id for probe in each.probes]
            for each in plan(channels={"narrative"}).items
            if isinstance(each, CounterproofItem)
        }
        assert hits("narrative") == made["RET-1/first", "breaks-all"]
        assert made["RET-1/first", "on-short"] == ["narrative_short"]
        assert made["RET-1/first", "nowhere"] == []
        planted = {(t.id, c.name) for c in SUITE.counterproofs for t in c.trips}
        assert planted == set(made)

    def test_of_the_channels_and_claims_declared(self) -> None:
        """No other probe is asked."""
        asked = {
            each.probe.id
            for each in plan(channels={"structured"}, claims={"multi"}).items
            if isinstance(each, EngineItem)
        }
        answered = [p for p in WORLD.probes if p.channel == "structured"]
        assert {p.id for p in answered if p.claim in (None, "multi")} == asked


class TestLeft:
    @pytest.mark.parametrize(
        ("given", "check_id", "left"),
        [
            (
                {"claims": ()},
                "RES-1/guarded",
                Left(True, "the engine does not claim multi or restricted"),
            ),
            (
                {"channels": {"structured"}, "claims": {"restricted"}},
                "RES-1/guarded",
                Left(True, "the engine does not claim multi"),
            ),
            (
                {"channels": {"narrative"}, "claims": {"multi"}},
                "RES-1/guarded",
                Left(True, "the engine does not claim restricted"),
            ),
            (
                {"baseline": False},
                "DEF-2/recorded",
                Left(True, "no baseline to compare with; record one with --record-baseline"),
            ),
            (
                {"seams": {"model", "parse"}},
                "RET-1/second",
                Left(False, "the adapter does not expose the seam retrieval"),
            ),
            (
                {"seams": {"model"}},
                "RET-1/first",
                Left(False, "the adapter does not expose the seam parse or the seam retrieval"),
            ),
        ],
    )
    def test_why_a_check_does_not_run(self, given: Any, check_id: str, left: Left) -> None:
        """What is not claimed does not apply; what is not exposed is not observable."""
        made = plan(**given)
        assert left == made.left[check_id]
        assert not [each for each in made.ids if each.startswith(f"{check_id}[")]

    def test_one_check_left_leaves_no_other(self) -> None:
        """Each for itself."""
        assert list(plan(baseline=False).left) == ["DEF-2/recorded"]
        assert list(plan(seams={"model", "retrieval"}).left) == ["RET-1/first"]

    def test_a_channel_that_is_not_answered(self) -> None:
        """It does not apply, also where a seam is missing."""
        only = Suite({"RET-1": row("RET-1", "retrieval")}, (retrieves,), ())
        made = Plan.of(only, declared(channels={"structured"}, seams=()), WORLD, baseline=True)
        reason = "the engine does not answer narrative questions"
        assert {"RET-1/retrieves": Left(True, reason)} == made.left

    def test_a_world_without_a_probe(self) -> None:
        """It says that the world lacks it, not the engine."""
        only = Suite({"RET-1": row("RET-1")}, (probeless,), ())
        made = Plan.of(only, declared(), WORLD, baseline=True)
        assert {"RET-1/probeless": Left(True, "the world holds no probe for it")} == made.left


@check("RET-1", probes=lambda probe: probe.id == "narrative_hit", histories=NO_HISTORY)
def retrieves(case: Case, history: History) -> None:
    """Speaks of one narrative probe."""


@check("RET-1", probes=lambda _: False, histories=NO_HISTORY)
def probeless(case: Case, history: History) -> None:
    """Speaks of no probe."""


def test_applicable_probes() -> None:
    """Those of the channels and claims declared, and of the check where one is given."""
    narrow = declared(channels={"narrative"}, claims=())
    assert [p.id for p in WORLD.probes if p.channel == "narrative" and p.claim is None] == [
        p.id for p in applicable(WORLD, narrow)
    ]
    assert hits("narrative") == [p.id for p in applicable(WORLD, narrow, first)]


class TestClaims:
    def test_a_check_of_a_claim_does_not_apply_without_it(self) -> None:
        """Whatever its probes are; an engine that makes the claim runs it."""

        @check("RES-1", probes=hit, histories=NO_HISTORY, claims=("session",))
        def holds_conversations(case: Case, history: History) -> None:
            """Speaks of a claim of the engine's, on any probe."""

        breaks = breaking(holds_conversations, name="breaks_it")
        suite = Suite({"RES-1": row("RES-1")}, (holds_conversations,), (breaks,))
        without = Plan.of(suite, declared(), WORLD, baseline=False)
        assert without.items == ()
        assert without.left == {
            holds_conversations.id: Left(True, "the engine does not claim session")
        }
        made = Plan.of(suite, declared(claims={"session"}), WORLD, baseline=False)
        assert made.left == {}
        assert made.items
