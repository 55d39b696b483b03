"""A violated requirement, told so that a stranger sees what went wrong, and where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from counterproof.certificate import Counterexample, Requirement, Verdict
from counterproof.report.known import excuses
from counterproof.report.marking import OFFENDING, Marks
from counterproof.report.page import Page
from counterproof.report.sanitise import clean, clean_command, elided, role
from counterproof.report.trace_view import compact, rows

_TURNS_SHOWN = 12


def failure(page: Page, row: Requirement, *, word: str, style: str, note: str = "") -> None:
    """One requirement that does not hold, with its counterexample.

    Args:
        page: where to print.
        row: the requirement.
        word: the verdict's word.
        style: its style.
        note: what else to say beside its level, safe to print.
    """
    page.line(Text())
    head = Text("  ").append(f"{word} {clean(row.id)}", style=style)
    beside = f"({row.level}{note}; {clean(row.source)})"
    page.line(head.append(f"  {clean(row.title)}  ").append(beside, style="dim"))
    page.put("must hold", clean(row.sentence), indent=4)
    excuses(page, row)
    example = row.counterexample
    told = row.verdict is Verdict.KNOWN or (example is not None and row.reason == example.message)
    if row.reason and not told:
        page.put("why", elided(row.reason, page.limit), indent=4)
    if example is None:
        return
    page.put("found", Text(elided(example.message, page.limit), style="bold"), indent=4)
    page.put("by check", clean(example.check), indent=4)
    _ask(page, example)
    _trace(page, example)
    page.command("reproduce", clean_command(example.reproduce), indent=4)


def _ask(page: Page, example: Counterexample) -> None:
    page.put("ask", f"probe {clean(example.probe)}, model {clean(example.behaviour)}", indent=4)
    turns = example.history
    if turns is None:
        page.put("history", example.history_kind, indent=6, width=8)
    else:
        many = f"{len(turns)} turn{'' if len(turns) == 1 else 's'}, given as {example.history_kind}"
        page.put("history", many, indent=6, width=8)
        _turns(page, turns)
    page.put("question", f'"{elided(example.question, page.limit)}"', indent=6, width=8)


def _turns(page: Page, turns: Sequence[Any]) -> None:
    half = _TURNS_SHOWN // 2
    for number, turn in enumerate(turns, start=1):
        if not page.verbose and len(turns) > _TURNS_SHOWN:
            if number == half + 1:
                page.put("…", f"{len(turns) - 2 * half} turns left out", indent=8, width=3)
            if half < number <= len(turns) - half:
                continue
        match turn:
            case [str() as who, str() as text]:
                shown = f'{role(who)}: "{elided(text, page.limit)}"'
            case _:
                shown = elided(compact(turn), page.limit)
        page.put(str(number), shown, indent=8, width=3)


def _trace(page: Page, example: Counterexample) -> None:
    marks = Marks.of(example.mark, example.trace)
    found = [(row, marks.hit(row.path, row.text)) for row in rows(example.trace)]
    told = "what was observed, in order"
    if any(hit for _, hit in found):
        told += "; » marks what offends"
    page.put("trace", told, indent=4)
    for row, hit in found:
        page.put(
            f"{'»' if hit else ' '} {row.label}",
            marks.shown(row.text, page.limit),
            indent=6,
            width=20,
            style=OFFENDING if hit else "dim",
        )
