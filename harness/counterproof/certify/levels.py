"""Which level the verdicts grant, what the exit code is, and why (design §4)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from counterproof.certificate import Level, Outcome, Requirement, Stale, Subject, Verdict
from counterproof.certify.exits import Exit

_UNOBSERVED = (Verdict.NOT_APPLICABLE, Verdict.NOT_OBSERVABLE)
_MOST_NAMED = 5
_BECAME = {"passes": "passes now", "fails otherwise": "fails otherwise now", "expired": "expired"}


@dataclass(frozen=True)
class MustObserve:
    """Rows of which at least one must have been observed before a level is granted.

    Args:
        any_of: their ids: alternatives, seen through different seams.
        level: the level that needs them.
        channel: the channel an engine must answer for them to be needed, if any.
        claim: the claim it must make for them to be needed, if any.
    """

    any_of: tuple[str, ...]
    level: Level = Level.CORE
    channel: str | None = None
    claim: str | None = None

    def applies(self, subject: Subject) -> bool:
        """Whether this subject must have been seen at one of these rows.

        It is the subject's own declaration that decides, never a row's verdict: a row wrongly
        found NOT_APPLICABLE must not make itself unnecessary.
        """
        return (
            subject.kind in ("engine", "service")
            and self.channel in (None, *subject.channels)
            and self.claim in (None, *subject.claims)
        )


MUST_OBSERVE = (
    MustObserve(("DEF-1",)),
    MustObserve(("PAR-2",), channel="structured"),
    MustObserve(("FAB-6",), channel="narrative"),
    MustObserve(("MSG-1",)),
    MustObserve(("MSG-2",)),
    MustObserve(("ROL-1",)),
    MustObserve(("ROL-2",)),
    MustObserve(("RET-1", "RET-3"), channel="narrative"),
    MustObserve(("FAB-4",)),
    MustObserve(("RES-1",), claim="restricted"),
)
"""What ``core`` cannot be granted without (design §4)."""


def installed(
    catalogue: Collection[str], table: Iterable[MustObserve] = MUST_OBSERVE
) -> tuple[MustObserve, ...]:
    """The table, restricted to the rows the installed catalogue holds.

    Args:
        catalogue: ids of every requirement of the installed suites, whatever ``--only`` says.
        table: the whole table.
    """
    restricted = (
        replace(each, any_of=tuple(row for row in each.any_of if row in catalogue))
        for each in table
    )
    return tuple(each for each in restricted if each.any_of)


def observed(requirements: Iterable[Requirement]) -> list[Requirement]:
    """The requirements the run could see something of."""
    return [each for each in requirements if each.verdict not in _UNOBSERVED]


def applicable(requirements: Iterable[Requirement]) -> list[Requirement]:
    """The requirements that speak of what the subject claims to do."""
    return [each for each in requirements if each.verdict is not Verdict.NOT_APPLICABLE]


def answer_only(subject: Subject) -> bool:
    """Whether an engine lets nothing but its answers, and how it is called, be seen."""
    return subject.kind in ("engine", "service") and set(subject.seams) <= {"answer", "signature"}


def unobserved(
    requirements: Sequence[Requirement],
    subject: Subject,
    level: Level,
    must_observe: Iterable[MustObserve],
    *,
    only: bool,
) -> list[str]:
    """What a level needs to have been observed and was not, one sentence each.

    Args:
        requirements: the verdicts.
        subject: what was tested.
        level: the level.
        must_observe: the table, as :func:`installed` gives it.
        only: whether the run was limited to some requirements.

    Returns:
        The sentences; none where enough was observed.
    """
    if only:
        return ["a run with --only grants no level"]
    if answer_only(subject):
        return ["only the engine's answers can be seen; expose the model seam"]
    seen = observed(requirements)
    lacks = [
        f"no requirement of level {each} was observed"
        for each in Level
        if level.includes(each) and not any(row.level is each for row in seen)
    ]
    ids = {row.id for row in seen}
    lacks += [
        f"{' or '.join(group.any_of)} was not observed"
        for group in must_observe
        if level.includes(group.level) and group.applies(subject) and not ids & set(group.any_of)
    ]
    return lacks


def granted(
    requirements: Sequence[Requirement],
    subject: Subject,
    must_observe: Iterable[MustObserve],
    *,
    only: bool,
) -> Level | None:
    """The highest level the verdicts grant, or None; arguments as for :func:`unobserved`.

    A level is granted where enough was observed for it and every observed row at or below it
    is PASS; each level includes those before it.
    """
    table = tuple(must_observe)
    highest = None
    for level in Level:
        rows = [row for row in observed(requirements) if level.includes(row.level)]
        if any(row.verdict is not Verdict.PASS for row in rows):
            break
        if unobserved(requirements, subject, level, table, only=only):
            break
        highest = level
    return highest


def exit_code(
    requirements: Sequence[Requirement],
    subject: Subject,
    judged: Level,
    must_observe: Iterable[MustObserve],
    *,
    only: bool,
    stale: Sequence[Stale] = (),
) -> tuple[Exit, str]:
    """The exit code of a run that came to its end, and the reason in a sentence.

    Rows above the judged level do not change it, but for an ERROR: then the harness itself did
    not do its work. A KNOWN row does not change it either, since a vendor lists it in order to see
    what else fails; its level is not granted, and the reason says so. A stale entry fails the run
    whatever its level: it is the list that is wrong.

    Args:
        requirements: the verdicts.
        subject: what was tested.
        judged: the level the exit is judged at.
        must_observe: the table, as :func:`installed` gives it.
        only: whether the run was limited to some requirements.
        stale: entries of the known failures that are no longer true.
    """
    if not requirements:
        return Exit.ERROR, "no requirement was checked: no suite is installed, or none was chosen"
    if errors := _named(requirements, Verdict.ERROR):
        return Exit.ERROR, f"the kit or the adapter could not do its work: {errors}"
    rows = [row for row in requirements if judged.includes(row.level)]
    failures = _named(rows, Verdict.FAIL)
    causes = [f"violated at or below {judged}: {failures}"] if failures else []
    if stale:
        told = ", ".join(f"{each.entry} ({each.id}, {_BECAME[each.because]})" for each in stale)
        causes.append(f"stale entries of the known failures: {told}")
    if causes:
        return Exit.VIOLATED, "; ".join(causes)
    if vacuous := _named(rows, Verdict.VACUOUS):
        return Exit.VACUOUS, f"vacuous at or below {judged}, so nothing is proven: {vacuous}"
    if only:
        seen = f"{_named(requirements, Verdict.PASS) or 'nothing'} passed"
        if known := _named(requirements, Verdict.KNOWN):
            seen += f", {known} failed as known"
        return Exit.NOT_ENOUGH_OBSERVED, f"{seen}; a run with --only grants no level"
    if lacks := unobserved(requirements, subject, judged, must_observe, only=only):
        return (
            Exit.NOT_ENOUGH_OBSERVED,
            f"less was observed than {judged} needs: {'; '.join(lacks)}",
        )
    if known := _named(rows, Verdict.KNOWN):
        return (
            Exit.CONFORMANT,
            f"not conformant at {judged}, which is not granted; no failure but known ones: {known}",
        )
    return Exit.CONFORMANT, f"conformant at {judged}"


def verdict_line(level: Level | None, subject: Subject, requirements: Sequence[Requirement]) -> str:
    """The verdict in a line: ``core (narrative; no restricted), 31 of 34 observed``.

    Known failures stand in it, by their ids.

    Args:
        level: the level granted.
        subject: what was tested.
        requirements: the verdicts; what was not claimed is told from those NOT_APPLICABLE.
    """
    name = level.value if level else "answer-only" if answer_only(subject) else "no level"
    scope = ", ".join(sorted(subject.channels)) or subject.kind
    absent = ", ".join(
        f"no {claim.replace('-', ' ')}" for claim in _unclaimed(subject, requirements)
    )
    seen, all_of = len(observed(requirements)), len(applicable(requirements))
    known = _named(requirements, Verdict.KNOWN)
    failing = f", known to fail: {known}" if known else ""
    return f"{name} ({scope}{'; ' if absent else ''}{absent}), {seen} of {all_of} observed{failing}"


def conclude(
    requirements: Sequence[Requirement],
    subject: Subject,
    judged: Level,
    catalogue: Collection[str],
    *,
    only: bool,
    stale: Sequence[Stale] = (),
) -> tuple[Level | None, Outcome]:
    """The level granted and the outcome, as the certificate holds them.

    Args:
        requirements: the verdicts.
        subject: what was tested.
        judged: the level the exit is judged at.
        catalogue: ids of every requirement of the installed suites.
        only: whether the run was limited to some requirements.
        stale: entries of the known failures that are no longer true.
    """
    table = installed(catalogue)
    level = granted(requirements, subject, table, only=only)
    code, reason = exit_code(requirements, subject, judged, table, only=only, stale=stale)
    line = verdict_line(level, subject, requirements)
    return level, Outcome.model_validate(
        {"line": line, "exit": int(code), "reason": reason, "stale": tuple(stale)}
    )


_CLAIMED_ROWS = {
    "restricted": ("RES-1", "RES-2", "RES-3", "RES-4", "RES-5", "RES-6"),
    "security-gate": ("PAR-4", "PAR-5"),
    "session": ("SES-1", "SES-2", "SES-3", "SES-4"),
}
"""The claims that whole rows stand on; the others decide on single probes."""


def _unclaimed(subject: Subject, requirements: Iterable[Requirement]) -> list[str]:
    out = {row.id for row in requirements if row.verdict is Verdict.NOT_APPLICABLE}
    return [
        claim
        for claim, rows in _CLAIMED_ROWS.items()
        if claim not in subject.claims and out & set(rows)
    ]


def _named(rows: Iterable[Requirement], verdict: Verdict) -> str:
    """Ids of the rows with this verdict, the first few by name; empty where there are none."""
    ids = [row.id for row in rows if row.verdict is verdict]
    more = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
    return ", ".join(ids[:_MOST_NAMED]) + more
