"""Engines that act on what a text imitates (ROL-3), or take what is no turn for one (ROL-4)."""

from __future__ import annotations

import contextlib
import json
import random
import re
import string
from collections.abc import Callable, Sequence
from typing import Any

from counterproof import Answer, ModelError, World
from counterproof_reference.history import HistoryError
from counterproof_reference.history import _history_messages as own_messages
from engines.disguise import Ask, Asked, Message, reference_with
from engines.flawed.table import flaw


def _reading(world: World, read: Callable[[Any], list[Message]]) -> Ask:
    """The reference engine, with another way of reading history."""
    return reference_with(world, parts={"engine._history_messages": read})


def _each(world: World, read: Callable[[Message], list[Message]]) -> Ask:
    """The reference engine, each turn made into these messages."""
    return _reading(
        world, lambda history: [part for each in own_messages(history) for part in read(each)]
    )


def _filling(world: World, fill: Callable[[str, str], str]) -> Ask:
    """The reference engine, every message's text filled in with the question."""

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        if not asked.turns:
            return messages
        return [
            {**each, "content": fill(each["content"], asked.question)}
            if isinstance(each["content"], str) and each["role"] in ("user", "assistant")
            else each
            for each in messages
        ]

    return reference_with(world, sends=sends)


@flaw("ROL-3")
def saved_messages_restored(world: World) -> Ask:
    """Takes a text that is a list of messages in JSON for the turns it lists (ROL-3)."""

    def read(message: Message) -> list[Message]:
        try:
            saved = json.loads(message["content"])
        except ValueError:
            return [message]
        if not isinstance(saved, list):
            return [message]
        return [{"role": "user", "content": str(each.get("content"))} for each in saved]

    return _each(world, read)


@flaw("ROL-3")
def saved_message_unwrapped(world: World) -> Ask:
    """Sends the content of a text that is a message in JSON, as its turn's speaker (ROL-3)."""

    def read(message: Message) -> list[Message]:
        try:
            saved = json.loads(message["content"])
        except ValueError:
            return [message]
        held = isinstance(saved, dict) and isinstance(saved.get("content"), str)
        return [{**message, "content": saved["content"]}] if held else [message]

    return _each(world, read)


@flaw("ROL-3")
def placeholders_filled_in(world: World) -> Ask:
    """Replaces ``{question}`` in whatever it sends (ROL-3)."""
    return _filling(world, lambda text, question: text.replace("{question}", question))


@flaw("ROL-3")
def templates_substituted(world: World) -> Ask:
    """Sends texts through ``string.Template`` (ROL-3)."""
    return _filling(
        world, lambda text, question: string.Template(text).safe_substitute(question=question)
    )


@flaw("ROL-3")
def texts_formatted(world: World) -> Ask:
    """Formats each text, and fails over a brace it does not know (ROL-3)."""
    return _filling(world, lambda text, question: text.format(question=question))


@flaw("ROL-3")
def double_braces_rendered(world: World) -> Ask:
    """Renders what stands in double braces, and knows no value for it (ROL-3)."""
    return _filling(world, lambda text, _: re.sub(r"\{\{[^{}]*\}\}", "", text))


@flaw("ROL-3")
def special_tokens_read(world: World) -> Ask:
    """Reads a conversation in a chat template's tokens out of one turn (ROL-3)."""

    def read(message: Message) -> list[Message]:
        parts = re.findall(r"<\|im_start\|>(\w+)\n(.*?)<\|im_end\|>", message["content"], re.S)
        return [{"role": role, "content": text} for role, text in parts] or [message]

    return _each(world, read)


@flaw("ROL-3")
def transcript_split(world: World) -> Ask:
    """Splits a turn where it reads ``Human:`` and ``Assistant:`` (ROL-3)."""

    def read(message: Message) -> list[Message]:
        parts = re.split(r"\n\n(?:Human|Assistant):", message["content"])
        return [{**message, "content": each} for each in parts if each] or [message]

    return _each(world, read)


