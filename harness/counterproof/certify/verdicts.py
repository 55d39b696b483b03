"""From what each item found to a verdict per requirement, with its evidence."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from counterproof.bench import Result
from counterproof.catalogue import RequirementSpec
from counterproof.certificate import (
    CheckResult,
    Counterexample,
    CounterproofResult,
    Known,
    Requirement,
    Verdict,
)
from counterproof.judge import CounterproofOutcome, EngineResult
from counterproof.known import KnownFailures
from counterproof.plan import CounterproofItem, EngineItem, Plan
from counterproof.suite import Check, Suite
from counterproof.trace import Ask

_DID_NOT_RUN = "it was planned and did not run"
NONE_KNOWN = KnownFailures()
"""Of a run without a file of known failures."""


def verdicts(
    suite: Suite,
    plan: Plan,
    results: Mapping[str, Result],
    command: Sequence[str],
    known: KnownFailures = NONE_KNOWN,
) -> tuple[Requirement, ...]:
    """The verdict on each requirement, in the catalogue's order.

    Args:
        suite: the requirements that were checked.
        plan: what had to run; an item without a result is an ERROR.
        results: by item id, what was found.
        command: the command that runs it all again, without ``--only``.
        known: the failures that the vendor knows of.
    """
    return tuple(
        _requirement(row, suite, plan, results, command, known)
        for row in suite.requirements.values()
    )


def _requirement(
    row: RequirementSpec,
    suite: Suite,
    plan: Plan,
    results: Mapping[str, Result],
    command: Sequence[str],
    known: KnownFailures,
) -> Requirement:
    mine = [each for each in suite.checks if each.requirement == row.id]
    engine = {
        item: _engine_result(results.get(item.id))
        for check in mine
        for item in plan.of_check(check)
        if isinstance(item, EngineItem)
    }
    proofs = {
        item: _outcome(results.get(item.id))
        for check in mine
        for item in plan.of_check(check)
        if isinstance(item, CounterproofItem)
    }
    told = {item: _told(item, found) for item, found in engine.items()}
    excuses = {
        item: found
        for item, each in told.items()
        if each.outcome is Verdict.FAIL
        and (
            found := known.excusing(row.id, item.check.name, str(item.behaviour), each.reason or "")
        )
    }
    checks = [
        each.model_copy(update={"outcome": Verdict.KNOWN}) if item in excuses else each
        for item, each in told.items()
    ]
    for check in mine:
        if (left := plan.left.get(check.id)) is not None:
            outcome = Verdict.NOT_APPLICABLE if left.observable else Verdict.NOT_OBSERVABLE
            checks.append(
                CheckResult(id=check.id, outcome=outcome, examples=0, asks=0, reason=left.reason)
            )
    # A check that fails on the engine itself needs no sabotage to show that it can.
    shown = {item.check for item in excuses}
    verdict, reason = _verdict(
        [each for each in mine if each not in shown],
        checks,
        {item: each for item, each in proofs.items() if item.check not in shown},
    )
    entries = list(dict.fromkeys(each for found in excuses.values() for each in found))
    if entries and verdict not in (Verdict.FAIL, Verdict.ERROR, Verdict.VACUOUS):
        verdict = Verdict.KNOWN
        reason = "; ".join(dict.fromkeys(f"known: {each.reason}" for each in entries))
    failures = [each for each in engine.items() if each[1].outcome is Verdict.FAIL]
    failures.sort(key=lambda each: each[0] in excuses)  # what is new is told before what is known
    return Requirement(
        id=row.id,
        version=row.version,
        level=row.level,
        source=row.source,
        title=row.title,
        sentence=row.sentence,
        seams=tuple(sorted(row.seams)),
        verdict=verdict,
        reason=reason,
        checks=tuple(checks),
        counterproofs=tuple(_counterproof(item, found) for item, found in proofs.items()),
        counterexample=_counterexample(*failures[0], command) if failures else None,
        known=tuple(Known.model_validate(each.model_dump(exclude={"id"})) for each in entries),
    )


def _told(item: EngineItem, found: EngineResult) -> CheckResult:
    return CheckResult(
        id=item.id,
        outcome=found.outcome,
        examples=found.examples,
        asks=found.asks,
        reason=found.reason,
        behaviour=str(item.behaviour),
    )


def _verdict(
    mine: Sequence[Check],
    checks: Sequence[CheckResult],
    proofs: Mapping[CounterproofItem, CounterproofOutcome],
) -> tuple[Verdict, str | None]:
    """The verdict, and its reason; a violation that was seen is not hidden by an error."""
    for outcome in (Verdict.FAIL, Verdict.ERROR):
        found = next((each for each in checks if each.outcome is outcome), None)
        if found is not None:
            return outcome, f"{found.id}: {found.reason}" if outcome is Verdict.ERROR else None
    for item, proof in proofs.items():
        if proof.crashed is not None:
            return Verdict.ERROR, f"under the sabotage {item.id} the run broke: {proof.crashed}"
    if not any(each.outcome is Verdict.PASS for each in checks):
        unseen = [each for each in checks if each.outcome is Verdict.NOT_OBSERVABLE]
        if unseen:
            return Verdict.NOT_OBSERVABLE, unseen[0].reason
        return Verdict.NOT_APPLICABLE, checks[0].reason if checks else "it has no check"
    for item, proof in proofs.items():
        if proof.landed and not proof.caught:
            return Verdict.VACUOUS, f"{item.id}: {proof.message}"
    for check in mine:
        if not any(_of(each, check) and each.outcome is Verdict.PASS for each in checks):
            continue
        own = {item: proof for item, proof in proofs.items() if item.check is check}
        if not any(proof.caught for proof in own.values()):
            return Verdict.VACUOUS, f"{check.id}: nothing could break it here: " + "; ".join(
                f"{item.counterproof.name}: {proof.message}" for item, proof in own.items()
            )
    return Verdict.PASS, None


def _of(result: CheckResult, check: Check) -> bool:
    return result.id.partition("[")[0] == check.id


def _engine_result(found: Result | None) -> EngineResult:
    if isinstance(found, EngineResult):
        return found
    return EngineResult(Verdict.ERROR, _DID_NOT_RUN)


def _outcome(found: Result | None) -> CounterproofOutcome:
    if isinstance(found, CounterproofOutcome):
        return found
    return CounterproofOutcome(False, False, _DID_NOT_RUN, crashed=_DID_NOT_RUN)


def _counterproof(item: CounterproofItem, found: CounterproofOutcome) -> CounterproofResult:
    said = found.crashed or found.message
    return CounterproofResult(
        sabotage=item.counterproof.name,
        check=item.check.id,
        landed=found.landed,
        caught=found.caught,
        forged=item.counterproof.sabotage.forged,
        message=said if found.landed or found.crashed else None,
        inapplicable=None if found.landed or found.crashed else said,
    )


def _counterexample(
    item: EngineItem, result: EngineResult, command: Sequence[str]
) -> Counterexample:
    assert result.found is not None
    assert result.trace is not None
    ask, violation = result.trace.ask, result.found.violation
    given = ask.history.kind not in ("omitted", "none")
    return Counterexample.model_validate(
        {
            "check": item.id,
            "probe": ask.probe,
            "question": ask.question,
            "history": tuple(_plain(turn) for turn in ask.history.turns) if given else None,
            "history_kind": ask.history.kind,
            "behaviour": str(ask.behaviour),
            "trace": result.trace.comparable() | _circumstances(ask),
            "mark": tuple(each for each in violation.mark if each),
            "message": violation.message,
            "reproduce": shlex.join([*command, "--only", item.check.requirement]),
        }
    )


def _circumstances(ask: Ask) -> dict[str, Any]:
    """What a report must say besides of an ask that is no ordinary one."""
    told: dict[str, Any] = {}
    if ask.session is not None:
        told["asked_before"] = [
            each.question + (" (with a history)" if each.history else "")
            + ("" if each.session is not None else " (beside the session)")
            for each in ask.session
        ]  # fmt: skip
    if ask.opened:
        told["held_open"] = sorted(ask.opened)
    if ask.label is not None:
        told["labelled"] = ask.label
    if ask.streamed:
        told["route"] = "the streaming one"
    if ask.body is not None:
        told["body"] = ask.body.decode("utf-8", "backslashreplace")
    return told


def _plain(turn: Any) -> Any:
    return json.loads(json.dumps(turn, ensure_ascii=False))
