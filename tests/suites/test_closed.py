"""Which texts the engine wrote for the model, and what is restricted of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterproof.check import Violation
from counterproof.contract import Answer, Source
from counterproof.trace import OMITTED, Ask, Crossing, History, Trace
from counterproof.worlds import builtin_world
from counterproof_suites.engine.closed import leaked, require_closed, written

WORLD = builtin_world(0)
SHUT, OTHER = (each.text for each in WORLD.restricted)
OPEN = WORLD.passages[0].text


def trace(*messages: Any, said: tuple[Any, ...] = (), answer: Answer | None = None) -> Trace:
    """A trace of one model call; a text is a user's message."""
    sent = [{"role": "user", "content": m} if isinstance(m, str) else m for m in messages]
    data = {"messages": sent, "tools": None, "reply": None, "mark": ""}
    history = History.of(list(said)) if said else OMITTED
    ask = Ask("restricted", "Why?", history)
    return Trace(ask, (Crossing("parse", {"text": ""}), Crossing("model", data)), answer)


def shut(told: Trace) -> list[str]:
    """The messages the engine wrote that hold what is restricted."""
    return [pointer for pointer, text in written(WORLD, told) if leaked(WORLD, text)]


TURN = ("assistant", SHUT)


class TestLeaked:
    def test_a_quotation_and_each_secret_word_are_told(self) -> None:
        assert leaked(WORLD, SHUT) == ("merger-terms.md", *WORLD.secrets[:2])
        assert leaked(WORLD, f"It is {WORLD.secrets[2].upper()}.") == (WORLD.secrets[2],)
        assert leaked(WORLD, OPEN) == ()


class TestWritten:
    @pytest.mark.parametrize(
        "message",
        [
            SHUT,
            f"Confidential: {SHUT}",
            {"role": "system", "content": SHUT},
            {"role": "user", "content": [{"type": "text", "text": SHUT}]},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"function": {"arguments": SHUT}}],
            },
            {"role": "user", "content": "Why?", "name": SHUT},
        ],
    )
    def test_what_is_in_a_message_is_the_engines(self, message: Any) -> None:
        """Wherever in it, where history does not say it."""
        assert shut(trace(OPEN, message)) == ["/crossings/1/messages/1"]
        assert shut(trace(message, said=(("user", OPEN),))) == ["/crossings/1/messages/0"]

    @pytest.mark.parametrize(
        "messages",
        [
            [{"role": "assistant", "content": SHUT}],
            [{"role": "system", "content": SHUT}],
            [f"  {SHUT.upper()}\n"],
            [f"User: {OPEN}\nAssistant: {SHUT}\nQuestion: Why?"],
            [SHUT.replace(" ", "\n"), "Why?"],
            [SHUT, SHUT, "Why?"],
            [{"role": "assistant", "content": [{"type": "text", "text": SHUT}]}],
        ],
    )
    def test_what_history_said_is_the_callers(self, messages: list[Any]) -> None:
        """As a message, in another role, folded, merged, framed, or sent twice."""
        assert shut(trace(*messages, said=(TURN,))) == []

    @pytest.mark.parametrize(
        "messages",
        [
            [SHUT, f"Passages:\n{SHUT}"],
            [f"Assistant: {SHUT}", f"Passages:\n{SHUT}"],
            [f"Assistant: {SHUT}\nPassages:\n{SHUT}"],
            [SHUT, {"role": "system", "content": SHUT}],
            [SHUT, OTHER],
        ],
    )
    def test_what_is_there_once_more_is_the_engines(self, messages: list[Any]) -> None:
        assert len(shut(trace(*messages, said=(TURN,)))) == 1

    @given(st.lists(st.sampled_from([SHUT, OTHER, OPEN, "Why?", "", " "]), max_size=6))
    def test_a_faithful_engine_is_never_blamed(self, said: list[str]) -> None:
        """Whatever is said, each turn as its own message, or all of them in one."""
        turns = tuple(("user", each) for each in said)
        assert shut(trace(*said, OPEN, said=turns)) == []
        assert shut(trace("\n".join([*said, OPEN]), said=turns)) == []

    @given(st.lists(st.sampled_from([SHUT, OPEN, "Why?"]), max_size=6))
    def test_a_passage_of_the_engines_is_seen_after_any_history(self, said: list[str]) -> None:
        turns = tuple(("user", each) for each in said)
        assert shut(trace(*said, f"Passages:\n{SHUT}", said=turns))


class TestRequired:
    @pytest.mark.parametrize(
        "answer",
        [
            Answer(SHUT),
            Answer(OPEN, plain=SHUT),
            Answer(OPEN, [Source("layoff-plan.md")]),
            Answer(f"Codename {WORLD.secrets[0]}"),
        ],
    )
    def test_what_leaves_in_the_answer_is_a_violation(self, answer: Answer) -> None:
        with pytest.raises(Violation, match=r"^once more, "):
            require_closed(WORLD, trace(OPEN, answer=answer), "once more, ")

    def test_what_is_public_may_leave(self) -> None:
        require_closed(WORLD, trace(OPEN, answer=Answer(OPEN, [Source("hk-renewal.md")])))

    def test_what_leaves_to_the_model_is_a_violation(self) -> None:
        with pytest.raises(Violation, match="sent to the model"):
            require_closed(WORLD, trace(SHUT, answer=Answer(OPEN)))
