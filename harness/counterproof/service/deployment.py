"""The service under test as it stands: started where the user gives a command, watched, ended."""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from counterproof.contract import Model
from counterproof.service.exchange import Exchanger
from counterproof.service.mapping import ServiceMapping
from counterproof.worker.link import Cross, WorkerDied
from counterproof.worker.model_server import ModelServer
from counterproof.worlds import WorldSpec
from counterproof.worlds.export import export

if TYPE_CHECKING:
    from counterproof.service.link import ServiceLink

START_SECONDS = 60.0
READY_SECONDS = 5.0
"""How long a service that was started by hand is waited for."""
SILENT_SECONDS = 30.0
"""How long a service may keep silent before the exchange itself gives up; an ask has less."""
_LOOK_SECONDS = 0.05
_ENDING_SECONDS = 0.5
"""How long a service that broke off is given to have ended, so that it can be told how."""
WORLD = "{world}"
"""Stands, in a start command, for the folder the world is exported to."""


@dataclass(frozen=True)
class ServiceTarget:
    """A service and how it is spoken to.

    Args:
        url: its address.
        start: the command that starts it, or None for one that runs already.
        mapping: how it is spoken to.
        headers: sent with each request; they stand in no output.
        model_port: the port the model is played at; 0 for any.
    """

    url: str
    start: str | None = None
    mapping: ServiceMapping = field(default_factory=ServiceMapping)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    model_port: int = 0

    kind: ClassVar[Literal["service"]] = "service"
    transport: ClassVar[str] = "http"

    @property
    def adapter(self) -> str:
        """What messages call it."""
        return self.url

    @property
    def unproved(self) -> tuple[str, ...]:
        """What HTTP leaves unproved of it, a sentence each."""
        told = [
            "over HTTP the seams parse, retrieval, exits, session and signature are not seen: that"
            " parser, retriever and exits are given nothing of history is judged by what comes of"
            " it, not by what they were given",
            "each ask goes to the service as it runs; it is not opened anew in between",
        ]
        if not self.takes_worlds:
            told.append(
                "the service holds one world, so that it knows no answer by heart is not proved"
            )
        return tuple(told)

    def connect(self) -> Deployment:
        """What gives links to it."""
        return Deployment(self)

    @property
    def reopens(self) -> bool:
        """Whether the kit can have it start anew."""
        return self.start is not None

    @property
    def takes_worlds(self) -> bool:
        """Whether the kit can have it start over another world."""
        return self.start is not None and WORLD in self.start


