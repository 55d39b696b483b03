"""What is observed of one ask: immutable values, and the views checks read them by."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from counterproof.canonical import canonical
from counterproof.contract import Answer
from counterproof.model.behaviours import COOPERATIVE, Behaviour

Turn = tuple[str, str]
Message = Mapping[str, Any]


@dataclass(frozen=True)
class History:
    """The history of an ask, and the kind of object it is given as.

    Args:
        kind: ``omitted``, ``none``, ``list``, ``tuple``, ``sequence`` (another Sequence) or
            ``raw`` (anything, built as it stands: ROL-4).
        turns: ``(role, text)`` pairs; for ``raw`` any values.
    """

    kind: str = "omitted"
    turns: tuple[Any, ...] = ()

    @classmethod
    def of(cls, turns: tuple[Turn, ...] | list[Turn], kind: str = "list") -> History:
        """The history holding these turns."""
        return cls(kind, tuple(turns))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each turn's text, where a turn is a pair of strings."""
        return tuple(
            turn[1]
            for turn in self.turns
            if isinstance(turn, tuple | list) and len(turn) == 2 and isinstance(turn[1], str)
        )

    def __bool__(self) -> bool:
        return bool(self.turns)


OMITTED = History()


@dataclass(frozen=True)
class Ask:
    """One question put to the engine.

    Args:
        probe: id of the probe it comes from.
        question: its text.
        history: the conversation before it.
        behaviour: what the scripted model does.
        opened: exits that the kit holds open: they let the world's restricted passages out (RES-3).
        label: the label that the world's restricted passages bear instead of their own, on an
            engine opened for this ask alone (RES-5, RES-6); None for their own.
        session: what was asked before in the same session, in order, where this is a turn of
            one; an ask among them that is of no session is put to the engine beside it. None
            where it is of no session.
        misread: what the engine's parser is given in place of each text, whatever the question
            (PAR-5); None where it is given what the engine gives it.
        streamed: whether it is put to a service's streaming route (SVC rows).
        body: what a service is sent in place of the request's body (SVC-5); None for that.
    """

    probe: str
    question: str
    history: History = OMITTED
    behaviour: Behaviour = COOPERATIVE
    opened: frozenset[str] = frozenset()
    label: str | None = None
    session: tuple[Ask, ...] | None = None
    misread: str | None = None
    streamed: bool = False
    body: bytes | None = None

    @property
    def ordinary(self) -> bool:
        """Whether it is put to the engine as it is, and to no session of it."""
        return self == Ask(self.probe, self.question, self.history, self.behaviour)


@dataclass(frozen=True)
class Crossing:
    """One event at a seam, as it stood after any alteration.

    Args:
        seam: ``parse``, ``query``, ``passages``, ``exit``, ``model`` or, once a session's turn
            is answered, ``session``; of a service, ``response``; in a description, the name of
            the seam described.
        data: plain values: ``{"text"}``; ``{"query", "filters"}``; ``{"passages"}``;
            ``{"name", "given", "released"}``; ``{"messages", "tools", "reply", "mark"}``;
            ``{"remembered", "takes_history"}``; ``{"status", "type", "body"}`` and of a stream
            ``"events"``. Treat as read-only.
        altered: whether a sabotage altered it.
    """

    seam: str
    data: Mapping[str, Any]
    altered: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Failure:
    """How an ask ended that gave no answer.

    Args:
        kind: ``raised``, ``contract`` (not an Answer), ``exited``, ``hung``, ``protocol``.
        type: the exception's type, if one was raised.
        message: what it said.
        where: its last frames, innermost last, without folders.
    """

    kind: str
    type: str
    message: str
    where: tuple[str, ...] = ()

    def __str__(self) -> str:
        what = f"{self.type}: {self.message}" if self.type else self.message
        return f"{what} (at {self.where[-1]})" if self.where else what


@dataclass(frozen=True)
class ModelCall:
    """One model call: what was sent, what came back.

    Args:
        messages: the messages sent.
        tools: the tools offered, or None.
        reply: the reply message; None where the model failed.
        mark: the unique mark the reply's text ends in; empty where it has none.
    """

    messages: tuple[Message, ...]
    tools: tuple[Any, ...] | None
    reply: Message | None
    mark: str


