"""The corpus of engines, each certified as a vendor would: flawed, conformant, null and hostile."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from counterproof.certificate import Certificate, Verdict, read
from engines.conformant import CONFORMANT
from engines.flawed import FLAWS
from engines.hostile import NULL, OF_ROWS
from engines.sampling import sampled

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


def rows(certificate: Certificate | None, verdict: Verdict) -> list[str]:
    """The ids of the requirements of that verdict."""
    found = certificate.requirements if certificate else ()
    return [each.id for each in found if each.verdict is verdict]


@pytest.mark.parametrize("target", sampled(FLAWS, 16))
def test_a_flaw_violates_the_row_that_speaks_of_it(target: str, tmp_path: Path) -> None:
    """Exit 1, and the violation has the ask that shows it."""
    row = FLAWS[target]
    code, certificate, said = certified(target, tmp_path, "--only", row, "--level", "hardening")
    assert (code, rows(certificate, Verdict.FAIL)) == (1, [row]), said
    assert certificate is not None
    assert certificate.requirements[0].counterexample is not None


@pytest.mark.parametrize("target", sampled(CONFORMANT, 40))
def test_an_engine_that_differs_where_it_may_is_conformant(target: str, tmp_path: Path) -> None:
    """Exit 0: no check is over-strict, and none is vacuous."""
    code, certificate, said = certified(target, tmp_path)
    outcome = certificate.outcome.reason if certificate else said
    assert (code, outcome) == (0, "conformant at core")


@pytest.mark.parametrize("target", sampled(NULL, 13))
def test_a_null_or_hostile_engine_is_never_certified(target: str, tmp_path: Path) -> None:
    """The exit code and the one-line reason that fit, and nothing of it reaches the terminal.

    Where a few rows suffice to refuse it, only they are run.
    """
    expected, reason = NULL[target]
    telling = OF_ROWS.get(target, TELLING if expected == 1 else ())
    options = [word for row in telling for word in ("--only", row)]
    options += _AT_ANY_LEVEL if target in OF_ROWS else ()
    code, certificate, said = certified(target, tmp_path, *options)
    told = certificate.outcome.reason if certificate else said
    assert (code, reason in told) == (expected, True), told
    assert certificate is None or certificate.level is None
    assert "Traceback" not in said
    assert "\x1b" not in said
    assert not COMMAND_OF_A_CI.search(said)
