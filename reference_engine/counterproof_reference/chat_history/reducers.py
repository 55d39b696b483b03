"""Reducers: what they promise, and those that need no model."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from counterproof_reference.chat_history.keeping import kept
from counterproof_reference.chat_history.messages import INSTRUCTING, Message
from counterproof_reference.chat_history.tokens import ByteCounter, TokenCounter

POLICY = """\
Unit: messages (truncation, summarisation) or tokens (token budget).
Mutation: a reducer leaves what it is given; a ReducingHistory changes itself.
Threshold: added to the target. Nothing is reduced at or below their sum; above it the history is
    reduced to the target.
System and developer messages: all kept, in place. They do not count as messages; their tokens do.
Calls and results: matched by id, an id being free again after its result. What stands between a
    call and its result stays or goes with them, but for instructions and the newest user message.
Rounds of calls within one turn go whole, oldest first, while the user's message they serve stays.
The target is exceeded only
    - by what belongs to a call without a result, which is never removed;
    - where no user message and no open call is left, by the newest message with what it must not
      be parted from;
    - in tokens, also by instructions and the newest user message together.
Reducing again what was reduced changes nothing.
A summary (summarisation): one, marked, of role user or assistant, where the oldest removed message
    stood. It does not count; it feeds the next summary, which takes its place. To the other two
    reducers it is a message like any other.
A summariser that fails: an error; the history is as it was.
"""
"""What the reducers here do where another may do otherwise (the preface of the RED rows)."""


class Reducer(Protocol):
    """Reduces a history. One's own may be anything with this method, asynchronous or not."""

    def reduce(
        self, messages: Sequence[Message]
    ) -> Sequence[Message] | Awaitable[Sequence[Message] | None] | None:
        """Reduce messages, leaving the caller's sequence as it is.

        Args:
            messages: the history, oldest first.

        Returns:
            What is left, oldest first; None where nothing is to be reduced.
        """
        ...


def check_limits(target: int, threshold: int) -> None:
    """Refuse limits that mean nothing.

    Args:
        target: what may stay.
        threshold: how far beyond it nothing happens yet.

    Raises:
        ValueError: the target is not a whole number above 0, or the threshold none from 0 on.
    """
    for name, given, least in (("target", target, 1), ("threshold", threshold, 0)):
        if not isinstance(given, int) or isinstance(given, bool) or given < least:
            raise ValueError(f"{name} is {given!r}; it is a whole number, at least {least}")


@dataclass(frozen=True)
class Truncation:
    """Removes the oldest messages; see :data:`POLICY`.

    Args:
        target: how many messages stay, instructions not counted.
        threshold: how many more there may be before anything happens.

    Raises:
        ValueError: as :func:`check_limits`.
    """

    target: int
    threshold: int = 0

    def __post_init__(self) -> None:
        check_limits(self.target, self.threshold)

    def reduce(self, messages: Sequence[Message]) -> list[Message] | None:
        """Reduce, as :meth:`Reducer.reduce`."""
        sizes = [0 if message.role in INSTRUCTING else 1 for message in messages]
        return _reduced(messages, sizes, self.target, self.threshold)


@dataclass(frozen=True)
class TokenBudget:
    """Removes the oldest messages until the rest is within a budget; see :data:`POLICY`.

    Args:
        budget: how many tokens may stay, those of instructions counted.
        threshold: how many more there may be before anything happens.
        counter: counts them.

    Raises:
        ValueError: as :func:`check_limits`.
    """

    budget: int
    threshold: int = 0
    counter: TokenCounter = field(default_factory=ByteCounter)

    def __post_init__(self) -> None:
        check_limits(self.budget, self.threshold)

    def reduce(self, messages: Sequence[Message]) -> list[Message] | None:
        """Reduce, as :meth:`Reducer.reduce`."""
        sizes = [self.counter.count(message) for message in messages]
        return _reduced(messages, sizes, self.budget, self.threshold)


def _reduced(
    messages: Sequence[Message], sizes: Sequence[int], target: int, threshold: int
) -> list[Message] | None:
    if sum(sizes) <= target + threshold:
        return None
    stays = kept(messages, sizes, target)
    if all(stays):
        return None
    return [message for message, each in zip(messages, stays, strict=True) if each]
