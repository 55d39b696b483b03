"""rag-spine patched as a fork would change it: each patch happens, and its row is violated."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from adapters.patches import MISSED, PATCHES
from adapters.witnesses import BY_PLAIN_CALL, OF_TWO_PROCESSES, WITNESSES, WORLD, Witness
from counterproof.catalogue import read_requirements
from counterproof.certificate import Certificate, Verdict, read
from counterproof.subject import Subject
from counterproof.trace import Trace
from counterproof.worker.link import Link, Target
from engines.sampling import sampled

TESTS = str(Path(__file__).parents[1])
UNPATCHED = "counterproof.adapters.ragspine:ragspine"
COMMAND = str(Path(sys.executable).with_name("counterproof"))
CATALOGUE = {
    each.id for each in read_requirements(files("counterproof_suites") / "requirements.toml")
}
VIOLATED_AS_IT_IS = {
    "PAR-5", "ROL-4", "FAB-5", "FAB-6", "FAB-7", "FAB-8", "FAB-9", "RES-5", "RES-6", "SES-3",
}  # fmt: skip
"""Rows that the package does not hold, so that nothing a patch adds could be told apart."""
CAUGHT = [each for each in PATCHES if each not in MISSED]
STEP = 12
"""One in how many patches CI takes; the rest is exhaustive."""

needs_ragspine = pytest.mark.skipif(
    importlib.util.find_spec("ragspine") is None,
    reason="rag-spine is not installed in this environment",
)


@contextmanager
def opened(target: str, python: str | None = None, hash_seed: int = 0) -> Iterator[Subject]:
    """An engine in a worker of its own."""
    subject = Subject(Link(Target(target, python, TESTS), hash_seed), WORLD)
    try:
        yield subject
    finally:
        subject.close()


def asked(subject: Subject, witness: Witness) -> list[Trace]:
    """The traces of a witness's asks, put one after the other to one engine."""
    traces = []
    for number, (probe_id, history) in enumerate(witness.asks):
        probe = WORLD.probe(probe_id)
        if witness.question is not None:
            probe = probe.model_copy(update={"question": witness.question})
        traces.append(subject.ask(probe, history, fresh=number == 0))
    return traces


@pytest.fixture(scope="module")
def unpatched() -> Iterator[Subject]:
    """The package as it is."""
    with opened(UNPATCHED) as subject:
        yield subject


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Where the default traces of the package as it is have been recorded."""
    folder = tmp_path_factory.mktemp("baseline")
    record = ["certify", UNPATCHED, "--only", "DEF-2", "--profile", "gate"]
    options = ("--baseline", str(folder))
    subprocess.run(
        [COMMAND, *record, *options, "--record-baseline"],
        cwd=TESTS,
        capture_output=True,
        check=True,
    )
    return options


def short(target: str) -> str:
    """An adapter's address, as a test's id."""
    return target.removeprefix("adapters.patches.")


class TestTable:
    """What the table of patches holds; nothing of rag-spine is needed to read it."""

    def test_every_patch_says_what_it_does(self) -> None:
        for target, row in PATCHES.items():
            module, _, name = target.partition(":")
            patched: Any = getattr(importlib.import_module(module), name)
            assert f"({row})" in (inspect.getdoc(patched) or ""), target

    def test_every_patch_has_one_witness(self) -> None:
        counted = Counter([*WITNESSES, *BY_PLAIN_CALL, *OF_TWO_PROCESSES])
        assert set(counted) == set(PATCHES)
        assert max(counted.values()) == 1

    def test_every_patch_is_of_a_row_that_the_package_holds(self) -> None:
        assert set(PATCHES.values()) <= CATALOGUE - VIOLATED_AS_IT_IS


@pytest.mark.slow
@needs_ragspine
class TestWitnesses:
    """Each patch happens, and the package as it is does not do the like."""

    @pytest.mark.parametrize("target", sampled(WITNESSES, STEP), ids=short)
    def test_a_patch_shows_on_its_witness(self, target: str, unpatched: Subject) -> None:
        witness = WITNESSES[target]
        with opened(target) as subject:
            assert witness.shows(asked(subject, witness))
        assert not witness.shows(asked(unpatched, witness))

    @pytest.mark.parametrize("target", OF_TWO_PROCESSES, ids=short)
    def test_two_processes_of_a_patched_engine_do_not_agree(self, target: str) -> None:
        probes = [each for each in WORLD.probes if each.channel == "narrative"]
        told = []
        for engine in (target, UNPATCHED):
            with opened(engine, hash_seed=0) as here, opened(engine, hash_seed=1) as there:
                told.append([here.default(p).bytes == there.default(p).bytes for p in probes])
        assert not all(told[0])
        assert all(told[1])

    @pytest.mark.parametrize("target", BY_PLAIN_CALL, ids=short)
    def test_a_patch_shows_in_a_plain_call(self, target: str) -> None:
        module, _, name = target.partition(":")
        load = f"from {module} import {name} as engine; engine.__counterproof__"
        assert _runs(load, PLAIN_CALLS[name]) == "True"
        assert _runs("", PLAIN_CALLS[name]) == "False"


PLAIN_CALLS = {
    "history_may_be_given_by_place": """
