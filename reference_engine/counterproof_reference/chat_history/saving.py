"""A chat history as JSON, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from counterproof_reference.chat_history.errors import ChatHistoryError, RestoreError
from counterproof_reference.chat_history.messages import Call, Image, Message, Part, Result, Text

VERSION = 1
"""The form of what is saved. A change that this code could not read gets another."""


def saved(messages: Iterable[Message]) -> str:
    """Messages as one JSON object: ``version`` and ``messages`` (CHH-5).

    Everything is kept: uids, roles, names, parts in their order, metadata, the summary mark. Calls'
    arguments and results are JSON themselves, not text in another language's notation.

    Args:
        messages: the messages, oldest first.

    Returns:
        ASCII text.
    """
    return json.dumps({"version": VERSION, "messages": [_message(each) for each in messages]})


def loaded(text: str | bytes) -> list[Message]:
    """The messages of what :func:`saved` gave.

    Args:
        text: the saved text.

    Raises:
        RestoreError: it is not JSON, of another version, or holds something that is no message;
            the error says which.
    """
    document = _object(_parsed(text), "the saved history", ("version", "messages"))
    if document["version"] != VERSION or isinstance(document["version"], bool):
        raise RestoreError(f"this reads version {VERSION}, not {document['version']!r}")
    messages = document["messages"]
    if not isinstance(messages, list):
        raise RestoreError("'messages' is not an array")
    return [_read(each, at) for at, each in enumerate(messages)]


@contextmanager
def refusing() -> Iterator[None]:
    """Turn a refusal of restored messages into the error of restoring."""
    try:
        yield
    except RestoreError:
        raise
    except ChatHistoryError as error:
        raise RestoreError(f"the saved history does not hold together: {error}") from error


def _message(message: Message) -> dict[str, Any]:
    return {
        "uid": message.uid,
        "role": message.role,
        "name": message.name,
        "parts": [_part(part) for part in message.parts],
        "metadata": message.metadata,
        "summary": message.summary,
    }


def _part(part: Part) -> dict[str, Any]:
    match part:
        case Text(text):
            return {"type": "text", "text": text}
        case Image(uri):
            return {"type": "image", "uri": uri}
        case Call():
            return {"type": "call", "id": part.id, "name": part.name, "arguments": part.arguments}
        case Result():
            return {
                "type": "result",
                "call_id": part.call_id,
                "name": part.name,
                "value": part.value,
            }


def _parsed(text: str | bytes) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise RestoreError("the saved history is nested too deep") from None
    except (ValueError, TypeError) as error:
        raise RestoreError(f"the saved history is not JSON: {error}") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _read(given: Any, at: int) -> Message:
    where = f"message {at}"
    fields = _object(given, where, ("uid", "role", "name", "parts", "metadata", "summary"))
    if not isinstance(fields["parts"], list):
        raise RestoreError(f"{where}: 'parts' is not an array")
    if not isinstance(fields["summary"], bool):
        raise RestoreError(f"{where}: 'summary' is neither true nor false")
    if not isinstance(fields["metadata"], dict):
        raise RestoreError(f"{where}: 'metadata' is not an object")
    for name in ("role", "uid"):
        if not isinstance(fields[name], str):
            raise RestoreError(f"{where}: {name!r} is not a string")
    try:
        return Message(
            fields["role"],
            [_read_part(each, f"{where}, part {n}") for n, each in enumerate(fields["parts"])],
            name=fields["name"],
            metadata=fields["metadata"],
            summary=fields["summary"],
            uid=fields["uid"],
        )
    except RestoreError:
        raise
    except ChatHistoryError as error:
        raise RestoreError(f"{where}: {error}") from error


_PARTS: dict[str, tuple[Callable[..., Part], tuple[str, ...]]] = {
    "text": (Text, ("text",)),
    "image": (Image, ("uri",)),
    "call": (Call, ("id", "name", "arguments")),
    "result": (Result, ("call_id", "value", "name")),
}


def _read_part(given: Any, where: str) -> Part:
    kind = _object(given, where, ("type",), exactly=False)["type"]
    if not isinstance(kind, str) or kind not in _PARTS:
        raise RestoreError(f"{where} is of the unknown type {kind!r}")
    make, names = _PARTS[kind]
    fields = _object(given, where, ("type", *names))
    return make(*(fields[name] for name in names))


def _object(
    given: Any, where: str, names: tuple[str, ...], *, exactly: bool = True
) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise RestoreError(f"{where} is not an object")
    missing = [name for name in names if name not in given]
    unknown = [name for name in given if name not in names] if exactly else []
    for what, found in (("lacks", missing), ("has the unknown field", unknown)):
        if found:
            raise RestoreError(f"{where} {what} {found[0]!r}")
    return given
