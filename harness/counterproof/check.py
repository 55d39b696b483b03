"""What a check raises, and how one is run: as a Hypothesis property with settings of its own.

Nothing of a global Hypothesis profile, of an environment variable or of a stored example has any
effect: every setting is explicit, and the seed comes from the check and the run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from counterproof.trace import Trace


class Violation(AssertionError):  # noqa: N818  # a finding about an engine, not an error of ours
    """The clause does not hold for the engine.

    Args:
        message: what is wrong, as a reader of the certificate sees it.
        trace: the trace that shows it; without one, the last trace asked for.
        mark: what offends in that trace: JSON pointers into it, or excerpts of its texts.
    """

    def __init__(self, message: str, trace: Trace | None = None, mark: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.trace = trace
        self.mark = tuple(mark)


class DidNotAnswer(Violation):
    """The engine failed on an ask whose default succeeds: the implicit clause ``answers``."""


class CannotJudge(Exception):  # noqa: N818  # a statement, as Violation is
    """The check lacks what it needs to judge; an ERROR, never a verdict on the engine."""


def require(
    holds: object, message: str, trace: Trace | None = None, mark: Sequence[str] = ()
) -> None:
    """State what a clause requires.

    Args:
        holds: what must be true.
        message: what is wrong where it is not, as a reader of the certificate sees it.
        trace: the trace that shows it; without one, the last trace asked for.
        mark: what offends in that trace: JSON pointers into it, or excerpts of its texts.

    Raises:
        Violation: ``holds`` is false.
    """
    if not holds:
        raise Violation(message, trace, mark)


@dataclass(frozen=True)
class Found:
    """A violation, and the example it was found with.

    Args:
        example: the value drawn, shrunk where it was generated.
        violation: what was raised.
    """

    example: Any
    violation: Violation


def falsify(
    predicate: Callable[[Any], None],
    strategy: st.SearchStrategy[Any] | None,
    *,
    key: str,
    run_seed: int,
    examples: int,
    explicit: Sequence[Any] = (),
    sample: Sequence[Any] | None = None,
    shrink: bool = True,
) -> Found | None:
    """Look for an example that violates a predicate.

    Explicit examples run first, one by one, outside Hypothesis, which would never shrink them and
    prints each: where one fails and ``shrink`` is asked for, generation runs, and the smaller
    counterexample is reported.

    Args:
        predicate: raises :class:`Violation` for an example that violates it.
        strategy: what examples are drawn from; None where the explicit ones are all.
        key: the item's id; with ``run_seed`` it decides what is drawn.
        run_seed: the run's seed.
        examples: how many are drawn.
        explicit: examples that run before any is drawn.
        sample: what :func:`drawn` gave for the same strategy, key and seed: run in place of
            drawing it anew, so that many predicates can share it. Drawing finds the same again
            where one fails, and shrinks it.
        shrink: whether to look for a smaller counterexample (engine items; not counterproofs).

    Returns:
        What was found, or None.

    Raises:
        Exception: whatever else the predicate raises; a crash is never a violation.
    """
    found = _first_of(predicate, explicit)
    if sample is not None and found is None:
        found = _first_of(predicate, sample)
        if found is None:
            return None
    if strategy is None or not examples or (found is not None and not shrink):
        return found
    # Explicit examples are never shrunk: where one fails, a smaller one is looked for.
    return _run(predicate, strategy, key, run_seed, examples, shrink=shrink) or found


def drawn(strategy: st.SearchStrategy[Any], *, key: str, run_seed: int, examples: int) -> list[Any]:
    """The examples that :func:`falsify` draws for a predicate that none of them violates.

    Args:
        strategy: what they are drawn from.
        key: with ``run_seed``, what decides which.
        run_seed: the run's seed.
        examples: how many.
    """
    found: list[Any] = []
    _run(found.append, strategy, key, run_seed, examples, shrink=False)
    return found


def _first_of(predicate: Callable[[Any], None], explicit: Sequence[Any]) -> Found | None:
    for each in explicit:
        try:
            predicate(each)
        except Violation as violation:
            return Found(each, violation)
    return None


def _run(
    predicate: Callable[[Any], None],
    strategy: st.SearchStrategy[Any],
    key: str,
    run_seed: int,
    examples: int,
    *,
    shrink: bool,
) -> Found | None:
    last: Found | None = None

    def check(drawn: Any) -> None:
        nonlocal last
        try:
            predicate(drawn)
        except Violation as violation:
            last = Found(drawn, violation)
            raise

    test = given(drawn=strategy)(check)
    test = settings(
        max_examples=examples,
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        derandomize=False,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )(test)
    digest = hashlib.sha256(f"{run_seed}/{key}".encode()).digest()
    try:
        seed(int.from_bytes(digest[:8], "big"))(test)()
    except Violation:
        return last
    except BaseExceptionGroup as group:
        # Hypothesis's report of a flaky example: violations alone count as one.
        if group.split(Violation)[1] is not None or last is None:
            raise
        return last
    return None
