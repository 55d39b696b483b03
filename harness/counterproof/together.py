"""Serves the crossings of several asks put at once: each finds the ask it belongs to."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from counterproof.trace import Ask

Cross = Callable[[str, Any], Any]


class Together:
    """Hands each crossing on to its own ask.

    The worker numbers a crossing where it knows the ask. Where an engine's own threads lose it,
    the ask is found by what only its history says; what says nothing of any is served, and not
    recorded.

    Args:
        serving: what serves each ask's crossings.
        nobody: what serves a crossing of which nobody can tell whose it is.
        asks: the asks.
    """

    def __init__(self, serving: Sequence[Cross], nobody: Cross, asks: Sequence[Ask]) -> None:
        self._serving = serving
        self._nobody = nobody
        told = [{text for text in each.history.texts if text.strip()} for each in asks]
        self._own = [
            texts - set().union(*(told[:number] + told[number + 1 :]))
            for number, texts in enumerate(told)
        ]

    def cross(self, seam: str, data: Any) -> Any:
        """Serve one crossing; see :meth:`counterproof.recorder.Recorder.cross`."""
        number = data.pop("ask", None) if isinstance(data, dict) else None
        if not (isinstance(number, int) and 0 <= number < len(self._serving)):
            number = self._by_words(data)
        return (self._nobody if number is None else self._serving[number])(seam, data)

    def _by_words(self, data: Any) -> int | None:
        """The ask whose own words stand last in a crossing: what comes later is nearer to it."""
        text = json.dumps(data, ensure_ascii=False)
        last, found = -1, None
        for number, own in enumerate(self._own):
            place = max((text.rfind(_quoted(each)) for each in own), default=-1)
            if place > last:
                last, found = place, number
        return found


def _quoted(text: str) -> str:
    """A text as it stands inside a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]
