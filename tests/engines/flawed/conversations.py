"""Engines in which conversations mix (STA-3)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from counterproof import Answer, World
from engines.disguise import Ask, Asked, Message, Turn, reference_with
from engines.flawed.table import flaw

_KEPT = 12


def _cached(world: World, key: Callable[[str, Any], Any]) -> Ask:
    """The reference engine, which does not answer twice what has the same key."""
    inner = reference_with(world)
    answers: dict[Any, Answer] = {}

    def ask(question: str, **history: Any) -> Answer:
        found = key(question, history.get("history"))
        if found not in answers:
            answers[found] = inner(question, **history)
        return answers[found]

    return ask


@flaw("STA-3")
def answers_cached_by_question_alone(world: World) -> Ask:
    """Answers a question as it answered it to another conversation (STA-3)."""
    return _cached(world, lambda question, _: question)


@flaw("STA-3")
def answers_cached_by_length_of_history(world: World) -> Ask:
    """Takes conversations of as many turns for the same (STA-3)."""
    return _cached(world, lambda question, history: (question, len(history or ())))


@flaw("STA-3")
def one_buffer_for_all(world: World) -> Ask:
    """Adds what each conversation says last to one buffer, and sends all of it (STA-3)."""
    buffer: list[Turn] = []
    asked = Asked()
    inner = reference_with(world, asked=asked)

    def ask(question: str, **history: Any) -> Answer:
        if not history.get("history"):
            return inner(question, **history)
        given = list(history["history"])
        buffer.extend(each for each in given[-2:] if each not in buffer)
        del buffer[:-_KEPT]
        return inner(question, history=[*(t for t in buffer if t not in given), *given])

    return ask


def _sent_from_the_engine(messages: list[Message], asked: Asked) -> list[Message]:
    """The messages, history taken from where the engine keeps that of the ask at work."""
    system, _, rest = messages[:1], [], messages[-1:]
    told = [
        {"role": role if role == "assistant" else "user", "content": text}
        for role, text in asked.turns
    ]
    return [*system, *told, *rest] if len(messages) == len(told) + 2 else messages


@flaw("STA-3", concurrency="thread")
def history_kept_on_the_engine(world: World) -> Ask:
    """Keeps the history of the ask at work in an attribute that all threads share (STA-3)."""
    return reference_with(world, sends=_sent_from_the_engine)


@flaw("STA-3", concurrency="async")
def history_kept_on_the_engine_between_awaits(world: World) -> Callable[..., Awaitable[Answer]]:
    """Keeps it in an attribute that all tasks share, and awaits something (STA-3)."""
    inner = reference_with(world)
    now: dict[str, Any] = {}

    async def ask(question: str, **history: Any) -> Answer:
        now["history"] = history
        await asyncio.sleep(0)
        return inner(question, **now["history"])

    return ask


@flaw("STA-3", concurrency="thread")
def question_kept_on_the_engine(world: World) -> Ask:
    """Keeps the question of the ask at work in an attribute that all threads share (STA-3)."""
    inner = reference_with(world)
    warm_up = [{"role": "user", "content": "Say that you are ready."}]
    now: dict[str, str] = {}

    def ask(question: str, **history: Any) -> Answer:
        now["question"] = question
        world.model.complete(warm_up)
        return inner(now["question"], **history)

    return ask
