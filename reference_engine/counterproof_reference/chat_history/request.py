"""A chat history as a provider of chat completions takes it: OpenAI's message shape."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from counterproof_reference.chat_history.errors import PairingError
from counterproof_reference.chat_history.messages import Call, Image, Message, Result, Text
from counterproof_reference.chat_history.pairing import OpenCalls

_NOT_IN_NAMES = re.compile(r"[\s<|\\/>]+")


def provider_request(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages of a valid request (CHH-6).

    - The results of a message's calls stand right behind it, in the order of the calls, also
      where other messages came between; those follow.
    - An id that was used before gets a number, for call and result alike.
    - A message's texts and images are kept, beside calls too. Only a user may show images: of
      another role's the reference is given as text.
    - Names lose the characters that providers refuse.

    Args:
        messages: a history whose calls and results go together.

    Returns:
        Plain values, the caller's own.

    Raises:
        PairingError: a call has no result; all such calls are named.
    """
    open_calls = OpenCalls(messages).calls()
    if open_calls:
        ids = ", ".join(repr(call.id) for call in open_calls)
        raise PairingError(f"no result for call {ids}: a provider would refuse it", ids)
    results = _results_by_call(messages)
    told_apart = _UniqueIds(call.id for message in messages for call in message.calls)
    return [
        each
        for at, message in enumerate(messages)
        if message.role != "tool"
        for each in _with_results(message, results.get(at, ()), told_apart)
    ]


def _results_by_call(messages: Sequence[Message]) -> dict[int, list[Result]]:
    """For each message with calls, by its place, the results in the order of its calls."""
    asked: dict[str, tuple[int, int]] = {}
    found: dict[int, list[Result | None]] = {}
    for at, message in enumerate(messages):
        for number, call in enumerate(message.calls):
            asked[call.id] = (at, number)
        if message.calls:
            found[at] = [None] * len(message.calls)
        for result in message.results:
            caller, number = asked[result.call_id]
            found[caller][number] = result
    return {at: [each for each in several if each] for at, several in found.items()}


def _with_results(
    message: Message, results: Sequence[Result], told_apart: _UniqueIds
) -> Iterator[dict[str, Any]]:
    sent: dict[str, Any] = {"role": message.role, "content": _content(message)}
    name = _NOT_IN_NAMES.sub("_", message.name)[:64] if message.name else ""
    if name:
        sent["name"] = name
    ids = [told_apart.next(call.id) for call in message.calls]
    if ids:
        sent["tool_calls"] = [
            {"id": i, "type": "function", "function": _function(call)}
            for i, call in zip(ids, message.calls, strict=True)
        ]
    yield sent
    for i, result in zip(ids, results, strict=True):
        yield {"role": "tool", "tool_call_id": i, "content": as_text(result.value)}


def _content(message: Message) -> str | list[dict[str, Any]] | None:
    said = [part for part in message.parts if isinstance(part, (Text, Image))]
    if not said:
        return None if message.calls else ""
    if len(said) == 1 and isinstance(said[0], Text):
        return said[0].text
    return [_part(part, message.role) for part in said]


def _part(part: Text | Image, role: str) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if role == "user":
        return {"type": "image_url", "image_url": {"url": part.uri}}
    return {"type": "text", "text": f"[image: {part.uri}]"}


def _function(call: Call) -> dict[str, str]:
    return {"name": call.name, "arguments": as_text(call.arguments)}


def as_text(value: Any) -> str:
    """A call's arguments or its result as text: a string as it stands, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class _UniqueIds:
    """Gives each use of an id one of its own: the first keeps it, later ones are numbered."""

    def __init__(self, ids: Iterator[str]) -> None:
        self._taken: set[str] = set()
        self._uses: dict[str, int] = {}
        for each in ids:
            self._taken.add(each)

    def next(self, call_id: str) -> str:
        number = self._uses.get(call_id, 0) + 1
        if number == 1:
            self._uses[call_id] = 1
            return call_id
        while (given := f"{call_id}-{number}") in self._taken:
            number += 1
        self._uses[call_id] = number
        self._taken.add(given)
        return given
