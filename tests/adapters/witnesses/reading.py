"""What a witness of a patch is, the histories it asks with, and how traces are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from adapters.patches.sending import LONG
from counterproof.strategies import decision_case, long_history
from counterproof.trace import OMITTED, History, Trace
from counterproof.worlds import builtin_world

WORLD = builtin_world(0)
NONE, LIST, TUPLE = (History(kind) for kind in ("none", "list", "tuple"))
QUESTION, REPLY = (text for _, text in decision_case())
TOLD = History.of(decision_case())
MANY = History.of(long_history(LONG))
VERY_MANY = History.of(long_history(100))
ROLES = ("user", "assistant", "system", "tool", "ASSISTANT", "ai", "critic")
FOREIGN = History.of([(role, f"Turn {n}") for n, role in enumerate(ROLES)])
HIT = WORLD.probe("structured_hit").values[0]
TERMS = next(each for each in WORLD.passages if each.doc == "merger-terms.md")
PLAN = next(each for each in WORLD.passages if each.doc == "layoff-plan.md")
ANOTHER = WORLD.passages[-1]

Asked = tuple[str, History]
Shows = Callable[[Sequence[Trace]], bool]


@dataclass(frozen=True)
class Witness:
    """Asks put to one engine, one after the other.

    Args:
        asks: probe and history of each.
        shows: whether the patch is in the traces; never of the engine as it is.
        question: what is asked in place of the probes' own question.
    """

    asks: tuple[Asked, ...]
    shows: Shows
    question: str | None = None


def one(probe: str, history: History, shows: Callable[[Trace], Any]) -> Witness:
    """A single ask."""
    return Witness(((probe, history),), lambda traces: bool(shows(traces[0])))


def after(history: History, probe: str, shows: Callable[[Trace, Trace], Any]) -> Witness:
    """The same question before and after an ask with history, or with another one."""
    asks = ((probe, OMITTED), (probe, history), (probe, OMITTED))
    return Witness(asks, lambda traces: bool(shows(traces[0], traces[2])))


def compared(probe: str, history: History, shows: Callable[[Trace, Trace], Any]) -> Witness:
    """The question without history, and with it."""
    asks = ((probe, OMITTED), (probe, history))
    return Witness(asks, lambda traces: bool(shows(traces[0], traces[1])))


def said(*turns: tuple[str, str]) -> History:
    """A history of these turns."""
    return History.of(list(turns))


def filters(trace: Trace) -> list[Any]:
    """The filters of each search."""
    return [each.data["filters"] for each in trace.crossings if each.seam == "query"]


def judged(trace: Trace) -> str:
    """What the judge of passages is sent."""
    others = [call for call in trace.calls if call not in trace.generation_calls]
    return "\n".join(str(each["content"]) for call in others for each in call.messages)
