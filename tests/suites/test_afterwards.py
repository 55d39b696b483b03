"""When a trace after a conversation is that of an engine that merely remembers replies."""

from __future__ import annotations

from typing import Any

import pytest

from counterproof.check import Violation
from counterproof.contract import Answer
from counterproof.trace import Ask, Crossing, Trace
from counterproof_suites.engine.afterwards import _require_untold

ASK = Ask("hit", "Why?")


def call(text: str, mark: str = "") -> Crossing:
    """One model call."""
    messages = [{"role": "user", "content": text}]
    reply = {"role": "assistant", "content": f"So. {mark}"}
    data: dict[str, Any] = {"messages": messages, "tools": None, "reply": reply, "mark": mark}
    return Crossing("model", data)


def trace(*crossings: Crossing, text: str = "Because.") -> Trace:
    """A trace of these crossings and this answer."""
    return Trace(ASK, crossings, Answer(text))


JUDGE, ANSWER = call("judge", "aaa"), call("answer", "bbb")
FIRST = trace(JUDGE, ANSWER, text="So. bbb")
NOTHING_ASKED_AGAIN = trace(text="So. bbb")
ONE_CALL_ASKED_AGAIN = trace(call("answer", "aaa"), text="So. aaa")
REPLAYED = trace(JUDGE, call("once more: answer", "bbb"), text="So. bbb")


@pytest.mark.parametrize(
    ("later", "seen"),
    [
        (FIRST, FIRST),
        (NOTHING_ASKED_AGAIN, FIRST),
        (NOTHING_ASKED_AGAIN, NOTHING_ASKED_AGAIN),
        (NOTHING_ASKED_AGAIN, ONE_CALL_ASKED_AGAIN),
    ],
)
def test_what_it_does_without_a_conversation(later: Trace, seen: Trace) -> None:
    """The first trace, the later one, or, where the later one spares calls, fewer calls."""
    _require_untold(seen, FIRST, later, "it is another")


@pytest.mark.parametrize(
    ("later", "seen"),
    [
        (FIRST, NOTHING_ASKED_AGAIN),
        (FIRST, ONE_CALL_ASKED_AGAIN),
        (FIRST, REPLAYED),
        (NOTHING_ASKED_AGAIN, REPLAYED),
        (NOTHING_ASKED_AGAIN, trace(ANSWER, text="Otherwise.")),
        (NOTHING_ASKED_AGAIN, trace(ANSWER, JUDGE, text="So. bbb")),
        (trace(text="Otherwise."), NOTHING_ASKED_AGAIN),
    ],
)
def test_what_only_a_conversation_can_have_made_of_it(later: Trace, seen: Trace) -> None:
    """Another message, another answer, another order; or fewer calls where none is spared."""
    with pytest.raises(Violation, match="it is another"):
        _require_untold(seen, FIRST, later, "it is another")
