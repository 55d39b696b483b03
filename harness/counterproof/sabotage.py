"""Sabotages: alterations of crossings that make an engine behave as if broken in one way.

A sabotage is a set of hooks, identity where it names none. It happens to the vendor's own engine:
a query altered here is the query the engine's retriever really gets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from counterproof.trace import Ask, Trace

HOOKS = ("on_ask", "on_parse", "on_query", "on_passages", "on_messages", "on_answer")

Hook = Callable[[Ask, Any], Any]


@dataclass(frozen=True)
class Sabotage:
    """One way to be broken.

    Args:
        name: as certificates print it, such as ``history-in-query``.
        hooks: by hook name, a function of the ask as the check put it and of what crosses. It
            returns what takes its place: for ``on_ask`` an :class:`Ask`, for the others plain
            values of the crossing's own shape.
        forged: whether it edits only what is reported, not what the engine does.

    Raises:
        ValueError: a hook that does not exist, or none at all.
    """

    name: str
    hooks: Mapping[str, Hook]
    forged: bool = False

    def __post_init__(self) -> None:
        unknown = sorted(set(self.hooks) - set(HOOKS))
        if unknown or not self.hooks:
            raise ValueError(
                f"sabotage {self.name}: hooks are of {', '.join(HOOKS)}, not {unknown}"
            )

    def apply(self, hook: str, ask: Ask, value: Any) -> Any:
        """What takes the place of ``value`` at that hook; ``value`` where it alters nothing."""
        altering = self.hooks.get(hook)
        return value if altering is None else altering(ask, value)


def landed(clean: Trace, sabotaged: Trace) -> bool:
    """Whether a sabotage really changed what the engine did (design §3).

    At the model seam and the answer the alteration itself is seen. The parse and retrieval seams
    are the vendor's word, passages included: there a model message or the answer must differ,
    or an engine that reports one query and uses another would pass.

    Args:
        clean: the same ask on the same engine without the sabotage.
        sabotaged: the ask with it.
    """
    if sabotaged.altered & {"on_messages", "on_answer"}:
        return True
    return bool(sabotaged.altered) and _seen(clean) != _seen(sabotaged)


def _seen(trace: Trace) -> tuple[Any, ...]:
    sent = [(call.messages, call.tools) for call in trace.calls]
    return sent, trace.answer, trace.failure
