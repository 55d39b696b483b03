"""Summarisation: a model's summary in place of the oldest messages."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from counterproof_reference.chat_history.errors import SummaryError
from counterproof_reference.chat_history.keeping import kept
from counterproof_reference.chat_history.messages import (
    INSTRUCTING,
    Call,
    Image,
    Message,
    Part,
    Result,
    Text,
)
from counterproof_reference.chat_history.reducers import check_limits
from counterproof_reference.chat_history.request import as_text


class Turn(NamedTuple):
    """A message as a summariser is shown it.

    Args:
        role: the message's role.
        name: who spoke, where that is known.
        text: all it says; calls, results and images are told in words.
        summary: whether it is the summary that the new one takes the place of.
    """

    role: str
    name: str | None
    text: str
    summary: bool


class Summariser(Protocol):
    """Writes a summary of turns, asynchronously or not; usually by asking a model."""

    def __call__(self, turns: Sequence[Turn], /) -> Any | Awaitable[Any]:
        """Summarise.

        Args:
            turns: all that is to be removed, oldest first.

        Returns:
            The summary: a text, a message, or a message in the OpenAI shape. Of a message its
            text is used, never its role.
        """
        ...


@dataclass(frozen=True)
class Summarisation:
    """Has the oldest messages summarised, and keeps the rest; see :data:`.reducers.POLICY`.

    Args:
        summariser: writes the summary. One that is not asynchronous is called in a thread of its
            own, so that it holds up neither the event loop nor, once ``timeout`` has passed, the
            caller.
        target: how many messages stay, neither instructions nor the summary counted.
        threshold: how many more there may be before anything happens.
        role: whose message the summary is.
        timeout: how many seconds the summariser may take; None for as long as it likes.

    Raises:
        ValueError: as :func:`.reducers.check_limits`, or a role that would give a summary
            authority (RED-15).
    """

    summariser: Summariser
    target: int
    threshold: int = 0
    role: Literal["user", "assistant"] = "assistant"
    timeout: float | None = 60.0

    def __post_init__(self) -> None:
        check_limits(self.target, self.threshold)
        if self.role not in ("user", "assistant"):
            raise ValueError(f"role is {self.role!r}; a summary is a user's or an assistant's")

    async def reduce(self, messages: Sequence[Message]) -> list[Message] | None:
        """Reduce, as :meth:`.reducers.Reducer.reduce`.

        Raises:
            SummaryError: the summariser failed, took too long, or gave no text: nothing, only
                white space, a tool call.
        """
        sizes = [0 if each.summary or each.role in INSTRUCTING else 1 for each in messages]
        if sum(sizes) <= self.target + self.threshold:
            return None
        stays = kept(messages, sizes, self.target)
        if not any(size and not stay for size, stay in zip(sizes, stays, strict=True)):
            return None
        # An earlier summary goes too, wherever it stands: there is one, and it tells all.
        goes = [each.summary or not stay for each, stay in zip(messages, stays, strict=True)]
        text = await self._summary(
            [each for each, gone in zip(messages, goes, strict=True) if gone]
        )
        summary = Message(self.role, text, summary=True)
        place = goes.index(True)
        left = [each for each, gone in zip(messages[place:], goes[place:], strict=True) if not gone]
        return [*messages[:place], summary, *left]

    async def _summary(self, removed: Sequence[Message]) -> str:
        turns = [shown(message) for message in removed]
        try:
            async with asyncio.timeout(self.timeout):
                given = await _called(self.summariser, turns)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise SummaryError("the summariser was cancelled; nothing was removed") from error
        except TimeoutError as error:
            # The summariser's own time-out looks the same, and means the same.
            raise SummaryError("the summariser took too long; nothing was removed") from error
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise SummaryError(f"the summariser failed; nothing was removed: {what}") from error
        return _text(given)


def shown(message: Message) -> Turn:
    """A message as a summariser is shown it.

    Args:
        message: any message.
    """
    text = "\n".join(_told(part) for part in message.parts)
    return Turn(message.role, message.name, text, message.summary)


def _told(part: Part) -> str:
    match part:
        case Text(text):
            return text
        case Image(uri):
            return f"[image: {uri}]"
        case Call():
            return f"[call {part.id} of {part.name}: {as_text(part.arguments)}]"
        case Result():
            return f"[result of call {part.call_id}: {as_text(part.value)}]"


def _text(given: Any) -> str:
    calls: Any = ()
    text: Any = given
    if isinstance(given, Message):
        text, calls = given.content, given.calls
    elif isinstance(given, Mapping):
        text, calls = given.get("content"), given.get("tool_calls")
    if calls:
        raise SummaryError("the summariser called a function instead; nothing was removed")
    if not isinstance(text, str):
        what = "nothing" if text is None else f"a {type(text).__name__}"
        raise SummaryError(f"the summariser gave {what}, no text; nothing was removed")
    if not any(each.isprintable() and not each.isspace() for each in text):
        raise SummaryError("the summariser gave a blank text; nothing was removed")
    return text


async def _called(summariser: Summariser, turns: Sequence[Turn]) -> Any:
    if inspect.iscoroutinefunction(summariser) or inspect.iscoroutinefunction(
        getattr(summariser, "__call__", None)  # noqa: B004 (an object may be asynchronous to call)
    ):
        return await summariser(turns)
    given = await _in_thread(summariser, turns)
    return await given if inspect.isawaitable(given) else given


async def _in_thread(summariser: Summariser, turns: Sequence[Turn]) -> Any:
    """Call in a thread that nothing waits for: the executor's would hold up the end of the run."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if outcome.done():
            return
        if error is None:
            outcome.set_result(value)
        else:
            outcome.set_exception(error)

    def call() -> None:
        value, failure = None, None
        try:
            value = summariser(turns)
        except Exception as error:  # noqa: BLE001 (handed to the caller)
            failure = error
        except BaseException as error:  # noqa: BLE001 (ends the thread, and is told of)
            failure = RuntimeError(f"{type(error).__name__}: {error}")
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, value, failure)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(call,), daemon=True, name="summariser").start()
    return await outcome
