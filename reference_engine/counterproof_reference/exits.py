"""The two exits a passage may leave by, each stripped of restricted passages by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from counterproof_reference.passages import PassageLike

ALLOWED = frozenset({"public", "internal"})
"""The labels that may leave; any other text, or no text, is restricted (RES-6)."""

Strip = Callable[[Iterable[PassageLike]], list[PassageLike]]
"""What guards one exit: passages in, those that may leave by it out."""


def is_restricted(label: object) -> bool:
    """Whether a passage of this label must stay inside.

    The question is never whether a label *is* RESTRICTED, for padding, look-alike letters and
    invisible characters have no end; it is whether it is one of the few that may leave, in any
    case (RES-5).

    Args:
        label: a passage's label, of whatever type it is.
    """
    return not isinstance(label, str) or label.lower() not in ALLOWED


def link(passages: Iterable[PassageLike]) -> list[PassageLike]:
    """Those passages that may reach the model that writes the answer (RES-1, RES-2).

    Args:
        passages: passages with their labels.
    """
    return [each for each in passages if not is_restricted(each.label)]


def rerank(passages: Iterable[PassageLike]) -> list[PassageLike]:
    """Those passages that may reach whatever puts them in order, a judging model included (RES-3).

    Args:
        passages: passages with their labels.
    """
    return [each for each in passages if not is_restricted(each.label)]


@dataclass(frozen=True)
class Exits:
    """Both exits; the one does not rely on the other (RES-3).

    Args:
        link: guards the way to generation.
        rerank: guards the way to the reranker.
    """

    link: Strip = link
    rerank: Strip = rerank
