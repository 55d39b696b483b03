"""A certification that is ended early: no certificate, no temporary file, no process is left."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from counterproof.certificate import read
from harness.scraps import PROGRAM, QUICK, contents, processes_in, surroundings, vendors_folder

ENDED = [signal.SIGINT, signal.SIGTERM]
EARLIER = b"an earlier certificate"
JSON = ("--json", "certificate.json")


class Run:
    """A certification under way in a vendor's folder, where an earlier certificate lies.

    Args:
        folder: the vendor's folder.
        temporary: its folder of temporary files.
        command: what runs it.
    """

    def __init__(self, folder: Path, temporary: Path, *command: str) -> None:
        self.folder = folder
        self.temporary = temporary
        os.mkfifo(folder / "ready")
        self._ready = os.open(folder / "ready", os.O_RDWR)
        self.before = contents(folder)
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=surroundings(TMPDIR=str(temporary)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def until(self, moment: str) -> None:
        """Wait for the engine to be at work on an ask, or for a line of progress."""
        if moment == "at work":
            assert select.select([self._ready], [], [], 60)[0], "the engine was never asked"
            child = int(os.read(self._ready, 64))
            assert child in {each.pid for each in processes_in(self.folder)}
            return
        assert self.process.stderr is not None
        told, said = self.process.stderr.fileno(), b""
        while not said.startswith(moment.encode()) and f"\n{moment}".encode() not in said:
            assert select.select([told], [], [], 60)[0], "there was no progress"
            part = os.read(told, 1 << 16)
            assert part, said
            said += part

    def end(self, how: int) -> tuple[int, str]:
        """Send a signal; the exit code, and what is said from then on."""
        self.process.send_signal(how)
        return self.ended()

    def ended(self) -> tuple[int, str]:
        """The exit code, and what is said to the end."""
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, said.decode()

    def left(self) -> list[psutil.Process]:
        """Processes of the run that do not end."""
        return psutil.wait_procs(list(processes_in(self.folder)), timeout=30)[1]

    def close(self) -> None:
        """End what still runs."""
        self.process.kill()
        self.process.communicate()
        for each in processes_in(self.folder):
            each.kill()
        os.close(self._ready)


class Runs:
    """Starts certifications."""

    def __init__(self, folder: Path) -> None:
        self._vendor = vendors_folder(folder / "vendor")
        self._temporary = folder / "temporary"
        self._temporary.mkdir()
        (self._vendor / "certificate.json").write_bytes(EARLIER)
        self.made: list[Run] = []

    def certify(self, engine: str) -> Run:
        """One of an engine of the vendor's."""
        return self._started(PROGRAM, "certify", engine, *QUICK, *JSON)

    def interrupting_itself(self, at: str, how: int) -> Run:
        """One that sends itself a signal where it calls ``module:function``."""
        module, _, function = at.partition(":")
        return self._started(
            *(sys.executable, "-c", INTERRUPTING, module, function, str(int(how))),
            *("certify", "scrap:plain", *QUICK, *JSON),
        )

    def _started(self, *command: str) -> Run:
        self.made.append(Run(self._vendor, self._temporary, *command))
        return self.made[-1]


INTERRUPTING = """
import gc, importlib, os, sys
_, module, function, how, *sys.argv[1:] = sys.argv
where = importlib.import_module(module)
real = getattr(where, function)

def send(*_):
    os.kill(os.getpid(), int(how))

def stop(*given, **more):
    if function != "conduct":
        send()
    else:
        gc.callbacks.append(send)
        gc.collect()
        gc.callbacks.remove(send)
    return real(*given, **more)

setattr(where, function, stop)
from counterproof.cli import main
main()
"""


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    """Starts certifications, and ends them after the test."""
    made = Runs(tmp_path)
    yield made
    for each in made.made:
        each.close()


@pytest.mark.parametrize(
    ("engine", "moment", "how"),
    [
        ("plain", "calibrating", signal.SIGTERM),
        ("plain", "[0/", signal.SIGINT),
        *(("stuck_at_once", "at work", how) for how in ENDED),
        *(("stuck_with_history", "at work", how) for how in ENDED),
    ],
)
def test_an_interrupt_leaves_nothing(
    runs: Runs, engine: str, moment: str, how: signal.Signals
) -> None:
    """In calibration or in the middle of an item: the engine's own children end with it."""
    run = runs.certify(f"scrap:{engine}")
    run.until(moment)
    if engine == "stuck_with_history":
        assert list(run.temporary.iterdir()), "it does not write where the test looks"
    code, said = run.end(how)
    assert code == 130
    assert said.splitlines()[-1] == "interrupted; a run that does not end writes no certificate"
    assert "Traceback" not in said
    assert run.left() == []
    assert contents(run.folder) == run.before
    assert list(run.temporary.iterdir()) == []


@pytest.mark.parametrize("how", ENDED, ids=lambda how: how.name)
def test_an_interrupt_while_the_certificate_is_written(runs: Runs, how: signal.Signals) -> None:
    """The earlier one stands as it was, and nothing beside it."""
    run = runs.interrupting_itself("os:fsync", how)
    assert run.ended()[0] == 130
    assert contents(run.folder) == run.before
    assert list(run.temporary.iterdir()) == []


def test_an_interrupt_before_anything_has_begun(runs: Runs) -> None:
    """While the program itself is being imported."""
    code, said = runs.interrupting_itself("typer:Typer", signal.SIGTERM).ended()
    assert code == 130
    assert said.splitlines()[-1].startswith("interrupted; ")
    assert "Traceback" not in said


@pytest.mark.parametrize("how", ENDED, ids=lambda how: how.name)
def test_an_interrupt_while_garbage_is_collected(runs: Runs, how: signal.Signals) -> None:
    """Python drops what is raised there; the run ends all the same."""
    run = runs.interrupting_itself("counterproof.certify.run:conduct", how)
    code, said = run.ended()
    assert code == 130
    assert "Exception ignored" not in said
    assert contents(run.folder) == run.before


def test_an_interrupt_after_the_certificate_was_written(runs: Runs) -> None:
    """It is whole."""
    run = runs.interrupting_itself("counterproof.cli.certifying:render", signal.SIGINT)
    assert run.ended()[0] == 130
    assert read(run.folder / "certificate.json").subject.name == "plain"


@pytest.mark.parametrize("engine", ["stuck_at_once", "stuck_with_history"])
def test_killed_outright_it_leaves_no_process(runs: Runs, engine: str) -> None:
    """Nor part of a certificate."""
    run = runs.certify(f"scrap:{engine}")
    run.until("at work")
    assert run.end(signal.SIGKILL)[0] == -signal.SIGKILL
    assert run.left() == []
    assert contents(run.folder) == run.before


def test_killed_while_the_certificate_is_written(runs: Runs) -> None:
    """The earlier one stands as it was."""
    run = runs.interrupting_itself("os:fsync", signal.SIGKILL)
    assert run.ended()[0] == -signal.SIGKILL
    assert (run.folder / "certificate.json").read_bytes() == EARLIER
    assert run.left() == []
