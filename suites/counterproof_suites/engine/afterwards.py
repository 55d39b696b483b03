"""DEF-3: a conversation leaves nothing behind, neither in the engine nor in its process."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.plan import applicable
from counterproof.sabotage import Scene
from counterproof.strategies import Material
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import History, Trace
from counterproof_suites.engine.altering import last_user
from counterproof_suites.engine.differences import first_difference
from counterproof_suites.engine.inputs import ANY, RECORD, every, poisoned


def _few(material: Material) -> Iterable[History]:
    return [RECORD, poisoned(material)]


AFTER = Histories(_few, ANY.drawn, most=2)
"""Each example opens an engine, so there are few of them."""
_CALL_ID = re.compile(r"call_\d+_\d+")


@check("DEF-3", probes=every, histories=AFTER, needs={"untold"})
def the_engine_keeps_nothing_of_a_conversation(case: Case, history: History) -> None:
    """Asked with history and then without, it does what it does asked twice without."""
    if not history.turns:
        return
    first, again, _ = case.untold()
    case.ask(history, fresh=True, anew=True)
    _require_untold(
        case.ask(anew=True),
        first,
        again,
        f"after a conversation {_ended(history)} the same engine, asked without history, no longer"
        " does what it did before",
    )


@check("DEF-3", probes=every, histories=AFTER, needs={"untold"})
def the_process_keeps_nothing_of_a_conversation(case: Case, history: History) -> None:
    """An engine opened after conversations does what one does whose process saw none."""
    if not history.turns:
        return
    first, _, fresh = case.untold()
    case.ask(history, anew=True)
    for probe in applicable(case.world, case.declared):
        if probe.channel != case.probe.channel:
            case.of(probe).ask(history, anew=True)
            break
    _require_untold(
        case.ask(fresh=True, anew=True),
        first,
        fresh,
        f"once its process has seen a conversation {_ended(history)} a fresh engine, asked without"
        " history, no longer does what it does in a process that saw none",
    )


def _ended(history: History) -> str:
    """The end of a conversation, in a few words; the trace holds the ask after it alone."""
    last = history.texts[-1]
    return f'of {len(history.turns)} turns, the last "{last[:60]}",'


def _require_untold(trace: Trace, first: Trace, later: Trace, message: str) -> None:
    """The trace is one of a process that was never told a history.

    An engine may remember, for the same messages, what the model replied: then it makes a call
    less when asked again without a history too, and may make it, or not, afterwards.

    Args:
        trace: the trace without history, after a conversation.
        first: the first one of a process that is never told a history.
        later: its counterpart there: the one after as many asks.
        message: what is wrong where it is none.
    """
    same = trace.bytes in (first.bytes, later.bytes)
    where = first_difference(later.comparable(), trace.comparable())
    require(same or (_spares(later, first) and _spares(trace, first)), message, trace, (where,))


def _spares(trace: Trace, first: Trace) -> bool:
    """Whether it is the first trace with some of its crossings left out."""
    marks = {call.mark for call in (*first.calls, *trace.calls)} - {""}
    whole, part = _unnumbered(first, marks), _unnumbered(trace, marks)
    same = whole["answer"] == part["answer"] and whole["failure"] == part["failure"]
    return same and _within(part["crossings"], whole["crossings"])


def _unnumbered(trace: Trace, marks: Iterable[str]) -> dict[str, Any]:
    """A trace without what tells how many calls came before: the model's marks and call ids."""
    text = json.dumps(trace.comparable(), ensure_ascii=False)
    for mark in marks:
        text = text.replace(mark, "")
    told: dict[str, Any] = json.loads(_CALL_ID.sub("call", text))
    return told


def _within(part: Sequence[Any], whole: Sequence[Any]) -> bool:
    """Whether one sequence is another with some of its members left out."""
    rest = iter(whole)
    return len(part) < len(whole) and all(any(each == other for other in rest) for each in part)


@sabotage(
    the_engine_keeps_nothing_of_a_conversation,
    the_process_keeps_nothing_of_a_conversation,
    on="messages",
    witness=lambda _: RECORD,
)
def history_kept_and_replayed(scene: Scene, messages: list[Any]) -> list[Any]:
    """The model is told the last conversation again once there is none."""
    place = last_user(messages)
    if scene.said or not scene.heard or place < 0:
        return messages
    told = [{"role": "user", "content": text} for text in scene.heard]
    return [*messages[:place], *told, *messages[place:]]


@sabotage(
    the_engine_keeps_nothing_of_a_conversation,
    the_process_keeps_nothing_of_a_conversation,
    on="answer",
    witness=lambda _: RECORD,
    forged=True,
)
def last_conversation_in_the_answer(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """For engines of which only the answer is seen."""
    if scene.said or not scene.heard:
        return answer
    return {**answer, "text": f"{answer['text']} (As said before: {scene.heard[-1]})"}
