"""The security gate: judges the raw question alone, whatever a parser made of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from counterproof_reference.text import CJK, fold, is_cjk

_BETWEEN = r"[\s\-_.·'’‧・]*"
"""What may stand between the letters of a name without hiding it."""


def screen(question: str, out_of_scope: Iterable[str]) -> str | None:
    """Look for a name the engine must not speak of.

    It is given no history and no parser's result, so neither can refuse a question or admit one
    (PAR-4, PAR-5).

    Args:
        question: the raw question.
        out_of_scope: the names.

    Returns:
        The first name found, or None.
    """
    folded = fold(question)
    return next((name for name in out_of_scope if _pattern(name).search(folded)), None)


@lru_cache(maxsize=256)
def _pattern(name: str) -> re.Pattern[str]:
    letters = [each for each in fold(name) if not re.match(_BETWEEN[:-1], each)]
    if not letters:
        return re.compile(r"(?!)")
    starts = "" if is_cjk(letters[0]) else rf"(?:(?<![^\W_])|(?<=[{CJK}]))"
    ends = "" if is_cjk(letters[-1]) else rf"(?:(?![^\W_])|(?=[{CJK}])|(?=s\b))"
    return re.compile(starts + _BETWEEN.join(map(re.escape, letters)) + ends)
