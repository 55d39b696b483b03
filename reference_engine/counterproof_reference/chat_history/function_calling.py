"""Automatic function calling: ask, call what is asked for, ask again, until there is an answer."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from counterproof_reference.chat_history.errors import FunctionCallingError, MessageError
from counterproof_reference.chat_history.history import ChatHistory
from counterproof_reference.chat_history.messages import Call, Message, Result, Text

Reply = Message | Mapping[str, Any]
"""An assistant's message, ours or in the OpenAI shape."""

Chat = Callable[[list[dict[str, Any]]], Reply | Awaitable[Reply]]
"""Asks a model: takes a provider request, gives its reply."""


@dataclass(frozen=True)
class Inspected:
    """What came of asking.

    Args:
        final: the assistant's answer, which is **not** in the history: the caller adds it, once.
        added: what the history was given meanwhile, in order: calls, then their results.
    """

    final: Message
    added: tuple[Message, ...]


async def answer_with_functions(
    history: ChatHistory,
    chat: Chat,
    functions: Mapping[str, Callable[..., Any]],
    *,
    max_rounds: int = 10,
) -> Inspected:
    """Have a model answer a history, calling the functions it asks for (CHH-4).

    Calls and their results join the history together, once all functions of a round have run:
    whatever breaks off a round, no call is left open. A function that fails, that is not there,
    or that returns what is not JSON gives a result which says so, ``{"error": ...}``, for the
    model to deal with.

    Args:
        history: what is asked; it is given the calls and results.
        chat: the model, synchronous or not.
        functions: what it may call, by name; each takes the call's arguments as keywords and
            may be asynchronous.
        max_rounds: how often the model may call functions.

    Raises:
        FunctionCallingError: a reply is none, or the model was still calling functions after
            ``max_rounds``; the rounds that ran are in the history.
        PairingError: the history has an open call, or a reply's calls bear one id twice.
    """
    added: list[Message] = []
    for _ in range(max_rounds + 1):
        given = chat(history.provider_request())
        reply = reply_message(await given if inspect.isawaitable(given) else given)
        if not reply.calls:
            return Inspected(reply, tuple(added))
        if len(added) == 2 * max_rounds:
            break
        results = [await _result(call, functions) for call in reply.calls]
        added += history.add_messages([reply, Message("tool", results)])
    raise FunctionCallingError(f"the model still called functions after {max_rounds} rounds")


def reply_message(reply: Any) -> Message:
    """A model's reply as an assistant's message.

    Args:
        reply: a message of ours, or one in the OpenAI shape, whose calls' arguments become JSON
            values where they are JSON, and stay the text they are elsewhere.

    Raises:
        FunctionCallingError: it is neither, or of another role.
    """
    if isinstance(reply, Message):
        if reply.role != "assistant":
            raise FunctionCallingError(f"the reply is a {reply.role} message, not an assistant's")
        return reply
    if not isinstance(reply, Mapping):
        raise FunctionCallingError(f"the reply is a {type(reply).__name__}, not a message")
    if reply.get("role", "assistant") != "assistant":
        raise FunctionCallingError(f"the reply's role is {reply['role']!r}, not 'assistant'")
    content, calls = reply.get("content"), reply.get("tool_calls") or ()
    try:
        said = [] if content is None else [Text(content)]
        return Message("assistant", [*said, *(_call(each) for each in calls)])
    except (MessageError, AttributeError, KeyError, TypeError) as error:
        raise FunctionCallingError(f"the reply is no assistant's message: {error}") from error


def _call(given: Mapping[str, Any]) -> Call:
    function = given["function"]
    arguments = function.get("arguments") or {}
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return Call(given["id"], function["name"], arguments)
    return Call(given["id"], function["name"], arguments)


async def _result(call: Call, functions: Mapping[str, Callable[..., Any]]) -> Result:
    arguments = call.arguments
    if call.name not in functions:
        value: Any = _error(f"there is no function {call.name!r}")
    elif not isinstance(arguments, dict):
        value = _error("the arguments are not an object")
    else:
        try:
            value = functions[call.name](**arguments)
            value = await value if inspect.isawaitable(value) else value
            return Result(call.id, value, call.name)
        except Exception as error:  # noqa: BLE001 (the model is told, whatever a function raises)
            value = _error(f"{type(error).__name__}: {error}")
    return Result(call.id, value, call.name)


def _error(what: str) -> dict[str, str]:
    return {"error": what}
