"""Engines whose filters, passages or sources depend on history (RET-2, RET-3)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from counterproof import Answer, World
from counterproof.contract import Model, Port
from counterproof_reference.intent import periods_in
from engines.disguise import Ask, Asked, Message, reference_with, with_last_user
from engines.flawed.table import flaw

MANY = 10
"""Turns from which on a conversation counts as long."""
Change = Callable[[Any, Asked], Any]


@dataclass(frozen=True)
class _Retrieving:
    """A port that alters the filters of a query, and what a search came back with."""

    port: Port
    asked: Asked
    filters: Change | None = None
    found: Change | None = None

    def cross(self, seam: str, data: Mapping[str, Any]) -> Any:
        if seam == "query" and self.filters and self.asked.turns:
            data = {**data, "filters": self.filters(data["filters"], self.asked)}
        got = self.port.cross(seam, data)
        if seam == "passages" and self.found and self.asked.turns:
            return {"passages": self.found(got["passages"], self.asked)}
        return got


def _retrieving(world: World, **changes: Change) -> Ask:
    asked = Asked()
    port = _Retrieving(world._port, asked, **changes)
    altered = dataclasses.replace(world, model=Model(port), _port=port)
    return reference_with(altered, asked=asked)


@flaw("RET-2")
def period_of_the_conversation_filters(world: World) -> Ask:
    """Keeps to the fiscal year that was spoken of last (RET-2)."""

    def filters(own: Mapping[str, Any], asked: Asked) -> Any:
        told = periods_in(asked.said)
        return {**own, "period": told[-1]} if told else own

    return _retrieving(world, filters=filters)


@flaw("RET-2")
def one_passage_in_long_conversations(world: World) -> Ask:
    """Makes room for a long history (RET-2)."""
    return _retrieving(
        world,
        filters=lambda own, asked: {**own, "limit": 1} if len(asked.turns) > MANY else own,
    )


@flaw("RET-2")
def more_passages_in_a_conversation(world: World) -> Ask:
    """Looks further for whoever asks again (RET-2)."""
    return _retrieving(world, filters=lambda own, _: {**own, "limit": own.get("limit", 1) + 5})


@flaw("RET-3")
def last_passage_dropped_in_a_conversation(world: World) -> Ask:
    """Leaves out the weakest passage once there is history (RET-3)."""
    return _retrieving(world, found=lambda passages, _: passages[:-1])


@flaw("RET-3")
def last_answer_among_the_passages(world: World) -> Ask:
    """Writes the last answer beneath the passages (RET-3)."""

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        said = [text for role, text in asked.turns if role == "assistant"]
        explains = asked.question in messages[-1]["content"] and "[" in messages[-1]["content"]
        if not said or not explains:
            return messages
        return with_last_user(messages, lambda text: f"{text}\n[conversation] {said[-1]}")

    return reference_with(world, sends=sends)


@flaw("RET-3")
def last_source_forgotten_in_a_conversation(world: World) -> Ask:
    """Cites one source less once there is history (RET-3)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if not asked.turns or answer.route != "narrative" or len(answer.sources) < 2:
            return answer
        return dataclasses.replace(answer, sources=answer.sources[:-1])

    return reference_with(world, answers=answers)
