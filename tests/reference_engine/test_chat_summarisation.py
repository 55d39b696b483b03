"""Summarisation: what the summariser is shown, what stands for it, and what its failure costs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterproof_reference.chat_history import (
    Call,
    Image,
    Message,
    Result,
    Summarisation,
    SummaryError,
    Text,
    Turn,
)
from counterproof_reference.chat_history.messages import INSTRUCTING
from counterproof_reference.chat_history.pairing import OpenCalls
from reference_engine.chat_compact import UNHURRIED, code_of, codes, messages
from reference_engine.test_chat_reducers import TARGETS, counting, newest_question


class Echo:
    """Repeats all it is shown, and keeps it."""

    def __init__(self) -> None:
        self.shown: list[list[Turn]] = []

    async def __call__(self, turns: Sequence[Turn], /) -> str:
        """The texts."""
        self.shown.append(list(turns))
        return "\n".join(turn.text for turn in turns) + "\nsummed up"


def reduce(given: Sequence[Message], summariser: Any, target: int, **more: Any) -> Any:
    """Reduce, and wait."""
    return asyncio.run(Summarisation(summariser, target, **more).reduce(given))


def conversation(given: Sequence[Message]) -> int:
    """How many messages count: neither instructions nor summaries."""
    return counting([each for each in given if not each.summary])


class TestSummaries:
    @pytest.mark.parametrize(
        ("code", "target", "left", "shown"),
        [
            ("suaua", 2, "sSua", "u1 a2"),
            ("usaua", 2, "Ssua", "u0 a2"),
            ("ua", 1, "uS", "a1"),
            ("u1r12r2a", 4, "uS2r2a", None),
            ("u(12)r2r1a", 2, "uSa", None),
            ("1uar1u", 1, "Su", None),
            ("Suaua", 2, "Sua", "S0 u1 a2"),
            ("uSaSua", 1, "Su", "u0 S1 a2 S3 a5"),
            ("SuaSua", 2, "Sua", "S0 u1 a2 S3"),
            ("uaSua", 3, "Saua", "u0 S2"),
            ("1aua", 2, "1Su", "a1 a3"),
        ],
    )
    def test_what_is_left(self, code: str, target: int, left: str, shown: str | None) -> None:
        echo = Echo()
        assert code_of(reduce(messages(code), echo, target)) == left
        if shown is not None:
            assert " ".join(turn.text for turn in echo.shown[0]) == shown

    @UNHURRIED
    @given(codes(summaries=True), TARGETS, st.integers(0, 3))
    def test_the_promises(self, code: str, target: int, threshold: int) -> None:
        given = messages(code)
        echo = Echo()
        left = reduce(given, echo, target, threshold=threshold)
        if left is None:
            assert echo.shown == []
            bound = OpenCalls(given).calls() or not newest_question(given)
            assert conversation(given) <= target + threshold or bound  # RED-2
            return
        assert conversation(given) > target + threshold
        (summary,) = (each for each in left if each.summary)
        kept = [each for each in left if each is not summary]
        gone = [each for each in given if not any(each is other for other in kept)]
        assert kept == [each for each in given if any(each is other for other in kept)]
        assert [each for each in given if each.role in INSTRUCTING] == [
            each for each in kept if each.role in INSTRUCTING
        ]
        # RED-7: all that was removed, in order, one turn each, and nothing else.
        (shown,) = echo.shown
        assert [turn.role for turn in shown] == [each.role for each in gone]
        for turn, message in zip(shown, gone, strict=True):
            assert message.content in turn.text
            assert all(call.id in turn.text and call.name in turn.text for call in message.calls)
            assert all(result.value in turn.text for result in message.results)
            assert turn.summary == message.summary
        assert "summed up" in summary.content
        assert given.index(gone[0]) == left.index(summary)
        question = newest_question(given)
        if question:
            assert question in kept  # RED-6
            if not OpenCalls(given).calls():
                assert conversation(left) <= target  # RED-3
        assert OpenCalls(left).calls() == OpenCalls(given).calls()  # RED-5
        again = Echo()
        assert reduce(left, again, target, threshold=threshold) is None  # RED-11
        assert again.shown == []

    def test_an_earlier_summary_feeds_the_later_one(self) -> None:
        """RED-15: and gives way to it; what the first one told is still told."""
        first = reduce(messages("uaua"), Echo(), 2)
        later = reduce([*first, *messages("uaua")[2:]], Echo(), 2)
        assert code_of(later) == "Sua"
        assert "u0" in later[0].content
        assert "a1" in later[0].content

    def test_calls_results_and_images_are_told_in_words(self) -> None:
        """Of the page's case a package shows neither a call nor its arguments."""
        given = [
            Message("user", [Text("what is this?"), Image("http://x/menu.jpg")], name="Ema"),
            Message("assistant", [Text("let me look"), Call("7", "look", {"at": "menu"})]),
            Message("tool", Result("7", {"found": ["香", None]})),
            Message("user", "thanks"),
        ]
        echo = Echo()
        reduce(given, echo, 1)
        assert echo.shown == [
            [
                Turn("user", "Ema", "what is this?\n[image: http://x/menu.jpg]", False),
                Turn("assistant", None, 'let me look\n[call 7 of look: {"at": "menu"}]', False),
                Turn("tool", None, '[result of call 7: {"found": ["香", null]}]', False),
            ]
        ]

    @pytest.mark.parametrize("role", ["user", "assistant"])
    @pytest.mark.parametrize(
        "given",
        [
            "told",
            Message("system", "told"),
            {"role": "system", "content": "told", "tool_calls": []},
            Message("assistant", [Text("to"), Text("ld")], metadata={"model": "m"}),
        ],
    )
    def test_a_summary_never_gains_authority(self, role: Any, given: Any) -> None:
        """RED-15: of what comes back the text is used, not the role."""
        left = reduce(messages("uau"), lambda _: given, 1, role=role)
        assert left[0] == Message(role, "told", summary=True)

    @pytest.mark.parametrize("role", ["system", "developer", "tool", "USER", None])
    def test_another_role_is_refused(self, role: Any) -> None:
        with pytest.raises(ValueError, match="role is"):
            Summarisation(lambda _: "x", 1, role=role)

    def test_a_summary_of_a_user_is_no_question(self) -> None:
        """The question it stands behind stays the newest one."""
        first = reduce(messages("uaaa"), Echo(), 2, role="user")
        assert [each.role for each in first] == ["user", "user", "assistant"]
        later = reduce([*first, *messages("aa")], Echo(), 2, role="user")
        assert [(each.role, each.summary) for each in later] == [
            ("user", False),
            ("user", True),
            ("assistant", False),
        ]
        assert later[0].content == "u0"


