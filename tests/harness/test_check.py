"""How a check is run: explicit examples first, then drawn ones, deterministically."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

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
