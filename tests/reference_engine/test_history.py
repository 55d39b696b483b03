"""History as the model is sent it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterproof_reference.history import HistoryError, _history_messages

TURNS = st.lists(st.tuples(st.text(), st.text()))


class Turns(Sequence[tuple[str, str]]):
    """A sequence that is neither list nor tuple."""

    def __init__(self, turns: list[tuple[str, str]]) -> None:
        self._turns = turns

    @overload
    def __getitem__(self, at: int) -> tuple[str, str]: ...
    @overload
    def __getitem__(self, at: slice) -> list[tuple[str, str]]: ...
    def __getitem__(self, at: int | slice) -> tuple[str, str] | list[tuple[str, str]]:
        return self._turns[at]

    def __len__(self) -> int:
        return len(self._turns)


class TestTurns:
    @pytest.mark.parametrize("history", [None, [], (), Turns([])])
    def test_without_turns_there_are_no_messages(self, history: Any) -> None:
        """Every way to say "no history" is the same."""
        assert _history_messages(history) == []

    @given(TURNS)
    def test_each_turn_is_a_role_and_its_text_untouched(
        self, history: list[tuple[str, str]]
    ) -> None:
        """Nothing is stripped, folded, merged or dropped."""
        assert [
            {"role": "assistant" if role == "assistant" else "user", "content": text}
            for role, text in history
        ] == _history_messages(history)

    @pytest.mark.parametrize(
        "role",
        ["system", "tool", "developer", "ASSISTANT", "assistant ", "", "аssistant", "user\u200b"],
    )
    def test_any_other_role_becomes_user(self, role: str) -> None:
        """Only the exact word stays an assistant's."""
        assert _history_messages([(role, "x")]) == [{"role": "user", "content": "x"}]

    @given(TURNS)
    def test_any_sequence_of_any_pairs_will_do(self, history: list[tuple[str, str]]) -> None:
        """A list, a tuple, a sequence of one's own, and pairs that are lists give the same."""
        expected = _history_messages(history)
        lists: Any = [list(turn) for turn in history]
        for given_as in (tuple(history), Turns(history), lists):
            assert expected == _history_messages(given_as)

    @given(TURNS)
    def test_the_callers_history_is_not_changed(self, history: list[tuple[str, str]]) -> None:
        """It is read, not kept."""
        before = list(history)
        _history_messages(history).append({"role": "user", "content": "more"})
        assert before == history

    def test_a_lying_string_counts_by_its_characters(self) -> None:
        """A subclass of str that equals everything is not an assistant."""

        class Lying(str):
            __slots__ = ()

            def __eq__(self, other: object) -> bool:
                return True

            __hash__ = str.__hash__

            def __str__(self) -> str:
                return "assistant"

        messages = _history_messages([(Lying("system"), Lying("x"))])
        assert messages == [{"role": "user", "content": "x"}]
        assert {str} == {type(value) for value in messages[0].values()}


class TestWrongTurns:
    @pytest.mark.parametrize(
        ("turn", "what"),
        [
            ({"role": "user", "content": "x"}, "dict"),
            (("user", "x", "y"), "3 parts"),
            (("user",), "1 parts"),
            ("ab", "str"),
            (b"ab", "bytes"),
            (None, "None"),
            (7, "int"),
            (("user", None), "text is None"),
            ((1, "x"), "role is of type int"),
            (("user", b"x"), "bytes"),
            ({"user", "x"}, "set"),
        ],
    )
    @pytest.mark.parametrize("at", [0, 1, 60])
    def test_a_turn_that_is_no_pair_of_strings_is_named(
        self, turn: Any, what: str, at: int
    ) -> None:
        """Wherever it stands, the error says which turn it is and what it was."""
        history: list[Any] = [("user", "x")] * 60
        history.insert(at, turn)
        with pytest.raises(HistoryError, match=what) as caught:
            _history_messages(history)
        assert at == caught.value.index
        assert f"turn {at}" in str(caught.value)

    @pytest.mark.parametrize("history", ["ab", b"", 7, {"user": "x"}, {("user", "x")}, iter([])])
    def test_a_history_that_is_no_sequence_is_refused(self, history: Any) -> None:
        """A string is a sequence of characters, which is not what is meant."""
        with pytest.raises(HistoryError, match="not a sequence") as caught:
            _history_messages(history)
        assert caught.value.index is None
