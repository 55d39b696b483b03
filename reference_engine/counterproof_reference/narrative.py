"""The narrative channel: retrieve for the question, let the model explain, check its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from counterproof_reference.exits import Exits
from counterproof_reference.figures import admitted, stated
from counterproof_reference.history import Message
from counterproof_reference.judging import ModelJudge
from counterproof_reference.narrative_prompt import SYSTEM, citation, user_message
from counterproof_reference.passages import (
    SEARCH_LIMIT,
    PassageLike,
    coverage,
    passage_tokens,
    question_units,
)
from counterproof_reference.providers import Provider, ProviderError, reply_of
from counterproof_reference.vocabulary import Vocabulary

LINKED = 6
"""How many passages the model is given at most."""
SUPPORT_FLOOR = 1 / 3
"""The share of a reply's own content words that must stand in the passages."""

Search = Callable[..., Iterable[PassageLike]]
"""``search(question, limit=, period=)``, such as :meth:`PassageIndex.search`."""


@dataclass(frozen=True)
class NarrativeRetriever:
    """Finds passages for a question and puts them in order; the exits stand behind the search.

    Args:
        search: finds passages, restricted ones included.
        vocabulary: names under which different spellings are one and the same.
        exits: what strips restricted passages on the way to the reranker and to the model.
        judge: a model that orders what left by the exit ``rerank``; None where the share of the
            question a passage holds decides alone.
    """

    search: Search
    vocabulary: Vocabulary | None = None
    exits: Exits = field(default_factory=Exits)
    judge: ModelJudge | None = None

    def retrieve(self, question: str, *, period: str | None = None) -> list[PassageLike]:
        """Passages for a question, those that hold most of it first, or as the judge has them.

        Args:
            question: the raw question, which is the whole query (RET-1).
            period: the fiscal year it names, if it names exactly one.
        """
        found = list(self.search(question, limit=SEARCH_LIMIT, period=period))
        units = question_units(question, self.vocabulary)
        kept = sorted(
            self.exits.rerank(found),
            key=lambda each: -coverage(units, each.text, self.vocabulary),
        )
        return kept if self.judge is None else self.judge.order(question, kept)


@dataclass(frozen=True)
class Explanation:
    """What the narrative channel has to say.

    Args:
        text: the explanation; None where no passage was found.
        passages: what the model was given, and the answer cites.
        quoted: whether the model's words failed the guard, and the passages are quoted instead.
    """

    text: str | None = None
    passages: tuple[PassageLike, ...] = ()
    quoted: bool = False


def _run_narrative(
    question: str,
    provider: Provider,
    retriever: NarrativeRetriever | None,
    history_messages: Sequence[Message],
    periods: Sequence[str] = (),
) -> Explanation:
    """Answer a question from passages.

    Where none is found the model is not asked: it would have nothing to answer from but history
    (FAB-6). Its reply is kept whole or not at all; see :func:`grounded`.

    Args:
        question: the raw question.
        provider: the model.
        retriever: finds passages; None where the engine has none.
        history_messages: earlier turns, placed between system prompt and question (MSG-1).
        periods: the fiscal years the question names.

    Raises:
        ProviderError: the model gave no reply, or an empty one (FAB-9).
    """
    if retriever is None:
        return Explanation()
    found = retriever.retrieve(question, period=periods[0] if len(periods) == 1 else None)
    passages = tuple(retriever.exits.link(found)[:LINKED])
    if not passages:
        return Explanation()
    messages: list[Message] = [
        {"role": "system", "content": SYSTEM},
        *(dict(each) for each in history_messages),
        {"role": "user", "content": user_message(question, passages)},
    ]
    text = reply_of(provider.chat(messages))["content"]
    if not text.strip():
        raise ProviderError("the model replied with nothing")
    if grounded(text, question, passages, periods, retriever.vocabulary):
        return Explanation(text, passages)
    quotes = [f"{each.text} {citation(each.doc, each.locator)}" for each in passages]
    return Explanation("\n".join(quotes), passages, quoted=True)


def grounded(
    reply: str,
    question: str,
    passages: Sequence[PassageLike],
    periods: Sequence[str] = (),
    vocabulary: Vocabulary | None = None,
) -> bool:
    """Whether a model's words rest on the passages it was given.

    Every figure must stand in a passage, in whatever form, or be a year the question names
    (FAB-7); other figures of the question do not vouch for themselves. And of the content words
    the reply does not have from the question, :data:`SUPPORT_FLOOR` must stand in a passage, so
    that a sentence repeated from history does not pass (FAB-6).

    Args:
        reply: the model's words.
        question: the raw question.
        passages: what it was given.
        periods: the fiscal years the question names.
        vocabulary: names under which different spellings are one and the same.
    """
    vouched: set[Decimal] = {Decimal(period.removeprefix("FY")) for period in periods}
    for each in passages:
        vouched |= admitted(each.text)
    words = _without_citations(reply, passages)
    if not stated(words) <= vouched:
        return False
    held = {token for each in passages for token in passage_tokens(each.text, vocabulary)}
    asked = {token for unit in question_units(question, vocabulary) for token in unit.tokens}
    said = {token for unit in question_units(words, vocabulary) for token in unit.tokens} - asked
    return bool(said) and len(said & held) >= SUPPORT_FLOOR * len(said)


def _without_citations(reply: str, passages: Sequence[PassageLike]) -> str:
    """A reply without the places it cites: a page number is no figure the model invented."""
    for each in passages:
        reply = reply.replace(citation(each.doc, each.locator), " ")
        if re.search(r"[^\W\d_]", each.doc):
            reply = reply.replace(each.doc, " ")
    return reply
