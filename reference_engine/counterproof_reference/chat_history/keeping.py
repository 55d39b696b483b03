"""Which messages a reducer keeps: the rule that all reducers here share."""

from __future__ import annotations

from collections.abc import Sequence

from counterproof_reference.chat_history.messages import INSTRUCTING, Message
from counterproof_reference.chat_history.pairing import OpenCalls


def kept(messages: Sequence[Message], sizes: Sequence[int], limit: int) -> list[bool]:
    """Choose what stays of a conversation, in time proportional to its length.

    Always kept, in place:

    - a system's and a developer's messages (RED-1);
    - the newest user's message that is no summary (RED-6);
    - a message with an open call, and what results of it there are (RED-5);
    - where there is no user's message, the newest message, with what it must not be separated
      from.

    Of the rest the newest are kept, as many as fit beside those (RED-4): they are an unbroken
    tail of the conversation. It never begins between a call and its results, so that these stay
    or go together, with whatever stands between them (RED-5).

    Args:
        messages: the conversation, oldest first; no result is without its call.
        sizes: what each message counts for, such as 1 or its tokens; 0 if it does not count.
        limit: what the kept ones may count for together. Exceeded only where those that are
            always kept exceed it.

    Returns:
        For each message whether it stays.
    """
    groups = _Groups(messages)
    always = [message.role in INSTRUCTING or groups.open[at] for at, message in enumerate(messages)]
    newest = next((at for at in reversed(range(len(messages))) if _asks(messages[at])), None)
    if newest is not None:
        always[newest] = True
    start = len(messages)
    total = sum(size for size, stays in zip(sizes, always, strict=True) if stays)
    empty = not any(
        stays and message.role not in INSTRUCTING
        for stays, message in zip(always, messages, strict=True)
    )
    passed = False
    for at in reversed(range(len(messages))):
        total += 0 if always[at] else sizes[at]
        if total > limit and not empty:
            break
        passed = passed or not always[at]
        if groups.may_start[at]:
            start = at
            empty = empty and not passed
    return [stays or at >= start for at, stays in enumerate(always)]


def _asks(message: Message) -> bool:
    return message.role == "user" and not message.summary


class _Groups:
    """What belongs together: calls, and the messages their results are in.

    ``open`` says which messages belong to a call that waits for its result; ``may_start`` where
    a tail may begin without parting what belongs together.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        self._above = list(range(len(messages)))
        following = OpenCalls()
        callers: dict[str, int] = {}
        for at, message in enumerate(messages):
            following.take(message)
            callers.update((call.id, at) for call in message.calls)
            for result in message.results:
                self._join(callers[result.call_id], at)
        waiting = {self._first(callers[call.id]) for call in following.calls()}
        self.open = [self._first(at) in waiting for at in range(len(messages))]
        last = {self._first(at): at for at in range(len(messages))}
        self.may_start = []
        reach = -1
        for at in range(len(messages)):
            self.may_start.append(reach < at)
            # What an open call belongs to stays anyway, wherever the tail begins.
            if not self.open[at]:
                reach = max(reach, last[self._first(at)])

    def _first(self, at: int) -> int:
        """The first message of the group that a message belongs to."""
        while self._above[at] != at:
            self._above[at] = self._above[self._above[at]]
            at = self._above[at]
        return at

    def _join(self, one: int, other: int) -> None:
        first, second = sorted((self._first(one), self._first(other)))
        self._above[second] = first
