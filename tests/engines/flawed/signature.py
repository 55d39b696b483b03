"""Engines whose first-answer function asks for more than a first answer needs (DEF-4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from counterproof import Answer, World
from engines.disguise import WITH_SIGNATURE, Ask, Turn, reference_with
from engines.flawed.table import flaw


@flaw("DEF-4", **WITH_SIGNATURE)
def history_must_be_given(world: World) -> Ask:
    """Has its callers say that there is no history (DEF-4)."""
    inner = reference_with(world)

    def answer(question: str, *, history: Sequence[Turn] | None) -> Answer:
        return inner(question, history=history)

    world.expose(answer)
    return lambda question, **history: answer(question, **{"history": None, **history})


@flaw("DEF-4", **WITH_SIGNATURE)
def history_is_the_second_argument(world: World) -> Ask:
    """Takes history by position, where its first callers gave something else (DEF-4)."""
    inner = reference_with(world)

    def answer(question: str, history: Sequence[Turn] | None = None) -> Answer:
        return inner(question, history=history)

    world.expose(answer)
    return answer


@flaw("DEF-4", **WITH_SIGNATURE)
def history_comes_first(world: World) -> Ask:
    """Takes what was said before what is asked, as chat APIs do (DEF-4)."""
    inner = reference_with(world)

    def answer(chat_history: Sequence[Turn] | None, question: str) -> Answer:
        return inner(question, history=chat_history)

    world.expose(answer, history="chat_history")
    return lambda question, **history: answer(history.get("history"), question)


@flaw("DEF-4", **WITH_SIGNATURE)
def a_conversation_must_be_opened(world: World) -> Ask:
    """Answers nobody who has no conversation to name (DEF-4)."""
    inner = reference_with(world)

    def answer(question: str, *, conversation_id: str, history: Any = None) -> Answer:
        return inner(question, history=history)

    world.expose(answer)
    return lambda question, **history: answer(question, conversation_id="1", **history)


@flaw("DEF-4", **WITH_SIGNATURE)
def history_needs_a_policy(world: World) -> Ask:
    """Has every caller decide how histories are shortened (DEF-4)."""
    inner = reference_with(world)

    class Engine:
        def answer(self, question: str, max_turns: int, *, history: Any = None) -> Answer:
            return inner(question, history=history)

    engine = Engine()
    world.expose(engine.answer)
    return lambda question, **history: engine.answer(question, 200, **history)
