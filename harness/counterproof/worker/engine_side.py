"""The worker: loads an adapter, opens engines, and answers one request after another.

It is told questions and histories, never what is being checked.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import os
import signal
import sys
import threading
from typing import Any, Callable, Dict, Mapping, Optional

from counterproof import contract
from counterproof.worker import at_once, wire
from counterproof.worker.given import Given, put, state
from counterproof.worker.replies import answered, failed


class _Pipe:
    """The worker's end of the link, and the port every seam reports through."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading = reading
        self._writing = writing
        self._lock = threading.RLock()
        self.busy = False
        self.meeting: Optional[at_once.Meeting] = None
        self.numbered = False

    def send(self, message: Mapping[str, Any]) -> None:
        wire.write_all(self._writing, wire.encode(message))

    def receive(self) -> Dict[str, Any]:
        message: Dict[str, Any] = wire.read_blocking(self._reading)
        return message

    def cross(self, seam: str, data: Mapping[str, Any]) -> Any:
        if self.numbered:
            data = {**data, "ask": at_once.ASK.get()}
        if self.meeting is not None:
            self.meeting.wait()
        with self._lock:
            if not self.busy:
                raise RuntimeError(f"the {seam} seam was crossed outside an ask")
            self.send({"op": "cross", "seam": seam, "data": data})
            return self.receive()["data"]


def serve(reading: int, writing: int, lifeline: int, target: str) -> None:
    """Answer requests until the link is closed.

    Args:
        reading: descriptor of requests.
        writing: descriptor of replies.
        lifeline: descriptor that reaches its end when the deciding process is gone.
        target: the adapter, ``module:attribute``.
    """
    for fd in (reading, writing, lifeline):
        os.set_inheritable(fd, False)
    threading.Thread(target=_die_with_the_other, args=(lifeline,), daemon=True).start()
    pipe = _Pipe(reading, writing)
    worker = _Worker(pipe, target)
    while True:
        try:
            request = pipe.receive()
        except EOFError:
            _end()
        reply = worker.answer(request)
        try:
            pipe.send(reply)
        except (TypeError, ValueError, RecursionError, wire.WireError) as error:
            pipe.send(failed(str(request.get("op")), error, "contract"))


def _die_with_the_other(lifeline: int) -> None:
    with contextlib.suppress(OSError):  # closed by the engine: as good as the other's death
        os.read(lifeline, 1)
    _end()


def _end() -> None:
    """Leave at once, taking the engine's own children along."""
    if os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


