"""The keeper ends a service with every process it started, whatever becomes of the kit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest

KEEPER = [sys.executable, "-m", "counterproof.service.keeper"]

SERVICE = textwrap.dedent(
    """
    import os, subprocess, sys, signal, time
    if sys.argv[2] == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen(["sleep", "600"])
    apart = subprocess.Popen(["sleep", "600"], start_new_session=True)
    with open(sys.argv[1], "w") as fifo:
        fifo.write(f"{os.getpid()} {child.pid} {apart.pid}")
    time.sleep(600)
    """
)


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    """Where the service tells the processes there are."""
    path = tmp_path / "fifo"
    os.mkfifo(path)
    return path


def command(fifo: Path, manner: str) -> list[str]:
    """The keeper, keeping the service."""
    return [*KEEPER, sys.executable, "-c", SERVICE, str(fifo), manner]


def gone(pids: list[int]) -> bool:
    """Whether none of these processes is left, waited for in case one is just ending."""
    left = [psutil.Process(each) for each in pids if psutil.pid_exists(each)]
    return not psutil.wait_procs(left, timeout=10)[1]


@pytest.mark.parametrize("manner", ["well-behaved", "deaf"])
def test_all_end_once_the_keeper_is_let_go(fifo: Path, manner: str) -> None:
    with subprocess.Popen(command(fifo, manner), stdin=subprocess.PIPE) as keeper:
        pids = [int(each) for each in fifo.read_text().split()]
        assert all(map(psutil.pid_exists, pids))
        assert keeper.stdin is not None
        keeper.stdin.close()
        keeper.wait(timeout=20)
    assert gone(pids)


def test_all_end_once_the_kit_is_killed(fifo: Path) -> None:
    kit = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import subprocess, sys; subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE).wait()",
            *command(fifo, "well-behaved"),
        ]
    )
    pids = [int(each) for each in fifo.read_text().split()]
    keepers = [each.pid for each in psutil.Process(kit.pid).children()]
    kit.send_signal(signal.SIGKILL)
    kit.wait()
    assert gone([*pids, *keepers])


def test_what_a_service_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    left = tmp_path / "left"
    script = textwrap.dedent(
        f"""
        import subprocess
        apart = subprocess.Popen(["sleep", "600"], start_new_session=True)
        open({str(left)!r}, "w").write(str(apart.pid))
        raise SystemExit(7)
        """
    )
    service = [*KEEPER, sys.executable, "-c", script]
    with subprocess.Popen(service, stdin=subprocess.PIPE) as keeper:
        assert keeper.wait(timeout=20) == 7
    assert gone([int(left.read_text())])


def test_a_command_that_is_not_there_is_said() -> None:
    with subprocess.Popen(
        [*KEEPER, "no-such-service"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as keeper:
        assert keeper.stdout is not None
        assert keeper.stdout.read() == "no-such-service: No such file or directory\n"
        assert keeper.wait() == 127
