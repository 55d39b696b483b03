"""Engines that write to the history they were given (STA-2)."""

from __future__ import annotations

from typing import Any

from counterproof import Answer, World
from engines.disguise import Ask, reference_with
from engines.flawed.table import flaw

_MOST = 20


@flaw("STA-2")
def question_and_answer_appended(world: World) -> Ask:
    """Keeps the caller's list up to date for it (STA-2)."""
    inner = reference_with(world)

    def ask(question: str, **history: Any) -> Answer:
        answer = inner(question, **history)
        given = history.get("history")
        if isinstance(given, list) and given:
            given += [("user", question), ("assistant", answer.text)]
        return answer

    return ask


@flaw("STA-2")
def long_history_shortened(world: World) -> Ask:
    """Drops the oldest turns of a long history once it is answered, in place (STA-2)."""
    inner = reference_with(world)

    def ask(question: str, **history: Any) -> Answer:
        answer = inner(question, **history)
        given = history.get("history")
        if isinstance(given, list):
            del given[:-_MOST]
        return answer

    return ask


@flaw("STA-2")
def roles_mended_in_place(world: World) -> Ask:
    """Writes the role a turn is sent with into the turn, where it is a list (STA-2)."""
    inner = reference_with(world)

    def ask(question: str, **history: Any) -> Answer:
        for turn in history.get("history") or ():
            if isinstance(turn, list) and turn and turn[0] == "assistant":
                turn[0] = "model"
        return inner(question, **history)

    return ask


@flaw("STA-2")
def last_list_kept_and_continued(world: World) -> Ask:
    """Keeps hold of the caller's list, and adds to it when the next question comes (STA-2)."""
    inner = reference_with(world)
    held: list[Any] = []

    def ask(question: str, **history: Any) -> Answer:
        for each in held:
            each.append(("user", question))
        given = history.get("history")
        if not isinstance(given, list):
            held.clear()
            return inner(question, **history)
        held[:] = [given]
        return inner(question, history=list(given))

    return ask


@flaw("STA-2")
def turns_taken_one_by_one(world: World) -> Ask:
    """Pops what it sends from the caller's list (STA-2)."""
    inner = reference_with(world)

    def ask(question: str, **history: Any) -> Answer:
        given = history.get("history")
        if not isinstance(given, list):
            return inner(question, **history)
        turns = []
        while given:
            turns.append(given.pop(0))
        return inner(question, history=turns)

    return ask
