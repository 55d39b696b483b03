"""Where history stands in a message list: the messages a call holds beyond its default's."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from counterproof.case import Case
from counterproof.trace import History, Message, ModelCall, Trace

AUTHORITY = ("system", "developer", "tool", "function")
"""Roles that carry the engine's own authority."""


@dataclass(frozen=True)
class Block:
    """The messages between the default's leading system messages and its next message.

    Args:
        messages: them.
        first: index of the first of them in the call.
        in_place: whether what stands before and after them is the default's.
        crossing: index of the call's crossing in the trace.
    """

    messages: tuple[Message, ...]
    first: int
    in_place: bool
    crossing: int

    def mark(self) -> tuple[str, ...]:
        """JSON pointer to the call's messages in the trace."""
        return (f"/crossings/{self.crossing}/messages",)


def blocks(case: Case, trace: Trace) -> list[Block]:
    """The history block of each generation call that the default makes too."""
    default = case.default()
    pairs = zip(default.generation_calls, trace.generation_calls, strict=False)
    return [block_of(trace, own, call) for own, call in pairs]


def block_of(trace: Trace, default: ModelCall, call: ModelCall) -> Block:
    """The history block of one call of a trace, beside the default's call."""
    own = trace.mask([dict(each) for each in default.messages])
    sent = trace.mask([dict(each) for each in call.messages])
    lead = next(
        (n for n, each in enumerate(own) if each.get("role") not in ("system", "developer")),
        len(own),
    )
    tail = len(own) - lead
    end = max(len(sent) - tail, lead)
    return Block(
        messages=call.messages[lead:end],
        first=lead,
        in_place=sent[:lead] == own[:lead] and sent[end:] == own[lead:],
        crossing=crossing_of(trace, call),
    )


def crossing_of(trace: Trace, call: ModelCall) -> int:
    """Index of a model call's crossing in its trace."""
    number = next(n for n, each in enumerate(trace.calls) if each is call)
    places = [n for n, each in enumerate(trace.crossings) if each.seam == "model"]
    return places[number]


def texts_of(content: object) -> list[str]:
    """The texts of a message's content: a text, a list of parts, or None."""
    if isinstance(content, list):
        return [str(p["text"]) for p in content if isinstance(p, dict) and "text" in p]
    return [] if content is None else [str(content)]


def folded(text: object) -> str:
    """A text without what MSG-4, not these rows, is about: width, case, white space, form.

    A message's content is a text, a list of parts, or None.
    """
    if isinstance(text, list):
        text = " ".join(texts_of(text))
    return "".join(unicodedata.normalize("NFKC", str(text or "")).casefold().split())


def matched(history: History, block: Block) -> list[tuple[int, int]]:
    """Which turn stands in which message: pairs of turn and message, in the messages' order.

    A message may hold several turns (merged), a turn may be missing (dropped), texts may have
    been folded: all that is MSG-4's. Turns without text have no place to be found in.
    """
    texts = [folded(each) for each in history.texts]
    contents = [folded(each.get("content")) for each in block.messages]
    lost = len(texts) - len(contents)
    if lost >= 0 and contents == texts[lost:]:  # all of it, or the newest turns
        return [(lost + n, n) for n in range(len(contents))]
    pairs: list[tuple[int, int]] = []
    taken: set[int] = set()
    same = sum(a == b for a, b in zip(contents, texts[max(lost, 0) :], strict=False))
    even = lost == 0 or (lost > 0 and 2 * same >= len(contents))  # each in its own place
    for place, content in enumerate(contents):
        after = max((turn for turn, _ in pairs), default=-1)
        order = [n for n in (*range(after + 1, len(texts)), *range(after + 1)) if n not in taken]
        found = [n for n in order if texts[n] and texts[n] == content][:1]
        own = lost + place
        if even and not found and own in order and _alike(texts[own], content):
            found = [own]
        found = found or _held(texts, content, order)
        taken.update(found)
        pairs += [(turn, place) for turn in found]
    return pairs


def _alike(text: str, content: str) -> bool:
    """Whether a message may be a turn that was altered: cut, escaped, or with parts taken out."""
    left, right = (
        {t[n : n + 2] for n in range(max(1, len(t) - 1))} for t in (text, html.unescape(content))
    )
    return len(left & right) >= _ALIKE * min(len(left), len(right))


def _held(texts: Sequence[str], content: str, order: Sequence[int]) -> list[int]:
    """The turns that a message holds one after the other, after the first that it holds.

    A short text other than the next turn's is not looked for: it stands in others by chance.
    """
    spoken = [n for n in order if texts[n]]
    sure = [n for n in spoken if n == spoken[0] or len(texts[n]) >= _UNMISTAKABLE]
    first = next((n for n in sure if texts[n] in content), None)
    held: list[int] = []
    start = 0
    for turn in spoken[spoken.index(first) :] if first is not None else ():
        at = content.find(texts[turn], start)
        if at < 0:
            break
        held.append(turn)
        start = at + len(texts[turn])
    return held


_ALIKE = 0.6
"""The share of pairs of characters that an altered text has in common with the turn's."""
_UNMISTAKABLE = 4
"""Folded characters from which on a turn's text is not found by chance."""


def in_the_words_own_order(history: History, block: Block) -> list[int]:
    """The turns whose words stand in the block just once, in the order in which they stand.

    This finds turns that are merged into one message in whatever order. Left out are short
    texts, those that stand in another turn, and those the block holds more than once.
    """
    texts = [folded(each) for each in history.texts]
    contents = [folded(each.get("content")) for each in block.messages]
    if contents == texts:
        return [n for n, text in enumerate(texts) if text]
    whole = "\n".join(contents)
    found = [
        (whole.find(text), turn)
        for turn, text in enumerate(texts)
        if len(text) >= _UNMISTAKABLE
        and whole.count(text) == 1
        and not any(text in other for n, other in enumerate(texts) if n != turn)
    ]
    return [turn for _, turn in sorted(found)]
