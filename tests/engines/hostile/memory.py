"""Engines that keep something of an ask, and use it in later ones."""

from __future__ import annotations

from itertools import count
from typing import Any

from counterproof import Answer, World
from engines.disguise import Ask, Asked, reference_with
from engines.hostile.table import never

_PROBES = 18
"""How many probes the builtin world has."""
_kept: list[tuple[str, str]] = []
_asks = count(1)


def _replaying(world: World, kept: list[tuple[str, str]]) -> Ask:
    """The reference engine, told everything of earlier asks along with an ask's own history."""
    asked = Asked()
    inner = reference_with(world, asked=asked)

    def ask(question: str, **history: Any) -> Answer:
        given = history.get("history")
        earlier = kept[-20:]
        if given is None:
            return inner(question, **history)
        answer = inner(question, history=[*earlier, *given])
        kept.extend(tuple(each) for each in given)
        return answer

    return ask


@never(1, "violated")
def kept_by_the_engine(world: World) -> Ask:
    """Replays earlier histories of the same engine; only asks with a history show it."""
    return _replaying(world, [])


@never(1, "violated")
def kept_by_the_process(world: World) -> Ask:
    """Replays earlier histories of its process, so that a fresh engine remembers too."""
    return _replaying(world, _kept)


@never(1, "violated")
def answers_kept_by_question(world: World) -> Ask:
    """Gives the answer it gave to the same question before, without asking the model again."""
    inner = reference_with(world)
    answers: dict[str, Answer] = {}

    def ask(question: str, **history: Any) -> Answer:
        if question not in answers:
            answers[question] = inner(question, **history)
        return answers[question]

    return ask


@never(1, "violated")
def good_for_the_first_asks(world: World) -> Ask:
    """Answers well for as many asks as calibration makes, and refuses everything then."""
    inner = reference_with(world)
    refusal = Answer("I cannot answer that.", refused=True, plain="I cannot answer that.")

    def ask(question: str, **history: Any) -> Answer:
        return refusal if next(_asks) > _PROBES else inner(question, **history)

    return ask
