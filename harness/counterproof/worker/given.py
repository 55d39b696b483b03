"""The history object an engine is given, and what has become of it."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Mapping, Optional

from counterproof.worker import values

_LONGEST = 2000
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class Given:
    """One history object, as the ask that it is for says it is.

    Args:
        kind: the kind of object.
        turns: what it holds, as it travels.
    """

    def __init__(self, kind: str, turns: Any) -> None:
        self._kind = kind
        self._turns = turns
        self.object = values.build(kind, turns)

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> Optional[Given]:
        """What a request gives; None where it leaves history out."""
        if request["kind"] == "omitted":
            return None
        return cls(request["kind"], request["turns"])

    @property
    def kept(self) -> bool:
        """Whether it is still what it was."""
        try:
            return _same(self.object, values.build(self._kind, self._turns))
        except Exception:  # noqa: BLE001  # what an engine put into it may refuse to be compared
            return False

    @property
    def left(self) -> str:
        """What is left of it, as Python shows it, without addresses."""
        try:
            return _ADDRESS.sub("", repr(self.object))[:_LONGEST]
        except Exception:  # noqa: BLE001  # nor need it be one that can be shown
            return "(it cannot be shown)"


def put(ask: Callable[..., Any], question: str, given: Optional[Given]) -> Any:
    """Call an engine's ``ask``; history is passed only where there is one."""
    return ask(question) if given is None else ask(question, history=given.object)


def state(now: Optional[Given], before: Optional[Given]) -> Dict[str, Any]:
    """What is told of the caller's objects after an ask.

    Args:
        now: that of the ask.
        before: that of the last ask before it that gave one: an engine may have kept hold of it.
    """
    gone = [each for each in (now, before) if each is not None and not each.kept]
    return {
        "history_kept": now not in gone,
        "earlier_kept": before is None or before not in gone,
        "history_left": gone[0].left if gone else None,
    }


def _same(left: Any, right: Any) -> bool:
    """Whether two values are equal and of equal types, all the way down."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(_same(left[k], right[k]) for k in right)
    if isinstance(left, (list, tuple, values.OtherSequence)):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)
