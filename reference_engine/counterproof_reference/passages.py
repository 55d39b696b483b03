"""The passage index: full-text search in SQLite FTS5 over the engine's own tokens."""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

from counterproof_reference.intent import periods_in
from counterproof_reference.text import content_runs, fold, index_tokens, is_cjk, pairs, stem
from counterproof_reference.vocabulary import Vocabulary

RELEVANCE_FLOOR = 0.5
"""The share of a question's content a passage must hold to be found at all (FAB-6)."""
SEARCH_LIMIT = 12
"""How many passages a search returns; restricted ones are among them, so it is generous."""


class PassageLike(Protocol):
    """Anything with the members of a :class:`Passage`."""

    @property
    def doc(self) -> str:
        """The document's id."""
        ...

    @property
    def locator(self) -> str:
        """Where in the document."""
        ...

    @property
    def text(self) -> str:
        """The passage's text."""
        ...

    @property
    def label(self) -> str:
        """Its sensitivity label."""
        ...


@dataclass(frozen=True)
class Passage:
    """One passage of narrative text.

    Args:
        doc: id of its document.
        locator: where in the document.
        text: the passage.
        label: its sensitivity label; see :mod:`counterproof_reference.exits`.
    """

    doc: str
    locator: str
    text: str
    label: str = "PUBLIC"


class PassageIndex:
    """Passages that can be searched; read only once built, and safe to share between threads.

    It holds restricted passages as well: what may leave is decided at the exits.

    Args:
        passages: the passages, in the order that breaks ties.
        vocabulary: names under which different spellings are one and the same.
    """

    def __init__(
        self, passages: Iterable[PassageLike], vocabulary: Vocabulary | None = None
    ) -> None:
        self._vocabulary = vocabulary
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._close = weakref.finalize(self, self._connection.close)
        self._connection.execute(
            "CREATE TABLE passages (id INTEGER PRIMARY KEY, doc TEXT, locator TEXT, text TEXT,"
            " label TEXT)"
        )
        # The ascii tokenizer splits at ASCII punctuation alone, so our tokens stay whole.
        self._connection.execute("CREATE VIRTUAL TABLE tokens USING fts5 (body, tokenize = ascii)")
        for number, each in enumerate(passages, 1):
            self._connection.execute(
                "INSERT INTO passages VALUES (?, ?, ?, ?, ?)",
                (number, each.doc, each.locator, each.text, each.label),
            )
            self._connection.execute(
                "INSERT INTO tokens (rowid, body) VALUES (?, ?)",
                (number, " ".join(passage_tokens(each.text, vocabulary))),
            )

    def search(
        self, query: str, *, limit: int = SEARCH_LIMIT, period: str | None = None
    ) -> list[Passage]:
        """The passages that speak of what a question asks, best first.

        Args:
            query: the question, and nothing but the question (RET-1).
            limit: how many to return at most.
            period: leave out passages that name fiscal years, but not this one.

        Returns:
            Passages that hold at least :data:`RELEVANCE_FLOOR` of the question's content, by
            bm25, then in the order they were given; none where the question has no content.
        """
        units = question_units(query, self._vocabulary)
        wanted = sorted({token for unit in units for token in unit.tokens})
        if not wanted:
            return []
        match = " OR ".join(f'"{token}"' for token in wanted)
        with self._lock:
            rows = self._connection.execute(
                "SELECT p.doc, p.locator, p.text, p.label, bm25(tokens), p.id"
                " FROM tokens JOIN passages AS p ON p.id = tokens.rowid"
                " WHERE tokens MATCH ?",
                (match,),
            ).fetchall()
        # Rounded, so that two builds of SQLite put near ties in the same order.
        rows.sort(key=lambda row: (round(row[4], 6), row[5]))
        found = [Passage(*row[:4]) for row in rows]
        return [each for each in found if self._fits(each, units, period)][: max(limit, 0)]

    def _fits(self, passage: Passage, units: list[Unit], period: str | None) -> bool:
        if period is not None:
            named = periods_in(passage.text)
            if named and period not in named:
                return False
        return coverage(units, passage.text, self._vocabulary) >= RELEVANCE_FLOOR

    def close(self) -> None:
        """Close the database; closing twice is allowed."""
        self._close()

    def __enter__(self) -> PassageIndex:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


@dataclass(frozen=True)
class Unit:
    """A part of what a question asks, and the tokens it is found by.

    Args:
        text: the part, folded.
        tokens: a word's stem, a name's token, or a run's pairs of characters.
    """

    text: str
    tokens: tuple[str, ...]

    def matched(self, tokens: frozenset[str]) -> float:
        """How much of this unit some tokens hold; a word of two characters counts as a word."""
        if not is_cjk(self.text):
            return float(self.tokens[0] in tokens)
        if len(self.text) == 1:
            return 0.5 * (self.text in tokens)
        # A pair astride two words is in no passage: a character counts if either pair is.
        held = [pair in tokens for pair in self.tokens]
        return 0.5 * sum(a or b for a, b in zip([False, *held], [*held, False], strict=True))

    @property
    def weight(self) -> float:
        """How much of the question this unit is."""
        return 0.5 * len(self.text) if is_cjk(self.text) else 1.0


def question_units(question: str, vocabulary: Vocabulary | None = None) -> list[Unit]:
    """What a question asks about; its years aside, for passages seldom repeat them.

    Args:
        question: the raw question.
        vocabulary: names under which different spellings are one and the same.
    """
    rest, names = vocabulary.without_names(question) if vocabulary else (fold(question), [])
    units = [Unit(name, (name,)) for name in names]
    for run in content_runs(rest):
        if is_cjk(run):
            units.append(Unit(run, tuple(pairs(run)) or (run,)))
        elif not (run.startswith("fy") or run.isdigit()):
            units.append(Unit(run, (stem(run),)))
    return list(dict.fromkeys(units))


def passage_tokens(text: str, vocabulary: Vocabulary | None = None) -> list[str]:
    """The tokens a passage is found by.

    Args:
        text: its text.
        vocabulary: names under which different spellings are one and the same.
    """
    rest, names = vocabulary.without_names(text) if vocabulary else (fold(text), [])
    return [*names, *index_tokens(rest)]


def coverage(units: list[Unit], text: str, vocabulary: Vocabulary | None = None) -> float:
    """The share of a question's content a text holds, from 0 to 1.

    Args:
        units: the question's content.
        text: the text.
        vocabulary: names under which different spellings are one and the same.
    """
    tokens = frozenset(passage_tokens(text, vocabulary))
    whole = sum(unit.weight for unit in units)
    return sum(unit.matched(tokens) for unit in units) / whole if whole else 0.0
