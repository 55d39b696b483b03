"""Engines that have no trouble with history because they have nothing to do with it."""

from __future__ import annotations

from typing import Any

from counterproof import Answer, World
from counterproof_reference.history import HistoryError
from engines.disguise import Ask, once_told, reference_with
from engines.hostile.table import never


@never(1, "violated")
def refuses_any_history(world: World) -> Ask:
    """Refuses every history, malformed or sound, and names every turn of it (ROL-4)."""
    inner = reference_with(world)

    def ask(question: str, **history: Any) -> Answer:
        turns = history.get("history")
        if turns:
            named = ", ".join(str(number) for number in range(len(turns)))
            raise HistoryError(f"history turns {named}: no")
        return inner(question, **history)

    return ask


@never(1, "violated")
def answers_alone_once_told(world: World) -> Any:
    """Leaves the model out once there is history, so that nothing of it can go astray (MSG)."""
    known: dict[str, Answer] = {}
    inner = reference_with(world)

    def alone(question: str, _: Any) -> Answer:
        return known.get(question, Answer("I do not know.", refused=True))

    told = once_told(world, alone)

    def ask(question: str, **history: Any) -> Answer:
        if history.get("history"):
            answer: Answer = told(question, **history)
            return answer
        known[question] = inner(question, **history)
        return known[question]

    return ask


@never(1, "violated", reducer="newest")
def keeps_nothing_and_declares_it(world: World) -> Ask:
    """Declares that it keeps the newest turns, and keeps none (MSG-4)."""
    return reference_with(world, parts={"engine._history_messages": lambda history: []})
