"""The scripted model: deterministic, reads what it is sent, and plays one behaviour an ask.

It decides on tool arguments by reading the last user message, as a real model would, so that a
question altered on its way changes what it asks the tool.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from counterproof.mentions import figures
from counterproof.model import tool_calls
from counterproof.model.behaviours import Behaviour
from counterproof.model.inventions import invented
from counterproof.worlds import Probe, WorldSpec

if TYPE_CHECKING:
    from counterproof.trace import Ask

_SENTENCE_END = re.compile(r"(?<=[.!?。！？\n])\s*")


def letters(key: str) -> str:
    """Twelve letters drawn from a key: a word that stands nowhere, and no figure."""
    return "".join(chr(ord("a") + byte % 26) for byte in hashlib.sha256(key.encode()).digest()[:12])


@dataclass(frozen=True)
class Reply:
    """What the model gives back for one call.

    Args:
        wire: what the worker is sent: ``{"completion": …}`` or ``{"error", "message"}``.
        message: the reply message, or None where the model failed.
        mark: the mark its text ends in; empty where it has none.
    """

    wire: dict[str, Any]
    message: dict[str, Any] | None
    mark: str


@dataclass(frozen=True)
class _Call:
    """One call as the model sees it."""

    probe: Probe
    behaviour: Behaviour
    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]]
    history: tuple[str, ...]
    index: int
    mark: str

    @property
    def question(self) -> str:
        return next((_text(m) for m in reversed(self.messages) if m.get("role") == "user"), "")

    @property
    def results(self) -> list[str]:
        """What the tool has answered since the last user message."""
        found: list[str] = []
        for message in reversed(self.messages):
            if message.get("role") == "user":
                break
            if message.get("role") == "tool":
                found.append(_text(message))
        return found[::-1]


class ScriptedModel:
    """Plays a behaviour over a world.

    Args:
        world: where slots, passages and invented figures come from.
        given: how the adapter says its tool is called, by probe id: name and arguments.
    """

    def __init__(
        self, world: WorldSpec, given: Mapping[str, tuple[str, Mapping[str, Any]]] | None = None
    ) -> None:
        self._world = world
        self._given = dict(given or {})

    def reply(self, ask: Ask, data: Mapping[str, Any], index: int) -> Reply:
        """The reply to one call.

        Args:
            ask: the ask the call belongs to.
            data: ``messages``, ``tools`` and, where the adapter answers this prompt itself,
                ``suggested``.
            index: how many calls this ask has made before.
        """
        behaviour = ask.behaviour
        if behaviour.name.startswith("failing"):
            return _failing(behaviour.name)
        suggested = data.get("suggested")
        if suggested is not None:
            return _completion({"role": "assistant", "content": str(suggested)}, "")
        call = _Call(
            probe=self._world.probe(ask.probe),
            behaviour=behaviour,
            messages=data["messages"],
            tools=data["tools"] or (),
            history=ask.history.texts,
            index=index,
            mark=self.mark(index),
        )
        return self._play(call)

    def mark(self, index: int) -> str:
        """The mark of an ask's reply number ``index``: letters only, so that it is no figure."""
        return letters(f"{self._world.digest}/{index}")

    def _play(self, call: _Call) -> Reply:
        name = call.behaviour.name
        if name == "fuzzed":
            replies = call.behaviour.replies or self._odd(call)
            return _completion(dict(replies[min(call.index, len(replies) - 1)]), "")
        if name == "empty":
            return _completion({"role": "assistant", "content": ""}, "")
        if name == "parrot":
            said = _last_of_history(call)
            if said is not None:
                return _say(call, said)
        if name == "no-tool" and call.tools:
            return _say(call, self._invented(call))
        if call.tools and (name == "endless" or not call.results):
            return self._call_tool(call)
        text = self._cooperative_text(call)
        if name.startswith("fabricating"):
            text = f"{text} {self._invented(call)}"
        return _say(call, text)

    def _call_tool(self, call: _Call) -> Reply:
        slots = tool_calls.read(self._world, call.probe, call.question)
        calls = tool_calls.make(
            self._world, call.probe, slots, call.tools, self._given.get(call.probe.id)
        )
        calls = tool_calls.spoil(call.behaviour.name, calls, self._world)
        for number, each in enumerate(calls):
            first = call.behaviour.name == "duplicate-ids"
            each["id"] = f"call_{call.index}_{0 if first else number}"
        return _completion({"role": "assistant", "content": None, "tool_calls": calls}, "")

    def _cooperative_text(self, call: _Call) -> str:
        if call.results:
            return " ".join(call.results)
        last = max((n for n, m in enumerate(call.messages) if m.get("role") == "user"), default=-1)
        shown = "\n".join(
            _text(m)
            for n, m in enumerate(call.messages)
            if not (_text(m) in call.history or (n < last and _retells(_text(m), call.history)))
        )
        places = ((shown.find(each.text), each.text) for each in self._world.passages)
        quoted = [text for place, text in sorted(places) if place >= 0]
        return " ".join(quoted[:2]) if quoted else "Nothing I was given speaks of that."

    def _invented(self, call: _Call) -> str:
        metric = call.probe.slots[0].metric if call.probe.slots else None
        return f"{metric or 'The figure'}: {invented(self._world, call.behaviour.name)}."

    def _odd(self, call: _Call) -> tuple[dict[str, Any], ...]:
        """Replies of a model gone wrong: well formed for a provider, and of no use."""
        slots, said = {"entity": "", "metric": "", "period": ""}, invented(self._world, "")
        for wrong in self._world.facts[-1:]:
            slots = {"entity": wrong.entity, "metric": wrong.metric, "period": wrong.period}
            said = f"{wrong.metric} = {wrong.value:g}"
        names = [str(each.get("function", each).get("name", "")) for each in call.tools]
        functions = [
            {"name": "x" * 200, "arguments": json.dumps(slots)},
            {"name": (*names, "lookup")[0], "arguments": json.dumps({**slots, "entity": None})},
            {"name": (*names, "lookup")[0], "arguments": "null"},
            {"name": "", "arguments": ""},
        ]
        calls = [{"id": "", "type": "function", "function": each} for each in functions]
        return (
            {"role": "assistant", "content": said, "tool_calls": calls},
            {"role": "assistant", "content": said, "tool_calls": []},
        )


