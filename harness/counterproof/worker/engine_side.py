"""The worker: loads an adapter, opens engines, and answers one request after another.

It is told questions and histories, never what is being checked.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import signal
import sys
import threading
import traceback
from typing import Any, Callable, Dict, Mapping, Optional

from counterproof import contract
from counterproof.worker import values, wire

_LONGEST = 1_000_000
"""The most characters of a text an answer may have; found out before it is encoded."""


class _Pipe:
    """The worker's end of the link, and the port every seam reports through."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading = reading
        self._writing = writing
        self._lock = threading.RLock()
        self.busy = False

    def send(self, message: Mapping[str, Any]) -> None:
        wire.write_all(self._writing, wire.encode(message))

    def receive(self) -> Dict[str, Any]:
        message: Dict[str, Any] = wire.read_blocking(self._reading)
        return message

    def cross(self, seam: str, data: Mapping[str, Any]) -> Any:
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
            pipe.send(_failure(str(request.get("op")), error, "contract"))


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
        self._loop: Any = None
        self._before = frozenset(sys.modules)

    def answer(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        handler = getattr(self, "_on_" + request["op"])
        self._pipe.busy = True
        try:
            done: Dict[str, Any] = handler(request)
        except BaseException as error:  # noqa: BLE001  # whatever an engine raises is data here
            return _failure(request["op"], error, "raised")
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
                return _failure("load", ModuleNotFoundError(told), "unknown")
            raise
        for part in attribute.split("."):
            if not hasattr(found, part):
                error_ = AttributeError(f"the module {module_name} has no {attribute}")
                return _failure("load", error_, "unknown")
            found = getattr(found, part)
        spec = getattr(found, "__counterproof__", None)
        if not isinstance(spec, contract.AdapterSpec):
            return _failure(
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
        self._ask = self._session = None
        self._world = _world(request["world"], self._pipe, self._spec.reply)
        self._ask = self._opener(self._world)
        if not callable(self._ask):
            found = type(self._ask).__name__
            return _failure(
                "open", TypeError(f"the adapter returned {found}, not ask()"), "contract"
            )
        return {"op": "opened"}

    def _on_session(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        """Open a session of the engine; turns are put to the newest one."""
        self._session = None
        if self._world is None or not self._world._sessions:
            return _failure("session", TypeError("the adapter opens no session"), "contract")
        made = self._world._sessions[-1]()
        if not isinstance(made, contract.Session):
            found = type(made).__name__
            wrong = TypeError("world.session: make() returned %s, not Session" % found)
            return _failure("session", wrong, "contract")
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
        kind, turns = request["kind"], request["turns"]
        if kind == "omitted":
            return self._finish(ask(request["question"]), True, None)
        given = values.build(kind, turns)
        result = self._resolve(ask(request["question"], history=given))
        kept = type(given) is type(values.build(kind, turns)) and given == values.build(kind, turns)
        return self._finish(result, kept, None if kept else repr(given)[:2000])

    def _resolve(self, result: Any) -> Any:
        if not inspect.isawaitable(result):
            return result
        import asyncio

        if self._loop is None:
            self._loop = asyncio.new_event_loop()

        async def wait() -> Any:
            return await result

        return self._loop.run_until_complete(wait())

    def _finish(self, result: Any, kept: bool, left: Optional[str]) -> Dict[str, Any]:
        answer = self._resolve(result)
        if type(answer) is not contract.Answer:
            found = type(answer).__name__
            return _failure("ask", TypeError(f"ask() returned {found}, not Answer"), "contract")
        for name, value in (
            ("text", answer.text),
            ("plain", answer.plain),
            ("route", answer.route),
        ):
            if not (isinstance(value, str) or (value is None and name != "text")):
                wrong = TypeError(f"Answer.{name} is {type(value).__name__}, not str")
                return _failure("ask", wrong, "contract")
            if value is not None and len(value) > _LONGEST:
                long = ValueError(f"Answer.{name} has {len(value)} characters; {_LONGEST} is most")
                return _failure("ask", long, "contract")
        if answer.refused not in (None, True, False):
            return _failure(
                "ask", TypeError("Answer.refused is not True, False or None"), "contract"
            )
        sources = []
        for number, source in enumerate(answer.sources):
            if type(source) is not contract.Source:
                wrong = TypeError(
                    f"Answer.sources[{number}] is {type(source).__name__}, not Source"
                )
                return _failure("ask", wrong, "contract")
            sources.append({"doc": str(source.doc), "locator": str(source.locator)})
        results = answer.tool_results
        return {
            "op": "answer",
            "answer": {
                "text": answer.text,
                "sources": sources,
                "route": answer.route,
                "refused": None if answer.refused is None else bool(answer.refused),
                "plain": answer.plain,
                "tool_results": None if results is None else list(results),
            },
            "history_kept": kept,
            "history_left": left,
        }


def _failure(stage: str, error: BaseException, kind: str) -> Dict[str, Any]:
    """What went wrong, without a path of this machine in it."""
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"{os.path.basename(f.filename)}:{f.lineno} in {f.name}" for f in frames]
    try:
        message = str(error)
    except Exception:  # noqa: BLE001  # a lying exception is reported all the same
        message = "(no message)"
    return {
        "op": "failed",
        "stage": stage,
        "kind": kind,
        "type": type(error).__name__,
        "message": message[:2000],
        "where": [each for each in where if not each.startswith("engine_side.py:")][-6:],
    }


def _world(data: Mapping[str, Any], pipe: _Pipe, reply: Any) -> contract.World:
    return contract.World(
        reference_date=data["reference_date"],
        entities=tuple(contract.Name(e["code"], tuple(e["names"])) for e in data["entities"]),
        metrics=tuple(contract.Name(e["code"], tuple(e["names"])) for e in data["metrics"]),
        facts=tuple(contract.Fact(**each) for each in data["facts"]),
        passages=tuple(contract.Passage(**each) for each in data["passages"]),
        out_of_scope=tuple(data["out_of_scope"]),
        model=contract.Model(pipe, reply),
        _port=pipe,
    )
