"""The engine suite on the reference engine: every sabotage is caught, and its bystanders known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from counterproof.baseline import Baseline
from counterproof.bench import Bench, Setting
from counterproof.case import Case
from counterproof.check import Violation
from counterproof.engines import shipped_baseline
from counterproof.judge import CounterproofOutcome
from counterproof.model.behaviours import Behaviour
from counterproof.plan import CounterproofItem, applicable
from counterproof.profiles import PROFILES
from counterproof.subject import Declared, Subject
from counterproof.suite import Check, Counterproof
from counterproof.trace import OMITTED, Ask, History, Trace
from counterproof.worker.link import Link, Target
from counterproof.worlds import Probe, builtin_world
from counterproof_suites.engine import SUITE
from engines.sampling import sampled

REFERENCE = Target("counterproof_reference.adapter:reference")
WORLD = builtin_world(0)
PLANTED = [
    pytest.param(check, each, id=CounterproofItem(check, each, ()).id)
    for check in SUITE.checks
    for each in SUITE.by_check[check.id]
]
OF_DEFAULTS = {
    "DEF-1/an_empty_history_is_no_history",
    "DEF-2/the_default_is_the_recorded_one",
}
"""Checks of asks without history: they say nothing of one that holds turns."""
OF_ANY_SHAPE = ("ROL-2", "ROL-4")
"""Rows that speak of turns that are no pairs of strings; ROL-4 speaks of nothing else."""


def baseline(declared: Declared) -> Baseline:
    """The reference engine's own."""
    folder = shipped_baseline("reference")
    assert folder is not None
    return Baseline.read(folder, declared.name, WORLD.digest)


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """The reference engine, set up as for CI."""
    made = Bench(Setting(REFERENCE, WORLD, SUITE, PROFILES["gate"], 0, baseline))
    yield made
    made.close()


def test_the_suite_holds_together() -> None:
    """No requirement, check or sabotage stands alone."""
    assert SUITE.problems() == []


OF_CONVERSATIONS = ("DEF-3", "STA-2", "STA-3", "STA-4")
"""Rows whose checks put asks that cannot be remembered: watched as bystanders of their own only."""


def test_everything_applies_to_the_reference_engine(bench: Bench) -> None:
    """It claims all there is, so nothing of the suite goes without a proof here."""
    assert bench.plan.left == {}
    planted = [each for each in bench.plan.items if isinstance(each, CounterproofItem)]
    assert len(planted) == len(PLANTED)
    assert all(each.probes for each in planted)


@pytest.mark.parametrize(("check", "broken"), PLANTED)
def test_a_sabotage_lands_and_is_caught(bench: Bench, check: Check, broken: Counterproof) -> None:
    """By the check it names, by a violation and not by a crash."""
    (item,) = (
        each
        for each in bench.plan.of_check(check)
        if isinstance(each, CounterproofItem) and each.counterproof is broken
    )
    found = bench.run(item)
    assert isinstance(found, CounterproofOutcome)
    assert (found.landed, found.caught, found.crashed) == (True, True, None), found.message


class Remembering(Case):
    """A case that puts no ask twice: the reference engine keeps nothing between asks."""

    def __init__(self, stage: Stage, probe: Probe, behaviour: Behaviour, clean: Stage) -> None:
        super().__init__(
            stage.subject,
            probe,
            behaviour,
            twin=lambda: stage.twin,
            untold=lambda: stage.untold,
            refusal=stage.refusals.get(probe.id),
            baseline=stage.baseline,
            calibrated=lambda: clean.subject.default(probe),
        )
        self._seen = stage.seen

    def ask(self, history: History = OMITTED, *, fresh: bool = False, **given: Any) -> Trace:
        if given.get("anew"):
            return super().ask(history, **given)
        return self._once("here", history, lambda: super(Remembering, self).ask(history, **given))

    def default(self) -> Trace:
        return self.ask()

    def elsewhere(self, history: History = OMITTED) -> Trace:
        return self._once("there", history, lambda: super(Remembering, self).elsewhere(history))

    def put(self, ask: Ask, *, anew: bool = False, **given: Any) -> Trace:
        put = super().put
        if anew:
            return put(ask, anew=True, **given)
        key = ("put", ask)
        return (
            self._seen[key] if key in self._seen else self._seen.setdefault(key, put(ask, **given))
        )

    def _once(self, where: str, history: History, ask: Callable[[], Trace]) -> Trace:
        key = (where, self.probe.id, self.behaviour, repr(history))
        return self._seen[key] if key in self._seen else self._seen.setdefault(key, ask())


