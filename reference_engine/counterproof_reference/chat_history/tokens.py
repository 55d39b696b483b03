"""Counting a message's tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from counterproof_reference.chat_history.messages import Call, Image, Message, Result, Text
from counterproof_reference.chat_history.request import as_text

OVERHEAD = 4
"""Tokens that a chat format spends on each message beside what it says."""


class TokenCounter(Protocol):
    """Counts tokens; always the same number for the same content."""

    def count(self, message: Message) -> int:
        """The tokens of one message.

        Args:
            message: any message.
        """
        ...


class ByteCounter:
    """A deterministic estimate without a vocabulary: four bytes of UTF-8 are a token."""

    def count(self, message: Message) -> int:
        """The estimate, rounded up, with :data:`OVERHEAD`."""
        size = sum(len(text.encode("utf-8", "surrogatepass")) for text in counted(message))
        return OVERHEAD + -(-size // 4)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))


class Encoding(Protocol):
    """What is needed of a tokenizer; a ``tiktoken.Encoding`` is one."""

    def encode(self, text: str, *, disallowed_special: Any) -> Sequence[int]:
        """The tokens of a text."""
        ...


class TiktokenCounter:
    """Counts with a tokenizer of tiktoken's interface.

    Special tokens in a text count as the plain text they are.

    Args:
        encoding: the tokenizer, such as ``tiktoken.get_encoding("o200k_base")``.
    """

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding

    @classmethod
    def named(cls, name: str) -> TiktokenCounter:
        """A counter for one of tiktoken's encodings, which it may fetch.

        Args:
            name: such as ``o200k_base``.

        Raises:
            ImportError: tiktoken is not installed.
            ValueError: it has no such encoding.
        """
        import tiktoken  # optional: nothing else here needs it

        return cls(tiktoken.get_encoding(name))

    def count(self, message: Message) -> int:
        """The tokens of all that :func:`counted` gives, with :data:`OVERHEAD`."""
        return OVERHEAD + sum(
            len(self._encoding.encode(text, disallowed_special=())) for text in counted(message)
        )


def counted(message: Message) -> Iterator[str]:
    """The texts of a message that a model is sent, and that count.

    Args:
        message: any message; its metadata is not sent and does not count.
    """
    yield message.role
    if message.name is not None:
        yield message.name
    for part in message.parts:
        match part:
            case Text(text):
                yield text
            case Image(uri):
                yield uri
            case Call():
                yield from (part.id, part.name, as_text(part.arguments))
            case Result():
                yield from (part.call_id, as_text(part.value))
