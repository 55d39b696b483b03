"""Engines to which an empty history is something (DEF-1)."""

from __future__ import annotations

import dataclasses
from typing import Any

from counterproof import Answer, World
from engines.disguise import Ask, Asked, Message, reference_with
from engines.flawed.table import flaw


@flaw("DEF-1")
def empty_list_adds_a_system_marker(world: World) -> Ask:
    """Announces an empty list to the model, which no row but DEF-1 forbids."""

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        if asked.history.get("history") != []:
            return messages
        return [messages[0], {"role": "system", "content": "No conversation yet."}, *messages[1:]]

    return reference_with(world, sends=sends)


@flaw("DEF-1")
def none_changes_the_prompt(world: World) -> Ask:
    """Puts its argument into the system prompt, so that ``None`` is sent as a word (DEF-1)."""

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        if "history" not in asked.history or asked.turns:
            return messages
        told = f"{messages[0]['content']} Conversation: {asked.history['history']}."
        return [{**messages[0], "content": told}, *messages[1:]]

    return reference_with(world, sends=sends)


@flaw("DEF-1")
def empty_tuple_is_noted_in_the_answer(world: World) -> Ask:
    """Warns beneath the answer of a history that is no list, an empty one included (DEF-1)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if asked.history.get("history") != ():
            return answer
        return dataclasses.replace(answer, text=f"{answer.text}\n(The history is not a list.)")

    return reference_with(world, answers=answers)


@flaw("DEF-1")
def any_history_argument_tells_another_route(world: World) -> Ask:
    """Calls every ask a follow-up whose keyword is there, whatever it holds (DEF-1)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        return dataclasses.replace(answer, route="follow-up") if asked.history else answer

    return reference_with(world, answers=answers)


@flaw("DEF-1")
def any_history_argument_is_parsed_for(world: World) -> Ask:
    """Parses the question once more where there is a list to look at, be it empty.

    The answer is the same to the byte: only DEF-1, which compares whole traces, sees it.
    """
    look_again = world.watch_parse(lambda text: text)
    inner = reference_with(world)

    def ask(question: str, **history: Any) -> Answer:
        if history.get("history") is not None:
            look_again(question)
        return inner(question, **history)

    return ask
