"""What generated histories are made of."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

UNICODE = st.characters(exclude_categories=["Cs"])
"""Every scalar value. The default alphabet is the same, but derived from a codec, which takes
seconds in each run, as a certification's Hypothesis storage is fresh."""
Turn = tuple[str, str]
"""A role and a text."""
Turns = tuple[Turn, ...]
"""A history, oldest turn first."""


@dataclass(frozen=True)
class Material:
    """The poison that texts are drawn from, taken from a world (design §5).

    What is empty leaves out the texts that need it.

    Args:
        entities: names facts are about, in every spelling.
        periods: periods, such as ``FY2025``; also some without facts, such as ``FY2099``.
        metrics: names of metrics, in every spelling.
        figures: canary figures as digits; no fact has one of them as its value.
        canaries: words that stand in no question, fact or passage.
        restricted: the texts of restricted passages.
        out_of_scope: names the engine must refuse to speak of.
        documents: ids of documents, restricted ones included.
        passages: the texts of passages that are not restricted.
    """

    entities: tuple[str, ...] = ()
    periods: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    canaries: tuple[str, ...] = ()
    restricted: tuple[str, ...] = ()
    out_of_scope: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    passages: tuple[str, ...] = ()
