"""The corpus of engines, each certified as a vendor would: flawed, conformant, null and hostile."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from counterproof.certificate import Certificate, Verdict, read
from engines.conformant import CONFORMANT
from engines.flawed import FLAWS
from engines.hostile import NULL, OF_ROWS

TELLING = ("PAR-2", "RET-1", "FAB-1", "MSG-1")
"""Rows of which a cheat must violate one; what fails among them fails in a whole run."""
_AT_ANY_LEVEL = ("--level", "hardening")
COMMAND_OF_A_CI = re.compile(r"^\s*(::|##\[)", re.MULTILINE)

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parents[1]
COMMAND = str(Path(sys.executable).with_name("counterproof"))
Run = tuple[int, Certificate | None, str]
"""Exit code, certificate, and all that was printed."""


def certified(target: str, folder: Path, *options: str) -> Run:
    """One certification, as its user runs it."""
    file = folder / f"{target.replace(':', '.')}.json"
    done = subprocess.run(
        [COMMAND, "certify", target, "--profile", "gate", "--json", str(file), *options],
        cwd=TESTS,
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stderr + done.stdout
    return done.returncode, read(file) if file.exists() else None, said


def all_of(jobs: dict[str, list[str]], folder: Path) -> dict[str, Run]:
    """Every engine certified, as many at a time as there are processors."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = pool.map(lambda job: certified(job[0], folder, *job[1]), jobs.items())
        return dict(zip(jobs, runs, strict=True))


def rows(certificate: Certificate | None, verdict: Verdict) -> list[str]:
    """The ids of the requirements of that verdict."""
    found = certificate.requirements if certificate else ()
    return [each.id for each in found if each.verdict is verdict]


def sampled(targets: Iterable[str], step: int) -> list[Any]:
    """Every one of these engines, all but each ``step``-th marked exhaustive."""
    return [
        each if number % step == 0 else pytest.param(each, marks=pytest.mark.exhaustive)
        for number, each in enumerate(targets)
    ]


def asked_for(request: pytest.FixtureRequest, function: str) -> set[str]:
    """The engines whose test of that name is to run in this session."""
    items = (each for each in request.session.items if isinstance(each, pytest.Function))
    return {str(each.callspec.params["target"]) for each in items if each.originalname == function}


@pytest.fixture(scope="module")
def flawed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Run]:
    """Each flawed engine, limited to the row that must see its flaw."""
    jobs = {each: ["--only", row, "--level", "hardening"] for each, row in FLAWS.items()}
    wanted = asked_for(request, "test_a_flaw_violates_the_row_that_speaks_of_it")
    jobs = {each: options for each, options in jobs.items() if each in wanted}
    return all_of(jobs, tmp_path_factory.mktemp("flawed"))


@pytest.fixture(scope="module")
def conformant(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Run]:
    """Each conformant engine, certified whole."""
    wanted = asked_for(request, "test_an_engine_that_differs_where_it_may_is_conformant")
    return all_of(
        {each: [] for each in CONFORMANT if each in wanted}, tmp_path_factory.mktemp("conformant")
    )


@pytest.mark.parametrize("target", sampled(FLAWS, 4))
def test_a_flaw_violates_the_row_that_speaks_of_it(flawed: dict[str, Run], target: str) -> None:
    """Exit 1, and the violation has the ask that shows it."""
    code, certificate, said = flawed[target]
    assert (code, rows(certificate, Verdict.FAIL)) == (1, [FLAWS[target]]), said
    assert certificate is not None
    assert certificate.requirements[0].counterexample is not None


@pytest.mark.parametrize("target", sampled(CONFORMANT, 6))
def test_an_engine_that_differs_where_it_may_is_conformant(
    conformant: dict[str, Run], target: str
) -> None:
    """Exit 0: no check is over-strict, and none is vacuous."""
    code, certificate, said = conformant[target]
    outcome = certificate.outcome.reason if certificate else said
    assert (code, outcome) == (0, "conformant at core")


@pytest.fixture(scope="module")
def never(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Each null or hostile engine; whole, but for those that a few rows suffice to refuse."""
    few = {each: OF_ROWS.get(each, TELLING) for each, (code, _) in NULL.items() if code == 1}
    jobs = {each: [w for row in few.get(each, ()) for w in ("--only", row)] for each in NULL}
    jobs = {each: [*options, *_AT_ANY_LEVEL] if each in OF_ROWS else options
            for each, options in jobs.items()}  # fmt: skip
    return all_of(jobs, tmp_path_factory.mktemp("never"))


@pytest.mark.parametrize("target", NULL)
def test_a_null_or_hostile_engine_is_never_certified(never: dict[str, Run], target: str) -> None:
    """The exit code and the one-line reason that fit, and nothing of it reaches the terminal."""
    code, certificate, said = never[target]
    expected, reason = NULL[target]
    told = certificate.outcome.reason if certificate else said
    assert (code, reason in told) == (expected, True), told
    assert certificate is None or certificate.level is None
    assert "Traceback" not in said
    assert "\x1b" not in said
    assert not COMMAND_OF_A_CI.search(said)
