"""What must run for an engine, and why the rest does not: decided before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from counterproof.model.behaviours import Behaviour
from counterproof.subject import Declared
from counterproof.suite import Check, Counterproof, Suite
from counterproof.worlds import Probe, WorldSpec


@dataclass(frozen=True)
class EngineItem:
    """One check on the engine as it is: one probe, one behaviour of the model."""

    check: Check
    probe: Probe
    behaviour: Behaviour

    @property
    def id(self) -> str:
        """Stable, and without a path: ``RET-1/…[engine-narrative_hit]``."""
        played = f"-{self.behaviour}" if len(self.check.behaviours) > 1 else ""
        return f"{self.check.id}[engine-{self.probe.id}{played}]"


@dataclass(frozen=True)
class CounterproofItem:
    """One check on the engine sabotaged in one way, on the probes where it may show."""

    check: Check
    counterproof: Counterproof
    probes: tuple[Probe, ...]

    @property
    def id(self) -> str:
        """Stable, and without a path: ``RET-1/…[history-in-query]``."""
        return f"{self.check.id}[{self.counterproof.name}]"


Item = EngineItem | CounterproofItem
OF_SERVICES = frozenset({"service", "stream"})
"""Seams that a service has and no other engine: without them a check does not apply."""


@dataclass(frozen=True)
class Left:
    """Why a check does not run.

    Args:
        observable: False where a seam is missing; True where it does not apply at all.
        reason: why, in a sentence.
    """

    observable: bool
    reason: str


@dataclass(frozen=True)
class Plan:
    """The items that must run, and the checks that do not.

    Args:
        items: engine items of a check before its counterproofs.
        left: by check id, why it does not run.
    """

    items: tuple[Item, ...]
    left: dict[str, Left]

    @classmethod
    def of(cls, suite: Suite, declared: Declared, world: WorldSpec, *, baseline: bool) -> Plan:
        """The plan for what an adapter declares.

        Args:
            suite: the requirements to check.
            declared: what the adapter declares.
            world: the world.
            baseline: whether there is a baseline to compare with.
        """
        items: list[Item] = []
        left = {}
        for check in suite.checks:
            why = _left(suite, check, declared, world, baseline)
            if why is not None:
                left[check.id] = why
                continue
            probes = applicable(world, declared, check)
            items += [EngineItem(check, p, b) for p in probes for b in check.behaviours]
            items += [
                CounterproofItem(check, each, tuple(p for p in probes if each.probes(p)))
                for each in suite.by_check[check.id]
            ]
        return cls(tuple(items), left)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The manifest: ids of every item that must run."""
        return tuple(each.id for each in self.items)

    @cached_property
    def files(self) -> frozenset[Path]:
        """The module files the items' checks stand in."""
        return frozenset(each.check.file for each in self.items)

    def of_check(self, check: Check) -> Iterator[Item]:
        """The items of one check."""
        return (each for each in self.items if each.check is check)


def applicable(world: WorldSpec, declared: Declared, check: Check | None = None) -> list[Probe]:
    """The probes an engine is asked: those of the channels and claims it declares."""
    return [
        probe
        for probe in world.probes
        if probe.channel in declared.channels
        and (probe.claim is None or probe.claim in declared.claims)
        and (check is None or check.probes(probe))
    ]


def _left(
    suite: Suite, check: Check, declared: Declared, world: WorldSpec, baseline: bool
) -> Left | None:
    if check.needs_baseline and not baseline:
        return Left(True, "no baseline to compare with; record one with --record-baseline")
    if unclaimed := sorted(check.claims - declared.claims):
        return Left(True, f"the engine does not claim {' or '.join(unclaimed)}")
    if not applicable(world, declared, check):
        return Left(True, _unclaimed([p for p in world.probes if check.probes(p)], declared))
    for each in sorted(check.needs & declared.lacks.keys()):
        return Left(each == "object", declared.lacks[each])
    lacking = sorted((suite.requirements[check.requirement].seams | check.seams) - declared.seams)
    if set(lacking) & OF_SERVICES:
        return Left(True, "the engine is no service" if "service" in lacking else "nothing streams")
    if lacking:
        return Left(False, f"the adapter does not expose the seam {' or the seam '.join(lacking)}")
    return None


def _unclaimed(probes: Sequence[Probe], declared: Declared) -> str:
    """Why none of these probes is asked."""
    if not probes:
        return "the world holds no probe for it"
    channels = sorted({each.channel for each in probes} - declared.channels)
    claims = sorted({each.claim for each in probes if each.claim} - declared.claims)
    if claims:
        return f"the engine does not claim {' or '.join(claims)}"
    return f"the engine does not answer {' or '.join(channels)} questions"
