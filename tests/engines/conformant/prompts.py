"""Engines that write other prompts around the same history and the same question."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from counterproof import World
from counterproof_reference.history import _history_messages as own_messages
from counterproof_reference.passages import PassageLike
from engines.conformant.table import conformant
from engines.disguise import Ask, Asked, Message, reference_with, split

_PERSONA: Message = {"role": "system", "content": "You are a patient analyst. Be brief."}
_STYLE: Message = {"role": "system", "content": "Write numbers in digits."}


@conformant()
def one_more_leading_system_message(world: World) -> Ask:
    """Says who it is before its orders."""
    return reference_with(world, sends=lambda messages, _: [_PERSONA, *messages])


@conformant()
def several_system_messages(world: World) -> Ask:
    """Opens with three system messages."""

    def sends(messages: list[Message], _: Asked) -> list[Message]:
        return [_PERSONA, messages[0], _STYLE, *messages[1:]]

    return reference_with(world, sends=sends)


@conformant()
def developer_message(world: World) -> Ask:
    """Gives its orders as the developer, as newer models want it."""

    def sends(messages: list[Message], _: Asked) -> list[Message]:
        return [{**messages[0], "role": "developer"}, *messages[1:]]

    return reference_with(world, sends=sends)


@conformant()
def no_system_message(world: World) -> Ask:
    """Gives the model no orders; history comes first."""
    return reference_with(world, sends=lambda messages, _: messages[1:])


@conformant()
def reminder_after_the_question(world: World) -> Ask:
    """Repeats an order at the end of every call."""
    return reference_with(world, sends=lambda messages, _: [*messages, _STYLE])


@conformant()
def example_before_the_question(world: World) -> Ask:
    """Shows the model a made-up exchange right before the question, history or not."""
    shown: list[Message] = [
        {"role": "user", "content": "Is this an example?"},
        {"role": "assistant", "content": "It is."},
    ]

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        lead, turns, rest = split(messages, asked)
        return [*lead, *turns, *shown, *rest]

    return reference_with(world, sends=sends)


@conformant()
def question_before_the_passages(world: World) -> Ask:
    """Writes its narrative prompt the other way round."""

    def user_message(question: str, passages: Sequence[PassageLike]) -> str:
        quoted = "\n".join(f"- {each.text} ({each.doc})" for each in passages)
        return f"Please answer: {question}\nUse only this:\n{quoted}"

    parts = {"narrative.user_message": user_message, "narrative.SYSTEM": "Answer from passages."}
    return reference_with(world, parts=parts)


@conformant()
def passages_in_a_system_message(world: World) -> Ask:
    """Offers passages in a system message, and sends the question as it is."""

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        offered = str(messages[-1]["content"]).removesuffix(asked.question)
        if messages[-1]["role"] != "user" or not offered:
            return messages
        shown = {"role": "system", "content": offered}
        return [messages[0], shown, *messages[1:-1], {"role": "user", "content": asked.question}]

    return reference_with(world, sends=sends)


@dataclasses.dataclass(frozen=True)
class _Message:
    """A message as a framework has it."""

    role: str
    content: str


@conformant()
def history_through_message_objects(world: World) -> Ask:
    """Keeps turns as a framework's objects on their way to the model."""

    def read(history: Any) -> list[Message]:
        objects = [_Message(**each) for each in own_messages(history)]
        return [dataclasses.asdict(each) for each in objects]

    return reference_with(world, parts={"engine._history_messages": read})