@dataclass(frozen=True)
class Trace:
    """Everything observed of one ask, in order.

    Args:
        ask: the ask as the check put it.
        crossings: each crossing, in order.
        answer: the answer, or None where there is none.
        failure: how it failed, or None.
        history_kept: whether the caller's history object is as it was (STA-2).
        earlier_kept: whether that of the ask before is still as it was.
        history_left: what has become of the one that is not, as Python shows it.
        altered: hooks of a sabotage that altered something here.
    """

    ask: Ask
    crossings: tuple[Crossing, ...]
    answer: Answer | None
    failure: Failure | None = None
    history_kept: bool = True
    earlier_kept: bool = True
    history_left: str | None = None
    altered: frozenset[str] = field(default=frozenset(), compare=False)
    volatile: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def text(self) -> str:
        """The answer's text; empty where there is no answer."""
        return self.answer.text if self.answer else ""

    @property
    def renderings(self) -> tuple[str, ...]:
        """Every text the engine hands out as an answer."""
        if self.answer is None:
            return ()
        return (self.answer.text,) + ((self.answer.plain,) if self.answer.plain else ())

    @property
    def cited(self) -> tuple[tuple[str, str], ...]:
        """Document and locator of each source, in order."""
        return tuple((s.doc, s.locator) for s in self.answer.sources) if self.answer else ()

    @cached_property
    def calls(self) -> tuple[ModelCall, ...]:
        """The model calls, in order."""
        return tuple(
            ModelCall(
                tuple(each.data["messages"]),
                None if each.data["tools"] is None else tuple(each.data["tools"]),
                each.data["reply"],
                each.data["mark"],
            )
            for each in self.crossings
            if each.seam == "model"
        )

    @property
    def generation_calls(self) -> tuple[ModelCall, ...]:
        """The calls that offer tools, or whose marked reply shows in the answer (MSG)."""
        return tuple(
            call
            for call in self.calls
            if call.tools
            or (call.mark and any(call.mark in rendering for rendering in self.renderings))
        )

    @property
    def parsed(self) -> tuple[str, ...]:
        """Each text the intent parser was given."""
        return tuple(each.data["text"] for each in self.crossings if each.seam == "parse")

    @property
    def queries(self) -> tuple[str, ...]:
        """Each retrieval query."""
        return tuple(each.data["query"] for each in self.crossings if each.seam == "query")

    @property
    def passages(self) -> tuple[Mapping[str, Any], ...]:
        """Every passage retrieval returned, in order."""
        return tuple(
            passage
            for each in self.crossings
            if each.seam == "passages"
            for passage in each.data["passages"]
        )

    def released(self, name: str | None = None) -> tuple[tuple[int, Mapping[str, Any]], ...]:
        """What left by an exit: the crossing's index in the trace, and a passage.

        Args:
            name: the exit; None for every one.
        """
        return tuple(
            (number, passage)
            for number, each in enumerate(self.crossings)
            if each.seam == "exit" and name in (None, each.data["name"])
            for passage in each.data["released"]
        )

    @property
    def remembered(self) -> Any:
        """What the session remembers after this turn, as plain values; None outside a session."""
        states = [each.data["remembered"] for each in self.crossings if each.seam == "session"]
        return states[-1] if states else None

    def comparable(self) -> dict[str, Any]:
        """All but the ask itself, as plain values, with what the adapter declared masked."""
        return self.mask(self.plain())  # type: ignore[no-any-return]  # a dict stays one

    def mask(self, value: Any) -> Any:
        """A part of the trace with what the adapter declared volatile masked."""
        return _masked(value, self.volatile)

    def plain(self) -> dict[str, Any]:
        """All but the ask itself, as plain values."""
        return {
            "crossings": [{"seam": each.seam, **each.data} for each in self.crossings],
            "answer": plain_answer(self.answer),
            "failure": None if self.failure is None else str(self.failure),
        }

    @cached_property
    def bytes(self) -> bytes:
        """The canonical bytes of :meth:`comparable`."""
        return canonical(self.comparable())


def plain_answer(answer: Answer | None) -> dict[str, Any] | None:
    """An answer as plain values."""
    if answer is None:
        return None
    return {
        "text": answer.text,
        "sources": [{"doc": each.doc, "locator": each.locator} for each in answer.sources],
        "route": answer.route,
        "refused": answer.refused,
        "plain": answer.plain,
        "tool_results": None if answer.tool_results is None else list(answer.tool_results),
    }


def _masked(value: Any, volatile: frozenset[str]) -> Any:
    """``value`` with every volatile member's value replaced, also in JSON inside a text."""
    if not volatile:
        return value
    if isinstance(value, Mapping):
        return {k: "$volatile" if k in volatile else _masked(v, volatile) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(each, volatile) for each in value]
    if isinstance(value, str) and '"' in value:
        names = "|".join(re.escape(each) for each in sorted(volatile))
        return re.sub(
            rf'("(?:{names})"\s*:\s*)("(?:[^"\\]|\\.)*"|[^,\}}\]]+)', r"\1$volatile", value
        )
    return value
