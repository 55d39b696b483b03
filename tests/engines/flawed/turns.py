"""Engines that let something ride on a turn (MSG-3), or do not send each as it is (MSG-4)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

from counterproof import World
from counterproof_reference.history import _history_messages as own_messages
from engines.disguise import Ask, Asked, Message, reference_with, split
from engines.flawed.table import flaw

MANY = 10
"""Turns from which on a conversation counts as long."""


def _turns(world: World, change: Callable[[list[Message]], list[Message]]) -> Ask:
    """The reference engine, history's messages changed on their way to the model."""
    parts = {"engine._history_messages": lambda history: change(own_messages(history))}
    return reference_with(world, parts=parts)


def _texts(world: World, change: Callable[[str], str]) -> Ask:
    """The reference engine, each turn's text changed."""
    return _turns(
        world, lambda turns: [{**each, "content": change(each["content"])} for each in turns]
    )


@flaw("MSG-3")
def foreign_speakers_named(world: World) -> Ask:
    """Sends a turn of a foreign role as the user's, with that role as the name (MSG-3)."""

    def read(history: Any) -> list[Message]:
        sent = zip(own_messages(history), history or (), strict=True)
        return [
            message if turn[0] in ("user", "assistant") else {**message, "name": turn[0]}
            for message, turn in sent
        ]

    return reference_with(world, parts={"engine._history_messages": read})


@flaw("MSG-3")
def turns_numbered(world: World) -> Ask:
    """Gives each turn an id, for its own log (MSG-3)."""
    return _turns(world, lambda turns: [{**m, "id": f"turn-{n}"} for n, m in enumerate(turns)])


@flaw("MSG-3")
def assistant_turns_with_an_empty_list_of_calls(world: World) -> Ask:
    """Writes out every member of a framework's message, tool calls among them (MSG-3)."""
    return _turns(
        world,
        lambda turns: [{**m, "tool_calls": []} if m["role"] == "assistant" else m for m in turns],
    )


@flaw("MSG-3")
def last_turn_marked_for_the_cache(world: World) -> Ask:
    """Marks the end of a long conversation for the provider's prompt cache (MSG-3)."""

    def marked(turns: list[Message]) -> list[Message]:
        if len(turns) <= MANY:
            return turns
        part = {"type": "text", "text": turns[-1]["content"], "cache_control": {"type": "auto"}}
        return [*turns[:-1], {**turns[-1], "content": [part]}]

    return _turns(world, marked)


@flaw("MSG-4")
def texts_stripped(world: World) -> Ask:
    """Takes white space off the ends of each text (MSG-4)."""
    return _texts(world, str.strip)


@flaw("MSG-4")
def texts_composed(world: World) -> Ask:
    """Normalises texts to NFC, as it does its documents (MSG-4)."""
    return _texts(world, lambda text: unicodedata.normalize("NFC", text))


@flaw("MSG-4")
def lines_end_in_lf(world: World) -> Ask:
    """Reads texts line by line, and joins the lines with LF (MSG-4)."""
    return _texts(world, lambda text: text.replace("\r\n", "\n").replace("\r", "\n"))


@flaw("MSG-4")
def control_characters_taken_out(world: World) -> Ask:
    """Drops what cannot be printed, joiners of emoji included (MSG-4)."""
    return _texts(
        world,
        lambda text: "".join(c for c in text if c in "\t\n\r" or unicodedata.category(c)[0] != "C"),
    )


@flaw("MSG-4")
def long_texts_cut(world: World) -> Ask:
    """Cuts a text after two thousand characters, and says so with an ellipsis (MSG-4)."""
    return _texts(world, lambda text: text if len(text) <= 2_000 else text[:2_000] + "…")


@flaw("MSG-4")
def empty_turns_left_out(world: World) -> Ask:
    """Leaves out turns in which nothing was said, which some providers refuse (MSG-4)."""
    return _turns(world, lambda turns: [each for each in turns if each["content"].strip()])


@flaw("MSG-4")
def turns_of_one_speaker_merged(world: World) -> Ask:
    """Makes one message of what one speaker said in a row, as some providers want it (MSG-4)."""

    def merged(turns: list[Message]) -> list[Message]:
        sent: list[Message] = []
        for each in turns:
            if sent and sent[-1]["role"] == each["role"]:
                told = f"{sent[-1]['content']}\n\n{each['content']}"
                sent[-1] = {**each, "content": told}
            else:
                sent.append(each)
        return sent

    return _turns(world, merged)


@flaw("MSG-4")
def repeated_turns_sent_once(world: World) -> Ask:
    """Leaves out a turn that is the one before it again, as after a double click (MSG-4)."""
    return _turns(
        world, lambda turns: [m for n, m in enumerate(turns) if n == 0 or m != turns[n - 1]]
    )


@flaw("MSG-4")
def begins_with_the_user(world: World) -> Ask:
    """Leaves out what the assistant said before the user's first turn (MSG-4)."""

    def begun(turns: list[Message]) -> list[Message]:
        first = next((n for n, m in enumerate(turns) if m["role"] == "user"), len(turns))
        return turns[first:]

    return _turns(world, begun)


@flaw("MSG-4")
def last_turns_only(world: World) -> Ask:
    """Keeps the last ten turns, and does not say so (MSG-4)."""
    return _turns(world, lambda turns: turns[-MANY:])


@flaw("MSG-4")
def shortened_for_explanations(world: World) -> Ask:
    """Keeps the last four turns where it sends passages too, to save room (MSG-4)."""

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        lead, turns, rest = split(messages, asked)
        return [*lead, *(turns[-4:] if "Passages:" in str(rest[-1]["content"]) else turns), *rest]

    return reference_with(world, sends=sends)


@flaw("MSG-4")
def beginning_of_long_history_summed_up(world: World) -> Ask:
    """Of a long conversation sends a sentence about the beginning, and the end (MSG-4)."""

    def summed_up(turns: list[Message]) -> list[Message]:
        if len(turns) <= MANY:
            return turns
        told = f"(Before that, {len(turns) - MANY} turns about the company's results.)"
        return [{"role": "user", "content": told}, *turns[-MANY:]]

    return _turns(world, summed_up)
