"""Engines that retrieve for more than the question (RET-1)."""

from __future__ import annotations

from collections.abc import Callable

from counterproof import Answer, World
from counterproof_reference.intent import periods_in
from engines.disguise import Ask, Asked, reference_with
from engines.flawed.table import flaw

SHORT = 20
"""Characters below which a question counts as short."""
MANY = 10
"""Turns from which on a conversation counts as long."""


def _searching(world: World, when: Callable[[Asked], bool]) -> Ask:
    """The reference engine, which searches for the last turn too where ``when`` holds."""

    def searches(query: str, asked: Asked) -> str:
        return f"{asked.turns[-1][1]} {query}" if asked.turns and when(asked) else query

    return reference_with(world, searches=searches)


@flaw("RET-1")
def history_in_the_query(world: World) -> Ask:
    """Searches for the conversation along with the question (RET-1)."""
    return reference_with(world, searches=lambda query, asked: f"{asked.said} {query}".strip())


@flaw("RET-1")
def last_turn_in_the_query(world: World) -> Ask:
    """Searches for the last turn along with the question (RET-1)."""
    return _searching(world, lambda asked: True)


@flaw("RET-1")
def history_in_short_queries(world: World) -> Ask:
    """Completes a question of fewer than twenty characters from the last turn (RET-1)."""
    return _searching(world, lambda asked: len(asked.question) < SHORT)


@flaw("RET-1")
def history_in_composite_queries(world: World) -> Ask:
    """Completes the query only where a question asks for a year's figure as well (RET-1)."""
    return _searching(world, lambda asked: bool(periods_in(asked.question)))


@flaw("RET-1")
def history_in_queries_of_long_conversations(world: World) -> Ask:
    """Completes the query only after more than ten turns (RET-1)."""
    return _searching(world, lambda asked: len(asked.turns) > MANY)


@flaw("RET-1")
def short_last_turn_in_the_query(world: World) -> Ask:
    """Completes the query only from a last turn of fewer than twenty characters (RET-1)."""
    return _searching(world, lambda asked: 0 < len(asked.turns[-1][1]) < SHORT)


@flaw("RET-1")
def names_of_history_in_the_query(world: World) -> Ask:
    """Adds the world's own names that were spoken of, and no text of history (RET-1)."""
    names = [name for each in world.entities for name in each.names]

    def searches(query: str, asked: Asked) -> str:
        return " ".join([query, *(each for each in names if each in asked.said)])

    return reference_with(world, searches=searches)


@flaw("RET-1")
def history_in_a_second_query(world: World) -> Ask:
    """Searches for the question, and then for the last turn by itself (RET-1)."""
    look_again = world.watch_retrieval(lambda query: [])
    inner = reference_with(world)

    def ask(question: str, **history: list[tuple[str, str]]) -> Answer:
        answer = inner(question, **history)
        if answer.route in ("narrative", "composite") and history.get("history"):
            look_again(history["history"][-1][1])
        return answer

    return ask
