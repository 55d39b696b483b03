"""Seeing a text as a reader sees it: width folded, invisible characters gone, offsets kept."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
STYLED_DIGITS = SUPERSCRIPTS + "₀₁₂₃₄₅₆₇₈₉①②③④⑤⑥⑦⑧⑨⓪⓿❶❷❸❹❺❻❼❽❾➀➁➂➃➄➅➆➇➈➊➋➌➍➎➏➐➑➒⓵⓶⓷⓸⓹⓺⓻⓼⓽"
"""Digits that stand apart from plain ones: "①999" is an item and a figure, not 1999."""

_KEPT = frozenset(STYLED_DIGITS + "⁺⁻")
_SEPARATORS = {"’": "'", "‘": "'", "ʼ": "'", "′": "'", "٬": ",", "٫": "."}
_FILLERS = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_INVISIBLE = frozenset({"Cf", "Mn", "Me"})
_RUN = re.compile(r"(?P<plain>[\t-\r\x1c-~\u4e00-\u9fff]+)|(?P<other>.)", re.DOTALL)
"""Runs of characters that are read as they stand, and single characters that may not be."""


@dataclass(frozen=True)
class Folded:
    """A text as read, and where each of its characters stood.

    Args:
        text: the folded text.
        origin: for each character of ``text``, its index in the original.
    """

    text: str
    origin: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original's offsets for a non-empty slice of the folded text."""
        return self.origin[start], self.origin[end - 1] + 1


def fold(text: str) -> Folded:
    """Fold a text for reading figures in it.

    Decimal digits of every script become ASCII; compatibility forms of one character (full
    width, mathematical) become plain; format characters, combining marks, fillers and control
    characters other than white space vanish. Case stays.

    Args:
        text: any text, lone surrogates included.
    """
    pieces: list[str] = []
    origin: list[int] = []
    for run in _RUN.finditer(text):
        if run["plain"]:
            pieces.append(run["plain"])
            origin.extend(range(run.start(), run.end()))
        elif char := _folded(run["other"]):
            pieces.append(char)
            origin.append(run.start())
    return Folded("".join(pieces), origin)


def invisible(char: str) -> bool:
    """Whether a character shows nothing of its own, or only alters the one before it."""
    category = unicodedata.category(char)
    return category in _INVISIBLE or char in _FILLERS or (category == "Cc" and not char.isspace())


@lru_cache(maxsize=8192)
def _folded(char: str) -> str:
    """What one character is read as: one character, or nothing."""
    if char in _KEPT:
        return char
    if char in _SEPARATORS:
        return _SEPARATORS[char]
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    if invisible(char):
        return ""
    plain = unicodedata.normalize("NFKC", char)
    return plain if len(plain) == 1 else char
