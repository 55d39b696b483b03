"""Truncation and token budget: what stays, what goes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from counterproof_reference.chat_history import (
    ByteCounter,
    Call,
    ChatHistory,
    Image,
    Message,
    Result,
    TiktokenCounter,
    TokenBudget,
    Truncation,
)
from counterproof_reference.chat_history.messages import INSTRUCTING
from counterproof_reference.chat_history.pairing import OpenCalls
from counterproof_reference.chat_history.tokens import OVERHEAD
from reference_engine.chat_compact import UNHURRIED, code_of, codes, history, messages

TARGETS = st.integers(1, 8)


class OneEach:
    """Counts every message as one token."""

    def count(self, message: Message) -> int:
        """One."""
        return 1


def reduced(code: str, target: int, threshold: int = 0) -> str | None:
    """The code of what truncation leaves; None where it says that nothing is to be done."""
    left = Truncation(target, threshold).reduce(messages(code))
    return None if left is None else code_of(left)


def counting(given: Sequence[Message]) -> int:
    """How many messages count."""
    return sum(each.role not in INSTRUCTING for each in given)


def newest_question(given: Sequence[Message]) -> Message | None:
    """The newest user message that is no summary."""
    return next((m for m in reversed(given) if m.role == "user" and not m.summary), None)


def places(left: Sequence[Message], given: Sequence[Message]) -> list[int]:
    """Where what is left stood; fails where something was altered or the order was."""
    at = {each.uid: place for place, each in enumerate(given)}
    found = [at[each.uid] for each in left]
    assert found == sorted(found)
    assert list(left) == [given[place] for place in found]
    return found


class TestTruncation:
    @pytest.mark.parametrize(
        ("code", "target", "left"),
        [
            ("uaua", 2, "ua"),
            ("suaua", 2, "sua"),
            ("suadua", 2, "sdua"),
            ("uasuad", 1, "sud"),
            ("ssua", 1, "ssu"),
            ("ua", 1, "u"),
            ("uaaa", 2, "ua"),
            ("u1r1a", 1, "u"),
            ("u1r1a", 2, "ua"),
            ("u1r1a", 3, "ua"),
            ("ua(12)r1r2ua", 4, "ua"),
            ("ua(12)r1r2ua", 5, "(12)r1r2ua"),
            ("ua(12)(r1r2)a", 3, "ua"),
            ("12r1r2ua", 5, "ua"),
            ("1ar1ua", 4, "ua"),
            ("1ur1a", 2, "ua"),
            ("1sur1a", 3, "sua"),
            ("a1r1", 1, "1r1"),
            ("aas", 1, "as"),
            ("a1r1s", 1, "1r1s"),
            ("u1r12r23r3", 3, "u3r3"),
            ("1r11r1u", 3, "1r1u"),
            ("aa1", 1, "1"),
            ("1auaua", 2, "1u"),
            ("(12)ar1aua", 3, "(12)r1u"),
            ("(12)aar1u", 4, "(12)ar1u"),
            ("(12)r13(r2r3)ua", 2, "ua"),
            ("(12)3a(r1r3)au", 2, "(12)3(r1r3)u"),
            ("SuSua", 2, "ua"),
        ],
    )
    def test_what_is_left(self, code: str, target: int, left: str) -> None:
        assert reduced(code, target) == left

    @pytest.mark.parametrize(("target", "threshold"), [(3, 0), (2, 1), (1, 2)])
    def test_nothing_happens_up_to_the_trigger(self, target: int, threshold: int) -> None:
        """RED-2: a message more, and it does; instructions do not count."""
        assert reduced("suasu", target, threshold) is None
        assert reduced("suasua", target, threshold) is not None

    @UNHURRIED
    @given(codes(summaries=True), TARGETS, st.integers(0, 3))
    def test_the_promises(self, code: str, target: int, threshold: int) -> None:
        given = messages(code)
        left = Truncation(target, threshold).reduce(given)
        if counting(given) <= target + threshold:
            assert left is None  # RED-2
            return
        if left is None:
            # Only what is never removed is there.
            left = given
            assert OpenCalls(given).calls() or not newest_question(given)
        stays = places(left, given)
        goes = sorted(set(range(len(given))) - set(stays))
        assert all(given[at].role not in INSTRUCTING for at in goes)  # RED-1
        question = newest_question(given)
        assert question is None or question in left  # RED-6
        assert not counting(given) or counting(left)
        ChatHistory(left)  # RED-5: no result without its call …
        before, after = OpenCalls(given).calls(), OpenCalls(left).calls()
        assert before == after  # … no call without its result, none taken that may yet have one
        if not before and question:
            assert counting(left) <= target  # RED-3
            others = [at for at in stays if counting([given[at]]) and given[at] is not question]
            assert not goes or not others or others[0] > goes[-1]  # RED-4

    @UNHURRIED
    @given(codes(), TARGETS)
    def test_as_much_is_left_as_may_be(self, code: str, target: int) -> None:
        """No later place to cut would have kept more within the target."""
        given = messages(code)
        question = newest_question(given)
        assume(question and not OpenCalls(given).calls())
        left = Truncation(target).reduce(given)
        if left is None:
            return
        sizes = []
        for start in range(len(given) + 1):
            if not OpenCalls(given[:start]).calls():
                always = [m for m in given[:start] if m is question or m.role in INSTRUCTING]
                sizes.append(counting(always + given[start:]))
        assert counting(left) == max(size for size in sizes if size <= target)

    @UNHURRIED
    @given(codes(summaries=True), TARGETS, st.integers(0, 3))
    def test_reducing_again_changes_nothing(self, code: str, target: int, threshold: int) -> None:
        """RED-11."""
        left = Truncation(target, threshold).reduce(messages(code))
        assert left is None or Truncation(target, threshold).reduce(left) is None

    @UNHURRIED
    @given(codes(), TARGETS)
    def test_the_callers_list_is_left_alone(self, code: str, target: int) -> None:
        """RED-15."""
        given = messages(code)
        before = list(given)
        Truncation(target).reduce(given)
        assert given == before

    @UNHURRIED
    @given(st.integers(3, 40), st.integers(3, 12))
    def test_a_long_run_of_calls_is_bounded(self, rounds: int, target: int) -> None:
        """RED-12: rounds go whole, oldest first, and the question they serve stays."""
        code = "su" + "1r1" * rounds
        left = Truncation(target).reduce(messages(code)) or messages(code)
        whole = min(rounds, (target - 1) // 2)
        assert code_of(left) == "su" + "1r1" * whole

    @pytest.mark.parametrize("bad", [0, -1, 1.5, True, None, "3"])
    def test_limits_that_mean_nothing_are_refused(self, bad: object) -> None:
        with pytest.raises(ValueError, match="target is"):
            Truncation(bad)  # type: ignore[arg-type]  # refused
        if bad != 0:
            with pytest.raises(ValueError, match="threshold is"):
                TokenBudget(1, bad)  # type: ignore[arg-type]  # refused


class TestTokenBudget:
    @UNHURRIED
    @given(codes(), st.integers(1, 60), st.integers(0, 10))
    def test_it_stays_within_the_budget(self, code: str, budget: int, threshold: int) -> None:
        """RED-9: wherever instructions and the newest question fit."""
        given = messages(code)
        counter = ByteCounter()
        reducer = TokenBudget(budget, threshold, counter)
        left = reducer.reduce(given)
        total = sum(counter.count(each) for each in given)
        if total <= budget + threshold:
            assert left is None
            return
        question = newest_question(given)
        must = [m for m in given if m.role in INSTRUCTING or m is question]
        assume(question and not OpenCalls(given).calls())
        if sum(counter.count(each) for each in must) <= budget:
            assert left is not None
            assert sum(counter.count(each) for each in left) <= budget
        else:
            assert (left or given) == must
        places(left or given, given)

    def test_the_budget_is_used_to_the_last_token(self) -> None:
        """Over by one, and the oldest goes."""
        given = messages("suaua")
        total = sum(ByteCounter().count(each) for each in given)
        assert TokenBudget(total).reduce(given) is None
        left = TokenBudget(total - 1).reduce(given)
        assert left is not None
        assert code_of(left) == "saua"

    def test_instructions_count(self) -> None:
        left = TokenBudget(3, counter=OneEach()).reduce(messages("ssuaua"))
        assert left is not None
        assert code_of(left) == "ssu"

    def test_equal_budgets_are_equal(self) -> None:
        assert TokenBudget(5) == TokenBudget(5) != TokenBudget(6)


class TestCounters:
    def test_the_estimate_is_four_bytes_a_token(self) -> None:
        assert ByteCounter().count(Message("user", "")) == OVERHEAD + 1
        assert ByteCounter().count(Message("user", "x" * 4)) == OVERHEAD + 2
        assert ByteCounter().count(Message("user", "香港")) == OVERHEAD + 3
        assert ByteCounter().count(Message("user", "\ud800")) == OVERHEAD + 2

    @pytest.mark.parametrize(
        "more",
        [
            Message("user", "hello and more"),
            Message("user", "hello", name="Ema Vargova"),
            Message("user", [*Message("user", "hello").parts, Image("http://x")]),
            Message("assistant", [*Message("user", "hello").parts, Call("1", "f")]),
            Message("tool", Result("1", {"hello": ["everything", "counts"]})),
        ],
    )
    def test_whatever_is_sent_counts(self, more: Message) -> None:
        assert ByteCounter().count(more) > ByteCounter().count(Message("user", "hello"))

    def test_metadata_does_not_count(self) -> None:
        with_metadata = Message("user", "hello", metadata={"long": "x" * 100})
        assert ByteCounter().count(with_metadata) == ByteCounter().count(Message("user", "hello"))

    def test_a_tiktoken_encoding_counts(self) -> None:
        """One of bytes alone, so that nothing is fetched; a special token in a text is a text."""
        tiktoken = pytest.importorskip("tiktoken")
        encoding = tiktoken.Encoding(
            "bytes",
            pat_str=r"\S+|\s+",
            mergeable_ranks={bytes([each]): each for each in range(256)},
            special_tokens={"<|endoftext|>": 256},
        )
        counter = TiktokenCounter(encoding)
        assert counter.count(Message("user", "hi")) == OVERHEAD + len("user") + 2
        assert counter.count(Message("user", "<|endoftext|>")) == OVERHEAD + len("user") + 13
        given = messages("uaua")
        left = TokenBudget(2 * (OVERHEAD + len("assistant") + 2), counter=counter).reduce(given)
        assert left is not None
        assert code_of(left) == "ua"

    def test_an_unknown_encoding_is_refused(self) -> None:
        pytest.importorskip("tiktoken")
        with pytest.raises(ValueError, match="no-such-encoding"):
            TiktokenCounter.named("no-such-encoding")


@UNHURRIED
@given(codes(), TARGETS)
def test_what_is_left_is_a_history(code: str, target: int) -> None:
    """RED-13: what was removed is in no form of it."""
    chat = history(code)
    left = Truncation(target).reduce(chat.messages)
    if left is None:
        return
    gone = {m.uid for m in chat} - {m.uid for m in left}
    texts = {m.content for m in chat if m.uid in gone and m.content}
    chat.replace(left)
    if not chat.open_calls:
        assert not texts & {each["content"] for each in chat.provider_request()}
    assert not any(uid in chat.save() for uid in gone)
    assert not texts & {each.content for each in ChatHistory.parse_prompt(chat.render_prompt())}
