"""A chat history as a provider takes it."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given

from counterproof_reference.chat_history import Call, ChatHistory, Image, PairingError, Result, Text
from reference_engine.chat_compact import UNHURRIED, codes, history


@UNHURRIED
@given(codes(closed=True))
def test_a_request_is_valid(code: str) -> None:
    """CHH-6: results right behind their call, each call answered, no id used twice."""
    chat = history(code)
    asked: list[str] = []
    waiting: list[str] = []
    for each in chat.provider_request():
        if each["role"] == "tool":
            assert each["tool_call_id"] == waiting.pop(0)
        else:
            assert waiting == []
            waiting = [call["id"] for call in each.get("tool_calls", ())]
            asked += waiting
    assert waiting == []
    assert len(set(asked)) == len(asked) == sum(len(each.calls) for each in chat)


@UNHURRIED
@given(codes(closed=True))
def test_nothing_is_lost(code: str) -> None:
    """Every text and every call, in order; every result with the call it belongs to."""
    chat = history(code)
    request = chat.provider_request()
    said = [each["content"] for each in request if isinstance(each["content"], str)]
    plain = [text for text in said if re.fullmatch(r"[sdua]\d+", text)]
    assert plain == [each.content for each in chat if each.content]
    calls = [call for each in request for call in each.get("tool_calls", ())]
    wanted = [{"name": c.name, "arguments": json.dumps(c.arguments)} for m in chat for c in m.calls]
    assert [call["function"] for call in calls] == wanted
    results = {each["tool_call_id"]: each["content"] for each in request if each["role"] == "tool"}
    expected = [r.value for m in chat for r in m.results]
    assert sorted(results.values()) == sorted(expected)
    for call in calls:
        # A result says which call it is of: "1 at 5" answers call 1, however often it is used.
        assert re.split("[- ]", call["id"])[0] == results[call["id"]].split()[0]


def test_a_result_belongs_to_the_latest_use_of_its_id() -> None:
    request = history("1r11r1").provider_request()
    assert [each.get("tool_call_id") for each in request] == [None, "1", None, "1-2"]
    assert [each["content"] for each in request] == [None, "1 at 1", None, "1 at 3"]


def test_a_numbered_id_is_none_that_is_used() -> None:
    chat = ChatHistory()
    for call_id in ("1", "1", "1-2", "1"):
        chat.add_assistant_message([Call(call_id, "f")])
        chat.add_tool_message(Result(call_id, None))
    ids = [each["tool_call_id"] for each in chat.provider_request() if each["role"] == "tool"]
    assert ids == ["1", "1-3", "1-2", "1-4"]


@pytest.mark.parametrize(("code", "named"), [("u1", "'1'"), ("(12)r2u", "'1'"), ("12", "'1', '2'")])
def test_an_open_call_is_refused_by_name(code: str, named: str) -> None:
    with pytest.raises(PairingError, match=f"no result for call {named}:"):
        history(code).provider_request()


def test_text_beside_a_call_is_kept() -> None:
    chat = ChatHistory()
    chat.add_assistant_message([Text("let me see"), Call("1", "f", "{'not': json}")])
    chat.add_tool_message(Result("1", {"k": ["é", None]}))
    asked, answered = chat.provider_request()
    assert asked["content"] == "let me see"
    assert asked["tool_calls"][0]["function"] == {"name": "f", "arguments": "{'not': json}"}
    assert answered["content"] == '{"k": ["é", null]}'


def test_several_parts_are_sent() -> None:
    chat = ChatHistory()
    chat.add_user_message([Text("a"), Image("http://x"), Text("b")], name="Ema <V>")
    chat.add_assistant_message([Image("http://y")])
    asked, answered = chat.provider_request()
    assert asked["name"] == "Ema_V_"
    assert asked["content"] == [
        {"type": "text", "text": "a"},
        {"type": "image_url", "image_url": {"url": "http://x"}},
        {"type": "text", "text": "b"},
    ]
    assert answered["content"] == [{"type": "text", "text": "[image: http://y]"}]
    assert "name" not in answered


def test_metadata_is_not_sent() -> None:
    chat = ChatHistory()
    chat.add_user_message("x", metadata={"secret": 1})
    assert chat.provider_request() == [{"role": "user", "content": "x"}]
