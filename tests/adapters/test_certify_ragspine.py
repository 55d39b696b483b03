"""rag-spine certified, as its user would: one promise of its decision record does not hold."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from counterproof.certificate import Certificate, Verdict, read

pytest.importorskip("ragspine", reason="rag-spine is not installed in this environment")

HOLD = (
    "DEF-1", "DEF-3", "DEF-4", "DEF-5", "PAR-1", "PAR-2", "PAR-3", "PAR-4", "PAR-6", "MSG-1",
    "MSG-2", "MSG-3", "MSG-4", "MSG-5", "MSG-6", "ROL-1", "ROL-2", "ROL-3", "RET-1", "RET-2",
    "RET-3", "FAB-1", "FAB-2", "FAB-3", "FAB-4", "RES-1", "RES-2", "RES-4", "STA-1", "STA-3",
    "STA-4", "SES-1", "SES-2", "SES-4",
)  # fmt: skip
BROKEN = {
    "PAR-5", "ROL-4", "FAB-5", "FAB-6", "FAB-7", "FAB-8", "FAB-9", "RES-5", "RES-6", "SES-3",
}  # fmt: skip
"""Rows it violates; of core, PAR-5, FAB-5 and FAB-6."""
COMMAND = str(Path(sys.executable).with_name("counterproof"))


def certified(arguments: list[str], folder: Path) -> tuple[int, Certificate]:
    """The exit code and the certificate of one run in a folder of its own."""
    file = folder / "certificate.json"
    done = subprocess.run(
        [COMMAND, *arguments, "--json", str(file)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert file.exists(), done.stderr
    return done.returncode, read(file)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Certificate]:
    """A gate run over the default world."""
    return certified(
        ["certify", "ragspine", "--profile", "gate"], tmp_path_factory.mktemp("certify")
    )


def test_its_answer_from_a_model_that_looks_nothing_up_is_a_violation(
    run: tuple[int, Certificate],
) -> None:
    """FAB-5 among others, so that core is not granted."""
    code, certificate = run
    failed = [row.id for row in certificate.requirements if row.verdict is Verdict.FAIL]
    assert (code, set(failed), certificate.level) == (1, BROKEN, None)


@pytest.mark.parametrize("row", HOLD)
def test_its_other_promises_hold_and_each_counterproof_is_caught_on_it(
    run: tuple[int, Certificate], row: str
) -> None:
    """Every sabotage of the row landed on rag-spine itself, and its check failed for it."""
    found = next(each for each in run[1].requirements if each.id == row)
    assert found.verdict is Verdict.PASS
    landed = [each for each in found.counterproofs if each.landed]
    assert landed
    assert [each.sabotage for each in landed if not each.caught] == []


def test_the_printed_command_finds_the_same_counterexample(
    run: tuple[int, Certificate], tmp_path: Path
) -> None:
    """What the report says to run gives the violation again, ask by ask."""
    found = next(each for each in run[1].requirements if each.id == "FAB-5").counterexample
    assert found is not None
    program, *arguments = shlex.split(found.reproduce)
    assert program == "counterproof"
    code, again = certified(arguments, tmp_path)
    assert (code, again.requirements[0].counterexample) == (1, found)
