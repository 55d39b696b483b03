"""A chat history that reduces itself."""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar

from counterproof_reference.chat_history.history import ChatHistory
from counterproof_reference.chat_history.messages import Message
from counterproof_reference.chat_history.reducers import Reducer

_Turn = concurrent.futures.Future[None]
"""Done when a reduction is over."""

_WITHIN: ContextVar[frozenset[_Turn | None]] = ContextVar("_WITHIN", default=frozenset())
"""The reductions that the running code is part of."""


class ReducingHistory(ChatHistory):
    """A chat history with a reducer, to be used wherever a history is (RED-16).

    Two of them are equal where messages and reducers are.

    Args:
        reducer: reduces it.
        messages: as in :class:`ChatHistory`.
        system_message: as in :class:`ChatHistory`.
        auto_reduce: whether :meth:`add_message_async` reduces. The other ways of adding never
            do: a reducer may have to wait, and they cannot.
    """

    def __init__(
        self,
        reducer: Reducer,
        messages: Iterable[Message] | None = None,
        *,
        system_message: str | None = None,
        auto_reduce: bool = False,
    ) -> None:
        super().__init__(messages, system_message=system_message)
        self.reducer = reducer
        self.auto_reduce = auto_reduce
        self._last: _Turn | None = None
        self._running: _Turn | None = None

    async def add_message_async(self, message: Message) -> Message:
        """Add a message, and reduce if that is automatic (RED-10).

        Args:
            message: as in :meth:`add_message`.

        Returns:
            The message as it was added.

        Raises:
            ChatHistoryError: the message is refused, as in :meth:`add_message`, or the reducer
                failed, such as :class:`SummaryError`; in this case the message is in the history.
        """
        added = self.add_message(message)
        if self.auto_reduce:
            await self.reduce()
        return added

    async def reduce(self) -> list[Message] | None:
        """Reduce the history.

        One reduction runs at a time; the history may be changed meanwhile. Messages that were
        added stay, and messages that were removed or replaced do not come back, in a summary
        neither: the reduction is then done anew (RED-14).

        Returns:
            The messages as they are now; None where nothing was to be reduced, or where the
            reducer itself asks while it reduces, which would wait for itself for ever.

        Raises:
            Exception: whatever the reducer raises; the history is as it was.
            PairingError: the reducer parted a call and its result; the same.
        """
        if self._running in _WITHIN.get():
            return None
        async with self._alone():
            while True:
                before = self.messages
                outcome = self.reducer.reduce(tuple(before))
                after = await outcome if inspect.isawaitable(outcome) else outcome
                if after is None:
                    return None
                with self._lock:
                    if self._apply(before, after):
                        return self.messages

    def _apply(self, before: Sequence[Message], after: Sequence[Message]) -> bool:
        """Put a reduction into effect; False where what it removed is no longer what it was."""
        left = {each.uid for each in after}
        known = {each.uid for each in before}
        now = {each.uid: each for each in self._messages}
        if any(now.get(each.uid) != each for each in before if each.uid not in left):
            return False
        still = [
            now.get(each.uid, each) for each in after if each.uid in now or each.uid not in known
        ]
        late = [each for each in self._messages if each.uid not in known]
        self.replace([*still, *late])
        return True

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Wait for one's turn, also where the others are in other threads and event loops."""
        mine: _Turn = concurrent.futures.Future()
        with self._lock:
            previous, self._last = self._last, mine
        try:
            if previous is not None:
                # Shielded: who stops waiting must not end the waiting of others.
                await asyncio.shield(asyncio.wrap_future(previous))
            self._running = mine
            within = _WITHIN.set(_WITHIN.get() | {mine})
            try:
                yield
            finally:
                _WITHIN.reset(within)
        finally:
            mine.set_result(None)

    def __eq__(self, other: object) -> bool:
        equal = super().__eq__(other)
        if equal is NotImplemented:
            return NotImplemented
        assert isinstance(other, ReducingHistory)
        return equal and self.reducer == other.reducer

    __hash__ = None  # it changes
