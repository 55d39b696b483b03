"""The only way a check touches an engine: put an ask, get its trace.

The engine is in its worker; every crossing comes here, is recorded as it stands, and goes back.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from counterproof.contract import Answer, Source
from counterproof.model.behaviours import COOPERATIVE, Behaviour
from counterproof.model.scripted import ScriptedModel
from counterproof.sabotage import Sabotage, Scene
from counterproof.trace import OMITTED, Ask, Crossing, Failure, History, Trace
from counterproof.worker import values
from counterproof.worker.link import OPEN_SECONDS, Cross, Link, WorkerDied
from counterproof.worlds import Probe, WorldSpec


class AdapterError(Exception):
    """The adapter cannot be loaded or opened; the message says what is wrong (exit 3)."""


class UnknownAdapter(AdapterError):  # noqa: N818  # what the user named
    """There is no adapter where the target says (exit 2)."""


@dataclass(frozen=True)
class Declared:
    """What the adapter declares of its engine, as the worker reports it."""

    name: str
    version: str
    channels: frozenset[str]
    claims: frozenset[str]
    seams: frozenset[str]
    volatile: frozenset[str]
    concurrency: str
    python: str


class Subject:
    """An engine under test.

    Args:
        link: the worker that holds it; started here on demand, ended by :meth:`close`.
        world: the world it is opened over.
        sabotage: what its crossings are altered by, if anything.
    """

    def __init__(self, link: Link, world: WorldSpec, sabotage: Sabotage | None = None) -> None:
        self._link = link
        self._world = world
        self._sabotage = sabotage
        self._model = ScriptedModel(world)
        self._declared: Declared | None = None
        self._open = False
        self._defaults: dict[tuple[str, Behaviour], Trace] = {}
        self.asks = 0

    @property
    def world(self) -> WorldSpec:
        """The world the engine is opened over."""
        return self._world

    def under(self, sabotage: Sabotage) -> Subject:
        """The same engine in the same worker, opened anew, its crossings altered.

        The worker is shared, so that one process serves every sabotage: put no ask to the one
        while the other is in use.
        """
        self.describe()
        other = Subject(self._link, self._world, sabotage)
        other._declared, other._model = self._declared, self._model
        self._open = False
        return other

    def describe(self) -> Declared:
        """What the adapter declares.

        Raises:
            AdapterError: it cannot be loaded.
        """
        if self._declared is None or not self._link.running:
            self._load()
        assert self._declared is not None
        return self._declared

    def ask(
        self,
        probe: Probe,
        history: History = OMITTED,
        behaviour: Behaviour = COOPERATIVE,
        *,
        fresh: bool = False,
    ) -> Trace:
        """Put a probe's question to the engine.

        Args:
            probe: a probe of the world.
            history: the conversation before it.
            behaviour: what the scripted model does.
            fresh: open the engine anew first.

        Raises:
            AdapterError: the engine cannot be opened.
        """
        return self.put(Ask(probe.id, probe.question, history, behaviour), fresh=fresh)

    def put(self, asked: Ask, *, fresh: bool = False) -> Trace:
        """Put any ask to the engine: one of a session, one over passages labelled otherwise.

        Args:
            asked: the ask.
            fresh: open the engine anew first.

        Raises:
            AdapterError: the engine cannot be opened.
        """
        declared = self.describe()
        recorder = _Recorder(asked, self._model, self._scene(asked), self._sabotage)
        self.asks += 1
        put = recorder.apply("on_ask", asked)
        if "exits" in declared.seams:
            recorder.opened = put.opened
        elif asked == dataclasses.replace(put, opened=asked.opened):
            recorder.altered.clear()  # there is no exit to open
        try:
            reply = self._opened_for(put, fresh) or self._conversed(put, recorder)
            if reply is None:
                reply = self._link.request(_message(put), recorder.cross)
        except WorkerDied as died:
            reply = {"op": "failed", "kind": died.kind, "type": "", "message": str(died)}
        if "session" in reply:
            recorder.crossings.append(Crossing("session", reply["session"]))
        return _trace(asked, recorder, reply, declared.volatile)

    def _opened_for(self, put: Ask, fresh: bool) -> dict[str, Any] | None:
        """See that the engine is open as an ask needs it; the failure of one that will not be."""
        if put.label is None:
            if fresh or not self._open:
                self._reopen()
            return None
        self._open = False  # whatever is asked next is asked of the world itself
        reply = self._link.request(*self._opening(self._world.relabelled(put.label)))
        return None if reply["op"] == "opened" else reply

    def _conversed(self, put: Ask, last: _Recorder) -> dict[str, Any] | None:
        """Ask what a session was asked before; the failure of a turn that was not answered."""
        if put.session is None:
            return None
        reply = self._link.request({"op": "session"})
        if reply["op"] == "failed":
            return reply
        for turn in put.session:
            recorder = _Recorder(turn, self._model, self._scene(turn), self._sabotage)
            self.asks += 1
            reply = self._link.request(_message(turn), recorder.cross)
            last.altered |= recorder.altered
            if reply["op"] == "failed":
                return reply
        return None

    def default(self, probe: Probe, behaviour: Behaviour = COOPERATIVE) -> Trace:
        """The probe without history on a freshly opened engine; asked once, then remembered."""
        key = (probe.id, behaviour)
        if key not in self._defaults:
            self._defaults[key] = self.ask(probe, OMITTED, behaviour, fresh=True)
        return self._defaults[key]

    def files(self) -> dict[str, str]:
        """The source files of the modules loaded for the engine, by module name.

        Raises:
            AdapterError: the worker cannot say.
        """
        self.describe()
        try:
            reply = self._link.request({"op": "files"})
        except WorkerDied as died:
            raise AdapterError(f"the worker died when asked for its modules: {died}") from None
        return dict(reply.get("files", {}))

    def close(self) -> None:
        """End the worker."""
        self._link.close()
        self._open = False

    def _load(self) -> None:
        try:
            self._link.start()
            reply = self._link.request({"op": "load"}, seconds=OPEN_SECONDS)
        except WorkerDied as died:
            raise AdapterError(f"{self._link.target.adapter} cannot be loaded: {died}") from None
        if reply["op"] != "loaded":
            if reply["kind"] == "unknown":
                raise UnknownAdapter(f"{self._link.target.adapter}: {reply['message']}")
            raise AdapterError(f"{self._link.target.adapter} cannot be loaded: {_failure(reply)}")
        self._open = False
        self._declared = Declared(
            name=reply["name"],
            version=reply["version"],
            channels=frozenset(reply["channels"]),
            claims=frozenset(reply["claims"]),
            seams=frozenset(reply["seams"]),
            volatile=frozenset(reply["volatile"]),
            concurrency=reply["concurrency"],
            python=reply["python"],
        )
        if reply["calls_tools_itself"]:
            self._model = ScriptedModel(self._world, self._tool_calls())

    def _tool_calls(self) -> dict[str, tuple[str, Mapping[str, Any]]]:
        """How the adapter says its tool is called for each structured probe."""
        calls = {}
        for probe in self._world.probes:
            if probe.channel != "structured":
                continue
            shown = probe.model_dump(include={"id", "question", "channel"})
            shown["slots"] = [each.model_dump(exclude_none=True) for each in probe.slots]
            try:
                reply = self._link.request({"op": "tool_call", "probe": shown})
            except WorkerDied as died:
                raise AdapterError(f"tool_call, probe {probe.id}: {died}") from None
            if reply["op"] != "tool_called":
                raise AdapterError(f"tool_call, probe {probe.id}: {_failure(reply)}")
            calls[probe.id] = (reply["name"], reply["arguments"])
        return calls

    def _scene(self, asked: Ask) -> Scene:
        return Scene(asked, self._world, self.asks, hash_seed=self._link.hash_seed)

    def _reopen(self) -> None:
        try:
            reply = self._link.request(*self._opening(self._world))
        except WorkerDied as died:
            raise AdapterError(f"the engine cannot be opened: {died}") from None
        if reply["op"] != "opened":
            raise AdapterError(f"the engine cannot be opened: {_failure(reply)}")
        self._open = True

    def _opening(self, world: WorldSpec) -> tuple[dict[str, Any], Cross, float]:
        """The request that opens the engine over a world."""
        nothing = Ask(self._world.probes[0].id, "")
        opening = _Recorder(nothing, self._model, self._scene(nothing))
        return {"op": "open", "world": world.wire()}, opening.cross, OPEN_SECONDS


class _Recorder:
    """Serves the crossings of one ask, lets a sabotage alter them, and keeps them in order."""

    def __init__(
        self,
        ask: Ask,
        model: ScriptedModel,
        scene: Scene,
        sabotage: Sabotage | None = None,
    ) -> None:
        self._ask = ask
        self._model = model
        self._scene = scene
        self._sabotage = sabotage
        self._calls = 0
        self.crossings: list[Crossing] = []
        self.altered: set[str] = set()
        self.opened: frozenset[str] = frozenset()

    def apply(self, hook: str, value: Any) -> Any:
        """What takes the place of ``value``; remembers whether it differs."""
        if self._sabotage is None:
            return value
        # A copy, so that a hook that alters in place is seen to have altered.
        scene = dataclasses.replace(self._scene, crossings=tuple(self.crossings))
        given = self._sabotage.apply(hook, scene, copy.deepcopy(value))
        if given != value:
            self.altered.add(hook)
        return given

    def cross(self, seam: str, data: dict[str, Any]) -> Any:
        if seam == "model":
            return self._model_call(data)
        if seam == "exit":
            return self._exit(data)
        given = self.apply(f"on_{seam}", data)
        self.crossings.append(Crossing(seam, given, altered=given != data))
        if seam != "passages":
            return given
        known = data["passages"]
        return {"passages": [known.index(p) if p in known else p for p in given["passages"]]}

    def _exit(self, data: dict[str, Any]) -> Any:
        """An exit that is held open lets the world's restricted passages out, before the rest."""
        released = data["released"]
        if data["name"] in self.opened:
            closed = [each.model_dump() for each in self._scene.world.restricted]
            released = [*closed, *(each for each in released if each not in closed)]
        seen = {**data, "released": released}
        self.crossings.append(Crossing("exit", seen, altered=released != data["released"]))
        known = [*data["released"], *data["given"]]
        return {"released": [known.index(p) if p in known else p for p in released]}

    def _model_call(self, data: dict[str, Any]) -> Any:
        given = {**data, "messages": self.apply("on_messages", data["messages"])}
        reply = self._model.reply(self._ask, given, self._calls)
        self._calls += 1
        seen = {
            "messages": given["messages"],
            "tools": data["tools"],
            "reply": reply.message,
            "mark": reply.mark,
        }
        altered = given["messages"] != data["messages"]
        self.crossings.append(Crossing("model", seen, altered=altered))
        return reply.wire


