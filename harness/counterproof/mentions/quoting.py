"""Does this text quote that passage: a run of its words, long enough to be no accident."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from counterproof.mentions.folding import invisible

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_UNSPACED_CHAR = re.compile(rf"[{_UNSPACED}]")


def quotes(text: str, passage: str, *, words: int = 6) -> bool:
    """Whether a text holds a run of a passage long enough to be a quotation (RES-1, RES-2).

    Compared are words, and characters in scripts that write none apart (Chinese, Japanese,
    Thai); white space, width, case, accents, punctuation and invisible characters do not count.

    Args:
        text: the text that may quote.
        passage: the passage it may quote. One shorter than the run is quoted where it stands
            whole; one without a word is never quoted.
        words: how long a run must be, in words; a character of a script without spaces counts
            as half a word. At least 1.

    Returns:
        True where both share such a run, in order and without a gap.

    Raises:
        ValueError: ``words`` below 1.
    """
    if words < 1:
        raise ValueError(f"words: a quotation has at least 1 word, not {words}")
    source = _tokens(passage)
    least = min(2 * words, sum(weight for _, weight in source))
    if not least:
        return False
    runs = set(_runs(source, least))
    return any(run in runs for run in _runs(_tokens(text), least))


def _tokens(text: str) -> list[tuple[str, int]]:
    """A text's words and unspaced characters, folded, each with its weight in half words."""
    spread = "".join(char for char in unicodedata.normalize("NFKD", text) if not invisible(char))
    plain = unicodedata.normalize("NFC", spread.casefold())
    return [(token, 1 if _UNSPACED_CHAR.match(token) else 2) for token in _TOKEN.findall(plain)]


def _runs(tokens: list[tuple[str, int]], least: int) -> Iterator[tuple[str, ...]]:
    """From each place, the shortest run of at least this weight, where there is one.

    The run is the same for the same words, so that two texts share a run of this weight exactly
    where they share one of these.
    """
    end = weight = 0
    for start, (_, own) in enumerate(tokens):
        while weight < least and end < len(tokens):
            weight += tokens[end][1]
            end += 1
        if weight < least:
            return
        yield tuple(token for token, _ in tokens[start:end])
        weight -= own
