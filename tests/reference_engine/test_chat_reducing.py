"""A history that reduces itself, while others use it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterproof_reference.chat_history import (
    ByteCounter,
    ChatHistory,
    Message,
    PairingError,
    Reducer,
    ReducingHistory,
    Summarisation,
    SummaryError,
    TokenBudget,
    Truncation,
    Turn,
)
from reference_engine.chat_compact import UNHURRIED, code_of, codes, messages
from reference_engine.test_chat_reducers import TARGETS
from reference_engine.test_chat_summarisation import Echo


def joined(turns: Sequence[Turn]) -> str:
    """A summary: all that was said."""
    return " ".join(turn.text for turn in turns)


class Gate:
    """A summariser that waits to be let on, and can be asked to do something first."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.go = asyncio.Event()
        self.asked = 0

    async def __call__(self, turns: Sequence[Turn], /) -> str:
        """All that was said, once let on."""
        self.asked += 1
        self.started.set()
        await self.go.wait()
        return joined(turns)


REDUCERS = st.one_of(
    st.builds(Truncation, TARGETS, st.integers(0, 2)),
    st.builds(TokenBudget, st.integers(10, 60), st.integers(0, 10)),
    st.builds(
        lambda target, slack: Summarisation(joined, target, slack), TARGETS, st.integers(0, 2)
    ),
)


def meanwhile(code: str, act: Callable[[ReducingHistory], object]) -> tuple[ReducingHistory, Gate]:
    """Have a history summarised to one message, and act before the summary is there."""
    gate = Gate()
    chat = ReducingHistory(Summarisation(gate, 1), messages(code))

    async def run() -> None:
        reduction = asyncio.create_task(chat.reduce())
        await gate.started.wait()
        act(chat)
        gate.go.set()
        await reduction

    asyncio.run(run())
    return chat, gate


class TestReducing:
    def test_it_is_a_history_that_is_reduced_in_place(self) -> None:
        """RED-16, and the page's own use: whether anything happened is told."""
        chat = ReducingHistory(Truncation(2), messages("uaua"), system_message="s")
        assert isinstance(chat, ChatHistory)
        left = asyncio.run(chat.reduce())
        assert left == chat.messages
        assert code_of(chat) == "sua"
        assert asyncio.run(chat.reduce()) is None

    @UNHURRIED
    @given(codes(), REDUCERS)
    def test_adding_reduces_as_one_would_by_hand(self, code: str, reducer: Reducer) -> None:
        """RED-10."""
        given = messages(code)
        automatic = ReducingHistory(reducer, auto_reduce=True)
        manual, never = ReducingHistory(reducer), ReducingHistory(reducer)

        async def run() -> None:
            for message in given:
                assert await automatic.add_message_async(message) is message
                await never.add_message_async(message)
                manual.add_message(message)
                await manual.reduce()

        asyncio.run(run())
        assert automatic.messages == manual.messages
        assert never.messages == given

    def test_discarded_messages_are_gone(self) -> None:
        """RED-13: from view, save, request, prompt and the rest of the object."""
        chat = ReducingHistory(Truncation(1), [Message("user", "canary"), Message("user", "x")])
        asyncio.run(chat.reduce())
        for form in (chat.save(), chat.render_prompt(), chat.provider_request(), vars(chat)):
            assert "canary" not in str(form)

    def test_equality_is_of_messages_and_reducers(self) -> None:
        """RED-15."""
        chat = ReducingHistory(Truncation(2), messages("ua"))
        assert chat == ReducingHistory(Truncation(2), messages("ua"))
        assert chat != ReducingHistory(Truncation(2), messages("uu"))
        assert chat != ReducingHistory(Truncation(3), messages("ua"))
        assert chat != ChatHistory(messages("ua"))
        with pytest.raises(TypeError, match="unhashable"):
            hash(chat)

    def test_a_reducer_of_ones_own(self) -> None:
        class Last:
            def reduce(self, given: Sequence[Message]) -> list[Message] | None:
                return list(given[-1:]) if len(given) > 1 else None

        chat = ReducingHistory(Last(), messages("uau"))
        asyncio.run(chat.reduce())
        assert code_of(chat) == "u"

    def test_a_reducer_that_parts_a_call_and_its_result_is_refused(self) -> None:
        class Wrong:
            def reduce(self, given: Sequence[Message]) -> list[Message]:
                return list(given[1:])

        chat = ReducingHistory(Wrong(), messages("1r1u"))
        with pytest.raises(PairingError):
            asyncio.run(chat.reduce())
        assert code_of(chat) == "1r1u"

    def test_a_failing_summariser_loses_nothing(self) -> None:
        """RED-8: the message that was being added is there too."""
        chat = ReducingHistory(Summarisation(lambda _: "", 1), messages("ua"), auto_reduce=True)
        with pytest.raises(SummaryError):
            asyncio.run(chat.add_message_async(Message("user", "new")))
        assert code_of(chat) == "uau"

    def test_a_cancelled_reduction_loses_nothing(self) -> None:
        """And does not stand in the way of the next one."""
        gate = Gate()
        chat = ReducingHistory(Summarisation(gate, 1), messages("uaua"))

        async def run() -> None:
            reduction = asyncio.create_task(chat.reduce())
            await gate.started.wait()
            reduction.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reduction
            assert code_of(chat) == "uaua"
            gate.go.set()
            await chat.reduce()

        asyncio.run(run())
        assert code_of(chat) == "Su"


