"""Messages of a chat history: immutable, and equal where they say the same."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from counterproof_reference.chat_history.errors import MessageError
from counterproof_reference.chat_history.json_values import Json, plain_text

ROLES: Final = ("system", "developer", "user", "assistant", "tool")

INSTRUCTING: Final = frozenset({"system", "developer"})
"""The roles that tell the model what to do; no reducer takes their messages."""


@dataclass(frozen=True, slots=True)
class Text:
    """Words.

    Args:
        text: any text, also an empty one.

    Raises:
        MessageError: it is no string.
    """

    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", plain_text(self.text, "a text"))


@dataclass(frozen=True, slots=True)
class Image:
    """A reference to an image.

    Args:
        uri: where the image is; a ``data:`` URI holds it.

    Raises:
        MessageError: it is no string, or empty.
    """

    uri: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "uri", plain_text(self.uri, "an image's URI"))
        if not self.uri:
            raise MessageError("an image has no URI")


@dataclass(frozen=True, slots=True, init=False)
class Call:
    """The assistant asks for a function to be called.

    Args:
        id: what the result will be matched by.
        name: the function.
        arguments: a JSON value, as a rule an object; a string is the text the model wrote.

    Raises:
        MessageError: there is no id or no name, or the arguments are not JSON.
    """

    id: str
    name: str
    json: Json

    def __init__(self, id: str, name: str, arguments: Any = None) -> None:  # noqa: A002 (OpenAI's word)
        object.__setattr__(self, "name", plain_text(name, "a called function's name"))
        if not self.name.strip():
            raise MessageError("a call names no function")
        object.__setattr__(self, "id", _id(id, f"the call of {self.name!r}"))
        arguments = {} if arguments is None else arguments
        what = f"the arguments of call {self.id!r}"
        object.__setattr__(self, "json", Json.of(arguments, what))

    @property
    def arguments(self) -> Any:
        """A copy of the arguments."""
        return self.json.value


@dataclass(frozen=True, slots=True, init=False)
class Result:
    """What a called function gave.

    Args:
        call_id: the id of the call.
        value: any JSON value.
        name: the function; the id alone says which call is meant.

    Raises:
        MessageError: there is no id, or the value is not JSON.
    """

    call_id: str
    json: Json
    name: str | None

    def __init__(self, call_id: str, value: Any, name: str | None = None) -> None:
        object.__setattr__(self, "call_id", _id(call_id, "a result"))
        what = f"the result of call {self.call_id!r}"
        object.__setattr__(self, "json", Json.of(value, what))
        named = None if name is None else plain_text(name, "a result's function name")
        object.__setattr__(self, "name", named)

    @property
    def value(self) -> Any:
        """A copy of the value."""
        return self.json.value


Part = Text | Image | Call | Result


@dataclass(frozen=True, slots=True, init=False)
class Message:
    """One message of a chat history.

    Two messages with the same content are equal, whatever their uids.

    Args:
        role: one of :data:`ROLES`.
        parts: a text, or the parts in order. Calls are the assistant's; a tool's message holds
            results and nothing else, and results stand nowhere else.
        name: who speaks, where several share a role.
        metadata: a JSON object for the caller's own use; no model is sent it.
        summary: whether this stands for messages that were removed. Never a system's or a
            developer's, which would give a conversation's words authority (RED-15).
        uid: tells the message from an equal one; made up where none is given.

    Raises:
        MessageError: any of that is not so.
    """

    role: str
    parts: tuple[Part, ...]
    name: str | None
    metadata_json: Json
    summary: bool
    uid: str = field(compare=False)

    def __init__(
        self,
        role: str,
        parts: str | Part | Iterable[Part] = (),
        *,
        name: str | None = None,
        metadata: dict[str, Any] | None = None,
        summary: bool = False,
        uid: str | None = None,
    ) -> None:
        # str.__str__: a subclass of str may compare as something else than its characters.
        role = str.__str__(role) if isinstance(role, str) else role
        if role not in ROLES:
            raise MessageError(f"unknown role {role!r}; the roles are {', '.join(ROLES)}")
        kept = _parts(parts)
        _check_parts(role, kept)
        if metadata is not None and not isinstance(metadata, dict):
            raise MessageError(f"metadata is of type {type(metadata).__name__}, not an object")
        if summary and (role not in ("user", "assistant") or _has(kept, Call)):
            raise MessageError("a summary is a user's or an assistant's text, without calls")
        values = {
            "role": role,
            "parts": kept,
            "name": None if name is None else plain_text(name, "a message's name"),
            "metadata_json": Json.of(metadata or {}, "metadata"),
            "summary": bool(summary),
            "uid": uuid.uuid4().hex if uid is None else _id(uid, "a message", "uid"),
        }
        for attribute, value in values.items():
            object.__setattr__(self, attribute, value)

    @property
    def metadata(self) -> dict[str, Any]:
        """A copy of the metadata."""
        value: dict[str, Any] = self.metadata_json.value
        return value

    @property
    def content(self) -> str:
        """The texts, one after the other."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls, in order."""
        return tuple(part for part in self.parts if isinstance(part, Call))

    @property
    def results(self) -> tuple[Result, ...]:
        """The results, in order."""
        return tuple(part for part in self.parts if isinstance(part, Result))

    def with_uid(self, uid: str | None = None) -> Message:
        """The same message under another uid, a new one where none is given."""
        return Message(
            self.role,
            self.parts,
            name=self.name,
            metadata=self.metadata,
            summary=self.summary,
            uid=uid,
        )

    def __str__(self) -> str:
        return self.content


def _parts(given: str | Part | Iterable[Part]) -> tuple[Part, ...]:
    if isinstance(given, str):
        return (Text(given),)
    if isinstance(given, Part):
        return (given,)
    try:
        parts = tuple(given)
    except TypeError:
        raise MessageError(
            f"a message's content is of type {type(given).__name__}, not a text or parts"
        ) from None
    for part in parts:
        if not isinstance(part, Part):
            raise MessageError(
                f"a part is of type {type(part).__name__}, not Text, Image, Call or Result"
            )
    return parts


def _check_parts(role: str, parts: tuple[Part, ...]) -> None:
    if role != "assistant" and _has(parts, Call):
        raise MessageError(f"a {role} message holds a call; only the assistant calls functions")
    if role == "tool":
        if not parts or not all(isinstance(part, Result) for part in parts):
            raise MessageError("a tool message holds results, each with its call's id, and no more")
    elif _has(parts, Result):
        raise MessageError(f"a {role} message holds a result; results are of the tool role")


def _has(parts: tuple[Part, ...], kind: type[Part]) -> bool:
    return any(isinstance(part, kind) for part in parts)


def _id(given: Any, whose: str, what: str = "id") -> str:
    if given is None or (isinstance(given, str) and not given.strip()):
        raise MessageError(f"{whose} has no {what}")
    return plain_text(given, f"the {what} of {whose}")
