"""Engines that remember, copy, lock and hand on: close to the line, and on this side of it."""

from __future__ import annotations

import copy
import functools
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from counterproof import Answer, World
from counterproof_reference.adapter import _WorldModel
from engines.conformant.table import conformant
from engines.disguise import WITH_SIGNATURE, Ask, Turn, reference_with

Chat = Callable[..., dict[str, Any]]


def _remembering(world: World, most: int) -> Ask:
    """The reference engine, over a model whose last replies it remembers by all it was sent."""
    replies: OrderedDict[str, dict[str, Any]] = OrderedDict()
    lock = threading.Lock()

    class Remembering(_WorldModel):
        def chat(
            self,
            messages: Sequence[Mapping[str, Any]],
            *,
            tools: Sequence[Mapping[str, Any]] | None = None,
        ) -> dict[str, Any]:
            key = json.dumps([list(messages), tools])
            with lock:
                found = replies.get(key)
            if found is None:
                found = super().chat(messages, tools=tools)
            with lock:
                replies[key] = found
                while len(replies) > most:
                    replies.popitem(last=False)
            return copy.deepcopy(found)

    return reference_with(world, parts={"adapter._WorldModel": Remembering})


@conformant()
def replies_remembered(world: World) -> Ask:
    """Asks the model nothing twice."""
    return _remembering(world, 10_000)


@conformant(concurrency="thread")
def a_few_replies_remembered(world: World) -> Ask:
    """Remembers the last three replies, for all threads."""
    return _remembering(world, 3)


@conformant(concurrency="thread")
def one_ask_at_a_time(world: World) -> Ask:
    """May be asked by many threads, and lets one wait for the other."""
    inner, lock = reference_with(world), threading.Lock()

    def ask(question: str, **history: Any) -> Answer:
        with lock:
            return inner(question, **history)

    return ask


@conformant()
def a_copy_of_the_history(world: World) -> Ask:
    """Copies what it is given, to the last turn, and then does with the copy what it likes."""
    inner = reference_with(world)

    def ask(question: str, **history: Any) -> Answer:
        own = copy.deepcopy(history)
        answer = inner(question, **own)
        given = own.get("history")
        if isinstance(given, list):
            given += [("user", question), ("assistant", answer.text)]
            del given[:-2]
        return answer

    return ask


@conformant()
def last_history_kept_for_a_log(world: World) -> Ask:
    """Keeps the last history, reads it never, and changes nothing in it."""
    inner = reference_with(world)
    kept: list[Any] = []

    def ask(question: str, **history: Any) -> Answer:
        kept[:] = [history]
        return inner(question, **history)

    return ask


@conformant(**WITH_SIGNATURE)
def keywords_handed_on(world: World) -> Ask:
    """Hands on whatever keywords it is given, ``history`` among them."""
    inner = reference_with(world)

    def answer(question: str, **options: Any) -> Answer:
        return inner(question, **options)

    world.expose(answer)
    return answer


@conformant(**WITH_SIGNATURE)
def decorated(world: World) -> Ask:
    """Is wrapped in a decorator that hands on everything and says what it wraps."""
    inner = reference_with(world)

    def traced(function: Callable[..., Answer]) -> Callable[..., Answer]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Answer:
            return function(*args, **kwargs)

        return wrapper

    @traced
    def answer(question: str, *, history: Sequence[Turn] | None = None) -> Answer:
        return inner(question, history=history)

    world.expose(answer)
    return answer


@conformant(**WITH_SIGNATURE)
def history_by_another_name(world: World) -> Ask:
    """Calls it something else, has it empty by default, and is a method."""
    inner = reference_with(world)

    class Engine:
        def answer(self, question: str, *, conversation: Sequence[Turn] = ()) -> Answer:
            return inner(question, history=conversation)

    engine = Engine()
    world.expose(engine.answer, history="conversation")
    return lambda question, history=(): engine.answer(question, conversation=history or ())


@conformant(**WITH_SIGNATURE)
def two_functions(world: World) -> Ask:
    """Exposes a first-answer function that knows nothing of history; another one takes it."""
    inner = reference_with(world)

    def answer(question: str) -> Answer:
        return inner(question)

    def follow_up(question: str, history: Sequence[Turn]) -> Answer:
        return inner(question, history=history)

    world.expose(answer)

    def ask(question: str, **history: Any) -> Answer:
        return follow_up(question, **history) if history else answer(question)

    return ask
