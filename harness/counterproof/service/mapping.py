"""How a service is spoken to: its paths, the fields of its bodies, its stream, its tool."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from counterproof.contract import CHANNELS, CLAIMS, RESERVED_MEMBERS

_MISSING = object()


class MappingError(ValueError):
    """A mapping file that cannot be used; the message names what to mend (exit 2)."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AskFields(_Part):
    """The request of an ask.

    Args:
        path: where it is posted to.
        question: the field that holds the question; dots lead into objects.
        history: the field that holds the history; left out of the body, ``null`` or a list.
        turns: ``pairs``, each turn ``[role, text]``; or ``objects``, with the two fields below.
        role: the field of a turn's role, where turns are objects.
        text: the field of a turn's text, where turns are objects.
        body: further members of the body, the same in each request.
    """

    path: str = "/v1/ask"
    question: str = "question"
    history: str = "history"
    turns: Literal["pairs", "objects"] = "pairs"
    role: str = "role"
    text: str = "content"
    body: Mapping[str, Any] = Field(default_factory=dict)


class AnswerFields(_Part):
    """The response of an ask; a field that the body does not hold is left out of the answer.

    Args:
        text: the answer's text; it must be there.
        sources: the list of sources.
        doc: of a source, the document's id.
        locator: of a source, the place in it.
        route: which way the engine took.
        refused: whether the engine refused.
        plain: another rendering of the answer.
        tool_results: the tool results behind the answer.
    """

    text: str = "answer"
    sources: str = "sources"
    doc: str = "doc"
    locator: str = "locator"
    route: str = "route"
    refused: str = "refused"
    plain: str = "plain"
    tool_results: str = "tool_results"


class StreamFields(_Part):
    """The streamed ask: its path, and its server-sent events.

    Args:
        path: where it is posted to; the body is the ask's.
        delta: the name of the event that carries a piece of the answer.
        text: the field of its data that holds the piece.
        done: the name of the closing event; its data holds the answer's other fields.
        type: the field of an event's data that names the event, where it bears no name itself.
    """

    path: str = "/v1/ask/stream"
    delta: str = "delta"
    text: str = "text"
    done: str = "done"
    type: str = "type"


class ToolCall(_Part):
    """How the cooperative model calls the vendor's tool.

    Args:
        name: the tool's name.
        arguments: by argument, its value; ``{entity}``, ``{metric}`` and ``{period}`` stand for
            what the question asks about.
    """

    name: str
    arguments: Mapping[str, str]


class ServiceMapping(_Part):
    """What the kit must know of a service; every default is the contract's own (SVC rows).

    Args:
        name: the service's name, as certificates print it; the address without it.
        version: its version.
        channels: what it answers.
        claims: which further promises it makes.
        volatile: names of JSON members that change from request to request; masked.
        embeddings: whether it searches by embedding the question, with the model's address as the
            embeddings': each text it has embedded during an ask is a retrieval query then.
        at_once: how many requests may be put at once; 1 for a service that takes one at a time.
        health: the path that answers 200 once the service is ready.
        ask: the request.
        answer: the response.
        stream: the streamed ask; ``false`` where the service streams nothing.
        tool: how its tool is called; without it, arguments are matched to slots by name.
    """

    name: str = ""
    version: str = "unknown"
    channels: frozenset[str] = CHANNELS
    claims: frozenset[str] = CLAIMS - {"session"}
    volatile: frozenset[str] = frozenset({"request_id"})
    embeddings: bool = False
    at_once: int = Field(default=4, ge=1, le=64)
    health: str = "/health"
    ask: AskFields = AskFields()
    answer: AnswerFields = AnswerFields()
    stream: StreamFields | None = StreamFields()
    tool: ToolCall | None = None

    @field_validator("stream", mode="before")
    @classmethod
    def _streams(cls, given: Any) -> Any:
        return None if given is False else given

    @field_validator("channels")
    @classmethod
    def _known_channels(cls, given: frozenset[str]) -> frozenset[str]:
        return _known(given, CHANNELS) if given else _known({"none"}, CHANNELS)

    @field_validator("claims")
    @classmethod
    def _known_claims(cls, given: frozenset[str]) -> frozenset[str]:
        return _known(given, CLAIMS - {"session"})

    @field_validator("volatile")
    @classmethod
    def _not_reserved(cls, given: frozenset[str]) -> frozenset[str]:
        if given & RESERVED_MEMBERS:
            raise ValueError(
                f"{', '.join(sorted(given & RESERVED_MEMBERS))} may not be masked; the comparison"
                " stands on it"
            )
        return given

    @classmethod
    def read(cls, path: Path) -> ServiceMapping:
        """The mapping a TOML file holds.

        Args:
            path: the file.

        Raises:
            MappingError: it cannot be read, is no TOML, or holds what is no mapping.
        """
        try:
            return cls.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise MappingError(f"{path}: it cannot be read: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise MappingError(f"{path}: it is no TOML: {error}") from None
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(each) for each in first["loc"]) or "the file"
            raise MappingError(f"{path}: {where}: {first['msg']}") from None


def _known(given: frozenset[str] | set[str], known: frozenset[str]) -> frozenset[str]:
    if unknown := sorted(given - known):
        raise ValueError(f"{unknown[0]!r} is not one of {', '.join(sorted(known))}")
    return frozenset(given)


def put_in(body: dict[str, Any], field: str, value: Any) -> None:
    """Put a value at a dotted field of a body, making the objects on the way.

    Args:
        body: the body; changed in place.
        field: such as ``input.question``.
        value: what is put there.
    """
    *way, last = field.split(".")
    for each in way:
        body = body.setdefault(each, {})
    body[last] = value


def taken_from(body: Any, field: str, default: Any = None) -> Any:
    """The value at a dotted field of a body, or ``default`` where there is none."""
    for each in field.split("."):
        body = body.get(each, _MISSING) if isinstance(body, Mapping) else _MISSING
    return default if body is _MISSING else body
