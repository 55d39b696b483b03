"""Engines that mistake roles (ROL-1), or let history speak with authority (ROL-2)."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from counterproof import World
from counterproof_reference.history import HistoryError
from counterproof_reference.history import _history_messages as own_messages
from engines.disguise import Ask, Asked, Message, reference_with, split
from engines.flawed.table import flaw

MANY = 10
"""Turns from which on a conversation counts as long."""


def _reading(world: World, read: Callable[[Any], list[Message]]) -> Ask:
    """The reference engine, with another way of reading history."""
    return reference_with(world, parts={"engine._history_messages": read})


def _with_role(world: World, role: Callable[[str], str]) -> Ask:
    """The reference engine, each turn's role decided on by ``role``."""

    def read(history: Any) -> list[Message]:
        sent = zip(own_messages(history), history or (), strict=True)
        return [{**message, "role": role(turn[0])} for message, turn in sent]

    return _reading(world, read)


@flaw("ROL-1")
def foreign_role_passed_through(world: World) -> Ask:
    """Sends whatever role the caller writes (ROL-1)."""
    return _with_role(world, lambda role: role)


@flaw("ROL-1")
def system_role_kept(world: World) -> Ask:
    """Lets a system turn stay one (ROL-1)."""
    return _with_role(world, lambda role: role if role in ("assistant", "system") else "user")


@flaw("ROL-1")
def role_case_folded(world: World) -> Ask:
    """Takes ``ASSISTANT`` for the assistant (ROL-1)."""
    return _with_role(world, lambda role: "assistant" if role.casefold() == "assistant" else "user")


@flaw("ROL-1")
def role_stripped(world: World) -> Ask:
    """Takes ``assistant`` between blanks for the assistant (ROL-1)."""
    return _with_role(world, lambda role: "assistant" if role.strip() == "assistant" else "user")


@flaw("ROL-1")
def role_normalised(world: World) -> Ask:
    """Takes full-width letters that spell ``assistant`` for the assistant (ROL-1)."""
    return _with_role(
        world,
        lambda role: "assistant" if unicodedata.normalize("NFKC", role) == "assistant" else "user",
    )


@flaw("ROL-1")
def foreign_role_to_assistant(world: World) -> Ask:
    """Lets every foreign role speak as the assistant (ROL-1)."""
    return _with_role(world, lambda role: "user" if role == "user" else "assistant")


@flaw("ROL-1")
def assistant_to_user(world: World) -> Ask:
    """Sends all of the conversation as the user's (ROL-1)."""
    return _with_role(world, lambda role: "user")


@flaw("ROL-1")
def user_to_assistant(world: World) -> Ask:
    """Puts a user's turn into the assistant's mouth, and foreign ones not (ROL-1)."""
    return _with_role(world, lambda role: "assistant" if role in ("user", "assistant") else "user")


@flaw("ROL-1")
def foreign_role_dropped(world: World) -> Ask:
    """Leaves out turns of a foreign role (ROL-1)."""

    def read(history: Any) -> list[Message]:
        sent = zip(own_messages(history), history or (), strict=True)
        return [message for message, turn in sent if turn[0] in ("user", "assistant")]

    return _reading(world, read)


@flaw("ROL-1")
def foreign_role_refused(world: World) -> Ask:
    """Raises where a role is neither ``user`` nor ``assistant`` (ROL-1)."""

    def read(history: Any) -> list[Message]:
        for index, turn in enumerate(history or ()):
            if isinstance(turn[0], str) and turn[0] not in ("user", "assistant"):
                raise HistoryError(f"history turn {index}: no such role", index)
        return own_messages(history)

    return _reading(world, read)


@flaw("ROL-2")
def system_turn_promoted(world: World) -> Ask:
    """Adds what a system turn says to the engine's own orders, and sends the turn too (ROL-2)."""

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        orders = [text for role, text in asked.turns if role == "system"]
        lead, turns, rest = split(messages, asked)
        return [*lead, *({"role": "system", "content": each} for each in orders), *turns, *rest]

    return reference_with(world, sends=sends)


@flaw("ROL-2")
def system_turn_joins_the_prompt(world: World) -> Ask:
    """Writes what a system turn says into its own system prompt (ROL-2)."""

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        orders = "".join(f"\n{text}" for role, text in asked.turns if role == "system")
        return [{**messages[0], "content": messages[0]["content"] + orders}, *messages[1:]]

    return reference_with(world, sends=sends)


@flaw("ROL-2")
def dict_turn_accepted(world: World) -> Ask:
    """Sends a turn that is a dict as it is, with its role and its tool calls (ROL-2)."""

    def read(history: Any) -> list[Message]:
        return [
            dict(turn) if isinstance(turn, Mapping) else own_messages([turn])[0]
            for turn in history or ()
        ]

    return _reading(world, read)


@flaw("ROL-2")
def late_dict_turn_accepted(world: World) -> Ask:
    """The same, but it looks at the first turns of a conversation before it trusts it (ROL-2)."""

    def read(history: Any) -> list[Message]:
        given = list(history or ())
        return own_messages(given[:2]) + [
            dict(turn) if isinstance(turn, Mapping) else own_messages([turn])[0]
            for turn in given[2:]
        ]

    return _reading(world, read)


@flaw("ROL-2")
def tool_turn_sent_as_a_result(world: World) -> Ask:
    """Takes a ``tool`` turn for a result, and makes up the call it belongs to (ROL-2)."""

    def read(history: Any) -> list[Message]:
        sent: list[Message] = []
        for message, turn in zip(own_messages(history), history or (), strict=True):
            if turn[0] != "tool":
                sent.append(message)
                continue
            call = {"id": "earlier", "type": "function", "function": {"name": "query_metric"}}
            sent.append({"role": "assistant", "content": None, "tool_calls": [call]})
            sent.append({**message, "role": "tool", "tool_call_id": "earlier"})
        return sent

    return _reading(world, read)


@flaw("ROL-2")
def json_text_parsed_into_a_message(world: World) -> Ask:
    """Restores a turn whose text is a saved message to that message (ROL-2)."""

    def restored(message: Message) -> Message:
        try:
            saved = json.loads(message["content"])
        except (ValueError, RecursionError):
            return message
        return saved if isinstance(saved, dict) and "role" in saved else message

    return _reading(world, lambda history: [restored(each) for each in own_messages(history)])


@flaw("ROL-2")
def long_history_becomes_a_system_summary(world: World) -> Ask:
    """Sums up a conversation of more than ten turns in a system message (ROL-2)."""

    def read(history: Any) -> list[Message]:
        sent = own_messages(history)
        if len(sent) <= MANY:
            return sent
        told = " ".join(each["content"] for each in sent)
        return [{"role": "system", "content": f"Earlier: {told}"}]

    return _reading(world, read)
