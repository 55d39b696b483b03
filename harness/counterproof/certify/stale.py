"""Which entries of the known failures a run found to be no longer true."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from counterproof.certificate import Known, Requirement, Stale, Verdict
from counterproof.known import KnownFailure, KnownFailures


def stale_entries(known: KnownFailures, requirements: Iterable[Requirement]) -> tuple[Stale, ...]:
    """The entries to be mended, in the file's order.

    An entry about a requirement that the run was not about, or about a check that could not be
    observed, is left as it is: nothing was learnt of it.

    Args:
        known: the known failures.
        requirements: the verdicts they had a part in.
    """
    rows = {each.id: each for each in requirements}
    return tuple(
        Stale(
            entry=number,
            id=entry.id,
            check=entry.check,
            behaviour=entry.behaviour,
            message=entry.message,
            expires=entry.expires,
            because=why,
        )
        for number, entry in enumerate(known.entries, 1)
        if entry.id in rows and (why := _why(known, entry, rows[entry.id]))
    )


def _why(
    known: KnownFailures, entry: KnownFailure, row: Requirement
) -> Literal["passes", "fails otherwise", "expired"] | None:
    if known.expired(entry):
        return "expired"
    if Known.model_validate(entry.model_dump(exclude={"id"})) in row.known:
        return None
    outcomes = {
        each.outcome
        for each in row.checks
        if each.id.partition("[")[0] == f"{entry.id}/{entry.check}"
        and each.behaviour == entry.behaviour
    }
    if outcomes & {Verdict.FAIL, Verdict.KNOWN}:
        return "fails otherwise"
    if Verdict.PASS in outcomes and Verdict.ERROR not in outcomes:
        return "passes"
    return None
