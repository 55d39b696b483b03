"""What the engine returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Source:
    """A place an answer cites: a tool hit's or a retrieved passage's, and no other (FAB-4).

    Args:
        doc: the document's id.
        locator: where in the document.
    """

    doc: str
    locator: str = ""


@dataclass(frozen=True)
class EngineResult:
    """The answer to one question, in every rendering.

    Args:
        text: the answer with its citations.
        plain: the same without them.
        route: ``structured``, ``multi``, ``narrative``, ``composite``, ``clarification`` or
            ``out-of-scope``.
        refused: whether nothing was answered: not found, out of scope, or no model.
        sources: what is cited, in order, each once.
        tool_results: for each slot the question asks about, what the tool found.
        clarification: what is asked back, where the question leaves it open.
    """

    text: str
    plain: str
    route: str
    refused: bool = False
    sources: tuple[Source, ...] = ()
    tool_results: tuple[Mapping[str, Any], ...] = ()
    clarification: str | None = None
