"""The deciding process's end of the link: starts a worker, asks, times, ends and restarts it."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from counterproof.worker import wire

if TYPE_CHECKING:
    from counterproof.worlds import WorldSpec

OPEN_SECONDS = 120.0
ASK_SECONDS = 10.0
ASK_SECONDS_AFTER_A_HANG = 2.0
"""The most an ask may take once one has hung; less where every answer came far sooner."""
_FEWEST_SECONDS, _TIMES_THE_SLOWEST = 0.5, 50

Cross = Callable[[str, Any], Any]

_BOOT = """\
import importlib.util, json, os, sys
given = json.loads(sys.argv[1])
sys.argv[1:] = []
for name, folder in given["packages"].items():
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder])
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
from counterproof.worker.engine_side import serve
serve(*given["fds"], given["target"])
"""

_HIDDEN = ("PYTEST", "HYPOTHESIS", "TOX", "COUNTERPROOF")
"""Prefixes of variables that could tell an engine that, or what, it is being checked."""


@dataclass(frozen=True)
class Target:
    """An adapter and the interpreter it runs under.

    Args:
        adapter: ``module:attribute``.
        python: path of the interpreter of the engine's environment; None for ours.
        folder: the folder the adapter is imported from; None for the current one.
    """

    adapter: str
    python: str | None = None
    folder: str | None = None

    kind: ClassVar[Literal["engine"]] = "engine"
    transport: ClassVar[str] = "worker"
    unproved: ClassVar[tuple[str, ...]] = ()

    def connect(self) -> Workers:
        """What gives links to it: each has a worker of its own."""
        return Workers(self)


@dataclass(frozen=True)
class Workers:
    """Makes links to one adapter, each with a worker process of its own."""

    target: Target

    def link(self, *, hash_seed: int = 0, untold: bool = False) -> Link:
        """A link to a worker that is not started yet.

        Args:
            hash_seed: the worker's PYTHONHASHSEED; STA-1 compares two.
            untold: whether it is to be told no history; a worker of its own never is, unless
                somebody tells it one.
        """
        return Link(self.target, hash_seed)

    def close(self) -> None:
        """Nothing is shared between links, so there is nothing to end."""


class WorkerDied(Exception):  # noqa: N818  # an event, not only an error
    """The worker ended, hung or broke the protocol.

    Attributes:
        kind: ``exited``, ``hung`` or ``protocol``.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class BadCrossing(Exception):  # noqa: N818  # a statement about a message
    """What crossed a seam is not what crosses there; the worker's doing."""