class _Worker:
    def __init__(self, pipe: _Pipe, target: str) -> None:
        self._pipe = pipe
        self._target = target
        self._opener: Optional[Callable[..., Any]] = None
        self._ask: Optional[Callable[..., Any]] = None
        self._world: Optional[contract.World] = None
        self._session: Optional[contract.Session] = None
        self._given: Optional[Given] = None
        self._loop: Any = None
        self._before = frozenset(sys.modules)

    def answer(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        handler = getattr(self, "_on_" + request["op"])
        self._pipe.busy = True
        try:
            done: Dict[str, Any] = handler(request)
        except BaseException as error:  # noqa: BLE001  # whatever an engine raises is data here
            return failed(request["op"], error, "raised")
        finally:
            self._pipe.busy = False
        return done

    def _on_load(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        module_name, _, attribute = self._target.partition(":")
        try:
            found: Any = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            if error.name and (module_name + ".").startswith(error.name + "."):
                told = f"no module {error.name} can be imported from the current folder"
                return failed("load", ModuleNotFoundError(told), "unknown")
            raise
        for part in attribute.split("."):
            if not hasattr(found, part):
                error_ = AttributeError(f"the module {module_name} has no {attribute}")
                return failed("load", error_, "unknown")
            found = getattr(found, part)
        spec = getattr(found, "__counterproof__", None)
        if not isinstance(spec, contract.AdapterSpec):
            return failed(
                "load", TypeError(f"{attribute} is no function marked with @adapter"), "unknown"
            )
        self._opener = found
        self._spec = spec
        return {
            "op": "loaded",
            "name": spec.name,
            "version": spec.version,
            "channels": sorted(spec.channels),
            "claims": sorted(spec.claims),
            "seams": sorted(spec.seams),
            "volatile": sorted(spec.volatile),
            "concurrency": spec.concurrency,
            "reducer": spec.reducer,
            "errors": sorted(spec.errors),
            "calls_tools_itself": spec.tool_call is not None,
            "python": "%d.%d.%d" % sys.version_info[:3],
        }

    def _on_open(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        assert self._opener is not None
        self._ask = self._session = self._given = None
        self._world = _world(request["world"], self._pipe, self._spec.reply)
        self._ask = self._opener(self._world)
        if not callable(self._ask):
            found = type(self._ask).__name__
            return failed("open", TypeError(f"the adapter returned {found}, not ask()"), "contract")
        return {"op": "opened"}

    def _on_describe(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        """What the engine lets be described: plain values, by seam."""
        assert self._world is not None
        described = self._world._described
        return {"op": "described", "seams": {name: tell() for name, tell in described.items()}}

    def _on_session(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        """Open a session of the engine; turns are put to the newest one."""
        self._session = None
        if self._world is None or not self._world._sessions:
            return failed("session", TypeError("the adapter opens no session"), "contract")
        made = self._world._sessions[-1]()
        if not isinstance(made, contract.Session):
            found = type(made).__name__
            wrong = TypeError("world.session: make() returned %s, not Session" % found)
            return failed("session", wrong, "contract")
        self._session = made
        return {"op": "session"}

    def _on_tool_call(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        assert self._spec.tool_call is not None
        probe = request["probe"]
        name, arguments = self._spec.tool_call(
            contract.ProbeView(
                probe["id"], probe["question"], probe["channel"], tuple(probe["slots"])
            )
        )
        return {"op": "tool_called", "name": name, "arguments": dict(arguments)}

    def _on_files(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        """The source files of what was loaded since the worker started, the kit's own left out."""
        files = {}
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            ours = name.partition(".")[0] == "counterproof" and ".adapters." not in name
            if name not in self._before and not ours and str(file).endswith(".py"):
                files[name] = os.path.abspath(str(file))
        return {"op": "files", "files": files}

    def _on_ask(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        if not request.get("in_session"):
            assert self._ask is not None
            return self._put(self._ask, request)
        assert self._session is not None
        reply = self._put(self._session.ask, request)
        if reply["op"] == "answer":
            state = {"takes_history": bool(self._session.takes_history)}
            reply["session"] = {**state, "remembered": self._session.remembered()}
        return reply

    def _put(self, ask: Callable[..., Any], request: Mapping[str, Any]) -> Dict[str, Any]:
        given, before = Given.of(request), self._given
        self._given = given or before
        try:
            reply = answered(self._resolve(put(ask, request["question"], given)))
        except BaseException as error:  # noqa: BLE001  # what it left of the history is told too
            reply = failed("ask", error, "raised")
        return {**reply, **state(given, before)}

    def _on_ask_many(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        asks = request["asks"]
        self._pipe.numbered = True
        try:
            if self._spec.concurrency == "async":
                tasks = [functools.partial(self._in_a_task, each) for each in asks]
                replies = self._resolve(at_once.in_tasks(tasks))
            else:
                self._pipe.meeting = at_once.Meeting(len(asks))
                threads = [functools.partial(self._in_a_thread, each) for each in asks]
                replies = at_once.in_threads(threads, self._pipe.meeting)
        finally:
            self._pipe.numbered, self._pipe.meeting = False, None
        return {"op": "answered", "replies": replies}

    def _in_a_thread(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        assert self._ask is not None
        given = Given.of(request)
        try:
            reply = answered(_alone(put(self._ask, request["question"], given)))
        except BaseException as error:  # noqa: BLE001  # as when it is asked alone
            reply = failed("ask", error, "raised")
        return {**reply, **state(given, None)}

    async def _in_a_task(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        assert self._ask is not None
        given = Given.of(request)
        try:
            result = put(self._ask, request["question"], given)
            reply = answered(await result if inspect.isawaitable(result) else result)
        except BaseException as error:  # noqa: BLE001  # as when it is asked alone
            reply = failed("ask", error, "raised")
        return {**reply, **state(given, None)}

    def _resolve(self, result: Any) -> Any:
        if not inspect.isawaitable(result):
            return result
        import asyncio

        if self._loop is None:
            self._loop = asyncio.new_event_loop()

        async def wait() -> Any:
            return await result

        return self._loop.run_until_complete(wait())


def _alone(result: Any) -> Any:
    """What an ask gave, awaited in a loop of its own where it is to be awaited."""
    if not inspect.isawaitable(result):
        return result
    import asyncio

    async def wait() -> Any:
        return await result

    return asyncio.run(wait())


def _world(data: Mapping[str, Any], pipe: _Pipe, reply: Any) -> contract.World:
    return contract.World(
        reference_date=data["reference_date"],
        entities=tuple(contract.Name(e["code"], tuple(e["names"])) for e in data["entities"]),
        metrics=tuple(contract.Name(e["code"], tuple(e["names"])) for e in data["metrics"]),
        facts=tuple(contract.Fact(**each) for each in data["facts"]),
        passages=tuple(contract.Passage(**each) for each in data["passages"]),
        out_of_scope=tuple(data["out_of_scope"]),
        model=contract.Model(pipe, reply, _served),
        _port=pipe,
    )


def _served(complete: Callable[..., Any]) -> str:
    from counterproof.worker.model_server import ModelServer  # HTTP, for engines that need it

    return ModelServer(complete).url
