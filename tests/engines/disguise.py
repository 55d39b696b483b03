"""The reference engine in disguise: opened as it is, with one part of it replaced."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeVar

from counterproof import Answer, World, adapter
from counterproof.contract import Model, Port
from counterproof_reference import judging
from counterproof_reference.adapter import reference

Ask = Callable[..., Answer]
Message = dict[str, Any]
Turn = tuple[str, str]
Opener = TypeVar("Opener", bound=Callable[..., Any])

REFERENCE: Mapping[str, Any] = {
    "channels": {"structured", "narrative"},
    "claims": {"composite", "multi", "clarification", "security-gate", "restricted"},
    "seams": {"model", "parse", "retrieval"},
}
"""What the reference engine declares of itself, but for its exits and its session."""

WITH_EXITS: Mapping[str, Any] = {"seams": REFERENCE["seams"] | {"exits"}}
"""Declared by engines that let their exits be watched."""
WITH_SIGNATURE: Mapping[str, Any] = {"seams": REFERENCE["seams"] | {"signature"}}
"""Declared by engines that expose their first-answer function."""
WITH_SESSION: Mapping[str, Any] = {
    "claims": REFERENCE["claims"] | {"session"},
    "seams": REFERENCE["seams"] | {"session"},
}
"""Declared by engines that hold conversations."""


def as_reference(opener: Opener, **instead: Any) -> Opener:
    """Declare an adapter as the reference engine's is, under the function's own name.

    Args:
        opener: the adapter.
        instead: what is declared otherwise.
    """
    own = {"name": opener.__name__.replace("_", "-"), "version": "1"}
    return adapter(**{**own, **REFERENCE, **instead})(opener)


def target(opener: Callable[..., Any]) -> str:
    """The address of an adapter, as the command line takes it."""
    return f"{opener.__module__}:{opener.__name__}"


@dataclass
class Asked:
    """The ask an engine is at work on; one object that serves one ask after another.

    Args:
        question: the question.
        history: the keyword arguments it came with: ``history``, or nothing at all.
        replies: what the model has replied so far.
    """

    question: str = ""
    history: Mapping[str, Any] = field(default_factory=dict)
    replies: list[Message] = field(default_factory=list)

    @property
    def turns(self) -> list[Turn]:
        """The turns of its history; none where it holds anything but pairs of strings."""
        given = self.history.get("history")
        pairs = [tuple(each) if _is_pair(each) else () for each in given or ()]
        return [] if () in pairs else pairs

    @property
    def said(self) -> str:
        """Everything that was said before, in one text."""
        return " ".join(text for _, text in self.turns)


def is_the_judges(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a model call asks for an order of passages."""
    return bool(messages) and messages[0].get("content") == judging.SYSTEM


def _is_pair(turn: Any) -> bool:
    return (
        isinstance(turn, Sequence)
        and len(turn) == 2
        and all(isinstance(part, str) for part in turn)
        and not isinstance(turn, str)
    )


@dataclass(frozen=True)
class _Between:
    """Stands between the engine and the seams, and alters what the engine puts to them."""

    port: Port
    asked: Asked
    changes: Mapping[str, Callable[[Any, Asked], Any] | None]

    def cross(self, seam: str, data: Mapping[str, Any]) -> Any:
        if seam == "model" and is_the_judges(data["messages"]):
            return self.port.cross(seam, data)
        member = {"model": "messages", "parse": "text", "query": "query"}.get(seam)
        change = self.changes.get(seam)
        if member is not None and change is not None:
            data = {**data, member: change(data[member], self.asked)}
        got = self.port.cross(seam, data)
        if seam == "model" and "completion" in got:
            self.asked.replies += [each["message"] for each in got["completion"]["choices"]]
        return got


def reference_with(
    world: World,
    *,
    asked: Asked | None = None,
    parts: Mapping[str, Any] | None = None,
    sends: Callable[[list[Message], Asked], list[Message]] | None = None,
    parses: Callable[[str, Asked], str] | None = None,
    searches: Callable[[str, Asked], str] | None = None,
    answers: Callable[[Answer, Asked], Answer] | None = None,
) -> Ask:
    """Open the reference engine over a world, something of it replaced.

    The worker holds one engine, so that a part is replaced for good. It is replaced when an
    engine is opened, never when a module of engines is imported.

    Args:
        world: the world.
        asked: the object the ask at work is kept in, for parts that need it.
        parts: what takes the place of a name of its modules, such as ``exits.is_restricted``.
        sends: changes the messages of each model call but the judge's.
        parses: changes each text the parser is given.
        searches: changes each retrieval query.
        answers: changes the answer.
    """
    for name, part in (parts or {}).items():
        module_name, _, attribute = name.rpartition(".")
        module = import_module(f"counterproof_reference.{module_name}")
        assert hasattr(module, attribute), f"the reference engine has no {name}"
        setattr(module, attribute, part)
    now = Asked() if asked is None else asked
    changes = {"model": sends, "parse": parses, "query": searches}
    between = _Between(world._port, now, changes)
    model = Model(between, serve=world.model._serve)
    inner = reference(dataclasses.replace(world, model=model, _port=between))

    def ask(question: str, **history: Any) -> Answer:
        now.question, now.history, now.replies = question, history, []
        answer = inner(question, **history)
        return answer if answers is None else answers(answer, now)

    return ask


def split(
    messages: list[Message], asked: Asked
) -> tuple[list[Message], list[Message], list[Message]]:
    """The messages of a call: the system prompt, history, and what follows it."""
    end = 1 + len(asked.turns)
    return messages[:1], messages[1:end], messages[end:]


def with_last_user(messages: list[Message], change: Callable[[str], str]) -> list[Message]:
    """The messages, the text of the last user message changed."""
    last = max(at for at, each in enumerate(messages) if each["role"] == "user")
    changed = {**messages[last], "content": change(messages[last]["content"])}
    return [*messages[:last], changed, *messages[last + 1 :]]


def once_told(world: World, act: Callable[[str, Asked], Any]) -> Callable[..., Any]:
    """The reference engine, which does something else once there is history.

    Args:
        world: the world.
        act: what it does then; what it returns is the answer, or for None the reference's.
    """
    now = Asked()
    inner = reference_with(world, asked=now)

    def ask(question: str, **history: Any) -> Any:
        if not history.get("history"):
            return inner(question, **history)
        now.question, now.history = question, history
        other = act(question, now)
        return inner(question, **history) if other is None else other

    return ask
