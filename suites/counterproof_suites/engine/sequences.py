"""DEF-5: a history is what it holds, whatever sequence holds it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.sabotage import Scene
from counterproof.strategies import Material, leading_system, long_history
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import OMITTED, Ask, History
from counterproof_suites.engine.differences import first_difference
from counterproof_suites.engine.inputs import ANY, RECORD, every, two_turns


def _some(material: Material) -> Iterable[History]:
    canary = (*material.canaries, "")[0]
    told = (leading_system(canary), long_history(60, canary=canary))
    return [History("list"), RECORD, *map(History.of, told)]


SOME = Histories(_some, ANY.drawn, most=3)
"""Each is asked in two ways, and only the one is shared with other checks."""


def _is_as_the_list(case: Case, history: History, kind: str) -> None:
    listed = History.of(history.turns)
    expected = case.ask(listed, may_refuse=True)
    trace = case.ask(History(kind, history.turns), may_refuse=True, anew=True)
    if trace.bytes == expected.bytes:
        return
    # An engine, or its process, may remember a model call it has made for the same messages, and
    # so answer the second of two equal asks in another way: both are put to it once more.
    first = case.ask(listed, fresh=True, may_refuse=True)
    again = case.ask(listed, fresh=True, may_refuse=True)
    trace = case.ask(History(kind, history.turns), fresh=True, may_refuse=True)
    given = "a tuple" if kind == "tuple" else "another sequence"
    require(
        trace.failure is None or first.failure is not None,
        f"a history given as {given} is refused, and the equal list is not",
        trace,
        ("/failure",),
    )
    where = first_difference(first.comparable(), trace.comparable())
    require(
        trace.bytes in (first.bytes, again.bytes),
        f"a history given as {given} is not treated as the equal list",
        trace,
        (where,),
    )


@check("DEF-5", probes=every, histories=SOME, needs={"object"})
def a_tuple_is_treated_as_the_equal_list(case: Case, history: History) -> None:
    """The trace is the list's, byte for byte."""
    _is_as_the_list(case, history, "tuple")


@check("DEF-5", probes=every, histories=SOME, needs={"object"})
def any_other_sequence_is_treated_as_the_equal_list(case: Case, history: History) -> None:
    """A ``Sequence`` that is neither list nor tuple."""
    _is_as_the_list(case, history, "sequence")


@sabotage(
    a_tuple_is_treated_as_the_equal_list,
    any_other_sequence_is_treated_as_the_equal_list,
    on="ask",
    witness=two_turns,
)
def history_only_from_a_list(scene: Scene, asked: Ask) -> Ask:
    """What is no list is taken for no history."""
    if asked.history.kind not in ("tuple", "sequence"):
        return asked
    return dataclasses.replace(asked, history=OMITTED)


@sabotage(
    a_tuple_is_treated_as_the_equal_list,
    any_other_sequence_is_treated_as_the_equal_list,
    on="answer",
    witness=two_turns,
    forged=True,
)
def anything_but_a_list_warned_of(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """For engines of which only the answer is seen."""
    if scene.ask.history.kind not in ("tuple", "sequence"):
        return answer
    return {**answer, "text": f"{answer['text']} (The history is no list.)"}
