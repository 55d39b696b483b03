"""Engines that add more than history (MSG-5), or show it to calls it is not for (MSG-6)."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable

from counterproof import Answer, ModelError, World
from counterproof_reference.narrative import NarrativeRetriever
from counterproof_reference.passages import PassageLike
from engines.disguise import Ask, Asked, Message, reference_with, split
from engines.flawed.table import flaw

MANY = 10
"""Turns from which on a conversation counts as long."""


def _told(world: World, change: Callable[[list[Message], Asked], list[Message]]) -> Ask:
    """The reference engine, what it sends changed once there is history."""
    return reference_with(
        world, sends=lambda messages, asked: change(messages, asked) if asked.turns else messages
    )


@flaw("MSG-5")
def prompt_speaks_of_the_conversation(world: World) -> Ask:
    """Adds a sentence to its orders (MSG-5)."""
    note = " The user has spoken with you before."
    return _told(
        world, lambda sent, _: [{**sent[0], "content": sent[0]["content"] + note}, *sent[1:]]
    )


@flaw("MSG-5")
def conversation_closed_with_a_message(world: World) -> Ask:
    """Marks where the conversation ends and the question begins (MSG-5)."""

    def closed(messages: list[Message], asked: Asked) -> list[Message]:
        lead, turns, rest = split(messages, asked)
        return [*lead, *turns, {"role": "user", "content": "--- new question ---"}, *rest]

    return _told(world, closed)


@flaw("MSG-5")
def empty_message_after_the_conversation(world: World) -> Ask:
    """Puts a message without a word where the conversation ends (MSG-5)."""

    def parted(messages: list[Message], asked: Asked) -> list[Message]:
        lead, turns, rest = split(messages, asked)
        return [*lead, *turns, {"role": "assistant", "content": ""}, *rest]

    return _told(world, parted)


@flaw("MSG-5")
def question_before_and_after_the_conversation(world: World) -> Ask:
    """Sends the question ahead of the conversation, and again behind it (MSG-5)."""

    def asked_twice(messages: list[Message], asked: Asked) -> list[Message]:
        lead, turns, rest = split(messages, asked)
        return [*lead, {"role": "user", "content": asked.question}, *turns, *rest]

    return _told(world, asked_twice)


@flaw("MSG-5")
def reminded_in_long_conversations(world: World) -> Ask:
    """Repeats an order at the end of every call of a long conversation (MSG-5)."""
    order = {"role": "system", "content": "Keep to the question."}
    return _told(
        world, lambda sent, asked: [*sent, order] if len(asked.turns) > MANY else sent
    )  # fmt: skip


@flaw("MSG-5")
def welcomes_back(world: World) -> Ask:
    """Begins its answer otherwise once there is history (MSG-5)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if not asked.turns:
            return answer
        return dataclasses.replace(answer, text=f"Welcome back.\n{answer.text}")

    return reference_with(world, answers=answers)


def _judging(world: World, prompt: Callable[[str, Asked], list[Message]]) -> Ask:
    """The reference engine, a model asked for its opinion of what was found, in these messages."""
    asked = Asked()

    class Judged(NarrativeRetriever):
        def retrieve(self, question: str, *, period: str | None = None) -> list[PassageLike]:
            found = super().retrieve(question, period=period)
            listed = "\n".join(f"{number}. {each.text}" for number, each in enumerate(found, 1))
            with contextlib.suppress(ModelError):
                world.model.complete(prompt(f"Which is best for: {question}\n{listed}", asked))
            return found

    return reference_with(world, asked=asked, parts={"adapter.NarrativeRetriever": Judged})


def _said(asked: Asked) -> list[Message]:
    return [{"role": "user", "content": text} for _, text in asked.turns]


@flaw("MSG-6")
def judge_is_sent_the_conversation(world: World) -> Ask:
    """Has the judge of passages read the conversation, too (MSG-6)."""
    return _judging(
        world, lambda prompt, asked: [*_said(asked), {"role": "user", "content": prompt}]
    )


@flaw("MSG-6")
def judge_is_told_the_last_turn(world: World) -> Ask:
    """Tells the judge in its prompt what was said last (MSG-6)."""

    def told(prompt: str, asked: Asked) -> list[Message]:
        last = f"\nSaid before: {asked.turns[-1][1]}" if asked.turns else ""
        return [{"role": "user", "content": prompt + last}]

    return _judging(world, told)


@flaw("MSG-6")
def judge_reads_long_conversations(world: World) -> Ask:
    """Sends the judge the conversation once it is long (MSG-6)."""
    return _judging(
        world,
        lambda prompt, asked: [
            *(_said(asked) if len(asked.turns) > MANY else []),
            {"role": "user", "content": prompt},
        ],
    )


@flaw("MSG-6")
def judge_is_told_that_there_is_a_conversation(world: World) -> Ask:
    """Orders the judge otherwise once there is history, of which it says nothing (MSG-6)."""

    def told(prompt: str, asked: Asked) -> list[Message]:
        order = "Judge leniently." if asked.turns else "Judge."
        return [{"role": "system", "content": order}, {"role": "user", "content": prompt}]

    return _judging(world, told)


@flaw("MSG-6")
def question_condensed_and_thrown_away(world: World) -> Ask:
    """Has the model rewrite the question with history, and searches for the question (MSG-6)."""
    asked = Asked()

    class Condensing(NarrativeRetriever):
        def retrieve(self, question: str, *, period: str | None = None) -> list[PassageLike]:
            if asked.turns:
                prompt = f"Make it stand alone.\n{asked.said}\nFollow-up: {question}"
                with contextlib.suppress(ModelError):
                    world.model.complete([{"role": "user", "content": prompt}])
            return super().retrieve(question, period=period)

    return reference_with(world, asked=asked, parts={"adapter.NarrativeRetriever": Condensing})


@flaw("MSG-6")
def conversation_given_a_title(world: World) -> Ask:
    """Has the model name the conversation when the answer is written (MSG-6)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if asked.turns:
            prompt = {"role": "user", "content": "A title of three words, please."}
            with contextlib.suppress(ModelError):
                world.model.complete([*_said(asked), prompt])
        return answer

    return reference_with(world, answers=answers)
