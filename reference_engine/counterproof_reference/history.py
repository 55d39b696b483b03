"""Conversation history as the model is sent it: turns of text, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Message = dict[str, Any]
"""One chat message in the OpenAI shape."""


class HistoryError(ValueError):
    """A history that is not a sequence of pairs of strings (ROL-4).

    Args:
        what: what is wrong.
        index: which turn is wrong, counted from zero; None where it is the history itself.
    """

    def __init__(self, what: str, index: int | None = None) -> None:
        super().__init__(what)
        self.index = index


def _history_messages(history: Sequence[tuple[str, str]] | None) -> list[Message]:
    """Chat messages for the earlier turns of a conversation.

    A turn becomes exactly a role and a content (MSG-3), its text untouched and none left out
    (MSG-4). Only ``assistant`` stays what it is; any other role is a user's, so that a history
    cannot speak as the system or as a tool (ROL-1, ROL-2). The caller's object is read once and
    not changed (STA-2, DEF-5).

    Args:
        history: pairs of role and text, oldest first; None or empty where there is none.

    Returns:
        One message for each turn.

    Raises:
        HistoryError: the history is no sequence, or a turn is not a pair of strings (ROL-4).
    """
    if history is None:
        return []
    if isinstance(history, (str, bytes, bytearray)) or not isinstance(history, Sequence):
        raise HistoryError(
            f"history is {_described(history)}, not a sequence of (role, text) pairs"
        )
    return [_message(index, turn) for index, turn in enumerate(history)]


def _message(index: int, turn: Any) -> Message:
    if isinstance(turn, (str, bytes, bytearray)) or not isinstance(turn, Sequence):
        raise HistoryError(f"history turn {index} is {_described(turn)}, not a pair", index)
    parts = tuple(turn)
    if len(parts) != 2:
        raise HistoryError(f"history turn {index} has {len(parts)} parts, not two", index)
    for name, part in zip(("role", "text"), parts, strict=True):
        if not isinstance(part, str):
            raise HistoryError(
                f"history turn {index}: its {name} is {_described(part)}, not a string", index
            )
    # str.__str__: a subclass of str may compare or print as something else than its characters.
    role, text = (str.__str__(part) for part in parts)
    return {"role": "assistant" if role == "assistant" else "user", "content": text}


def _described(value: Any) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"
