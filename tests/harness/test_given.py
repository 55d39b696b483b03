"""The history object an engine is given, and whether it is still what it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterproof.worker.given import Given, put, state
from counterproof.worker.values import OtherSequence, tagged

TURNS = [["user", "a"], ["assistant", "b"]]


class Equal:
    """Says that it is equal to everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]  # not needed


class Unfriendly:
    """Can be neither compared nor shown."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not today")

    __hash__ = None  # type: ignore[assignment]  # not needed

    def __repr__(self) -> str:
        raise RuntimeError("not today")


def lists() -> Given:
    """A list of lists, each of which can be written to."""
    return Given("raw", tagged([list(each) for each in TURNS]))


CHANGES: dict[str, Callable[[Any], Any]] = {
    "a turn more": lambda given: given.append(("user", "c")),
    "none left": lambda given: given.clear(),
    "another order": lambda given: given.reverse(),
    "a list where there was a tuple": lambda given: given.__setitem__(0, ["user", "a"]),
    "something equal to all": lambda given: given.__setitem__(0, Equal()),
    "something that cannot be compared": lambda given: given.__setitem__(0, Unfriendly()),
}


class TestGiven:
    """One history object."""

    @pytest.mark.parametrize("kind", ["list", "tuple", "sequence", "none"])
    def test_what_nobody_touches_is_kept(self, kind: str) -> None:
        assert Given(kind, [] if kind == "none" else TURNS).kept

    @pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
    def test_whatever_is_changed_in_place_is_seen(self, change: Callable[[Any], Any]) -> None:
        given = Given("list", TURNS)
        change(given.object)
        assert not given.kept
        assert given.left

    def test_a_turn_that_is_a_list_is_looked_into(self) -> None:
        given = lists()
        assert given.kept
        given.object[1][0] = "model"
        assert not given.kept
        assert given.left == "[['user', 'a'], ['model', 'b']]"

    def test_what_is_left_is_told_without_an_address(self) -> None:
        given = Given("list", TURNS)
        given.object[:] = [object()]
        assert given.left == "[<object object>]"

    def test_another_sequence_is_shown_by_what_it_holds(self) -> None:
        assert repr(OtherSequence([("user", "a")])) == "OtherSequence([('user', 'a')])"


class TestPut:
    """An engine is called with history only where there is one."""

    def test_left_out(self) -> None:
        assert Given.of({"kind": "omitted", "turns": []}) is None
        assert put(lambda question, **history: history, "q", None) == {}

    def test_given(self) -> None:
        given = Given.of({"kind": "tuple", "turns": TURNS})
        assert put(lambda question, **history: history, "q", given) == {
            "history": (("user", "a"), ("assistant", "b"))
        }


class TestState:
    """What is told of the caller's objects after an ask."""

    def test_all_is_kept(self) -> None:
        assert state(lists(), lists()) == {
            "history_kept": True,
            "earlier_kept": True,
            "history_left": None,
        }

    def test_the_one_of_the_ask_is_told_apart_from_the_one_before(self) -> None:
        now, before = lists(), lists()
        now.object.clear()
        assert state(now, before) == {
            "history_kept": False,
            "earlier_kept": True,
            "history_left": "[]",
        }
        assert state(None, now) == {
            "history_kept": True,
            "earlier_kept": False,
            "history_left": "[]",
        }
