"""The names that Semantic Kernel's page uses, for what they are called here.

With these imported instead of the package's, the page's examples of building a history run as
they stand; docs/chat-history.md lists which do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from counterproof_reference.chat_history.history import ChatHistory
from counterproof_reference.chat_history.messages import Call, Image, Message, Part, Result, Text
from counterproof_reference.chat_history.reducers import Truncation
from counterproof_reference.chat_history.reducing import ReducingHistory
from counterproof_reference.chat_history.summarisation import Summarisation, Summariser

__all__ = [
    "AuthorRole",
    "ChatHistory",
    "ChatHistorySummarizationReducer",
    "ChatHistoryTruncationReducer",
    "ChatMessage",
    "ChatMessageContent",
    "FunctionCallContent",
    "FunctionResultContent",
    "ImageContent",
    "TextContent",
]

TextContent = Text
ImageContent = Image


class AuthorRole:
    """The roles; the page writes one of them in two ways."""

    SYSTEM: Final = "system"
    System: Final = SYSTEM
    DEVELOPER: Final = "developer"
    USER: Final = "user"
    ASSISTANT: Final = "assistant"
    TOOL: Final = "tool"


def ChatMessageContent(  # noqa: N802 (the page's name)
    role: str,
    content: str | None = None,
    *,
    items: Iterable[Part] = (),
    name: str | None = None,
    metadata: dict[str, Any] | None = None,
) -> Message:
    """A message of a text, of items, or of both, the text first."""
    said = [] if content is None else [Text(content)]
    return Message(role, [*said, *items], name=name, metadata=metadata)


ChatMessage = ChatMessageContent


def FunctionCallContent(  # noqa: N802 (the page's name)
    *,
    id: str,  # noqa: A002 (the page's name)
    name: str,
    arguments: Any = None,
) -> Call:
    """A call; arguments given as a text are kept as that text."""
    return Call(id, name, arguments)


def FunctionResultContent(  # noqa: N802 (the page's name)
    *,
    id: str,  # noqa: A002 (the page's name)
    result: Any,
    name: str | None = None,
) -> Result:
    """The result of the call with this id."""
    return Result(id, result, name)


class ChatHistoryTruncationReducer(ReducingHistory):
    """A history that is truncated.

    Args:
        target_count: :class:`Truncation`'s target.
        threshold_count: its threshold.
        **fields: as in :class:`ReducingHistory`.
    """

    def __init__(self, *, target_count: int, threshold_count: int = 0, **fields: Any) -> None:
        super().__init__(Truncation(target_count, threshold_count), **fields)


class ChatHistorySummarizationReducer(ReducingHistory):
    """A history that is summarised.

    Args:
        service: :class:`Summarisation`'s summariser.
        target_count: its target.
        threshold_count: its threshold.
        **fields: as in :class:`ReducingHistory`.
    """

    def __init__(
        self, *, service: Summariser, target_count: int, threshold_count: int = 0, **fields: Any
    ) -> None:
        super().__init__(Summarisation(service, target_count, threshold_count), **fields)
