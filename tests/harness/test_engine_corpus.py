"""The engines our CI certifies calibrate, and those with a flaw really have it.

What becomes of their certification is tested where they are certified.
"""

from __future__ import annotations

import importlib
import inspect
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from counterproof.calibration import calibrate
from counterproof.contract import AdapterSpec
from counterproof.plan import applicable
from counterproof.subject import Subject
from counterproof.trace import Trace
from counterproof.worker.link import Link, Target
from counterproof_suites.engine import SUITE
from engines.conformant import CONFORMANT
from engines.flawed import FLAWS
from engines.hostile import NULL
from engines.sampling import sampled
from engines.witnesses import TOLD, WITNESSES, WORLD

TESTS = str(Path(__file__).parents[1])
REFERENCE = "counterproof_reference.adapter:reference"
ROWS = set(SUITE.requirements) - {"DEF-2"}
"""Those an engine can be held to without a baseline of its own."""
OF_TWO_PROCESSES = [target for target, row in FLAWS.items() if row == "STA-1"]
TO_BE_CAUGHT = [target for target, (code, _) in NULL.items() if code not in (2, 3)]


@contextmanager
def opened(target: str, hash_seed: int = 0) -> Iterator[Subject]:
    """An engine in a worker of its own."""
    subject = Subject(Link(Target(target, folder=TESTS), hash_seed), WORLD)
    try:
        yield subject
    finally:
        subject.close()


@pytest.fixture(scope="module")
def reference() -> Iterator[Subject]:
    """The engine that the others are in disguise."""
    with opened(REFERENCE) as subject:
        yield subject


def calibrated(subject: Subject) -> None:
    """Raise unless the engine yields what the world says on every probe it claims."""
    calibrate(subject, applicable(WORLD, subject.describe()))


def witnessed(subject: Subject, target: str) -> tuple[Trace, Trace]:
    """The default trace, and the one of a flaw's witness on the same engine."""
    witness = WITNESSES[target]
    probe = WORLD.probe(witness.probe)
    default = subject.ask(probe, fresh=True)
    if witness.seen is not None:
        return default, witness.seen(subject)
    if witness.put is not None:
        return default, subject.put(witness.put)
    return default, subject.ask(probe, witness.history, witness.behaviour)


def differing(here: Subject, there: Subject) -> list[str]:
    """The probes on which two processes do not give the same bytes."""
    return [
        probe.id
        for probe in WORLD.probes
        if here.ask(probe, fresh=True).bytes != there.ask(probe, fresh=True).bytes
    ]


def short(target: str) -> str:
    """An adapter's address, as a test's id."""
    return target.removeprefix("engines.")


def test_every_row_has_engines_that_violate_it() -> None:
    counted = Counter(FLAWS.values())
    assert set(counted) == ROWS
    assert min(counted.values()) >= 3


def test_every_flaw_has_a_witness() -> None:
    assert {*WITNESSES, *OF_TWO_PROCESSES} == set(FLAWS)
    assert not set(WITNESSES) & set(OF_TWO_PROCESSES)


def test_each_engine_stands_in_one_table_and_says_what_it_is() -> None:
    every = [*FLAWS, *CONFORMANT, *NULL]
    assert len(every) == len(set(every))
    cannot_be_had = {target for target, (code, _) in NULL.items() if code == 2}
    for target in set(every) - cannot_be_had - {"engines.hostile.broken_import:engine"}:
        module, _, name = target.partition(":")
        found: Any = getattr(importlib.import_module(module), name)
        assert isinstance(found.__counterproof__, AdapterSpec), target
        assert inspect.getdoc(found), target


@pytest.mark.parametrize("target", sampled(WITNESSES, 8), ids=short)
def test_a_flawed_engine_calibrates_and_its_flaw_happens(target: str, reference: Subject) -> None:
    """Nothing is wrong with it by default; on its witness the flaw shows, and only there."""
    shows = WITNESSES[target].shows
    with opened(target) as subject:
        calibrated(subject)
        assert shows(*witnessed(subject, target))
    assert not shows(*witnessed(reference, target))


@pytest.mark.parametrize("target", OF_TWO_PROCESSES, ids=short)
def test_two_processes_of_a_stateful_engine_do_not_agree(target: str) -> None:
    """Of two hash seeds; the one has answered a question more than the other."""
    with opened(target, 0) as here, opened(target, 1) as there:
        calibrated(here)
        calibrated(there)
        there.ask(WORLD.probe("narrative_hit"))
        assert differing(here, there)


def test_two_processes_of_the_reference_engine_agree(reference: Subject) -> None:
    with opened(REFERENCE, 1) as there:
        there.ask(WORLD.probe("narrative_hit"))
        assert not differing(reference, there)


@pytest.mark.parametrize("target", sampled(CONFORMANT, 8), ids=short)
def test_a_conformant_engine_calibrates_and_answers_as_without_history(target: str) -> None:
    with opened(target) as subject:
        calibrated(subject)
        for probe in applicable(WORLD, subject.describe()):
            default, told = subject.default(probe), subject.ask(probe, TOLD)
            assert told.failure is None
            assert told.comparable()["answer"] == default.comparable()["answer"]


@pytest.mark.slow
@pytest.mark.parametrize("target", sampled(TO_BE_CAUGHT, 8), ids=short)
def test_an_engine_that_the_checks_are_to_catch_calibrates(target: str) -> None:
    """One that did not would prove nothing about them."""
    with opened(target) as subject:
        calibrated(subject)
