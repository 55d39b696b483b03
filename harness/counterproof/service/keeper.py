"""Starts a vendor's service, and ends it with every process it started.

It runs as a process of its own between the kit and the service, so that the service ends also
where the kit is killed: its standard input reaches its end then.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
import sys
import threading

import psutil

_GRACE = 3.0
"""Seconds a service has to end by itself once it is told to."""
_PR_SET_CHILD_SUBREAPER = 36


def main(command: list[str]) -> int:
    """Run a command until standard input ends or the command does.

    Args:
        command: the program and its arguments.

    Returns:
        The command's exit status; 127 where it cannot be run.
    """
    _adopt()
    try:
        service = subprocess.Popen(command, stdin=subprocess.DEVNULL)  # noqa: S603  # the user's
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", flush=True)
        return 127
    threading.Thread(target=_wait_for_the_end, daemon=True).start()
    status = service.wait()
    end_all()
    return status


def _adopt() -> None:
    """Become the parent of whatever the service leaves behind, where the system can do that.

    Elsewhere a process is found only as long as the one that started it lives.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _wait_for_the_end() -> None:
    with contextlib.suppress(OSError):
        while os.read(0, 1024):
            pass
    end_all()
    os._exit(0)


def end_all() -> None:
    """Ask every descendant of this process to end, and kill what is left after a while."""
    this = psutil.Process()
    left = this.children(recursive=True)
    for each in left:
        with contextlib.suppress(psutil.Error):
            each.terminate()
    psutil.wait_procs(left, timeout=_GRACE)
    while alive := this.children(recursive=True):  # also those started in the meantime
        for each in alive:
            with contextlib.suppress(psutil.Error):
                each.kill()
        psutil.wait_procs(alive, timeout=_GRACE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
