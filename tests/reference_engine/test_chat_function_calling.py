"""Automatic function calling."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from counterproof_reference.chat_history import (
    Call,
    ChatHistory,
    FunctionCallingError,
    Inspected,
    Message,
    PairingError,
    Text,
    answer_with_functions,
)
from reference_engine.chat_compact import code_of, history

DONE = Message("assistant", "Your pizza is on its way.")


class Model:
    """Gives its replies one after the other, the last one for ever; keeps what it was sent."""

    def __init__(self, *replies: Any) -> None:
        self._replies = list(replies)
        self.sent: list[list[dict[str, Any]]] = []

    def __call__(self, request: list[dict[str, Any]]) -> Any:
        """The next reply."""
        self.sent.append(request)
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]


def calls(*ids: str, name: str = "order", arguments: Any = None) -> Message:
    """A reply that calls."""
    return Message("assistant", [Text("ok"), *(Call(i, name, arguments) for i in ids)])


def answer(chat: ChatHistory, model: Any, functions: Mapping[str, Any], **more: Any) -> Inspected:
    """Ask, and wait."""
    return asyncio.run(answer_with_functions(chat, model, functions, **more))


def test_calls_and_results_are_added_and_the_answer_is_not() -> None:
    """CHH-4: in order; the caller sees what was added, and adds the answer once."""
    chat = history("su")
    model = Model(calls("1", "2", arguments={"size": 3}), calls("1"), DONE)
    asked: list[int] = []

    def order(size: int = 0) -> dict[str, int]:
        asked.append(size)
        return {"ordered": size}

    outcome = answer(chat, model, {"order": order})
    assert asked == [3, 3, 0]
    assert outcome.final is DONE
    assert code_of(chat) == "su(12)(r1r2)1r1"
    assert list(outcome.added) == chat[2:]
    assert [each.value for each in chat[3].results] == [{"ordered": 3}] * 2
    assert [len(each) for each in model.sent] == [2, 5, 7]
    chat.add_message(outcome.final)
    assert chat.messages.count(DONE) == 1


def test_without_calls_nothing_is_added() -> None:
    chat = history("u")
    assert answer(chat, Model(DONE), {}).added == ()
    assert len(chat) == 1


def test_models_and_functions_may_be_asynchronous() -> None:
    async def order() -> str:
        return "ordered"

    async def model(request: list[dict[str, Any]]) -> Message:
        return DONE if request[-1]["role"] == "tool" else calls("1")

    chat = history("u")
    answer(chat, model, {"order": order})
    assert chat[-1].results[0].value == "ordered"


def test_a_reply_may_be_in_the_openai_shape() -> None:
    def call(text: Any) -> dict[str, Any]:
        return {"id": "1", "type": "function", "function": {"name": "order", "arguments": text}}

    replies = [
        {"role": "assistant", "content": None, "tool_calls": [call(text)]}
        for text in ('{"size": 1}', "", None, "{'size'", "[" * 100_000, "7")
    ]
    chat = history("u")
    model = Model(*replies, {"content": "done", "tool_calls": None})
    outcome = answer(chat, model, {"order": lambda size=0: size})
    assert outcome.final == Message("assistant", "done")
    refused = {"error": "the arguments are not an object"}
    assert [each.results[0].value for each in chat if each.results] == [1, 0, 0] + [refused] * 3


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (lambda: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda: {1, 2}, "MessageError: the result of call '1' holds a set, which is not JSON"),
        (lambda needed: needed, "TypeError: "),
        (None, "there is no function 'order'"),
    ],
)
def test_a_failure_is_a_result(function: Any, error: str) -> None:
    chat = history("u")
    answer(chat, Model(calls("1"), DONE), {"order": function} if function else {})
    assert chat[-1].results[0].value["error"].startswith(error)
    assert chat.open_calls == ()


def test_a_round_that_breaks_off_leaves_no_open_call() -> None:
    """The round before it stays."""

    def order() -> None:
        raise KeyboardInterrupt

    chat = history("u")
    model = Model(calls("1", name="other"), calls("2", "3"), DONE)
    with pytest.raises(KeyboardInterrupt):
        answer(chat, model, {"order": order})
    assert code_of(chat) == "u1r1"


def test_a_model_that_never_stops_is_stopped() -> None:
    chat = history("u")
    model = Model(calls("1"))
    with pytest.raises(FunctionCallingError, match="after 3 rounds"):
        answer(chat, model, {"order": lambda: 1}, max_rounds=3)
    assert code_of(chat) == "u" + "1r1" * 3
    assert len(model.sent) == 4


def test_exactly_as_many_rounds_as_allowed_are_enough() -> None:
    chat = history("u")
    assert answer(chat, Model(calls("1"), DONE), {}, max_rounds=1).final is DONE


@pytest.mark.parametrize(
    "reply",
    [
        None,
        "text",
        Message("user", "x"),
        {"role": "system", "content": "x"},
        {"content": 7},
        {"tool_calls": [{"id": None, "function": {"name": "f"}}]},
        {"tool_calls": [{"id": "1"}]},
        {"tool_calls": ["f"]},
        {"tool_calls": 5},
    ],
)
def test_what_is_no_reply_is_refused(reply: Any) -> None:
    chat = history("u")
    with pytest.raises(FunctionCallingError, match="reply"):
        answer(chat, Model(reply), {})
    assert len(chat) == 1


def test_an_open_call_is_refused_before_the_model_is_asked() -> None:
    """CHH-3."""
    model = Model(DONE)
    with pytest.raises(PairingError):
        answer(history("u1"), model, {})
    assert model.sent == []


def test_calls_of_one_id_are_refused_whole() -> None:
    chat = history("u")
    with pytest.raises(PairingError, match="'1'"):
        answer(chat, Model(calls("1", "1")), {})
    assert code_of(chat) == "u"
