"""STA-2: what the caller holds stays the caller's."""

from __future__ import annotations

from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.sabotage import Scene
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import History, Trace
from counterproof_suites.engine.inputs import ANY, RECORD, every, two_turns

SOME = Histories(lambda _: [RECORD], ANY.drawn, most=3)
"""Histories that no other check asks with, so there are few of them."""


def _left(trace: Trace) -> str:
    """What is left of a history that has changed."""
    shown = trace.history_left or "it cannot be shown"
    return shown if len(shown) <= 300 else shown[:150] + " … " + shown[-149:]


@check("STA-2", probes=every, histories=ANY, needs={"object"})
def the_callers_history_is_as_it_was(case: Case, history: History) -> None:
    """The list that was given holds what it held."""
    trace = case.ask(history)
    require(
        trace.history_kept, f"the caller's history was changed, and is now {_left(trace)}", trace
    )


@check("STA-2", probes=every, histories=SOME, needs={"object"})
def the_turns_of_the_callers_history_are_as_they_were(case: Case, history: History) -> None:
    """Where each turn is a list as well, as a client that reads JSON has it.

    An engine may refuse such a turn: it is no pair. It may not change it.
    """
    lists = History("raw", tuple([role, text] for role, text in history.turns))
    trace = case.ask(lists, may_refuse=True)
    require(
        trace.history_kept,
        f"the caller's history, a list of lists, was changed, and is now {_left(trace)}",
        trace,
    )


@check("STA-2", probes=every, histories=SOME, needs={"object"})
def an_earlier_history_stays_as_it_was(case: Case, history: History) -> None:
    """Nor does it change once the next questions are asked."""
    case.ask(history, anew=True)
    for trace in (case.ask(anew=True), case.ask(RECORD, anew=True)):
        require(
            trace.earlier_kept,
            f"the history of an earlier ask was changed by a later one, and is now {_left(trace)}",
            trace,
        )


@sabotage(the_callers_history_is_as_it_was, on="state", witness=two_turns, forged=True)
def turns_appended_in_place(scene: Scene, state: dict[str, Any]) -> dict[str, Any]:
    """Question and answer are added to the caller's own list."""
    if not scene.said:
        return state
    longer = [*scene.ask.history.turns, ("user", scene.ask.question)]
    return {**state, "history_kept": False, "history_left": repr(longer)}


@sabotage(
    the_turns_of_the_callers_history_are_as_they_were,
    on="state",
    witness=two_turns,
    forged=True,
    crashes=True,  # an engine may refuse such turns, each time in other words
)
def roles_mended_in_place(scene: Scene, state: dict[str, Any]) -> dict[str, Any]:
    """A turn that can be written to is written to."""
    if scene.ask.history.kind != "raw" or not scene.said:
        return state
    mended = [["user", text] for text in scene.said]
    return {**state, "history_kept": False, "history_left": repr(mended)}


@sabotage(an_earlier_history_stays_as_it_was, on="state", witness=two_turns, forged=True)
def turns_appended_later(scene: Scene, state: dict[str, Any]) -> dict[str, Any]:
    """The next question is added to the list of the last one."""
    if not scene.heard:
        return state
    longer = [*(("user", text) for text in scene.heard), ("user", scene.ask.question)]
    return {**state, "earlier_kept": False, "history_left": repr(longer)}
