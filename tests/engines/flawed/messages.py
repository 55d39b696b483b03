"""Engines that send history where it may not stand (MSG-1), or in the question (MSG-2)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from counterproof import World
from engines.disguise import Ask, Asked, Message, reference_with, split, with_last_user
from engines.flawed.table import flaw

MANY = 10
"""Turns from which on a conversation counts as long."""

Arrange = Callable[[list[Message], list[Message], list[Message]], list[Message]]


def _arranged(
    world: World, arrange: Arrange, when: Callable[[list[Message], Asked], bool] | None = None
) -> Ask:
    """The reference engine, the parts of its calls put together otherwise where ``when`` holds."""

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        if when is not None and not when(messages, asked):
            return messages
        return arrange(*split(messages, asked))

    return reference_with(world, sends=sends)


def _is_narrative(messages: list[Message], _: Asked) -> bool:
    return "Passages:" in str(messages[-1]["content"])


@flaw("MSG-1")
def history_after_the_question(world: World) -> Ask:
    """Sends the conversation after the question (MSG-1)."""
    return _arranged(world, lambda lead, turns, rest: [*lead, *rest, *turns])


@flaw("MSG-1")
def history_before_the_system_prompt(world: World) -> Ask:
    """Sends the conversation before the engine's own prompt (MSG-1)."""
    return _arranged(world, lambda lead, turns, rest: [*turns, *lead, *rest])


@flaw("MSG-1")
def history_between_tool_call_and_result(world: World) -> Ask:
    """Keeps the conversation next to the end, wherever that is in the tool loop (MSG-1)."""
    return _arranged(world, lambda lead, turns, rest: [*lead, *rest[:-1], *turns, rest[-1]])


@flaw("MSG-1")
def history_reversed(world: World) -> Ask:
    """Sends the newest turn first (MSG-1)."""
    return _arranged(world, lambda lead, turns, rest: [*lead, *turns[::-1], *rest])


@flaw("MSG-1")
def long_history_reversed(world: World) -> Ask:
    """The same, in conversations of more than ten turns alone (MSG-1)."""
    return _arranged(
        world,
        lambda lead, turns, rest: [*lead, *turns[::-1], *rest],
        lambda _, asked: len(asked.turns) > MANY,
    )


@flaw("MSG-1")
def history_retold_backwards(world: World) -> Ask:
    """Retells the conversation in one message, the newest turn first (MSG-1)."""

    def retold(lead: list[Message], turns: list[Message], rest: list[Message]) -> list[Message]:
        told = "\n".join(f"{each['role']}: {each['content']}" for each in reversed(turns))
        return [*lead, *([{"role": "user", "content": told}] if turns else []), *rest]

    return _arranged(world, retold)


@flaw("MSG-1")
def history_dropped_in_the_tool_loop(world: World) -> Ask:
    """Sends the conversation with the first call, and not with those after it (MSG-1)."""
    return _arranged(
        world,
        lambda lead, turns, rest: [*lead, *rest],
        lambda messages, _: messages[-1]["role"] == "tool",
    )


@flaw("MSG-1")
def history_dropped_everywhere(world: World) -> Ask:
    """Takes history and sends nothing of it, which every row about answers likes (MSG-1)."""
    return _arranged(world, lambda lead, turns, rest: [*lead, *rest])


@flaw("MSG-1")
def history_dropped_from_explanations(world: World) -> Ask:
    """Sends the conversation with figures, and not with passages (MSG-1)."""
    return _arranged(world, lambda lead, turns, rest: [*lead, *rest], _is_narrative)


@flaw("MSG-1")
def history_told_twice(world: World) -> Ask:
    """Sends the conversation in its place, and once more after the question (MSG-1)."""
    return _arranged(world, lambda lead, turns, rest: [*lead, *turns, *rest, *turns])


def _told_to(
    world: World,
    change: Callable[[str, Asked], str],
    when: Callable[[list[Message], Asked], bool] | None = None,
) -> Ask:
    """The reference engine, the last user message changed once there is history."""

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        if not asked.turns or (when is not None and not when(messages, asked)):
            return messages
        return with_last_user(messages, lambda text: change(text, asked))

    return reference_with(world, sends=sends)


@flaw("MSG-2")
def history_spliced_into_the_question(world: World) -> Ask:
    """Tells the conversation in the question's own message (MSG-2)."""
    return _told_to(world, lambda text, asked: f"{asked.said}\n{text}")


@flaw("MSG-2")
def last_turn_spliced_into_explanations(world: World) -> Ask:
    """Adds the last turn to the passages, and leaves questions for figures alone (MSG-2)."""
    return _told_to(world, lambda text, asked: f"{text}\n({asked.turns[-1][1]})", _is_narrative)


@flaw("MSG-2")
def question_marked_as_a_follow_up(world: World) -> Ask:
    """Puts a word of its own before the question; no text of history is in it (MSG-2)."""
    return _told_to(world, lambda text, _: f"Follow-up: {text}")


@flaw("MSG-2")
def question_normalised_in_a_conversation(world: World) -> Ask:
    """Folds full-width characters of the question, with history alone (MSG-2)."""
    return _told_to(world, lambda text, _: unicodedata.normalize("NFKC", text))


@flaw("MSG-2")
def question_rewritten_in_a_conversation(world: World) -> Ask:
    """Sends what it takes the question to mean, in place of the question (MSG-2)."""
    return _told_to(
        world, lambda text, asked: text.replace(asked.question, f"Again: {asked.turns[-1][1]}")
    )


@flaw("MSG-1")
def passages_after_history(world: World) -> Ask:
    """Puts its second leading system message, the passages, behind history (MSG-1)."""

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        offered = str(messages[-1]["content"]).removesuffix(asked.question)
        if messages[-1]["role"] != "user" or not offered:
            return messages
        shown = {"role": "system", "content": offered}
        return [*messages[:-1], shown, {"role": "user", "content": asked.question}]

    return reference_with(world, sends=sends)
