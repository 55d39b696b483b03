"""Engines to which a history is something else where another sequence holds it (DEF-5)."""

from __future__ import annotations

import dataclasses
from typing import Any

from counterproof import Answer, World
from engines.disguise import Ask, Asked, Message, reference_with, with_last_user
from engines.flawed.table import flaw


@flaw("DEF-5")
def history_only_from_a_list(world: World) -> Ask:
    """Takes what is no list for no history (DEF-5)."""
    inner = reference_with(world)

    def ask(question: str, **history: Any) -> Answer:
        given = history.get("history")
        return inner(question, history=given if isinstance(given, list) else None)

    return ask


@flaw("DEF-5")
def other_sequences_refused(world: World) -> Ask:
    """Raises for a sequence that is neither list nor tuple (DEF-5)."""
    inner = reference_with(world)

    def ask(question: str, **history: Any) -> Answer:
        given = history.get("history")
        if not isinstance(given, list | tuple | None):
            raise TypeError(f"history must be a list, not {type(given).__name__}")
        return inner(question, **history)

    return ask


@flaw("DEF-5")
def a_tuple_is_its_last_turn(world: World) -> Ask:
    """Takes a tuple for one turn, and so sends but the last it holds (DEF-5)."""
    inner = reference_with(world)

    def ask(question: str, **history: Any) -> Answer:
        given = history.get("history")
        return inner(question, history=[*given[-1:]] if isinstance(given, tuple) else given)

    return ask


@flaw("DEF-5")
def sequences_told_in_the_question(world: World) -> Ask:
    """Writes what it does not know into the prompt, as Python shows it (DEF-5)."""

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        given = asked.history.get("history")
        if given is None or isinstance(given, list | tuple) or not asked.turns:
            return messages
        return with_last_user(messages, lambda text: f"{text}\n{list(given)}")

    return reference_with(world, sends=sends)


@flaw("DEF-5")
def a_tuple_is_noted_in_the_answer(world: World) -> Ask:
    """Warns of a history that cannot be added to (DEF-5)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if not (isinstance(asked.history.get("history"), tuple) and asked.turns):
            return answer
        return dataclasses.replace(answer, text=f"{answer.text}\n(This is not remembered.)")

    return reference_with(world, answers=answers)