def _last_of_history(call: _Call) -> str | None:
    """History's last sentence that holds a figure, else its last sentence, if it was sent any."""
    texts = [text for text in call.history if text.strip()]
    for message in reversed(call.messages):
        content = _text(message)
        held = [text for text in texts if text in content]
        if not held:
            continue
        sentences = [each for each in _SENTENCE_END.split(held[-1]) if each.strip()]
        with_figure = [each for each in sentences if figures(each)]
        return (with_figure or sentences)[-1]
    return None


_LABELS = 2
"""Words a turn that is retold may be introduced with."""


def _retells(text: str, history: Sequence[str]) -> bool:
    """Whether a message is several turns of history in one, and nothing else but who speaks."""
    held = [turn for turn in dict.fromkeys(history) if turn.strip() and turn in text]
    for turn in sorted(held, key=len, reverse=True):
        text = text.replace(turn, "")
    return len(held) > 1 and len(text.split()) <= _LABELS * len(held)


def _text(message: Mapping[str, Any]) -> str:
    """A message's text, whether it stands as a string or as parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(
            str(part["text"]) for part in content if isinstance(part, Mapping) and "text" in part
        )
    return ""


def _say(call: _Call, text: str) -> Reply:
    return _completion({"role": "assistant", "content": f"{text} {call.mark}"}, call.mark)


def _completion(message: dict[str, Any], mark: str) -> Reply:
    reason = "tool_calls" if message.get("tool_calls") else "stop"
    body = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }
    return Reply({"completion": body}, message, mark)


def _failing(name: str) -> Reply:
    if name == "failing-no-choices":
        reply = _completion({"role": "assistant", "content": None}, "")
        reply.wire["completion"]["choices"] = []
        return Reply(reply.wire, None, "")
    kind = name.removeprefix("failing-")
    return Reply({"error": kind, "message": "the scripted model is unavailable"}, None, "")
