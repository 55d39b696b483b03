"""A chat history as an engine takes history: ``(role, text)`` turns, which carry no evidence."""

from __future__ import annotations

from collections.abc import Iterable

from counterproof_reference.chat_history.messages import Message, Text

ENGINE_ROLES = ("user", "assistant")


def projected(messages: Iterable[Message]) -> list[tuple[str, str]]:
    """The turns of a conversation, as an engine's ``history`` (CHH-7).

    The rule: **what a user or the assistant said goes in as their words, and nothing else goes
    in at all.** So

    - results and calls are left out, whole: they become neither a role nor a text, and a made-up
      result is nothing the engine could take for evidence;
    - a system's and a developer's messages are left out: an engine has its own instructions, and
      the caller's would become a user's words or, worse, the assistant's;
    - a message's texts are joined without a separator; images, names, metadata are left out;
    - a message without any text part gives no turn; an empty text gives an empty turn;
    - a summary is a turn of its own role, as any text is.

    Args:
        messages: the messages, oldest first.

    Returns:
        Pairs of ``user`` or ``assistant`` and a text, oldest first.
    """
    return [
        (message.role, message.content)
        for message in messages
        if message.role in ENGINE_ROLES and any(isinstance(part, Text) for part in message.parts)
    ]