class Deployment:
    """One running service, the model it calls, and whose ask is in flight.

    Args:
        target: the service.
    """

    def __init__(self, target: ServiceTarget) -> None:
        self.target = target
        self.exchanger = Exchanger(target.url, target.headers, SILENT_SECONDS)
        self.told = False
        """Whether it has been told a history since it was started."""
        self.starts = 0
        self._lost = False
        self._world: str | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._keeper: subprocess.Popen[bytes] | None = None
        self._words = _Words()
        self._asks: queue.SimpleQueue[Any] | None = None
        self._model: ModelServer | None = None

    @property
    def up(self) -> bool:
        """Whether it runs, as far as the kit can know."""
        if self.target.start is None:
            return self._model is not None
        return self._keeper is not None and self._keeper.poll() is None

    def link(self, *, hash_seed: int = 0, untold: bool = False) -> ServiceLink:  # one process
        """A link to it.

        Args:
            hash_seed: of no effect: all links ask the one process.
            untold: whether it must not have been told a history.
        """
        from counterproof.service.link import ServiceLink

        return ServiceLink(self, untold=untold)

    def open(self, world: WorldSpec | None, *, anew: bool = False) -> None:
        """See that it runs, over a world where it can be told one.

        Args:
            world: the world; None for whichever it holds.
            anew: start it anew even where it runs.

        Raises:
            WorkerDied: it cannot be started, or does not become ready.
        """
        other = world is not None and self.target.takes_worlds and world.digest != self._world
        if self.up and not other and not (anew and self.target.reopens):
            return
        self.stop()
        self._play()
        if self.target.start is not None:
            self._start(world)
        self._wait()

    def stop(self) -> None:
        """End the service that was started, with its children; safe to call twice."""
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            assert keeper.stdin is not None
            keeper.stdin.close()
            try:
                keeper.wait(timeout=10)
            except subprocess.TimeoutExpired:
                keeper.kill()
                keeper.wait()
            self._words.finish()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
        self._world = None
        self.told = False

    def close(self) -> None:
        """End everything."""
        self.stop()
        self.exchanger.close()
        if self._model is not None:
            self._model.close()
            self._model = None

    def during(self, jobs: Sequence[Callable[[], Any]], cross: Cross, deadline: float) -> list[Any]:
        """Run jobs in threads of their own, and serve in this one what crosses meanwhile.

        Args:
            jobs: each puts one request; what it returns or raises is its result.
            cross: serves a crossing of the model seam.
            deadline: by :func:`time.monotonic`, when the service is taken to hang.

        Returns:
            What each job returned, or the exception it raised.

        Raises:
            WorkerDied: not all was done in time.
            Exception: whatever ``cross`` raises.
        """
        events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._asks = events
        results: list[Any] = [None] * len(jobs)

        def run(number: int) -> None:
            try:
                results[number] = jobs[number]()
            except Exception as error:  # noqa: BLE001  # handed to the thread that judges it
                results[number] = error
            events.put(None)

        for number in range(len(jobs)):
            threading.Thread(target=run, args=(number,), daemon=True).start()
        left = len(jobs)
        try:
            while left:
                try:
                    event = events.get(timeout=max(0.0, deadline - time.monotonic()))
                except queue.Empty:
                    raise WorkerDied("hung", "no answer in time") from None
                if event is None:
                    left -= 1
                    continue
                spent = time.monotonic()
                event.serve(cross)
                deadline += time.monotonic() - spent
        finally:
            self._asks = None
        return results

    def last_words(self) -> str:
        """How the service that was started ended, if it did, and the last line it printed."""
        if self._keeper is None:
            return ""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._keeper.wait(timeout=_ENDING_SECONDS)
        if self._keeper.poll() is None:
            return ""
        self._words.finish()
        last = self._words.last_line()
        return f"; the service ended with status {self._keeper.returncode}" + (
            f": {last}" if last else ""
        )

    def _play(self) -> None:
        if self._model is None:
            try:
                self._model = ModelServer(
                    Model(_Port(self)).complete,
                    self.target.model_port,
                    self._embedded if self.target.mapping.embeddings else None,
                )
            except OSError as error:
                raise WorkerDied(
                    "exited",
                    f"the model cannot be played at port {self.target.model_port}: {error}",
                ) from None

    def _embedded(self, texts: list[str]) -> list[str]:
        """What is embedded in place of some texts: during an ask, each is a retrieval query."""
        if self._asks is None:
            return texts
        port = _Port(self)
        return [port.cross("query", {"query": each, "filters": {}})["query"] for each in texts]

    def _start(self, world: WorldSpec | None) -> None:
        assert self.target.start is not None
        assert self._model is not None
        command = shlex.split(self.target.start)
        if world is not None and self.target.takes_worlds:
            self._folder = tempfile.TemporaryDirectory(prefix="counterproof-world-")
            export(world, Path(self._folder.name))
            self._world = world.digest
            command = [each.replace(WORLD, self._folder.name) for each in command]
        url = self._model.url
        environment = {
            **os.environ,
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_API_KEY": "counterproof",
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "counterproof",
        }
        self._keeper = subprocess.Popen(  # noqa: S603  # the command the user gives
            [sys.executable, "-m", "counterproof.service.keeper", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=environment,
        )
        self._words = _Words(self._keeper)
        self.starts += 1

    def _wait(self) -> None:
        """Wait until it says that it is ready."""
        path = self.target.mapping.health
        patience = START_SECONDS if self.target.start else READY_SECONDS
        deadline = time.monotonic() + (0.0 if self._lost else patience)
        while not self.exchanger.healthy(path):
            if self._keeper is not None and self._keeper.poll() is not None:
                ended = self.last_words()
                self.stop()
                raise WorkerDied("exited", f"it did not start{ended}")
            if time.monotonic() > deadline:
                last = self._words.last_line()
                self._lost = True  # it is not waited for again for each of a thousand asks
                self.stop()
                raise WorkerDied(
                    "hung",
                    f"GET {self.target.url}{path} does not answer 200"
                    + (f"; the last it printed: {last}" if last else ""),
                )
            time.sleep(_LOOK_SECONDS)
        self._lost = False


class _Port:
    """Where the model is called: the ask in flight serves it, in its own thread."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment

    def cross(self, seam: str, data: Mapping[str, Any]) -> Any:
        asks = self._deployment._asks
        if asks is None:
            raise RuntimeError("the model was called while nothing was asked")
        event = _Event(seam, dict(data))
        asks.put(event)
        return event.result()


class _Event:
    """A crossing on its way to the thread that serves it, and back."""

    def __init__(self, seam: str, data: dict[str, Any]) -> None:
        self._seam = seam
        self._data = data
        self._back: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()

    def serve(self, cross: Cross) -> None:
        try:
            self._back.put((True, cross(self._seam, self._data)))
        except BaseException:
            self._back.put((False, None))
            raise

    def result(self) -> Any:
        served, value = self._back.get(timeout=SILENT_SECONDS)
        if not served:
            raise RuntimeError("the model cannot reply")
        return value


class _Words:
    """Drains what a service prints, so that it never blocks, and keeps the end of it."""

    def __init__(self, process: subprocess.Popen[bytes] | None = None) -> None:
        self._kept = b""
        self._process = process
        self._thread = threading.Thread(target=self._drain, daemon=True)
        if process is not None:
            self._thread.start()

    def _drain(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            while part := self._process.stdout.read1(1 << 16):  # type: ignore[attr-defined]  # a BufferedReader
                self._kept = (self._kept + part)[-4096:]

    def finish(self) -> None:
        """The process has ended: read the rest."""
        if self._process is not None:
            self._thread.join(1.0)

    def last_line(self) -> str:
        lines = self._kept.decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else ""
