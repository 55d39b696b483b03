"""SVC-1: no history over HTTP is no history, however it is left out."""

from __future__ import annotations

from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.sabotage import Scene
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import OMITTED, History, Trace
from counterproof_suites.engine.differences import first_difference
from counterproof_suites.engine.inputs import every

_LEFT_OUT = {"null": History("none"), "[]": History.of(())}


def response(trace: Trace) -> Any:
    """What came back of an ask, with what the mapping declares masked; None where nothing did."""
    found = [each for each in trace.comparable()["crossings"] if each["seam"] == "response"]
    return found[-1] if found else None


def place(trace: Trace) -> int:
    """Where in a trace the response stands."""
    found = [n for n, each in enumerate(trace.crossings) if each.seam == "response"]
    return found[-1] if found else 0


def _require_as_absent(case: Case, sent: str) -> None:
    absent, trace = case.ask(), case.ask(_LEFT_OUT[sent])
    where = first_difference(response(absent), response(trace), f"/crossings/{place(trace)}")
    require(
        response(trace) == response(absent),
        f'with "history": {sent} the body is another than without the member',
        trace,
        (where,),
    )


ONCE = Histories(lambda _: [OMITTED])
"""One ask; what is sent is the check's own."""


@check("SVC-1", probes=every, histories=ONCE)
def null_gives_the_body_of_an_absent_history(case: Case, history: History) -> None:
    """``"history": null`` is no history."""
    _require_as_absent(case, "null")


@check("SVC-1", probes=every, histories=ONCE)
def an_empty_list_gives_the_body_of_an_absent_history(case: Case, history: History) -> None:
    """``"history": []`` is no history."""
    _require_as_absent(case, "[]")


def _marked(kind: str) -> Any:
    def mark(scene: Scene, seen: dict[str, Any]) -> dict[str, Any]:
        asked = scene.ask.history
        if asked.kind != kind or asked.turns or not isinstance(seen["body"], dict):
            return seen
        return {**seen, "body": {**seen["body"], "in_conversation": True}}

    return mark


@sabotage(
    null_gives_the_body_of_an_absent_history,
    on="response",
    witness=lambda _: OMITTED,
    forged=True,
)
def marker_added_for_null(scene: Scene, seen: dict[str, Any]) -> dict[str, Any]:
    """A member of the body tells that history was given, though there was none."""
    return _marked("none")(scene, seen)  # type: ignore[no-any-return]  # it is the seen one


@sabotage(
    an_empty_list_gives_the_body_of_an_absent_history,
    on="response",
    witness=lambda _: OMITTED,
    forged=True,
)
def marker_added_for_an_empty_list(scene: Scene, seen: dict[str, Any]) -> dict[str, Any]:
    """The same for an empty list."""
    return _marked("list")(scene, seen)  # type: ignore[no-any-return]  # it is the seen one
