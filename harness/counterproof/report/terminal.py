"""The report a terminal shows, from a certificate alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from counterproof.certificate import Certificate, CounterproofResult, Requirement, Verdict
from counterproof.report.failures import failure
from counterproof.report.known import stale, to_list
from counterproof.report.page import Page
from counterproof.report.sanitise import clean, elided
from counterproof.report.words import EXPOSE, GROUPS, VERDICTS, group_of

_REASONS_SHOWN = 5


def render(certificate: Certificate, console: Console, *, verbose: bool = False) -> None:
    """Print the report of a certificate.

    Args:
        certificate: the certificate.
        console: where to; whether there is colour is its affair.
        verbose: also list every check and counterproof, and leave less of long texts out.
    """
    page = Page(console, verbose=verbose)
    _header(page, certificate)
    _groups(page, certificate.requirements)
    if verbose:
        _everything(page, certificate.requirements)
    _violations(page, certificate)
    stale(page, certificate)
    if verbose:
        to_list(page, certificate)
    _vacuous(page, certificate.requirements)
    _not_observable(page, certificate)
    _not_applicable(page, certificate.requirements)
    _counterproofs(page, certificate.requirements)
    _verdict(page, certificate)


def one_line(certificate: Certificate) -> str:
    """What was tested and what it came to, in one line that is safe to print."""
    subject, outcome = certificate.subject, certificate.outcome
    said = f"{subject.name} {subject.version}: {outcome.line}; exit {outcome.exit}: "
    return clean(f"{said}{outcome.reason}")


def _header(page: Page, certificate: Certificate) -> None:
    subject, run, kit = certificate.subject, certificate.run, certificate.kit
    page.line(Text(f"Counterproof {clean(kit.version)}", style="bold"))
    tested = f"{clean(subject.name)} {clean(subject.version)}"
    page.put("tested", Text(tested, style="bold").append(f", {subject.kind}", style="not bold"))
    page.put("adapter", clean(subject.adapter))
    if subject.digest:
        page.put("digest", f"{clean(subject.digest)} ({subject.digest_is})")
    page.put("answers", _list(subject.channels, "no channel"))
    page.put("claims", _list(subject.claims, "nothing further"))
    page.put("watched at", _list(("answer", *(each for each in subject.seams if each != "answer"))))
    if subject.volatile:
        page.put("masked", f"{_list(subject.volatile)} (declared volatile, not compared)")
    if subject.reducer:
        page.put("reduces", f"histories to their {clean(subject.reducer)} turns (declared)")
    page.put(
        "world", f"{clean(run.world)}, seed {run.world_seed}, digest {clean(run.world_digest)}"
    )
    page.put(
        "run",
        f"profile {run.profile}, judged at {run.level}, seed {run.seed}, by {clean(run.transport)},"
        f" Python {clean(run.python)}, {run.seconds:.1f} s",
    )
    for each in subject.unproved:
        page.put("unproved", clean(each))
    if run.known_digest:
        page.put("known", f"failures listed by the vendor, digest {clean(run.known_digest)}")
    if run.only:
        page.put("limited to", f"{_list(run.only)} (such a run grants no level)")


def _groups(page: Page, requirements: Iterable[Requirement]) -> None:
    page.title("Requirements")
    groups: dict[str, list[Requirement]] = defaultdict(list)
    for row in requirements:
        groups[group_of(row.id)].append(row)
    if not groups:
        page.put("none", "nothing was checked, so nothing is certified", style="bold red")
    for group in sorted(groups, key=lambda each: (each not in GROUPS, *_place(each))):
        rows = groups[group]
        passed = sum(row.verdict is Verdict.PASS for row in rows)
        line = Text(f"{passed} of {len(rows)} pass".ljust(14))
        line.append(GROUPS.get(group, "requirements of another suite"))
        for verdict, (word, style) in VERDICTS.items():
            names = [clean(row.id) for row in rows if row.verdict is verdict]
            if names and verdict is not Verdict.PASS:
                line.append(" | ").append(f"{word} {', '.join(names)}", style=style)
        page.put(clean(group), line, width=4, style="bold")


def _place(group: str) -> tuple[int, str]:
    return (list(GROUPS).index(group) if group in GROUPS else 0, group)


def _everything(page: Page, requirements: Iterable[Requirement]) -> None:
    page.title("Every requirement, its checks and its counterproofs")
    for row in requirements:
        word, style = VERDICTS[row.verdict]
        page.put(clean(row.id), Text(f"{word} ", style=style).append(clean(row.title)), width=7)
        for check in row.checks:
            counts = f"{check.examples} examples, {check.asks} asks"
            why = f": {elided(check.reason, page.limit)}" if check.reason else ""
            word = VERDICTS[check.outcome][0]
            page.put("check", f"{clean(check.id)}: {word}, {counts}{why}", indent=4, width=8)
        for each in row.counterproofs:
            page.put("sabotage", f"{clean(each.sabotage)}: {_fate(each, page)}", indent=4, width=8)


def _fate(each: CounterproofResult, page: Page) -> str:
    fate = "caught" if each.caught else "landed, NOT caught" if each.landed else "did not land"
    forged = ", forged" if each.forged else ""
    said = each.inapplicable or each.message
    return f"{fate}{forged}{f' ({elided(said, page.limit)})' if said else ''}"


def _violations(page: Page, certificate: Certificate) -> None:
    titles = {
        Verdict.ERROR: "Errors: the kit or the adapter could not do its work",
        Verdict.FAIL: "Violations",
        Verdict.KNOWN: "Known failures: listed by the vendor; their level is not granted",
    }
    for verdict, title in titles.items():
        rows = _having(certificate.requirements, verdict)
        if rows:
            page.title(f"{title} ({len(rows)})")
        for row in rows:
            above = verdict is Verdict.FAIL and not certificate.run.level.includes(row.level)
            note = f", above {certificate.run.level}: does not change the exit" if above else ""
            word, style = VERDICTS[verdict]
            failure(page, row, word=word, style=style, note=note)


def _vacuous(page: Page, requirements: Iterable[Requirement]) -> None:
    rows = _having(requirements, Verdict.VACUOUS)
    if not rows:
        return
    page.title(f"Vacuous ({len(rows)}): the check passed, and passing it proves nothing")
    for row in rows:
        page.put(clean(row.id), elided(row.reason or "", page.limit), width=7)
        for each in row.counterproofs:
            if not each.caught:
                page.put(
                    "sabotage", f"{clean(each.sabotage)}: {_fate(each, page)}", indent=4, width=8
                )


def _not_observable(page: Page, certificate: Certificate) -> None:
    rows = _having(certificate.requirements, Verdict.NOT_OBSERVABLE)
    if not rows:
        return
    page.title(f"Not observable ({len(rows)}): nothing is known of these")
    missing: dict[tuple[str, ...], list[Requirement]] = defaultdict(list)
    for row in rows:
        missing[tuple(each for each in row.seams if each not in certificate.subject.seams)].append(
            row
        )
    for seams, these in missing.items():
        names = ", ".join(clean(row.id) for row in these)
        if not seams:
            for row in these:
                page.put(clean(row.id), elided(row.reason or "", page.limit), width=7)
            continue
        page.put(f"seam {' and '.join(map(clean, seams))}", names, width=14)
        for seam in seams if certificate.subject.kind != "service" else ():
            how = EXPOSE.get(seam, f"let the adapter expose {clean(seam)}")
            page.put("to change that", how, indent=4, width=14)
    if any(missing) and certificate.subject.kind == "service":
        page.put("to change that", "certify the engine in process, through an adapter", width=14)


def _not_applicable(page: Page, requirements: Iterable[Requirement]) -> None:
    rows = _having(requirements, Verdict.NOT_APPLICABLE)
    if not rows:
        return
    page.title(f"Not applicable ({len(rows)})")
    for reason, names in _by_reason((row.reason or "", row.id) for row in rows):
        page.put("-", f"{elided(reason, page.limit)}: {', '.join(map(clean, names))}", width=1)


def _counterproofs(page: Page, requirements: Iterable[Requirement]) -> None:
    page.title("Counterproofs: each check, run again on this engine sabotaged in one way")
    every = [each for row in requirements for each in row.counterproofs]
    landed = [each for each in every if each.landed]
    caught = sum(each.caught for each in every)
    forged = sum(each.forged for each in landed)
    said = f"{caught} of {len(landed)} that landed"
    if forged:
        said += f"; {forged} of them forged (only the answer or a description was altered)"
    style = "" if caught == len(landed) and landed else "bold yellow"
    page.put("caught", Text(said, style=style))
    rest = [each for each in every if not each.landed]
    if rest:
        page.put("no effect", f"{len(rest)} could change nothing on this engine:")
    reasons = _by_reason((each.inapplicable or each.message or "", each.sabotage) for each in rest)
    shown = reasons if page.verbose else reasons[:_REASONS_SHOWN]
    for reason, names in shown:
        why = elided(reason, page.limit) or "no reason given"
        page.put("-", f"{why}: {', '.join(map(clean, names))}", indent=4, width=1)
    if len(reasons) > len(shown):
        page.put("-", f"and {len(reasons) - len(shown)} more reasons", indent=4, width=1)


def _verdict(page: Page, certificate: Certificate) -> None:
    outcome = certificate.outcome
    page.line(Text())
    granted = certificate.level is not None and certificate.level.includes(certificate.run.level)
    style = "bold red" if outcome.exit else "bold green" if granted else "bold yellow"
    page.put("VERDICT", Text(clean(outcome.line), style=style), indent=0, width=7, style="bold")
    told = Text(f"{outcome.exit}, {clean(outcome.reason)}")
    page.put("EXIT", told, indent=0, width=7, style="bold")


def _having(requirements: Iterable[Requirement], verdict: Verdict) -> list[Requirement]:
    return [row for row in requirements if row.verdict is verdict]


def _by_reason(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Names gathered under their reason, the most frequent reason first."""
    found: dict[str, list[str]] = defaultdict(list)
    for reason, name in pairs:
        found[reason].append(name)
    return sorted(found.items(), key=lambda each: -len(each[1]))


def _list(words: Iterable[str], none: str = "none") -> str:
    return ", ".join(map(clean, words)) or none
