"""SVC-5, and SVC-6 of what is malformed: refused in words, by a service that goes on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.sabotage import Scene
from counterproof.strategies import Material
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import Crossing, History, Trace
from counterproof.worlds import Probe
from counterproof_suites.service.bodies import place, response
from counterproof_suites.service.stream import require_whole

_NAMES_IT = re.compile(
    r"histor|turn|role|content|\[\d+\]|\b\d+\b|utf|unicode|decod|json|body", re.IGNORECASE
)
"""What an error says that tells a client what to mend."""
_GOOD = ("user", "What was that?")


def _malformed(material: Material) -> Iterable[History]:
    word = (*material.canaries, "word")[0]
    last: list[Any] = [
        [1, 2],
        ["user"],
        ["user", word, "extra"],
        ["user", None],
        [None, word],
        ["user", ["nested", word]],
        ["user", {"text": word}],
        word,
        7,
        None,
        [],
        {"text": {"of": word}},
    ]
    return [
        History("raw", (*(list(_GOOD) for _ in range(before)), each))
        for each in last
        for before in (0, 49)
    ]


MALFORMED = Histories(_malformed)
"""Turns that are no turns, alone and last of many; none is one to a service that takes objects."""


def _one(probe: Probe) -> bool:
    """One question suffices: nothing of it is looked at."""
    return probe.id in ("structured_hit", "narrative_hit") or (
        probe.kind == "hit" and probe.claim is None
    )


@check("SVC-5", probes=_one, histories=MALFORMED)
def a_malformed_turn_gets_a_4xx(case: Case, history: History) -> None:
    """Neither an answer nor a 5xx."""
    _require_refused(case.ask(history, may_refuse=True))


@check("SVC-5", probes=_one, histories=MALFORMED)
def the_refusal_names_the_fault(case: Case, history: History) -> None:
    """So that a client can mend it."""
    trace = case.ask(history, may_refuse=True)
    said = json.dumps((response(trace) or {}).get("body"), ensure_ascii=False)
    require(
        _NAMES_IT.search(said),
        f"the refusal does not say what is wrong: {said[:120]}",
        trace,
        (f"/crossings/{place(trace)}/body",),
    )


@check("SVC-5", probes=_one, histories=MALFORMED)
def the_model_is_not_called_for_it(case: Case, history: History) -> None:
    """It is refused before anything is done with it."""
    trace = case.ask(history, may_refuse=True)
    require(not trace.calls, "the model was called with it", trace, ("/crossings",))


@check("SVC-5", probes=_one, histories=MALFORMED)
def the_service_still_answers(case: Case, history: History) -> None:
    """What comes next gets the answer that it gets otherwise."""
    case.ask(history, may_refuse=True)
    trace, default = case.ask(anew=True), case.default()
    require(
        trace.comparable()["answer"] == default.comparable()["answer"],
        "after a malformed request the service answers otherwise than before",
        trace,
        ("/answer",),
    )


@dataclass(frozen=True)
class _Broken:
    name: str
    body: bytes


def _bodies(case: Case) -> list[_Broken]:
    """Bodies that are no requests at all."""
    asked = json.dumps({"question": case.probe.question}).encode()
    return [
        _Broken("no JSON", b"{"),
        _Broken("no object", b"[]"),
        _Broken("nothing", b""),
        _Broken("invalid UTF-8", asked[:-2] + b"\xff\xfe" + asked[-2:]),
        _Broken(
            "a wrong nesting", b'{"question": {"question": {"text": "?"}}, "history": {"a": 1}}'
        ),
    ]


ONCE = Histories(lambda _: [History.of(())])
"""The bodies are the check's own."""


@check("SVC-5", probes=_one, histories=ONCE)
def a_body_that_is_no_request_gets_a_4xx(case: Case, history: History) -> None:
    """No JSON, no object, invalid UTF-8, a wrong nesting."""
    for broken in _bodies(case):
        _require_refused(case.put(case.asked(body=broken.body), may_refuse=True, anew=True))


def _require_refused(trace: Trace) -> None:
    seen = response(trace)
    require(seen is not None, "nothing came back", trace, ("/failure",))
    assert seen is not None
    require(
        400 <= seen["status"] < 500,
        f"it is not refused with a 4xx, but gets {seen['status']}",
        trace,
        (f"/crossings/{place(trace)}/status",),
    )


@check("SVC-6", probes=_one, histories=MALFORMED)
def a_malformed_turn_opens_no_stream(case: Case, history: History) -> None:
    """The streaming route refuses it as the other does: with a status and a JSON body."""
    trace = case.put(case.asked(history, streamed=True), may_refuse=True, anew=True)
    require_whole(trace)
    _require_refused(trace)


def _first(material: Material) -> History:
    return next(iter(_malformed(material)))


_ERROR = {"status": 500, "type": "text/plain", "body": "Internal Server Error"}


@sabotage(
    a_malformed_turn_gets_a_4xx, a_body_that_is_no_request_gets_a_4xx,
    on="response", witness=_first, forged=True, crashes=True,
)  # fmt: skip
def five_hundred(scene: Scene, seen: dict[str, Any]) -> dict[str, Any]:
    """What nobody expected ends in an error of the server's."""
    return {**seen, **_ERROR} if seen["status"] != 200 else seen


@sabotage(a_malformed_turn_gets_a_4xx, on="response", witness=_first, forged=True)
def silently_coerced(scene: Scene, seen: dict[str, Any]) -> dict[str, Any]:
    """It is answered as if nothing were wrong."""
    good = {"status": 200, "type": "application/json", "body": {"answer": "…", "sources": []}}
    return {**seen, **good} if seen["status"] != 200 else seen


@sabotage(the_refusal_names_the_fault, on="response", witness=_first, forged=True, crashes=True)
def refused_without_a_word(scene: Scene, seen: dict[str, Any]) -> dict[str, Any]:
    """The client is told that it is wrong, and not where."""
    return {**seen, "body": {"error": "bad request"}} if seen["status"] != 200 else seen


@sabotage(the_model_is_not_called_for_it, on="record", witness=_first, forged=True)
def validated_after_the_call(scene: Scene, crossings: tuple[Crossing, ...]) -> tuple[Crossing, ...]:
    """The model has been called by the time it is refused."""
    call = {
        "messages": [{"role": "user", "content": "?"}],
        "tools": None,
        "reply": None,
        "mark": "",
    }
    return (Crossing("model", call, altered=True), *crossings)


@sabotage(the_service_still_answers, on="answer", witness=_first, forged=True)
def broken_by_it(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """Once something malformed has come, nothing is answered as before."""
    return {**answer, "text": "The service is restarting."} if scene.number > 1 else answer


@sabotage(
    a_malformed_turn_opens_no_stream, on="response", witness=_first, forged=True, crashes=True
)
def stream_opened_before_validation(scene: Scene, seen: dict[str, Any]) -> dict[str, Any]:
    """The status says that all is well, and the error is an event."""
    error = {"event": "error", "data": {"detail": "history"}}
    return {
        "status": 200, "type": "text/event-stream", "body": None, "events": [error], "deltas": [],
        "closing": None,
    }  # fmt: skip
