"""The only way a check touches an engine: put an ask, get its trace.

The engine is in its worker; every crossing comes here, is recorded as it stands, and goes back.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from counterproof.model.behaviours import COOPERATIVE, Behaviour
from counterproof.model.scripted import ScriptedModel, letters
from counterproof.recorder import HookFailed, Recorder, failure_of, trace_of
from counterproof.sabotage import Sabotage, Scene
from counterproof.together import Together
from counterproof.trace import OMITTED, Ask, Crossing, History, Trace
from counterproof.transport import Link
from counterproof.worker import values
from counterproof.worker.link import OPEN_SECONDS, Cross, WorkerDied
from counterproof.worlds import Probe, WorldSpec

__all__ = ["AdapterError", "Declared", "HookFailed", "Subject", "UnknownAdapter"]


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
    reducer: str | None = None
    errors: frozenset[str] = frozenset()
    lacks: Mapping[str, str] = field(default_factory=dict, hash=False)
    """By ability that a check may need, why it is not to be had here."""


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
        self._heard: tuple[str, ...] = ()
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
        recorder = Recorder(asked, self._model, self._scene(asked), self._sabotage)
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
            reply = _death(died)
        if "session" in reply:
            recorder.crossings.append(Crossing("session", reply["session"]))
        self._heard = asked.history.texts or self._heard
        return trace_of(asked, recorder, reply, declared.volatile)

    def converse(
        self,
        probes: Sequence[Probe],
        history: History = OMITTED,
        behaviour: Behaviour = COOPERATIVE,
    ) -> Iterator[Trace]:
        """Hold a conversation: each question, and the answer it gets, is history for the next.

        Args:
            probes: what is asked, in order.
            history: what was said before the first of them.
            behaviour: what the scripted model does.

        Raises:
            AdapterError: the engine cannot be opened.
        """
        for probe in probes:
            trace = self.ask(probe, history, behaviour)
            yield trace
            said = (("user", probe.question), ("assistant", trace.text))
            history = History.of((*history.turns, *said))

    def ask_many(self, asks: Sequence[Ask]) -> list[Trace]:
        """Put several asks at once, as the adapter declares that they may be (STA-3).

        Args:
            asks: asks of no session, in the order they are put.

        Raises:
            AdapterError: the engine cannot be opened.
            ValueError: the adapter declares no concurrency.
        """
        declared = self.describe()
        if declared.concurrency == "none":
            raise ValueError("the adapter declares no concurrency")
        if not self._open:
            self._reopen()
        others = [asks[number - 1].history.texts for number in range(len(asks))]
        recorders = [
            Recorder(each, self._model, self._scene(each, heard), self._sabotage)
            for each, heard in zip(asks, others, strict=True)
        ]
        self.asks += len(asks)
        puts = [
            recorder.apply("on_ask", each) for recorder, each in zip(recorders, asks, strict=True)
        ]
        of_none = Recorder(asks[0], self._model, self._scene(asks[0]))
        serving = Together([each.cross for each in recorders], of_none.cross, asks)
        try:
            done = self._link.request(
                {"op": "ask_many", "asks": [_message(each) for each in puts]}, serving.cross
            )
            replies = done["replies"] if done["op"] == "answered" else [done] * len(asks)
        except WorkerDied as died:
            replies = [_death(died)] * len(asks)
        self._heard = asks[-1].history.texts or self._heard
        parts = zip(asks, recorders, replies, strict=True)
        return [trace_of(*each, declared.volatile) for each in parts]

    def description(self, probe: Probe) -> Trace:
        """What the engine lets be described, one crossing for each seam; nothing is asked.

        Args:
            probe: the probe the trace names.

        Raises:
            AdapterError: the engine cannot be opened, or does not describe itself.
        """
        declared = self.describe()
        if not self._open:
            self._reopen()
        asked = Ask(probe.id, probe.question)
        recorder = Recorder(asked, self._model, self._scene(asked), self._sabotage)
        try:
            reply = self._link.request({"op": "describe"}, seconds=OPEN_SECONDS)
        except WorkerDied as died:
            raise AdapterError(f"the engine cannot be described: {died}") from None
        if reply["op"] != "described":
            raise AdapterError(f"the engine cannot be described: {failure_of(reply)}")
        told = dict(reply["seams"])
        given = recorder.apply("on_description", told)
        crossings = [
            Crossing(seam, given[seam], altered=given[seam] != told.get(seam))
            for seam in sorted(given)
        ]
        altered = frozenset(recorder.altered)
        return Trace(asked, tuple(crossings), None, altered=altered, volatile=declared.volatile)

    def _opened_for(self, put: Ask, fresh: bool) -> dict[str, Any] | None:
        """See that the engine is open as an ask needs it; the failure of one that will not be."""
        if put.label is None:
            if fresh or not self._open:
                self._reopen()
            return None
        self._open = False  # whatever is asked next is asked of the world itself
        reply = self._link.open(self._world.relabelled(put.label), self._opening())
        return None if reply["op"] == "opened" else reply

    def _conversed(self, put: Ask, last: Recorder) -> dict[str, Any] | None:
        """Ask what a session was asked before; the failure of a turn that was not answered."""
        if put.session is None:
            return None
        reply = self._link.request({"op": "session"})
        if reply["op"] == "failed":
            return reply
        for turn in put.session:
            recorder = Recorder(turn, self._model, self._scene(turn), self._sabotage)
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

    def words(self, count: int, key: str) -> list[str]:
        """Words of twelve letters that stand nowhere else: not in the world, not for another key.

        Args:
            count: how many.
            key: what they are for; the same gives the same words under the same sabotage.
        """
        name = self._sabotage.name if self._sabotage else ""
        return [letters(f"{self._world.digest}/{name}/{key}/{number}") for number in range(count)]

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
            raise AdapterError(f"{self._link.target.adapter} cannot be loaded: {failure_of(reply)}")
        self._open = False
        self._declared = Declared(
            name=reply["name"],
            version=reply["version"],
            channels=frozenset(reply["channels"]),
            claims=frozenset(reply["claims"]),
            seams=frozenset(reply["seams"]),
            volatile=frozenset(reply["volatile"]),
            concurrency=reply["concurrency"],
            errors=frozenset(reply["errors"]),
            python=reply["python"],
            reducer=reply["reducer"],
            lacks=dict(reply.get("lacks", {})),
        )
        if reply["calls_tools_itself"]:
            self._model = ScriptedModel(self._world, self._tool_calls())

    def _tool_calls(self) -> dict[str, tuple[str, Mapping[str, Any]]]:
        """How the adapter says its tool is called for each structured probe."""
        calls = {}
        for probe in self._world.probes:
            if probe.channel != "structured" or not probe.slots:
                continue
            shown = probe.model_dump(include={"id", "question", "channel"})
            shown["slots"] = [each.model_dump(exclude_none=True) for each in probe.slots]
            try:
                reply = self._link.request({"op": "tool_call", "probe": shown})
            except WorkerDied as died:
                raise AdapterError(f"tool_call, probe {probe.id}: {died}") from None
            if reply["op"] != "tool_called":
                raise AdapterError(f"tool_call, probe {probe.id}: {failure_of(reply)}")
            calls[probe.id] = (reply["name"], reply["arguments"])
        return calls

    def _scene(self, asked: Ask, heard: tuple[str, ...] | None = None) -> Scene:
        return Scene(
            asked,
            self._world,
            self.asks,
            hash_seed=self._link.hash_seed,
            reducer=None if self._declared is None else self._declared.reducer,
            heard=self._heard if heard is None else heard,
        )

    def _reopen(self) -> None:
        try:
            reply = self._link.open(self._world, self._opening())
        except WorkerDied as died:
            raise AdapterError(f"the engine cannot be opened: {died}") from None
        if reply["op"] != "opened":
            raise AdapterError(f"the engine cannot be opened: {failure_of(reply)}")
        self._open = True

    def _opening(self) -> Cross:
        """What serves the crossings of an engine that is being opened."""
        nothing = Ask(self._world.probes[0].id, "")
        return Recorder(nothing, self._model, self._scene(nothing)).cross


def _death(died: WorkerDied) -> dict[str, Any]:
    """The reply of a worker that is gone."""
    return {"op": "failed", "kind": died.kind, "type": "", "message": str(died)}


def _message(put: Ask) -> dict[str, Any]:
    """The request that puts an ask."""
    raw = put.history.kind == "raw"
    message = {
        "op": "ask",
        "question": put.question,
        "kind": put.history.kind,
        "turns": values.tagged(list(put.history.turns)) if raw else put.history.turns,
    }
    if put.streamed or put.body is not None:
        message |= {"streamed": put.streamed, "body": put.body}
    return message if put.session is None else {**message, "in_session": True}
