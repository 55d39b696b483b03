"""MSG-5: what a trace with history is, less the history messages: the default trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from counterproof.case import Case
from counterproof.check import Violation
from counterproof.sabotage import Scene
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import OMITTED, History, Trace
from counterproof_suites.engine.altering import last_user, reworded, turns_at
from counterproof_suites.engine.block import block_of, crossing_of, folded, matched
from counterproof_suites.engine.differences import first_difference
from counterproof_suites.engine.inputs import (
    ANY,
    every,
    makes_generation_calls,
    other_topic,
    retrieving,
    two_turns,
)

_FEWER = Histories(ANY.explicit, ANY.drawn, most=5)


@dataclass(frozen=True)
class Beyond:
    """What a trace holds beyond the default and history.

    Args:
        what: it, in a sentence.
        mark: where.
    """

    what: str
    mark: str


Compare = Callable[[Trace, Trace], Beyond | None]
"""What the second trace holds beyond the first and the second's history."""


def only_history_is_added(case: Case, history: History, compare: Compare) -> None:
    """Raise where the ask holds more than the default and history.

    An engine that keeps what does not depend on history, such as a query it has translated, does
    less on a second ask. So where the traces differ, both are asked for again, each on a fresh
    engine of one process, and the default as it was first may serve too.
    """
    if compare(case.default(), case.ask(history)) is None:
        return
    told, plain = case.ask(history, fresh=True), case.ask(OMITTED, fresh=True)
    found = compare(case.default(), told)
    if found is not None and compare(plain, told) is not None:
        raise Violation(found.what, told, (found.mark,))


def in_model_calls(default: Trace, told: Trace) -> Beyond | None:
    """What stands in model calls beyond the default's and history's messages."""
    if len(told.calls) != len(default.calls):
        return Beyond(
            f"with this history the engine makes {len(told.calls)} model calls,"
            f" without it {len(default.calls)}",
            "/crossings",
        )
    for number, (own, call) in enumerate(zip(default.calls, told.calls, strict=True), 1):
        where = f"/crossings/{crossing_of(told, call)}"
        block = block_of(told, own, call)
        if not block.in_place:
            return Beyond(
                f"model call {number}, less history, is another than without it",
                f"{where}/messages",
            )
        turns = {place for _, place in matched(told.ask.history, block)}
        blank = sum(not folded(each) for each in told.ask.history.texts)
        for place, message in enumerate(block.messages):
            if place in turns:
                continue
            blank -= not folded(message.get("content"))
            if folded(message.get("content")) or blank < 0:
                return Beyond(
                    f"model call {number} holds a message that is neither the default's nor"
                    " history's",
                    f"{where}/messages/{block.first + place}",
                )
        for member in ("tools", "reply"):
            if told.mask(getattr(call, member)) != told.mask(getattr(own, member)):
                return Beyond(
                    f"model call {number} has other {member} than without history",
                    f"{where}/{member}",
                )
    return None


def elsewhere(default: Trace, told: Trace) -> Beyond | None:
    """What differs from the default besides model calls: crossings, their order, the answer."""
    own, found = _without_calls(default), _without_calls(told)
    if own == found:
        return None
    where = first_difference(own, found)
    part = "the answer" if where.startswith("/answer") else "what crosses the other seams"
    return Beyond(f"with this history {part} is not what it is without it", where)


def _without_calls(trace: Trace) -> dict[str, Any]:
    whole = trace.comparable()
    seen = [each if each["seam"] != "model" else {"seam": "model"} for each in whole["crossings"]]
    return {**whole, "crossings": seen}


@check("MSG-5", probes=every, histories=_FEWER, observable=makes_generation_calls)
def less_history_every_model_call_is_the_defaults(case: Case, history: History) -> None:
    """As many calls, and in each the default's messages around history's, and nothing else."""
    only_history_is_added(case, history, in_model_calls)


@check("MSG-5", probes=every, histories=_FEWER)
def everything_else_is_the_defaults(case: Case, history: History) -> None:
    """What is parsed, searched for and found, and the answer, are what they are without it."""
    only_history_is_added(case, history, elsewhere)


@sabotage(less_history_every_model_call_is_the_defaults, on="messages", witness=two_turns)
def system_prompt_amended(scene: Scene, messages: list[Any]) -> list[Any]:
    """With history, the first message says that there is one."""
    if not scene.said:
        return messages
    return [reworded(messages[0], lambda text: f"{text} A conversation follows."), *messages[1:]]


@sabotage(less_history_every_model_call_is_the_defaults, on="messages", witness=two_turns)
def separator_turn_added(scene: Scene, messages: list[Any]) -> list[Any]:
    """A message of the engine's own closes the conversation."""
    places = turns_at(scene, messages)
    if not places:
        return messages
    end = places[-1] + 1
    closing = {"role": "user", "content": "(end of the earlier conversation)"}
    return [*messages[:end], closing, *messages[end:]]


@sabotage(less_history_every_model_call_is_the_defaults, on="messages", witness=two_turns)
def question_repeated(scene: Scene, messages: list[Any]) -> list[Any]:
    """With history, the question's message is sent twice."""
    place = last_user(messages)
    if not scene.said or place < 0:
        return messages
    return [*messages[: place + 1], messages[place], *messages[place + 1 :]]


@sabotage(
    everything_else_is_the_defaults, on="query", witness=other_topic, probes=retrieving
)  # fmt: skip
def last_turn_searched_for(scene: Scene, crossing: dict[str, Any]) -> dict[str, Any]:
    """The last thing said is searched for along with the question."""
    if not scene.said:
        return crossing
    return {**crossing, "query": f"{crossing['query']} {scene.said[-1]}"}


@sabotage(everything_else_is_the_defaults, on="answer", witness=two_turns, forged=True)
def answer_greets_an_old_acquaintance(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """For engines of which neither parser nor retriever is seen."""
    return {**answer, "text": f"As I said: {answer['text']}"} if scene.said else answer