import inspect
from ragspine.agent import agent
history = inspect.signature(agent.answer_question).parameters["history"]
print(history.kind is not history.KEYWORD_ONLY)
""",
}
"""What each prints is True of the patched package, and False of the package as it is."""


def _runs(load: str, call: str, python: str = sys.executable) -> str:
    """What a program prints that loads an engine and then calls the package."""
    done = subprocess.run(
        [python, "-c", f"{load}\n{call}"], cwd=TESTS, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def certified(target: str, row: str, folder: Path, *more: str) -> tuple[int, Certificate]:
    """The exit code and the certificate of one row, certified with the gate's profile."""
    file = folder / "certificate.json"
    arguments = ["certify", target, "--only", row, "--level", "hardening", "--profile", "gate"]
    done = subprocess.run(
        [COMMAND, *arguments, *more, "--json", str(file)],
        cwd=TESTS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert file.exists(), f"{done.stdout}{done.stderr}"
    return done.returncode, read(file)


@pytest.mark.slow
@needs_ragspine
class TestCertified:
    """What the kit says of each patched package, and of the package as it is."""

    @pytest.mark.parametrize("target", sampled(CAUGHT, STEP), ids=short)
    def test_a_patch_is_caught(
        self, target: str, baseline: tuple[str, ...], tmp_path: Path
    ) -> None:
        """The row, and it alone, is violated, with a counterexample."""
        row = PATCHES[target]
        more = baseline if row == "DEF-2" else ()
        code, certificate = certified(target, row, tmp_path, *more)
        (found,) = [each for each in certificate.requirements if each.verdict is Verdict.FAIL]
        assert (code, found.id) == (1, row)
        assert found.counterexample is not None
        assert found.counterexample.message

    @pytest.mark.parametrize("target", sampled(MISSED, 2 * STEP), ids=short)
    def test_a_patch_that_is_missed_still_is(
        self, target: str, baseline: tuple[str, ...], tmp_path: Path
    ) -> None:
        """One that is caught by now belongs to the others."""
        row = PATCHES[target]
        more = baseline if row == "DEF-2" else ()
        _, certificate = certified(target, row, tmp_path, *more)
        (found,) = [each for each in certificate.requirements if each.id == row]
        assert found.verdict is Verdict.PASS, "it is caught now: declare it without missed="

    @pytest.mark.parametrize("row", sampled(sorted(set(PATCHES.values())), 2 * STEP))
    def test_it_is_the_patch_that_is_caught(
        self, row: str, baseline: tuple[str, ...], tmp_path: Path
    ) -> None:
        """The package as it is does not violate the row."""
        more = baseline if row == "DEF-2" else ()
        code, certificate = certified(UNPATCHED, row, tmp_path, *more)
        (found,) = [each for each in certificate.requirements if each.id == row]
        assert (code, found.verdict) == (4, Verdict.PASS)
