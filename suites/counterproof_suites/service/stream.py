"""SVC-3, SVC-4 and SVC-6: a stream replays a finished, guarded answer, or is none at all."""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.mentions import figures
from counterproof.model.behaviours import (
    EMPTY,
    FABRICATING,
    FAILING_ERROR,
    FAILING_NO_CHOICES,
    TRANSPORT_FAULTS,
)
from counterproof.sabotage import Scene
from counterproof.strategies import Material
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import OMITTED, History, Trace
from counterproof.worlds import Probe
from counterproof_suites.engine.closed import leaked
from counterproof_suites.engine.grounds import own_figures
from counterproof_suites.engine.inputs import ANY, RECORD, every, guarded
from counterproof_suites.engine.restricted import BOTH_FORMS
from counterproof_suites.service.bodies import place, response

_FAILING = (FAILING_ERROR, FAILING_NO_CHOICES, EMPTY, *TRANSPORT_FAULTS)


def _two(material: Material) -> Iterable[History]:
    return [OMITTED, RECORD]


FEW = Histories(_two, ANY.drawn, most=2)
"""Without history, with the decision's own case, and a few drawn."""


def streamed(case: Case, history: History, *, may_refuse: bool = False) -> Trace:
    """The ask, put to the streaming route."""
    return case.put(case.asked(history, streamed=True), may_refuse=may_refuse)


@check("SVC-3", probes=every, histories=FEW)
def the_deltas_joined_are_the_answer(case: Case, history: History) -> None:
    """What a client has shown at the end is what the ask would have given it."""
    trace = streamed(case, history)
    require(
        trace.comparable()["answer"]["text"] == case.ask(history).comparable()["answer"]["text"],
        "the deltas joined are not the answer of the ask",
        trace,
        (f"/crossings/{place(trace)}/deltas", "/answer/text"),
    )


@check("SVC-3", probes=every, histories=FEW)
def the_closing_event_carries_route_and_sources(case: Case, history: History) -> None:
    """They are those of the ask."""
    trace, plain = streamed(case, history), case.ask(history)
    for name in ("route", "sources"):
        found = trace.comparable()["answer"][name]
        require(
            found == plain.comparable()["answer"][name],
            f"the closing event does not carry the {name} of the ask",
            trace,
            (f"/crossings/{place(trace)}/closing", f"/answer/{name}"),
        )


def _explained(probe: Probe) -> bool:
    return probe.channel == "narrative" and probe.kind == "hit"


def prefixes(trace: Trace) -> Iterable[str]:
    """Everything a client can have been shown, as one text: what is taken back was seen."""
    seen = response(trace) or {}
    yield "".join(seen.get("deltas") or ())
    yield from (json.dumps(each["data"], ensure_ascii=False) for each in seen.get("events") or ())


@check("SVC-4", probes=guarded, histories=BOTH_FORMS)
def nothing_restricted_is_streamed(case: Case, history: History) -> None:
    """In no delta, and in no other event."""
    trace = streamed(case, history)
    for text in prefixes(trace):
        found = leaked(case.world, text)
        require(
            not found,
            f"restricted text is in the stream: {', '.join(found)}",
            trace,
            (f"/crossings/{place(trace)}", *found),
        )


@check("SVC-4", probes=_explained, histories=FEW, behaviours=(FABRICATING,))
def no_invented_figure_is_streamed(case: Case, history: History) -> None:
    """None that the model made up, not even for a while."""
    trace = streamed(case, history)
    known = own_figures(case)
    invented = _invented(trace) - known
    shown = "".join((response(trace) or {}).get("deltas") or ())
    found = sorted({each.value for each in figures(shown)} & invented)
    require(
        not found,
        f"a figure that the model made up is in the stream: {', '.join(map(str, found))}",
        trace,
        (f"/crossings/{place(trace)}/deltas",),
    )


def _invented(trace: Trace) -> set[Decimal]:
    """The figures of the model's replies."""
    said = [str((call.reply or {}).get("content") or "") for call in trace.calls]
    return {each.value for text in said for each in figures(text)}


@check("SVC-6", probes=every, histories=FEW, behaviours=_FAILING)
def a_model_that_fails_leaves_no_half_open_stream(case: Case, history: History) -> None:
    """There is a whole stream, or an ordinary JSON error."""
    require_whole(streamed(case, history, may_refuse=True))


def require_whole(trace: Trace) -> None:
    """See that a response is a stream with its closing event, or a JSON error."""
    seen = response(trace)
    require(seen is not None, "nothing came back", trace, ("/failure",))
    assert seen is not None
    mark = (f"/crossings/{place(trace)}",)
    if "events" in seen:
        require(
            seen.get("closing") is not None,
            "the stream was opened, and ended without its closing event",
            trace,
            mark,
        )
        return
    require(
        seen["status"] >= 400 and isinstance(seen["body"], dict),
        f"instead of a stream there is neither a closing event nor a JSON error: {seen['status']}"
        f" {seen['type']}",
        trace,
        mark,
    )


@sabotage(the_deltas_joined_are_the_answer, on="response", witness=lambda _: OMITTED, forged=True)
def last_delta_lost(scene: Scene, seen: dict[str, Any]) -> dict[str, Any]:
    """The stream is closed before its last piece was sent."""
    return {**seen, "deltas": seen["deltas"][:-1]} if seen.get("deltas") else seen


@sabotage(
    the_closing_event_carries_route_and_sources,
    on="response",
    witness=lambda _: OMITTED,
    probes=lambda probe: probe.kind == "hit",
    forged=True,
)
def sources_left_out_of_the_stream(scene: Scene, seen: dict[str, Any]) -> dict[str, Any]:
    """The closing event has no members."""
    return {**seen, "closing": {}} if seen.get("closing") else seen


@sabotage(
    nothing_restricted_is_streamed,
    on="response",
    witness=lambda _: OMITTED,
    forged=True,
)
def guard_after_streaming(scene: Scene, seen: dict[str, Any]) -> dict[str, Any]:
    """What was retrieved is streamed while it is being read, and taken back afterwards."""
    if "deltas" not in seen:
        return seen
    return {**seen, "deltas": [scene.world.restricted[0].text, *seen["deltas"]]}


@sabotage(
    no_invented_figure_is_streamed,
    on="response",
    witness=lambda _: OMITTED,
    forged=True,
)
def model_streamed_through(scene: Scene, seen: dict[str, Any]) -> dict[str, Any]:
    """The model's words are streamed as they come, and guarded when they have all come."""
    if "deltas" not in seen:
        return seen
    return {**seen, "deltas": [scene.last_reply, *seen["deltas"]]}


@sabotage(
    a_model_that_fails_leaves_no_half_open_stream,
    on="response",
    witness=lambda _: OMITTED,
    forged=True,
    crashes=True,
)
def half_open(scene: Scene, seen: dict[str, Any]) -> dict[str, Any]:
    """The stream is opened first, and cut where the model fails."""
    opened = {"event": "start", "data": {}}
    return {
        "status": 200, "type": "text/event-stream", "body": None, "events": [opened], "deltas": [],
        "closing": None,
    }  # fmt: skip
