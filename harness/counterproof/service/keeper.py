"""Starts a vendor's service, and ends it with every process it started.

It runs as a process of its own between the kit and the service, so that the service ends also
where the kit is killed: its standard input reaches its end then.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading

import psutil

_GRACE = 3.0
"""Seconds a service has to end by itself once it is told to."""


def main(command: list[str]) -> int:
    """Run a command until standard input ends or the command does.

    Args:
        command: the program and its arguments.

    Returns:
        The command's exit status; 127 where it cannot be run.
    """
    try:
        service = psutil.Popen(command, stdin=-3)  # -3: subprocess.DEVNULL
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", flush=True)
        return 127
    tree = _Tree(service)
    threading.Thread(target=_wait_for_the_end, args=(tree,), daemon=True).start()
    status = int(service.wait() or 0)
    tree.end()
    return status


def _wait_for_the_end(tree: _Tree) -> None:
    with contextlib.suppress(OSError):
        while os.read(0, 1024):
            pass
    tree.end()
    os._exit(0)


class _Tree:
    """A service and its descendants, also those that left its process group."""

    def __init__(self, service: psutil.Process) -> None:
        self._service = service
        self._lock = threading.Lock()
        self._known: dict[int, psutil.Process] = {}
        self._watching = threading.Thread(target=self._watch, daemon=True)
        self._over = threading.Event()
        self._watching.start()

    def _watch(self) -> None:
        while not self._over.wait(0.2):
            self._look()

    def _look(self) -> None:
        with contextlib.suppress(psutil.Error):
            for each in self._service.children(recursive=True):
                self._known.setdefault(each.pid, each)

    def end(self) -> None:
        """Ask every process to end, and kill what is left after a while."""
        with self._lock:
            self._over.set()
            self._look()
            left = [self._service, *self._known.values()]
            for each in left:
                with contextlib.suppress(psutil.Error):
                    each.terminate()
            _, alive = psutil.wait_procs(left, timeout=_GRACE)
            for each in alive:
                with contextlib.suppress(psutil.Error):
                    each.kill()
            psutil.wait_procs(alive, timeout=_GRACE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
