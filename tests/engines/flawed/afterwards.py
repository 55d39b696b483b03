"""Engines in which a conversation leaves something behind (DEF-3)."""

from __future__ import annotations

import dataclasses
from typing import Any

from counterproof import Answer, World
from engines.disguise import Ask, Asked, Message, Turn, reference_with
from engines.flawed.table import flaw

_last_conversation: list[Turn] = []
_told_before: list[bool] = []


def _continuing(world: World, kept: list[Turn]) -> Ask:
    """The reference engine, which goes on with what it keeps where no history is given."""
    asked = Asked()
    inner = reference_with(world, asked=asked)

    def ask(question: str, **history: Any) -> Answer:
        if not history.get("history"):
            return inner(question, history=kept) if kept else inner(question, **history)
        answer = inner(question, **history)
        kept[:] = asked.turns
        return answer

    return ask


@flaw("DEF-3")
def conversation_kept_by_the_engine(world: World) -> Ask:
    """Remembers the conversation, so that a caller need give it once only (DEF-3)."""
    return _continuing(world, [])


@flaw("DEF-3")
def conversation_kept_by_the_process(world: World) -> Ask:
    """Remembers it at module level, where engines opened later find it (DEF-3)."""
    return _continuing(world, _last_conversation)


@flaw("DEF-3")
def prompt_of_conversations_ever_after(world: World) -> Ask:
    """Changes its module's prompt for the first conversation, and never back (DEF-3)."""

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        if asked.turns:
            _told_before.append(True)
        if not _told_before:
            return messages
        told = f"{messages[0]['content']} You are in a conversation."
        return [{**messages[0], "content": told}, *messages[1:]]

    return reference_with(world, sends=sends)


@flaw("DEF-3")
def answers_cached_by_question(world: World) -> Ask:
    """Caches explanations, and finds for a bare question what a conversation was told (DEF-3)."""
    cached: dict[str, Answer] = {}
    inner = reference_with(world)

    def ask(question: str, **history: Any) -> Answer:
        if not history.get("history"):
            return cached.get(question) or inner(question, **history)
        answer = inner(question, **history)
        if answer.route == "narrative":
            cached[question] = dataclasses.replace(answer, text=f"As to that: {answer.text}")
        return answer

    return ask


@flaw("DEF-3")
def turns_of_a_shared_default(world: World) -> Ask:
    """Extends a mutable default argument, which the next call without history gets (DEF-3)."""
    inner = reference_with(world)

    def with_turns(question: str, turns: Any, earlier: list[Any] = []) -> Answer:  # noqa: B006  # the flaw
        earlier += turns or ()
        return inner(question, history=earlier)

    def ask(question: str, **history: Any) -> Answer:
        return with_turns(question, history.get("history"))

    return ask
