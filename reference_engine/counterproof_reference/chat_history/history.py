"""The chat history: messages in order, of which no result is without its call."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Any, overload

from counterproof_reference.chat_history import projection, prompt, request, saving
from counterproof_reference.chat_history.errors import ChatHistoryError, MessageError
from counterproof_reference.chat_history.messages import Call, Message, Part, Result
from counterproof_reference.chat_history.pairing import OpenCalls


class ChatHistory:
    """Messages of a conversation, oldest first.

    Whatever changes it either succeeds whole or raises and changes nothing. It may be used from
    several threads and tasks; what it hands out is a copy.

    Args:
        messages: what it starts with, such as what a reducer returned; the iterable is read once
            and not kept.
        system_message: a system's text to stand before them.

    Raises:
        MessageError: what is given is no message.
        PairingError: a result has no open call before it, or two open calls bear one id.
    """

    def __init__(
        self, messages: Iterable[Message] | None = None, *, system_message: str | None = None
    ) -> None:
        self._lock = threading.RLock()
        self._messages: list[Message] = []
        self._uids: set[str] = set()
        self._calls = OpenCalls()
        if system_message is not None:
            self.add_system_message(system_message)
        if messages is not None:
            self._become([*self._messages, *messages])

    # --- adding

    def add_message(self, message: Message) -> Message:
        """Add a message at the end.

        Args:
            message: the message; one that stands here already is added once more, under a uid
                of its own.

        Returns:
            The message as it stands here.

        Raises:
            MessageError: it is no message.
            PairingError: a result without its open call, or a call whose id is open (CHH-3).
        """
        if not isinstance(message, Message):
            raise MessageError(f"a {type(message).__name__} is no message")
        with self._lock:
            self._calls.take(message)
            if message.uid in self._uids:
                message = message.with_uid()
            self._uids.add(message.uid)
            self._messages.append(message)
        return message

    def add_messages(self, messages: Iterable[Message]) -> list[Message]:
        """Add several messages, all or none, with no other in between.

        Args:
            messages: the messages, oldest first.

        Returns:
            The messages as they stand here.

        Raises:
            MessageError: one of them is no message.
            PairingError: as in :meth:`add_message`.
        """
        messages = list(messages)
        with self._lock:
            length = len(self._messages)
            try:
                return [self.add_message(message) for message in messages]
            except ChatHistoryError:
                self._become(self._messages[:length])
                raise

    def add_system_message(self, content: str | Iterable[Part], **fields: Any) -> Message:
        """Add a system's message: a text or parts; ``name`` and ``metadata`` as in Message."""
        return self.add_message(Message("system", content, **fields))

    def add_developer_message(self, content: str | Iterable[Part], **fields: Any) -> Message:
        """Add a developer's message, as :meth:`add_system_message`."""
        return self.add_message(Message("developer", content, **fields))

    def add_user_message(self, content: str | Iterable[Part], **fields: Any) -> Message:
        """Add a user's message, as :meth:`add_system_message`."""
        return self.add_message(Message("user", content, **fields))

    def add_assistant_message(self, content: str | Iterable[Part], **fields: Any) -> Message:
        """Add an assistant's message, as :meth:`add_system_message`; its parts may be calls."""
        return self.add_message(Message("assistant", content, **fields))

    def add_tool_message(self, results: Result | Iterable[Result], **fields: Any) -> Message:
        """Add a tool's message: one result or several, each with the id of an open call."""
        return self.add_message(Message("tool", results, **fields))

    # --- changing

    def remove(self, *messages: Message) -> None:
        """Remove messages: those of the same uid, or else the first equal ones.

        Args:
            messages: what to remove; a call goes together with its result, or not at all.

        Raises:
            ValueError: one of them does not stand here.
            PairingError: a result would be left without its call.
        """
        with self._lock:
            gone = _places(self._messages, messages)
            self._become(m for at, m in enumerate(list(self._messages)) if at not in gone)

    def clear(self) -> None:
        """Remove every message."""
        with self._lock:
            self._become([])

    def replace(self, messages: Iterable[Message]) -> None:
        """Put other messages in place of all there are, such as what a reducer returned.

        Args:
            messages: the messages, oldest first.

        Raises:
            MessageError: what is given is no message.
            PairingError: as in the constructor.
        """
        with self._lock:
            self._become(messages)

    def _become(self, messages: Iterable[Message]) -> None:
        fresh = ChatHistory()
        for message in messages:
            fresh.add_message(message)
        self._messages, self._uids, self._calls = fresh._messages, fresh._uids, fresh._calls

    # --- reading

    @property
    def messages(self) -> list[Message]:
        """A list of the messages, the reader's own."""
        with self._lock:
            return list(self._messages)

    @property
    def open_calls(self) -> tuple[Call, ...]:
        """The calls that have no result yet, oldest first."""
        with self._lock:
            return self._calls.calls()

    def __len__(self) -> int:
        return len(self._messages)

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> list[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | list[Message]:
        with self._lock:
            return self._messages[index]

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)

    def __contains__(self, message: object) -> bool:
        return message in self.messages

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        assert isinstance(other, ChatHistory)
        return self.messages == other.messages

    __hash__ = None  # type: ignore[assignment]  # it changes

    # --- as others want it

    def provider_request(self) -> list[dict[str, Any]]:
        """The messages in the OpenAI shape: see :func:`.request.provider_request`."""
        return request.provider_request(self.messages)

    def projection(self) -> list[tuple[str, str]]:
        """The ``(role, text)`` turns for an engine: see :func:`.projection.projected`."""
        return projection.projected(self.messages)

    def render_prompt(self) -> str:
        """The history as one text: see :func:`.prompt.render_prompt`."""
        return prompt.render_prompt(self.messages)

    @staticmethod
    def parse_prompt(text: str) -> ChatHistory:
        """The history of a text that :meth:`render_prompt` gave: see :func:`.prompt.parse_prompt`.

        Raises:
            PromptError: it is no such text.
        """
        return ChatHistory(prompt.parse_prompt(text))

    def save(self) -> str:
        """The history as JSON, lossless (CHH-5): see :func:`.saving.saved`."""
        return saving.saved(self.messages)

    @staticmethod
    def restore(text: str | bytes) -> ChatHistory:
        """A history as it was saved.

        Raises:
            RestoreError: the text is no saved history.
        """
        history = ChatHistory()
        history.load(text)
        return history

    def load(self, text: str | bytes) -> None:
        """Become what was saved; a text that is refused changes nothing.

        Raises:
            RestoreError: the text is no saved history.
        """
        with self._lock, saving.refusing():
            self._become(saving.loaded(text))


def _places(messages: list[Message], wanted: Iterable[Message]) -> set[int]:
    """Where messages stand: each at a place of its own, by its uid or else by what it says."""
    by_uid = {message.uid: at for at, message in enumerate(messages)}
    found: set[int] = set()
    for message in wanted:
        at = by_uid.get(message.uid)
        if at is None or at in found:
            equal = (n for n, m in enumerate(messages) if n not in found and m == message)
            at = next(equal, None)
        if at is None:
            raise ValueError("there is no such message in the history")
        found.add(at)
    return found