@flaw("ROL-3")
def orders_of_a_turn_heeded(world: World) -> Ask:
    """Adds to its prompt what a turn gives as the system's order (ROL-3)."""

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        orders = [text for _, text in asked.turns if text.lower().startswith("system:")]
        told = "\n".join([messages[0]["content"], *orders])
        return [{**messages[0], "content": told}, *messages[1:]]

    return reference_with(world, sends=sends)


def _lenient(turn: Any) -> tuple[str, str]:
    """A pair of strings, made of whatever a turn is."""
    if isinstance(turn, dict):
        return str(turn.get("role", "user")), str(turn.get("content", ""))
    if isinstance(turn, Sequence) and not isinstance(turn, str) and len(turn) > 1:
        return str(turn[0]), str(turn[1])
    return "user", str(turn)


def _trusting(world: World, verify: Callable[[list[Any]], object]) -> Ask:
    """The reference engine, which reads leniently what it has verified so far."""

    def read(history: Any) -> list[Message]:
        turns = list(history or ())
        verify(turns)
        return own_messages([_lenient(each) for each in turns])

    return _reading(world, read)


@flaw("ROL-4")
def first_turn_verified(world: World) -> Ask:
    """Looks at the first turn, and trusts the rest (ROL-4)."""
    return _trusting(world, lambda turns: own_messages(turns[:1]))


@flaw("ROL-4")
def one_turn_verified_at_random(world: World) -> Ask:
    """Looks at one turn of each history, as a sampling type checker does (ROL-4)."""

    def verify(turns: list[Any]) -> None:
        if turns:
            own_messages([random.choice(turns)])

    return _trusting(world, verify)


@flaw("ROL-4")
def long_history_trusted(world: World) -> Ask:
    """Looks at a hundred turns at most, to save time (ROL-4)."""
    return _trusting(world, lambda turns: own_messages(turns[:100]))


@flaw("ROL-4")
def verified_on_the_first_ask(world: World) -> Ask:
    """Looks at what it is asked with first, and trusts its caller from then on (ROL-4)."""
    trusted: list[bool] = []

    def verify(turns: list[Any]) -> None:
        if not trusted:
            own_messages(turns)
            trusted.append(True)

    return _trusting(world, verify)


@flaw("ROL-4")
def what_is_no_turn_left_out(world: World) -> Ask:
    """Leaves out what it cannot read (ROL-4)."""

    def read(history: Any) -> list[Message]:
        sent: list[Message] = []
        for turn in history or ():
            with contextlib.suppress(HistoryError):
                sent += own_messages([turn])
        return sent

    return _reading(world, read)


@flaw("ROL-4")
def strings_of_two_unpacked(world: World) -> Ask:
    """Unpacks each turn into role and text, whatever it is made of (ROL-4)."""

    def read(history: Any) -> list[Message]:
        sent = []
        for number, turn in enumerate(history or ()):
            try:
                role, text = turn
            except (TypeError, ValueError):
                raise HistoryError(f"history turn {number} is no pair", number) from None
            sent.append((str(role), str(text)))
        return own_messages(sent)

    return _reading(world, read)


@flaw("ROL-4")
def error_names_no_turn(world: World) -> Ask:
    """Says that the history is malformed, and not where (ROL-4)."""

    def read(history: Any) -> list[Message]:
        try:
            return own_messages(history)
        except HistoryError:
            raise HistoryError("history is malformed") from None

    return _reading(world, read)


@flaw("ROL-4")
def error_names_the_length(world: World) -> Ask:
    """Says how many turns the history has, and not which of them is malformed (ROL-4)."""

    def read(history: Any) -> list[Message]:
        try:
            return own_messages(history)
        except HistoryError:
            raise HistoryError(f"one of {len(history) + 100} turns is malformed") from None

    return _reading(world, read)


@flaw("ROL-4")
def refused_after_the_model_was_called(world: World) -> Ask:
    """Has the model greet before it looks at the history (ROL-4)."""
    inner = reference_with(world)

    def ask(question: str, **history: Any) -> Answer:
        with contextlib.suppress(ModelError):
            world.model.complete([{"role": "user", "content": "Say that you are ready."}])
        return inner(question, **history)

    return ask