class TestFailures:
    """RED-8: an error says so, and nothing was removed."""

    @pytest.mark.parametrize(
        ("given", "what"),
        [
            (None, "gave nothing"),
            ("", "blank"),
            (" \n\u200b\u00a0\x00", "blank"),
            (Message("assistant", ()), "blank"),
            ({"content": None}, "gave nothing"),
            ({}, "gave nothing"),
            (7, "gave a int"),
            ([{"text": "x"}], "gave a list"),
            (Message("assistant", [Text("x"), Call("1", "f")]), "called a function"),
            ({"content": "x", "tool_calls": [{"id": "1"}]}, "called a function"),
        ],
    )
    def test_what_is_no_summary_is_refused(self, given: Any, what: str) -> None:
        conversation = messages("uaua")
        before = list(conversation)
        with pytest.raises(SummaryError, match=what):
            reduce(conversation, lambda _: given, 1)
        assert conversation == before

    @pytest.mark.parametrize("error", [ValueError("no"), RecursionError(), SystemExit(0)])
    def test_a_failing_summariser(self, error: BaseException) -> None:
        def fail(_: object) -> str:
            raise error

        with pytest.raises(SummaryError, match=type(error).__name__):
            reduce(messages("uaua"), fail, 1)

    def test_a_failing_asynchronous_summariser(self) -> None:
        async def fail(_: object) -> str:
            raise ValueError("no")

        with pytest.raises(SummaryError, match="ValueError: no") as caught:
            reduce(messages("uaua"), fail, 1)
        assert isinstance(caught.value.__cause__, ValueError)

    def test_a_summariser_that_is_cancelled(self) -> None:
        """By whatever it waits for; the caller was not."""

        async def cancelled(_: object) -> str:
            raise asyncio.CancelledError

        with pytest.raises(SummaryError, match="was cancelled"):
            reduce(messages("uaua"), cancelled, 1)

    def test_a_summariser_that_never_returns(self) -> None:
        """Nor does it hold up the loop where it is not asynchronous."""

        async def forever(_: object) -> str:
            await asyncio.Event().wait()
            return "never"

        never = threading.Event()
        for summariser in (forever, lambda _: never.wait()):
            with pytest.raises(SummaryError, match="too long"):
                reduce(messages("uaua"), summariser, 1, timeout=0.01)
        never.set()

    def test_a_cancelled_reduction_ends(self) -> None:
        started = asyncio.Event()

        async def slow(_: object) -> str:
            started.set()
            await asyncio.Event().wait()
            return "never"

        async def run() -> None:
            task = asyncio.create_task(Summarisation(slow, 1).reduce(messages("uaua")))
            await started.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(run())

    def test_a_summariser_outlives_the_loop_quietly(self) -> None:
        """Its thread finds nobody to tell."""
        go, gone = threading.Event(), threading.Event()

        def slow(_: object) -> str:
            go.wait()
            gone.set()
            return "late"

        with pytest.raises(SummaryError):
            reduce(messages("uaua"), slow, 1, timeout=0.01)
        threads = [each for each in threading.enumerate() if each.name == "summariser"]
        go.set()
        for each in threads:
            each.join()
        assert gone.is_set()
