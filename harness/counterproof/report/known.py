"""Known failures in a report: why they are accepted, which entries are stale, how to list one."""

from __future__ import annotations

import re
from datetime import date

from rich.text import Text

from counterproof.certificate import Certificate, CheckResult, Known, Requirement, Stale, Verdict
from counterproof.report.page import Page
from counterproof.report.sanitise import clean, elided, visible

_LONGEST_PIN = 200
_COMMAND = re.compile(r"(?<=#)#")  # `::` is none here, since no line begins with it
_BECAME = {
    "passes": "it passes now: remove the entry",
    "fails otherwise": "it fails otherwise now: mend what is new, or pin the entry to it",
    "expired": "expired on {expires}: mend the engine, or decide anew and date the entry later",
}


def excuses(page: Page, row: Requirement) -> None:
    """Why the vendor accepts a requirement's failures, where that is tracked, and until when."""
    alike: dict[tuple[str, str, date], list[Known]] = {}
    for each in row.known:
        alike.setdefault((each.reason, each.link, each.expires), []).append(each)
    for (reason, link, expires), entries in alike.items():
        checks = dict.fromkeys(f"{each.check} (model {each.behaviour})" for each in entries)
        page.put("known", elided(reason, page.limit), indent=4)
        page.put("link", clean(link), indent=6, width=8)
        page.put("until", str(expires), indent=6, width=8)
        page.put("by check", clean(", ".join(checks)), indent=6, width=8)


def stale(page: Page, certificate: Certificate) -> None:
    """The entries of the known failures that are to be mended, and how."""
    entries = certificate.outcome.stale
    if not entries:
        return
    page.title(f"Stale entries of the known failures ({len(entries)})", "bold red")
    for each in entries:
        page.put(f"entry {each.entry}", _told(page, each), width=9)


def _told(page: Page, each: Stale) -> Text:
    pinned = f"{each.id}, check {each.check}, model {each.behaviour}: "
    became = _BECAME[each.because].format(expires=each.expires)
    told = Text(clean(pinned)).append(became, style="bold")
    if each.because == "fails otherwise":
        told.append(f'; it is pinned to "{elided(each.message, page.limit)}"')
    return told


def to_list(page: Page, certificate: Certificate) -> None:
    """The violations as entries of a file of known failures, to be completed."""
    pins = dict.fromkeys(
        (row.id, _check(each), each.behaviour or "", _pin(each.reason or ""))
        for row in certificate.requirements
        for each in row.checks
        if each.outcome is Verdict.FAIL
    )
    if not pins:
        return
    page.title("To list what fails as known, in a file for --known: add reason, link and date")
    for pin in pins:
        told = zip(("id", "check", "behaviour", "message"), map(_toml, pin), strict=True)
        lines = ("[[known]]", *(f"{name} = {text}" for name, text in told))
        for line in (*lines, 'reason = ""', 'link = ""', 'expires = ""', ""):
            page.line(Text(line))


def _check(each: CheckResult) -> str:
    return each.id.partition("[")[0].partition("/")[2]


def _pin(message: str) -> str:
    return message if len(message) <= _LONGEST_PIN else f"{message[:_LONGEST_PIN]}…"


def _toml(text: str) -> str:
    """A TOML string: what cannot be seen, or a CI would obey, stands in it as its escape."""
    escaped = "".join(
        f"\\{each}" if each in '"\\' else each if visible(each) == each else f"\\U{ord(each):08X}"
        for each in text
    )
    return '"' + _COMMAND.sub(lambda found: rf"\u{ord(found[0]):04X}", escaped) + '"'
