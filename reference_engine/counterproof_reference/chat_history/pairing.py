"""Which calls of a conversation are open, and what may answer them."""

from __future__ import annotations

from collections.abc import Iterable

from counterproof_reference.chat_history.errors import PairingError
from counterproof_reference.chat_history.messages import Call, Message


class OpenCalls:
    """The calls that wait for their results, oldest first.

    A call is open from its message until its result. While it is, no other call may bear its id;
    afterwards the id is free again. What stands between the two does not matter (CHH-2).

    Args:
        messages: a conversation, from its start.

    Raises:
        PairingError: see :meth:`take`.
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._open: dict[str, Call] = {}
        for message in messages:
            self.take(message)

    def take(self, message: Message) -> None:
        """Follow the conversation by one message.

        Args:
            message: the next one.

        Raises:
            PairingError: a result without its open call, a second result for the same call, or
                a call whose id an open one bears (CHH-3). Nothing was followed then.
        """
        if message.role == "assistant":
            calls = {call.id: call for call in message.calls}
            seen: set[str] = set()
            for call in message.calls:
                if call.id in self._open or call.id in seen:
                    raise PairingError(f"call {call.id!r} is open already", call.id)
                seen.add(call.id)
            self._open.update(calls)
        elif message.role == "tool":
            answered: set[str] = set()
            for result in message.results:
                if result.call_id not in self._open or result.call_id in answered:
                    raise PairingError(
                        f"the result for call {result.call_id!r} has no open call of that id",
                        result.call_id,
                    )
                answered.add(result.call_id)
            for call_id in answered:
                del self._open[call_id]

    def calls(self) -> tuple[Call, ...]:
        """The open calls, oldest first."""
        return tuple(self._open.values())