def _message(put: Ask) -> dict[str, Any]:
    """The request that puts an ask."""
    raw = put.history.kind == "raw"
    message = {
        "op": "ask",
        "question": put.question,
        "kind": put.history.kind,
        "turns": values.tagged(list(put.history.turns)) if raw else put.history.turns,
    }
    return message if put.session is None else {**message, "in_session": True}


def _trace(
    ask: Ask, recorder: _Recorder, reply: Mapping[str, Any], volatile: frozenset[str]
) -> Trace:
    crossings = recorder.apply("on_record", tuple(recorder.crossings))
    if reply["op"] != "answer":
        altered = frozenset(recorder.altered)
        return Trace(ask, crossings, None, _failure(reply), altered=altered, volatile=volatile)
    given = recorder.apply("on_answer", reply["answer"])
    answer = Answer(
        text=given["text"],
        sources=tuple(Source(each["doc"], each["locator"]) for each in given["sources"]),
        route=given["route"],
        refused=given["refused"],
        plain=given["plain"],
        tool_results=None if given["tool_results"] is None else tuple(given["tool_results"]),
    )
    return Trace(
        ask,
        crossings,
        answer,
        None,
        bool(reply["history_kept"]),
        altered=frozenset(recorder.altered),
        volatile=volatile,
    )


def _failure(reply: Mapping[str, Any]) -> Failure:
    return Failure(
        str(reply["kind"]), str(reply["type"]), str(reply["message"]), tuple(reply.get("where", ()))
    )
