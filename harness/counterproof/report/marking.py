"""Where in a trace the offending part is, and how it is shown there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.text import Text

from counterproof.report.sanitise import clean, left_out, windows

OFFENDING = "bold red"


@dataclass(frozen=True)
class Marks:
    """The marks of one counterexample, told apart.

    Args:
        pointers: JSON pointers into the trace.
        excerpts: texts that stand in it.
    """

    pointers: tuple[str, ...]
    excerpts: tuple[str, ...]

    @classmethod
    def of(cls, mark: tuple[str, ...], trace: Any) -> Marks:
        """These marks; one that begins like a pointer and leads nowhere is an excerpt."""
        pointers = tuple(each for each in mark if _leads_somewhere(each, trace))
        return cls(pointers, tuple(each for each in mark if each and each not in pointers))

    def hit(self, path: str, text: str) -> bool:
        """Whether the part of the trace at ``path``, shown as ``text``, offends."""
        return any(_same_branch(each, path) for each in self.pointers) or any(
            each in text for each in self.excerpts
        )

    def shown(self, text: str, limit: int) -> Text:
        """``text`` clean and elided, with each excerpt set apart as ``»excerpt«``."""
        spans = self._spans(text)
        out, shown = Text(), 0
        for start, end in windows(len(text), limit, spans):
            if start > shown:
                out.append(left_out(start - shown), style="dim")
            at = start
            for first, last in spans:
                first, last = max(first, at), min(last, end)
                if first < last:
                    out.append(clean(text[at:first]))
                    out.append(f"»{clean(text[first:last])}«", style=OFFENDING)
                    at = last
            out.append(clean(text[at:end]))
            shown = end
        return out

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Where excerpts stand in ``text``, in order, none overlapping."""
        found = []
        for each in self.excerpts:
            at = text.find(each)
            while at >= 0:
                found.append((at, at + len(each)))
                at = text.find(each, at + len(each))
        kept: list[tuple[int, int]] = []
        for start, end in sorted(found):
            if kept and start < kept[-1][1]:
                kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
            else:
                kept.append((start, end))
        return kept


def _same_branch(pointer: str, path: str) -> bool:
    return (pointer + "/").startswith(path + "/") or (path + "/").startswith(pointer + "/")


def _leads_somewhere(pointer: str, trace: Any) -> bool:
    if not pointer.startswith("/"):
        return False
    here = trace
    for raw in pointer[1:].split("/"):
        step = raw.replace("~1", "/").replace("~0", "~")
        if isinstance(here, dict) and step in here:
            here = here[step]
        elif isinstance(here, list) and step.isascii() and step.isdigit() and int(step) < len(here):
            here = here[int(step)]
        else:
            return False
    return True