class TestMeanwhile:
    """RED-14: the history is changed while its summary is written."""

    def test_what_is_added_stays(self) -> None:
        late = messages("u1r1")
        chat, gate = meanwhile("uaua", lambda chat: chat.add_messages(late))
        assert code_of(chat) == "Su" + "u1r1"
        assert chat.messages[2:] == late
        assert gate.asked == 1

    def test_what_is_cleared_does_not_come_back(self) -> None:
        chat, gate = meanwhile("suaua", lambda chat: chat.clear())
        assert len(chat) == 0
        assert gate.asked == 1

    def test_what_is_removed_does_not_come_back_in_the_summary(self) -> None:
        """The summary that tells it is dropped, and another one written."""
        chat, gate = meanwhile("uauau", lambda chat: chat.remove(chat[0]))
        assert code_of(chat) == "Su"
        assert chat[0].content == "a1 u2 a3"
        assert gate.asked == 2

    def test_a_survivor_that_is_removed_does_not_come_back(self) -> None:
        chat, gate = meanwhile("uau", lambda chat: chat.remove(chat[-1]))
        assert code_of(chat) == "S"
        assert gate.asked == 1

    def test_what_is_put_in_place_of_a_message_is_not_lost(self) -> None:
        def replace(chat: ReducingHistory) -> None:
            first, *rest = chat
            chat.replace([Message("user", "corrected", uid=first.uid), *rest])

        chat, _ = meanwhile("uau", replace)
        assert chat[0].content == "corrected a1"

    def test_results_that_arrive_late_find_their_call(self) -> None:
        chat, _ = meanwhile("ua1au", lambda chat: chat.add_message(messages("1r1")[1]))
        assert code_of(chat) == "S1ur1"
        assert chat.open_calls == ()


class TestTogether:
    def test_tasks_lose_nothing(self) -> None:
        """Every text is told, by a message or in the one summary, exactly once."""

        async def summarise(turns: Sequence[Turn]) -> str:
            await asyncio.sleep(0)
            return joined(turns)

        chat = ReducingHistory(Summarisation(summarise, 3), auto_reduce=True)
        texts = [f"<{each}>" for each in range(60)]

        async def run() -> None:
            await asyncio.gather(*(chat.add_message_async(Message("user", t)) for t in texts))

        asyncio.run(run())
        told = joined([Turn(m.role, None, m.content, m.summary) for m in chat])
        assert sorted(told.split()) == sorted(texts)
        assert code_of(chat) == "Suuu"

    def test_threads_with_loops_of_their_own_lose_nothing(self) -> None:
        chat = ReducingHistory(Summarisation(joined, 3), auto_reduce=True)
        start = threading.Barrier(3)

        async def add(worker: int) -> None:
            for turn in range(20):
                await chat.add_message_async(Message("user", f"<{worker}.{turn}>"))

        def work(worker: int) -> None:
            start.wait()
            asyncio.run(add(worker))

        threads = [threading.Thread(target=work, args=(each,)) for each in range(3)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        told = joined([Turn(m.role, None, m.content, m.summary) for m in chat]).split()
        assert sorted(told) == sorted(f"<{w}.{t}>" for w in range(3) for t in range(20))
        assert code_of(chat) == "Suuu"

    def test_one_reduction_runs_at_a_time(self) -> None:
        """Two that are asked for at once ask the model once; the second finds nothing to do."""
        gate = Gate()
        chat = ReducingHistory(Summarisation(gate, 1), messages("uaua"))

        async def run() -> None:
            first, second = (asyncio.create_task(chat.reduce()) for _ in range(2))
            await gate.started.wait()
            gate.go.set()
            assert await first is not None
            assert await second is None

        asyncio.run(run())
        assert gate.asked == 1

    def test_who_stops_waiting_does_not_stop_the_others(self) -> None:
        gate = Gate()
        chat = ReducingHistory(Summarisation(gate, 1), messages("uaua"))

        async def run() -> None:
            first, waiting = (asyncio.create_task(chat.reduce()) for _ in range(2))
            await gate.started.wait()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            gate.go.set()
            assert await first is not None

        asyncio.run(run())
        assert code_of(chat) == "Su"

    @pytest.mark.parametrize("asynchronous", [True, False])
    def test_a_summariser_that_adds_does_not_wait_for_itself(self, asynchronous: bool) -> None:
        chat = ReducingHistory(Truncation(1), messages("uaua"), auto_reduce=True)

        async def add(turns: Sequence[Turn]) -> str:
            await chat.add_message_async(Message("user", "meanwhile"))
            return joined(turns)

        def add_in_thread(turns: Sequence[Turn]) -> Awaitable[str]:
            return add(turns)

        chat.reducer = Summarisation(add if asynchronous else add_in_thread, 1, timeout=None)
        asyncio.run(chat.reduce())
        assert [each.content for each in chat][-1] == "meanwhile"
        assert code_of(chat) == "Suu"


def test_the_budget_holds_with_every_addition() -> None:
    chat = ReducingHistory(TokenBudget(40), auto_reduce=True)

    async def run() -> None:
        for at in range(30):
            await chat.add_message_async(Message("user", f"message {at}"))
            assert sum(ByteCounter().count(each) for each in chat) <= 40

    asyncio.run(run())
    assert chat[-1].content == "message 29"


def test_an_echo_is_shown_what_goes() -> None:
    echo = Echo()
    chat = ReducingHistory(Summarisation(echo, 2), messages("uaua"))
    asyncio.run(chat.reduce())
    assert [turn.text for turn in echo.shown[0]] == ["u0", "a1"]
