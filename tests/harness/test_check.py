"""How a check is run: explicit examples first, then drawn ones, deterministically."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

from counterproof import check as checking
from counterproof.check import Violation, falsify, require

NUMBERS = st.integers(0, 10_000)


def small(value: int) -> None:
    """Holds below 100."""
    require(value < 100, f"{value} is not small")


def drawn(run_seed: int, key: str = "k") -> list[int]:
    """What one run draws."""
    seen: list[int] = []
    assert falsify(seen.append, NUMBERS, key=key, run_seed=run_seed, examples=30) is None
    return seen


def test_what_holds_is_not_falsified() -> None:
    """Nothing is found where nothing is wrong, and the explicit example ran."""
    seen: list[Any] = []
    options: Any = {"key": "k", "run_seed": 0, "examples": 20}
    assert falsify(seen.append, NUMBERS, explicit=[-7], **options) is None
    assert seen[0] == -7
    assert len(seen) > 10


def test_a_violation_is_shrunk() -> None:
    """The counterexample reported is the smallest."""
    found = falsify(small, NUMBERS, key="k", run_seed=0, examples=200)
    assert found is not None
    assert found.example == 100
    assert str(found.violation) == "100 is not small"


def test_a_failing_explicit_example_gives_way_to_a_smaller_one() -> None:
    """Explicit examples are not shrunk; generation finds the smaller counterexample."""
    found = falsify(small, NUMBERS, key="k", run_seed=0, examples=200, explicit=[9999])
    assert found is not None
    assert found.example == 100


def test_an_explicit_example_that_only_fails_is_reported() -> None:
    """Where generation finds nothing, the explicit example stands."""
    found = falsify(small, st.just(1), key="k", run_seed=0, examples=20, explicit=[9999])
    assert found is not None
    assert found.example == 9999


def test_a_counterproof_stops_at_its_witness() -> None:
    """Without shrinking the witness alone is run."""
    seen: list[int] = []

    def predicate(value: int) -> None:
        seen.append(value)
        small(value)

    found = falsify(
        predicate, NUMBERS, key="k", run_seed=0, examples=200, explicit=[9999], shrink=False
    )
    assert found is not None
    assert set(seen) == {9999}


def test_a_crash_is_no_violation() -> None:
    """Any exception but a violation comes through as it is."""

    def crash(value: int) -> None:
        raise KeyError(value)

    with pytest.raises(KeyError):
        falsify(crash, NUMBERS, key="k", run_seed=0, examples=5)


def test_the_seed_and_the_key_decide_what_is_drawn() -> None:
    """The same run draws the same examples; another seed or another item draws others."""
    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert drawn(1) != drawn(1, "other")


def test_a_predicate_that_violates_once_counts_once() -> None:
    """Hypothesis's flaky report holds a violation alone: it is one."""
    calls = iter([True])

    def once(value: int) -> None:
        require(not next(calls, False), "the first time only")

    found = falsify(once, NUMBERS, key="k", run_seed=0, examples=20)
    assert found is not None
    assert isinstance(found.violation, Violation)


class TestShared:
    """Examples drawn once for many predicates."""

    STRATEGY = st.lists(st.integers())

    def sample(self, key: str = "k", run_seed: int = 0) -> list[list[int]]:
        return checking.drawn(self.STRATEGY, key=key, run_seed=run_seed, examples=20)

    def test_they_are_those_that_a_predicate_would_be_given(self) -> None:
        """By the same key and seed, in the same order; by another, others."""
        seen: list[list[int]] = []
        falsify(seen.append, self.STRATEGY, key="k", run_seed=0, examples=20)
        assert seen == self.sample() == self.sample()
        assert len(seen) == 20
        assert self.sample("another") != seen
        assert self.sample(run_seed=1) != seen

    def test_a_predicate_that_holds_is_given_them_and_nothing_else(self) -> None:
        """Nothing is drawn anew, and fewer may be given."""
        sample = self.sample()[:7]
        seen: list[list[int]] = []
        given = {"key": "k", "run_seed": 0, "examples": 20, "explicit": ([1],)}
        assert falsify(seen.append, self.STRATEGY, sample=sample, **given) is None  # type: ignore[arg-type]  # each by its name
        assert seen == [[1], *sample]

    def test_one_that_fails_is_shrunk(self) -> None:
        """Drawing meets the same example again, and makes a smaller one of it."""

        def short(example: list[int]) -> None:
            require(len(example) < 3, "too long")

        sample = self.sample()
        assert any(len(each) > 3 for each in sample)
        found = falsify(short, self.STRATEGY, key="k", run_seed=0, examples=20, sample=sample)
        assert found is not None
        assert found.example == [0, 0, 0]
