"""What a run found of one requirement, and the evidence for it."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator

from counterproof.certificate.values import Amount, Frozen, Json, Text


class Verdict(StrEnum):
    """What a run found of one requirement or one check."""

    PASS = "PASS"  # noqa: S105  # a verdict, not a password
    FAIL = "FAIL"
    VACUOUS = "VACUOUS"
    NOT_OBSERVABLE = "NOT_OBSERVABLE"
    NOT_APPLICABLE = "NOT_APPLICABLE"
    KNOWN = "KNOWN"
    ERROR = "ERROR"


class Level(StrEnum):
    """A level of conformance; each includes those before it."""

    CORE = "core"
    STRICT = "strict"
    HARDENING = "hardening"

    def includes(self, other: Level) -> bool:
        """Whether a requirement of level ``other`` stands at or below this level."""
        order = list(Level)
        return order.index(other) <= order.index(self)


_NEEDS_A_REASON = frozenset(Verdict) - {Verdict.PASS, Verdict.FAIL}


class CheckResult(Frozen):
    """What one check found on the engine.

    Args:
        id: the check's id, such as ``RET-1/only_the_question_is_retrieved_for``.
        outcome: what it found.
        examples: how many examples it ran.
        asks: how many asks they made.
        reason: why, where the outcome is not PASS; None elsewhere.
        behaviour: what the scripted model did; None where the check did not run.
    """

    id: Text
    outcome: Verdict
    examples: Amount
    asks: Amount
    reason: Text | None = None
    behaviour: Text | None = None


class Known(Frozen):
    """An entry of the vendor's known failures that knows of a failure of the run.

    Args:
        check: the name of the check it is pinned to.
        behaviour: the behaviour of the model it is pinned to.
        message: the message it is pinned to.
        reason: why the vendor accepts the failure for now.
        link: where it is tracked.
        expires: the last day on which it is accepted.
    """

    check: Text
    behaviour: Text
    message: Text
    reason: Text
    link: Text
    expires: date


class CounterproofResult(Frozen):
    """What one check found on the engine sabotaged in one way.

    Args:
        sabotage: the sabotage's name.
        check: id of the check it must trip.
        landed: whether the sabotage changed anything.
        caught: whether the check failed for it, as it must.
        forged: whether it only edited the answer or a description, not what the engine did.
        message: what the check said, or what went wrong.
        inapplicable: why the sabotage could not land on this engine, or None.
    """

    sabotage: Text
    check: Text
    landed: bool
    caught: bool
    forged: bool = False
    message: Text | None = None
    inapplicable: Text | None = None

    @model_validator(mode="after")
    def _lands_before_it_is_caught(self) -> CounterproofResult:
        if self.caught and not self.landed:
            raise ValueError("a sabotage that did not land cannot have been caught")
        if self.landed and self.inapplicable is not None:
            raise ValueError("a sabotage that landed is not inapplicable")
        return self


class Counterexample(Frozen):
    """The smallest ask found on which the engine violates a requirement.

    Args:
        check: id of the check that found it.
        probe: id of the probe asked.
        question: the question asked.
        history: the turns before it, ``[role, text]`` where well-formed; None where there are none.
        history_kind: the kind of object they were given as.
        behaviour: what the scripted model did.
        trace: what was observed: ``crossings`` in order, then ``answer`` or ``failure``.
        mark: what offends in the trace: JSON pointers into it (``/crossings/0/query``), or
            excerpts of its texts.
        message: what the check said.
        reproduce: one command that finds it again.
    """

    check: Text
    probe: Text
    question: Text
    history: tuple[Json, ...] | None = None
    history_kind: Literal["omitted", "none", "list", "tuple", "sequence", "raw"]
    behaviour: Text
    trace: Json
    mark: tuple[Text, ...] = ()
    message: Text
    reproduce: Text


class Requirement(Frozen):
    """The verdict on one requirement, and its evidence.

    Args:
        id: its stable id, such as ``RET-1``.
        version: its version.
        level: the level it belongs to.
        source: the document it comes from.
        title: a few words.
        sentence: what must hold.
        seams: where the kit must be able to watch to check it, besides the answer.
        verdict: what was found.
        reason: why, in a sentence; needed wherever the verdict is neither PASS nor FAIL.
        checks: what each of its checks found.
        counterproofs: what those checks found on the sabotaged engine.
        counterexample: for a failure, known or not, the smallest ask that shows it.
        known: the entries of the vendor's known failures that know of its failures.
    """

    id: Text
    version: Annotated[int, Field(ge=1)]
    level: Level
    source: Text
    title: Text
    sentence: Text
    seams: tuple[Text, ...] = ()
    verdict: Verdict
    reason: Text | None = None
    checks: tuple[CheckResult, ...] = ()
    counterproofs: tuple[CounterproofResult, ...] = ()
    counterexample: Counterexample | None = None
    known: tuple[Known, ...] = ()

    @model_validator(mode="after")
    def _has_its_evidence(self) -> Requirement:
        if self.verdict in _NEEDS_A_REASON and not self.reason:
            raise ValueError(f"{self.id}: {self.verdict.value} without a reason")
        if self.verdict is Verdict.FAIL and not (self.reason or self.counterexample):
            raise ValueError(f"{self.id}: FAIL with neither counterexample nor reason")
        if self.verdict is Verdict.KNOWN:
            self._excused()
        if self.verdict is Verdict.PASS:
            self._proven()
        return self

    def _excused(self) -> None:
        """A KNOWN stands on entries that know of every failure."""
        if not self.known:
            raise ValueError(f"{self.id}: KNOWN without an entry of the known failures")
        for check in self.checks:
            if check.outcome in (Verdict.FAIL, Verdict.ERROR):
                raise ValueError(f"{self.id}: KNOWN, but {check.id} is {check.outcome.value}")

    def _proven(self) -> None:
        """A PASS stands on passing checks, each of which failed when it had to."""
        passing = [each for each in self.checks if each.outcome is Verdict.PASS]
        if not passing:
            raise ValueError(f"{self.id}: PASS without a check that passed")
        for check in self.checks:
            if check.outcome not in (Verdict.PASS, Verdict.NOT_OBSERVABLE, Verdict.NOT_APPLICABLE):
                raise ValueError(f"{self.id}: PASS, but {check.id} is {check.outcome.value}")
        for check in passing:
            mine = [each for each in self.counterproofs if _bare(each.check) == _bare(check.id)]
            if not any(each.caught for each in mine):
                raise ValueError(f"{self.id}: PASS, but no counterproof of {check.id} was caught")
        for each in self.counterproofs:
            if each.landed and not each.caught:
                raise ValueError(f"{self.id}: PASS, but {each.sabotage} landed and was not caught")


def _bare(check: str) -> str:
    """A check's id without the probe or sabotage in brackets."""
    return check.partition("[")[0]
