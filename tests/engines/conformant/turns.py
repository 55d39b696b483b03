"""Engines that treat turns, and calls besides generation, in a manner no row forbids."""

from __future__ import annotations

import contextlib
import html
import re
from collections.abc import Callable, Sequence
from typing import Any

from counterproof import Answer, ModelError, World
from counterproof_reference.history import HistoryError
from counterproof_reference.history import _history_messages as own_messages
from counterproof_reference.narrative import NarrativeRetriever
from counterproof_reference.passages import PassageLike
from engines.conformant.table import conformant
from engines.disguise import Ask, Asked, Message, reference_with

_BUDGET = 400


def _turns(world: World, change: Callable[[list[Message]], list[Message]]) -> Ask:
    """The reference engine, history's messages changed on their way to the model."""
    parts = {"engine._history_messages": lambda history: change(own_messages(history))}
    return reference_with(world, parts=parts)


@conformant(reducer="newest")
def the_last_six_turns(world: World) -> Ask:
    """Keeps the last six turns of a conversation, and declares it."""
    return _turns(world, lambda turns: turns[-6:])


@conformant(reducer="newest")
def as_many_turns_as_the_budget_holds(world: World) -> Ask:
    """Keeps the newest turns that fit a budget of characters, the last one always."""

    def kept(turns: list[Message]) -> list[Message]:
        room, start = _BUDGET, len(turns)
        for number in reversed(range(len(turns))):
            room -= len(turns[number]["content"])
            if room < 0 and start < len(turns):
                break
            start = number
        return turns[start:]

    return _turns(world, kept)


@conformant(reducer="newest")
def a_reducer_that_is_never_needed(world: World) -> Ask:
    """Declares that it keeps the newest turns, and has room for a thousand."""
    return _turns(world, lambda turns: turns[-1000:])


@conformant()
def texts_in_parts(world: World) -> Ask:
    """Sends each text as a part of a list, the question's too, as newer interfaces want it."""

    def sends(messages: list[Message], _: Asked) -> list[Message]:
        return [
            {**each, "content": [{"type": "text", "text": each["content"]}]}
            if each["role"] in ("user", "assistant") and isinstance(each["content"], str)
            else each
            for each in messages
        ]

    return reference_with(world, sends=sends)


@conformant()
def special_tokens_taken_out(world: World) -> Ask:
    """Takes chat templates' tokens out of history, at the price of MSG-4."""
    token = re.compile(r"<\|\w+\|>|\[/?INST\]|<</?SYS>>")
    return _turns(
        world, lambda turns: [{**m, "content": token.sub("", m["content"])} for m in turns]
    )


@conformant()
def markup_escaped(world: World) -> Ask:
    """Escapes markup in history, at the price of MSG-4."""
    return _turns(world, lambda turns: [{**m, "content": html.escape(m["content"])} for m in turns])


@conformant()
def a_query_rewritten_once(world: World) -> Ask:
    """Has the model rewrite a question for its log, and keeps what it has rewritten."""
    rewritten: dict[str, str] = {}

    class Rewriting(NarrativeRetriever):
        def retrieve(self, question: str, *, period: str | None = None) -> list[PassageLike]:
            if question not in rewritten:
                prompt = {"role": "user", "content": f"In other words, please: {question}"}
                with contextlib.suppress(ModelError):
                    rewritten[question] = str(world.model.complete([prompt]))
            return super().retrieve(question, period=period)

    return reference_with(world, parts={"adapter.NarrativeRetriever": Rewriting})


@conformant()
def a_judge_under_the_same_orders(world: World) -> Ask:
    """Gives the judge of passages the orders it gives the model that writes the answer."""

    class Judged(NarrativeRetriever):
        def retrieve(self, question: str, *, period: str | None = None) -> list[PassageLike]:
            found = super().retrieve(question, period=period)
            listed = "\n".join(f"{number}. {each.text}" for number, each in enumerate(found, 1))
            asked = f"Which of these is best for: {question}\n{listed}"
            with contextlib.suppress(ModelError):
                world.model.complete(
                    [{"role": "system", "content": _ORDERS}, {"role": "user", "content": asked}]
                )
            return found

    return reference_with(
        world, parts={"adapter.NarrativeRetriever": Judged, "narrative.SYSTEM": _ORDERS}
    )


_ORDERS = "You work with passages about a company. Use nothing else."


@conformant()
def an_attempt_that_is_thrown_away(world: World) -> Ask:
    """Where it found nothing, has the model try once more, with history, and refuses all the same.

    The reply never shows, so that nothing but its place tells this call from a judge's.
    """

    def answers(answer: Answer, asked: Asked) -> Answer:
        if answer.refused and answer.route in ("structured", "narrative"):
            lead = {"role": "system", "content": "If you are sure, answer; else say NO."}
            question = {"role": "user", "content": asked.question}
            with contextlib.suppress(ModelError):
                world.model.complete([lead, *own_messages(asked.turns), question])
        return answer

    return reference_with(world, answers=answers)


@conformant()
def errors_in_other_words(world: World) -> Ask:
    """Refuses what is no turn with an error of another type, and counts turns from one."""

    def read(history: Any) -> list[Message]:
        try:
            return own_messages(history)
        except HistoryError as error:
            where = "" if error.index is None else f"[#{error.index + 1}]"
            raise TypeError(f"history{where}: expected (role, text)") from None

    return reference_with(world, parts={"engine._history_messages": read})


@conformant()
def errors_told_in_the_answer(world: World) -> Callable[..., Answer]:
    """Never raises: where the history is malformed, the answer is a refusal that says so."""
    inner = reference_with(world)

    def ask(question: str, **history: Any) -> Answer:
        try:
            return inner(question, **history)
        except HistoryError as error:
            return Answer(f"I cannot read this conversation: {error}.", refused=True)

    return ask


@conformant()
def lists_of_two_are_pairs(world: World) -> Ask:
    """Takes a list of two strings for a pair, as it comes out of JSON, and nothing else."""

    def read(history: Any) -> list[Message]:
        turns: Sequence[Any] = history or ()
        return own_messages([tuple(e) if isinstance(e, list) and len(e) == 2 else e for e in turns])

    return reference_with(world, parts={"engine._history_messages": read})
