"""Replies of a fuzzed model: messages in the OpenAI shape, well formed or not (FAB-8)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle, islice, product
from typing import Any

from hypothesis import strategies as st

from counterproof.strategies.histories import texts
from counterproof.strategies.material import UNICODE, Material

Message = dict[str, Any]
"""One reply message, of plain JSON values."""

_UNKNOWN_TOOLS = ("", "make_up_figure", "lookup ", "eval", "系统", "x" * 200)
_GARBLED = ("", "{", '{"entity": ', "not json", "{'entity': 'x'}", '{"a": 1}}', "\x00", "{,}")
_NO_OBJECTS = ("[]", "null", "1", '"text"', "true", '[{"entity": "x"}]', "-0.0", "1e999")
_ODD_OBJECTS = (
    "{}", '{"entity": null}', '{"entity": 1, "period": []}', '{"entity": "x", "entity": "y"}',
    '{"": ""}', '{"unexpected": {"deep": [[[]]]}}', '{"value": NaN}', '{"period": "\\ud800"}',
)  # fmt: skip
_IDS = ("call_1", "call_2", "call_3", "", None)
_CALL_COUNTS = (None, None, None, 0, 1, 1, 1, 1, 2, 2, 3, 4)
"""How many tool calls a reply lists; None where it does not list any."""
_MEMBERS = ("entity", "metric", "period")


def fuzzed_replies(
    material: Material, *, tools: Sequence[str] = ("lookup",), max_size: int = 3
) -> st.SearchStrategy[tuple[Message, ...]]:
    """What a hostile or broken model answers, call by call (FAB-8, FAB-9).

    A reply has a text, an empty one or None, and no, one or several tool calls: of tools offered
    and not, with arguments that are right in form, odd, no object, or no JSON; with ids that are
    missing or the same. Every reply can be sent as JSON.

    Args:
        material: where texts and the arguments' names come from.
        tools: names of the tools the engine offers.
        max_size: the most replies; at least one is drawn.
    """
    call = st.tuples(st.sampled_from(_IDS), _names(tools), _arguments(material))
    said = st.one_of(st.sampled_from((None, "")), texts(material, longest=400))
    return _replies(st.integers(1, max_size), said, st.sampled_from(_CALL_COUNTS), call)


@st.composite
def _replies(
    draw: st.DrawFn,
    size: st.SearchStrategy[int],
    said: st.SearchStrategy[str | None],
    counts: st.SearchStrategy[int | None],
    call: st.SearchStrategy[tuple[str | None, str, str]],
) -> tuple[Message, ...]:
    replies = []
    for _ in range(draw(size)):
        reply: Message = {"role": "assistant", "content": draw(said)}
        count = draw(counts)
        if count is not None:
            reply["tool_calls"] = [_call(*draw(call)) for _ in range(count)]
        replies.append(reply)
    return tuple(replies)


def _names(tools: Sequence[str]) -> st.SearchStrategy[str]:
    offered = islice(cycle(tools), len(_UNKNOWN_TOOLS)) if tools else ()
    return st.sampled_from([*offered, *_UNKNOWN_TOOLS])


def _arguments(material: Material) -> st.SearchStrategy[str]:
    axes = (material.entities, material.metrics, material.periods)
    every = list(product(*(axis or ("x",) for axis in axes)))
    right = [
        json.dumps(dict(zip(_MEMBERS, values, strict=True)), ensure_ascii=False)
        for values in every[:: max(1, len(every) // 24) | 1]
    ]
    prepared: list[str | None] = [*right, *_ODD_OBJECTS, *_NO_OBJECTS, *_GARBLED, *[None] * 6]
    return _text(st.sampled_from(prepared))


@st.composite
def _text(draw: st.DrawFn, prepared: st.SearchStrategy[str | None]) -> str:
    """A prepared text, or any text where the draw is None."""
    text = draw(prepared)
    return draw(_ANY_TEXT) if text is None else text


_ANY_TEXT = st.text(UNICODE, max_size=20)


def _call(call_id: str | None, name: str, arguments: str) -> Message:
    call: Message = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return call if call_id is None else {"id": call_id, **call}


def _parsed(call: Message) -> Any:
    """A call's arguments, or the exception they raise."""
    try:
        return json.loads(call["function"]["arguments"])
    except ValueError as error:
        return error


def _any_call(holds: Callable[[Message], bool]) -> Callable[[Message], bool]:
    return lambda message: any(holds(call) for call in message.get("tool_calls", ()))


def _ids(message: Message) -> list[str]:
    return [call["id"] for call in message.get("tool_calls", ()) if "id" in call]


_CLASSES: Mapping[str, Callable[[Message], bool]] = {
    "text": lambda m: bool(m["content"]) and not m.get("tool_calls"),
    "no-text": lambda m: m["content"] is None and not m.get("tool_calls"),
    "empty-text": lambda m: m["content"] == "",
    "text-beside-calls": lambda m: bool(m["content"]) and bool(m.get("tool_calls")),
    "no-calls-listed": lambda m: m.get("tool_calls") == [],
    "one-call": lambda m: len(m.get("tool_calls", ())) == 1,
    "parallel-calls": lambda m: len(m.get("tool_calls", ())) > 1,
    "duplicate-ids": lambda m: len(set(_ids(m))) < len(_ids(m)),
    "missing-id": _any_call(lambda call: "id" not in call),
    "empty-id": _any_call(lambda call: call.get("id") == ""),
    "unknown-tool": _any_call(lambda call: call["function"]["name"] in _UNKNOWN_TOOLS),
    "valid-arguments": _any_call(
        lambda call: isinstance(got := _parsed(call), dict) and set(got) == set(_MEMBERS)
    ),
    "odd-arguments": _any_call(
        lambda call: isinstance(got := _parsed(call), dict) and set(got) != set(_MEMBERS)
    ),
    "non-object-arguments": _any_call(lambda call: not isinstance(_parsed(call), dict | Exception)),
    "garbled-arguments": _any_call(lambda call: isinstance(_parsed(call), Exception)),
}
REPLY_CLASSES: tuple[str, ...] = (*_CLASSES, "one-reply", "several-replies", "known-tool")
"""Every class a model's replies may hold."""


def classify_replies(
    replies: Sequence[Message], *, tools: Sequence[str] = ("lookup",)
) -> frozenset[str]:
    """The classes a fuzzed model's replies hold.

    Args:
        replies: messages drawn from :func:`fuzzed_replies`.
        tools: names of the tools the engine offers.

    Returns:
        Names out of :data:`REPLY_CLASSES`.
    """
    found = {name for name, holds in _CLASSES.items() if any(map(holds, replies))}
    found.add("one-reply" if len(replies) == 1 else "several-replies")
    if any(_any_call(lambda call: call["function"]["name"] in tools)(each) for each in replies):
        found.add("known-tool")
    return frozenset(found)