@dataclass
class Stage:
    """An engine, sabotaged or not, its twins, and what they have been seen to do."""

    subject: Subject
    twin: Subject
    untold: Subject
    refusals: dict[str, str]
    baseline: Baseline | None
    seen: dict[Any, Trace] = field(default_factory=dict)

    def trips(self, check: Check, history: History, clean: Stage, broken: Any = None) -> bool:
        """Whether a check is violated, with this history, on any of its probes."""
        return any(
            self._trips(check, probe, behaviour, history, clean)
            for probe in applicable(WORLD, self.subject.describe(), check)
            for behaviour in check.behaviours
            if broken is None or broken.probes(probe)
        )

    def _trips(
        self, check: Check, probe: Probe, behaviour: Behaviour, history: History, clean: Stage
    ) -> bool:
        observable = check.observable
        if observable and observable(Remembering(clean, probe, behaviour, clean)) is not None:
            return False
        try:
            check.predicate(Remembering(self, probe, behaviour, clean), history)
        except Violation:
            return True
        return False


@pytest.fixture(scope="module")
def clean(bench: Bench) -> Iterator[Stage]:
    """The engine as it is."""
    made = Stage(*three_workers(), bench.calibration.refusals, bench.baseline)
    yield made
    for each in (made.subject, made.twin, made.untold):
        each.close()


@pytest.fixture(scope="module")
def broken() -> Iterator[tuple[Subject, Subject, Subject]]:
    """Workers that are sabotaged, one after the other."""
    made = three_workers()
    yield made
    for each in made:
        each.close()


def three_workers() -> tuple[Subject, Subject, Subject]:
    """The engine, its twin of another hash seed, and one that is never told history."""
    first, twin, untold = (Subject(Link(REFERENCE, hash_seed=seed), WORLD) for seed in (0, 1, 0))
    return first, twin, untold


def speaks(check: Check, witness: History, bench: Bench, planted: Counterproof) -> bool:
    """Whether a check says something of an ask with that history on that engine."""
    malformed = witness.kind == "raw"
    near = {each.requirement for each in planted.trips}
    return (
        check.id not in bench.plan.left
        and (check.requirement not in OF_CONVERSATIONS or check.requirement in near)
        and not (witness.turns and check.id in OF_DEFAULTS)
        and (check.requirement in OF_ANY_SHAPE if malformed else check.requirement != "ROL-4")
    )


@pytest.mark.parametrize("planted", sampled(SUITE.counterproofs, 12), ids=lambda each: each.name)
def test_what_a_sabotage_trips_with_its_witness(
    bench: Bench,
    clean: Stage,
    broken: tuple[Subject, Subject, Subject],
    planted: Counterproof,
    snapshot: SnapshotAssertion,
) -> None:
    """The checks it names, and the bystanders that are known: a new one shows here."""
    witness = planted.witness(bench.material)
    subject, twin, untold = (each.under(planted.sabotage) for each in broken)
    stage = Stage(subject, twin, untold, bench.calibration.refusals, bench.baseline)
    speaking = [each for each in SUITE.checks if speaks(each, witness, bench, planted)]
    assert [each.id for each in speaking if clean.trips(each, witness, clean)] == []
    tripped = [each.id for each in speaking if stage.trips(each, witness, clean, planted)]
    assert {each.id for each in planted.trips} <= set(tripped)
    assert tripped == snapshot
