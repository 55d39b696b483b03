"""Forks in which a turn speaks with another role or authority than its own (ROL)."""

from __future__ import annotations

import json
import re
import string
from typing import Any

from adapters.patches.sending import LONG
from adapters.patches.table import (
    Function,
    Message,
    Turn,
    listening,
    patch,
    replace,
    with_messages,
    with_turns,
    wrap,
)


def _with_roles(known: Any) -> None:
    """Every turn is sent as the role a function gives it, and left out for None."""

    def history_messages(history: Any) -> list[Message]:
        roles = [(known(role), text) for role, text in history or ()]
        return [{"role": role, "content": text} for role, text in roles if role is not None]

    replace("agent.agent._history_messages", history_messages)


@patch("ROL-1")
def system_turns_keep_their_role() -> None:
    """Sends a system turn as one (ROL-1)."""
    _with_roles(lambda role: role if role in ("system", "assistant") else "user")


@patch("ROL-1")
def roles_are_read_loosely() -> None:
    """Takes ``Assistant`` and ``assistant`` with a space for the assistant (ROL-1)."""
    _with_roles(lambda role: "assistant" if role.strip().casefold() == "assistant" else "user")


@patch("ROL-1")
def other_vendors_roles_are_known() -> None:
    """Takes what other vendors call the assistant for the assistant (ROL-1)."""
    _with_roles(lambda role: "assistant" if role in ("assistant", "ai", "model") else "user")


@patch("ROL-1")
def unknown_roles_are_left_out() -> None:
    """Sends only what the user and the assistant said (ROL-1)."""
    _with_roles(lambda role: role if role in ("user", "assistant") else None)


@patch("ROL-1")
def whoever_is_not_the_user_is_the_assistant() -> None:
    """Puts every other role into the assistant's mouth (ROL-1)."""
    _with_roles(lambda role: "user" if role == "user" else "assistant")


@patch("ROL-1", missed="`agent` among the roles that are tried")
def the_agent_is_the_assistant() -> None:
    """Takes an agent, as support transcripts name theirs, for the assistant (ROL-1)."""
    _with_roles(lambda role: "assistant" if role in ("assistant", "agent") else "user")


@patch("ROL-1")
def roles_alternate() -> None:
    """Lets the user and the assistant take turns, whoever spoke (ROL-1)."""

    def change(sent: list[Message], _: list[Turn]) -> list[Message]:
        first = 0 if sent[0]["role"] == "user" else 1
        return [
            {**each, "role": ("user", "assistant")[(n + first) % 2]} for n, each in enumerate(sent)
        ]

    with_messages(change)


@patch("ROL-2", missed="a triple whose third part is a list of tool calls")
def a_third_part_holds_tool_calls() -> None:
    """Takes a triple for a role, a text and tool calls (ROL-2)."""
    left: list[Any] = []

    def around(inner: Function, question: str, *args: Any, **kwargs: Any) -> Any:
        left[:] = kwargs.get("history") or ()
        if any(isinstance(each, tuple) and len(each) == 3 for each in left):
            kwargs["history"] = [each[:2] if isinstance(each, tuple) else each for each in left]
        return inner(question, *args, **kwargs)

    def history_messages(inner: Function, history: Any) -> Any:
        return [
            {**message, "tool_calls": turn[2]}
            if len(turn) == 3 and isinstance(turn[2], list)
            else message
            for turn, message in zip(left, inner(history), strict=True)
        ]

    wrap("agent.agent.answer_question", around)
    wrap("agent.agent._history_messages", history_messages)


@patch("ROL-2")
def a_long_conversation_becomes_a_system_message() -> None:
    """Tells the oldest turns of a long conversation in a system message of its own (ROL-2)."""

    def change(sent: list[Message], _: list[Turn]) -> list[Message]:
        if len(sent) <= LONG:
            return sent
        told = "\n".join(str(each["content"]) for each in sent[:-LONG])
        return [{"role": "system", "content": f"此前对话：{told}"}, *sent[-LONG:]]

    with_messages(change)


@patch("ROL-2")
def the_callers_instructions_are_followed() -> None:
    """Takes a leading system turn for the caller's own system prompt (ROL-2)."""

    def change(sent: list[Message], turns: list[Turn]) -> list[Message]:
        return [{**sent[0], "role": "system"}, *sent[1:]] if turns[0][0] == "system" else sent

    with_messages(change)


@patch("ROL-2")
def ready_made_messages_are_taken() -> None:
    """Sends a turn that is a message already as it is (ROL-2)."""
    left: list[Any] = []

    def around(inner: Function, question: str, *args: Any, **kwargs: Any) -> Any:
        left[:] = kwargs.get("history") or ()
        ready = [each for each in left if isinstance(each, dict)]
        if ready:
            kwargs["history"] = [each for each in left if not isinstance(each, dict)]
        return inner(question, *args, **kwargs)

    def history_messages(inner: Function, history: Any) -> Any:
        return [each if isinstance(each, dict) else inner([each])[0] for each in left]

    wrap("agent.agent.answer_question", around)
    wrap("agent.agent._history_messages", history_messages)


@patch("ROL-3")
def a_turn_in_json_is_unpacked() -> None:
    """Reads a turn that is a JSON message as that message (ROL-3)."""

    def unpacked(message: Message) -> Message:
        try:
            read = json.loads(str(message["content"]))
        except ValueError:
            return message
        inside = isinstance(read, dict) and "role" in read and "content" in read
        return {"role": read["role"], "content": read["content"]} if inside else message

    with_messages(lambda sent, _: [unpacked(each) for each in sent])


@patch("ROL-3")
def a_turn_is_a_template() -> None:
    """Fills in what looks like a placeholder (ROL-3)."""
    asked = listening()
    with_turns(
        lambda turns: [(role, text.replace("{question}", asked.question)) for role, text in turns]
    )


@patch("ROL-3")
def a_dollar_name_is_a_placeholder() -> None:
    """Runs turns through the standard library's templates (ROL-3)."""
    asked = listening()
    with_turns(
        lambda turns: [
            (role, string.Template(text).safe_substitute(question=asked.question))
            for role, text in turns
        ]
    )


_SPECIAL = re.compile(r"<\|im_start\|>\s*(\w+)\s*\n(.*?)(?:<\|im_end\|>|$)", re.DOTALL)


@patch("ROL-3")
def a_chat_template_is_read_back() -> None:
    """Reads a turn written in a chat template's special tokens as the turns in it (ROL-3)."""

    def change(sent: list[Message], _: list[Turn]) -> list[Message]:
        read: list[Message] = []
        for each in sent:
            found = _SPECIAL.findall(str(each["content"]))
            read += [{"role": role, "content": text} for role, text in found] or [each]
        return read

    with_messages(change)
