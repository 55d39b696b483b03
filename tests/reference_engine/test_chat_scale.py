"""Long histories and large messages: work in proportion, no recursion."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import pytest

from counterproof_reference.chat_history import (
    Call,
    ChatHistory,
    Message,
    Reducer,
    Result,
    Summarisation,
    TokenBudget,
    Truncation,
)

MANY = 100_000
LARGE = "0123456789" * 1_000_000
"""Ten megabytes."""


def long(length: int) -> list[Message]:
    """Turns of a user's message, a call, its result, an answer; one id for all calls."""
    return [
        message
        for turn in range(length // 4)
        for message in (
            Message("user", f"question {turn}"),
            Message("assistant", [Call("1", "look")]),
            Message("tool", Result("1", turn)),
            Message("assistant", f"answer {turn}"),
        )
    ]


def work(action: Callable[[], object]) -> int:
    """How many calls of functions, Python's and C's, an action makes."""
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        action()
    finally:
        sys.setprofile(before)
    return calls


def reduce(reducer: Reducer, given: list[Message]) -> Any:
    """Reduce, and wait where that is needed."""
    outcome = reducer.reduce(given)
    return asyncio.run(outcome) if asyncio.iscoroutine(outcome) else outcome


REDUCERS: dict[str, Callable[[int], Reducer]] = {
    "truncation": Truncation,
    "tokens": TokenBudget,
    "summarisation": lambda target: Summarisation(lambda turns: f"{len(turns)} turns", target),
}


class TestProportion:
    @pytest.mark.parametrize("name", REDUCERS)
    @pytest.mark.parametrize("share", [0.0, 0.5])
    def test_reducing(self, name: str, share: float) -> None:
        """Twice the messages, about twice the work, wherever the cut is."""
        small, big = (
            work(lambda n=n: reduce(REDUCERS[name](max(1, int(n * share))), long(n)))  # type: ignore[misc]  # mypy does not see the default
            for n in (400, 800)
        )
        assert big < 2.2 * small

    @pytest.mark.parametrize(
        "form",
        ["provider_request", "projection", "render_prompt", "save"],
    )
    def test_forms(self, form: str) -> None:
        small, big = (work(getattr(ChatHistory(long(n)), form)) for n in (400, 800))
        assert big < 2.2 * small

    def test_calls_open_at_once(self) -> None:
        """Each of many calls is answered only when all were made."""

        def crossed(n: int) -> list[Message]:
            calls = [Message("assistant", [Call(str(i), "f")]) for i in range(n)]
            return [*calls, *(Message("tool", Result(str(i), i)) for i in range(n))]

        small, big = (work(lambda n=n: Truncation(1).reduce(crossed(n))) for n in (400, 800))  # type: ignore[misc]  # as above
        assert big < 2.2 * small


@pytest.fixture(scope="module")
def many() -> list[Message]:
    """A hundred thousand messages."""
    return long(MANY)


class TestSize:
    @pytest.mark.parametrize("name", REDUCERS)
    def test_a_long_history_is_reduced(self, many: list[Message], name: str) -> None:
        left = reduce(REDUCERS[name](100), many)
        assert left[-1] is many[-1]
        assert 2 <= len(left) <= 101

    def test_many_messages_are_removed_at_once(self, many: list[Message]) -> None:
        chat = ChatHistory(many)
        chat.remove(*many[: MANY // 2])
        assert chat[0] is many[MANY // 2]

    def test_a_long_history_takes_every_form(self, many: list[Message]) -> None:
        chat = ChatHistory(many)
        request = chat.provider_request()
        assert len(request) == MANY
        assert len({m["tool_call_id"] for m in request if m["role"] == "tool"}) == MANY // 4
        assert len(chat.projection()) == MANY // 2

    def test_a_long_history_is_read_back(self, many: list[Message]) -> None:
        chat = ChatHistory(many[: MANY // 10])
        assert ChatHistory.restore(chat.save()) == chat
        assert ChatHistory.parse_prompt(chat.render_prompt()) == chat

    def test_a_large_message_goes_everywhere(self) -> None:
        chat = ChatHistory()
        chat.add_user_message(LARGE, metadata={"copy": LARGE})
        chat.add_assistant_message([Call("1", "f", {"text": LARGE})])
        chat.add_tool_message(Result("1", [LARGE]))
        assert ChatHistory.restore(chat.save()) == chat
        assert ChatHistory.parse_prompt(chat.render_prompt())[0].content == LARGE
        assert chat.provider_request()[2]["content"] == f'["{LARGE}"]'
        assert chat.projection() == [("user", LARGE)]
        assert TokenBudget(1000).reduce(chat.messages) == chat.messages[:1]