class Link:
    """One worker process, restarted on demand.

    Args:
        target: what it holds.
        hash_seed: the worker's PYTHONHASHSEED; STA-1 compares two.
    """

    def __init__(self, target: Target, hash_seed: int = 0) -> None:
        self.target = target
        self.hash_seed = hash_seed
        self.hangs = 0
        self.starts = 0
        self._slowest = 0.0
        self._process: subprocess.Popen[bytes] | None = None
        self._fds: list[int] = []
        self._tail: _Tail | None = None

    @property
    def running(self) -> bool:
        """Whether a worker process is up."""
        return self._process is not None

    def start(self) -> None:
        """Start the worker process.

        Raises:
            WorkerDied: the interpreter cannot be run.
        """
        self.close()
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        life_read, life_write = os.pipe()
        theirs = (to_read, from_write, life_read)
        given = {
            "packages": _packages(self.target.adapter, self.target.python is not None),
            "fds": theirs,
            "target": self.target.adapter,
        }
        environment = {k: v for k, v in os.environ.items() if not k.startswith(_HIDDEN)}
        environment["PYTHONHASHSEED"] = str(self.hash_seed)
        try:
            self._process = subprocess.Popen(  # noqa: S603  # the interpreter the user names
                [self.target.python or sys.executable, "-c", _BOOT, json.dumps(given)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=theirs,
                start_new_session=True,
                cwd=self.target.folder,
                env=environment,
            )
        except OSError as error:
            for fd in (*theirs, to_write, from_read, life_write):
                os.close(fd)
            raise WorkerDied("exited", f"the interpreter cannot be run: {error}") from None
        for fd in theirs:
            os.close(fd)
        os.set_blocking(from_read, False)
        self._fds = [to_write, from_read, life_write]
        self._tail = _Tail(self._process)
        self.starts += 1

    def close(self) -> None:
        """End the worker and every process it started in its group; safe to call twice."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for fd in self._fds:
            os.close(fd)
        self._fds = []
        if self._tail is not None:
            self._tail.stop()
        if process.stdout is not None:
            process.stdout.close()

    def open(self, world: WorldSpec, cross: Cross) -> dict[str, Any]:
        """Open the engine anew over a world.

        Args:
            world: the world.
            cross: serves what crosses meanwhile.

        Raises:
            WorkerDied: as for :meth:`request`.
        """
        return self.request({"op": "open", "world": world.wire()}, cross, OPEN_SECONDS)

    def request(
        self, message: Mapping[str, Any], cross: Cross | None = None, seconds: float | None = None
    ) -> dict[str, Any]:
        """Send one request, serve the crossings it causes, and return its reply.

        Args:
            message: the request; ``op`` names it.
            cross: called for each crossing with the seam and its data; its result goes back.
                It raises :class:`BadCrossing` for data that is not what crosses there.
            seconds: how long the whole may take.

        Raises:
            WorkerDied: the worker ended, hung, or sent what is no message; it is gone then.
            Exception: whatever else ``cross`` raises: it is ours, and no fault of the worker's.
        """
        started = time.monotonic()
        deadline = started + (self._patience() if seconds is None else seconds)
        try:
            self._send(message)
            while True:
                reply = self._receive(deadline)
                if reply.get("op") != "cross":
                    if seconds is None:
                        self._slowest = max(self._slowest, time.monotonic() - started)
                    return reply
                if cross is None:
                    raise WorkerDied("protocol", "a seam was crossed outside an ask")  # noqa: TRY301  # ended below
                spent = time.monotonic()
                data = cross(str(reply.get("seam")), reply.get("data"))
                deadline += time.monotonic() - spent
                self._send({"data": data})
        except WorkerDied as died:
            self.hangs += died.kind == "hung"
            self.close()
            raise
        except (wire.WireError, BadCrossing) as error:
            self.close()
            raise WorkerDied(
                "protocol", f"what came over the link is no message: {error}"
            ) from None
        except BaseException:
            # Left half-way (an interrupt, an error of a hook of ours): the pipe is out of step.
            self.close()
            raise

    def _patience(self) -> float:
        """How long an ask may take: an engine that hangs is not waited for again and again."""
        if not self.hangs:
            return ASK_SECONDS
        fair = max(_FEWEST_SECONDS, _TIMES_THE_SLOWEST * self._slowest)
        return min(ASK_SECONDS_AFTER_A_HANG, fair)

    def _send(self, message: Mapping[str, Any]) -> None:
        try:
            wire.write_all(self._fds[0], wire.encode(message))
        except BrokenPipeError:
            raise WorkerDied("exited", self._last_words()) from None

    def _receive(self, deadline: float) -> dict[str, Any]:
        (length,) = wire.HEADER.unpack(self._exactly(wire.HEADER.size, deadline))
        if length > wire.LIMIT:
            raise WorkerDied("protocol", f"a message of {length} bytes was announced")
        message = wire.decode(self._exactly(length, deadline))
        if not isinstance(message, dict):
            raise WorkerDied("protocol", "what came over the link is no message")
        return message

    def _exactly(self, count: int, deadline: float) -> bytes:
        parts: list[bytes] = []
        fd = self._fds[1]
        while count:
            try:
                part = os.read(fd, min(count, 1 << 20))
            except BlockingIOError:
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([fd], [], [], left)[0]:
                    raise WorkerDied("hung", "no answer in time; the worker was ended") from None
                continue
            if not part:
                raise WorkerDied("exited", self._last_words())
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def _last_words(self) -> str:
        assert self._process is not None
        assert self._tail is not None
        try:
            status = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "the worker closed the link"
        how = f"signal {-status}" if status < 0 else f"status {status}"
        self._tail.join(1.0)
        last = self._tail.last_line()
        return f"the worker process ended with {how}" + (f": {last}" if last else "")


def _packages(adapter: str, foreign: bool) -> dict[str, str]:
    """Where the worker finds our packages; another environment need not have them installed."""
    here = {"counterproof": str(Path(__file__).parents[1])}
    top = adapter.partition(":")[0].partition(".")[0]
    if foreign and top.startswith("counterproof_"):
        spec = importlib.util.find_spec(top)
        if spec is not None and spec.submodule_search_locations:
            here[top] = next(iter(spec.submodule_search_locations))
    return here


class _Tail(threading.Thread):
    """Drains what the engine prints, so that it never blocks, and keeps the end of it.

    A process the engine left behind may hold the pipe open for ever, so the thread is told to
    stop: closing a descriptor under a thread that reads it would give it the next one opened.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        super().__init__(daemon=True)
        assert process.stdout is not None
        self._fd = process.stdout.fileno()
        self._wake, self._waker = os.pipe()
        self._kept = b""
        self.start()

    def run(self) -> None:
        while True:
            ready, _, _ = select.select([self._fd, self._wake], [], [])
            if self._fd not in ready:
                return
            part = os.read(self._fd, 1 << 16)
            if not part:
                return
            self._kept = (self._kept + part)[-4096:]

    def stop(self) -> None:
        """End the thread; what is still in the pipe has been read, unless more keeps coming."""
        self.join(0.2)
        os.write(self._waker, b".")
        self.join(5)
        os.close(self._waker)
        os.close(self._wake)

    def last_line(self) -> str:
        lines = self._kept.decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else ""
