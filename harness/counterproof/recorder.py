"""Serves the crossings of one ask, keeps them in order, and makes a trace of what came of it."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from typing import Any

from counterproof.contract import Answer, Source
from counterproof.model.scripted import ScriptedModel
from counterproof.sabotage import Sabotage, Scene
from counterproof.trace import Ask, Crossing, Failure, Trace
from counterproof.worker import crossings, wire


class HookFailed(Exception):  # noqa: N818  # a statement: the kit cannot do what it must
    """A sabotage or the scripted model failed: the kit's own doing, an ERROR (exit 3)."""


class Recorder:
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
        try:
            given = self._sabotage.apply(hook, scene, copy.deepcopy(value))
        except Exception as error:
            raise self._failed(hook, error) from error
        if given != value:
            self.altered.add(hook)
        return given

    def cross(self, seam: str, data: Any) -> Any:
        """What takes the place of what crosses a seam.

        Raises:
            BadCrossing: it is not what crosses there.
            HookFailed: a sabotage or the scripted model failed over it.
        """
        crossings.verify(seam, data)
        if seam == "model":
            return self._model_call(data)
        if seam == "exit":
            return self._exit(data)
        if seam == "parse" and self._ask.misread is not None:
            data = {**data, "text": self._ask.misread}
        hook = f"on_{seam}"
        given = self.apply(hook, data)
        if given != data:
            try:
                crossings.verify(seam, given)
                wire.encode(given)
            except Exception as error:
                raise self._failed(hook, error) from error
        if seam == "request":
            return given  # the ask says what is sent
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

    def _failed(self, hook: str, error: Exception) -> HookFailed:
        name = self._sabotage.name if self._sabotage else ""
        return HookFailed(f"the sabotage {name} failed {hook}: {type(error).__name__}: {error}")

    def _model_call(self, data: dict[str, Any]) -> Any:
        given = {**data, "messages": self.apply("on_messages", data["messages"])}
        try:
            reply = self._model.reply(self._ask, given, self._calls)
        except Exception as error:
            raise HookFailed(
                f"the scripted model, {self._ask.behaviour}, failed over what it was sent:"
                f" {type(error).__name__}: {error}"
            ) from error
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


def trace_of(
    ask: Ask, recorder: Recorder, reply: Mapping[str, Any], volatile: frozenset[str]
) -> Trace:
    """The trace of an ask whose crossings a recorder served, from the worker's reply."""
    crossings = recorder.apply("on_record", tuple(recorder.crossings))
    state = recorder.apply("on_state", {**_STATE, **{k: reply[k] for k in _STATE if k in reply}})
    answered = reply["op"] == "answer"
    given = recorder.apply("on_answer", reply["answer"]) if answered else failure_of(reply)
    given = recorder.apply("on_end", given)
    failed = isinstance(given, Failure)
    return Trace(
        ask,
        crossings,
        None if failed else _answer(given),
        given if failed else None,
        bool(state["history_kept"]),
        bool(state["earlier_kept"]),
        None if state["history_left"] is None else str(state["history_left"]),
        altered=frozenset(recorder.altered),
        volatile=volatile,
    )


_STATE = {"history_kept": True, "earlier_kept": True, "history_left": None}
"""What the worker tells of the caller's history objects, where nothing has become of them."""


def _answer(given: Mapping[str, Any]) -> Answer:
    return Answer(
        text=given["text"],
        sources=tuple(Source(each["doc"], each["locator"]) for each in given["sources"]),
        route=given["route"],
        refused=given["refused"],
        plain=given["plain"],
        tool_results=None if given["tool_results"] is None else tuple(given["tool_results"]),
    )


def failure_of(reply: Mapping[str, Any]) -> Failure:
    """How an ask failed, from the worker's reply."""
    return Failure(
        str(reply["kind"]), str(reply["type"]), str(reply["message"]), tuple(reply.get("where", ()))
    )
