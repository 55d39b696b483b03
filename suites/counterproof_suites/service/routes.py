"""SVC-2: with history both routes do what the engine does, and get what was sent."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.sabotage import Scene
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import History, Trace
from counterproof_suites.engine.block import texts_of
from counterproof_suites.engine.differences import first_difference
from counterproof_suites.engine.inputs import (
    ANY,
    RECORD,
    every,
    makes_generation_calls,
    two_turns,
)

SOME = Histories(ANY.explicit, ANY.drawn, most=4)
"""Each example is put to both routes."""


def sent(trace: Trace) -> list[Any]:
    """What the model was sent, call by call."""
    calls = [each for each in trace.comparable()["crossings"] if each["seam"] == "model"]
    return [{"messages": each["messages"], "tools": each["tools"]} for each in calls]


@check("SVC-2", probes=every, histories=SOME, seams={"stream"})
def the_streamed_ask_sends_the_model_what_the_ask_does(case: Case, history: History) -> None:
    """The same messages and tools, call by call."""
    plain, streamed = case.ask(history), case.put(case.asked(history, streamed=True))
    require(
        sent(streamed) == sent(plain),
        "over the streaming route the model is sent something else than over the other",
        streamed,
        (first_difference(sent(plain), sent(streamed), "/crossings"),),
    )


@check("SVC-2", probes=every, histories=SOME, seams={"stream"})
def the_streamed_ask_answers_what_the_ask_does(case: Case, history: History) -> None:
    """Text, route, sources and refusal, as far as the stream carries them."""
    plain, streamed = case.ask(history), case.put(case.asked(history, streamed=True))
    one, other = plain.comparable()["answer"], streamed.comparable()["answer"]
    for name in ("text", "route", "sources", "refused"):
        require(
            other[name] == one[name] or (other[name] is None and name in ("route", "refused")),
            f"over the streaming route the answer's {name} is another than over the other",
            streamed,
            (f"/answer/{name}",),
        )


@check("SVC-2", probes=every, histories=SOME, observable=makes_generation_calls)
def every_turn_arrives_as_it_was_sent(case: Case, history: History) -> None:
    """In each generation call the texts of the turns stand in order, byte for byte."""
    trace = case.ask(history)
    told = list(history.texts)
    for call in trace.generation_calls:
        texts = [text for each in call.messages for text in texts_of(each.get("content"))]
        left = iter(texts)
        missing = next((text for text in told if text not in left), None)
        require(
            missing is None,
            f"a turn that was sent did not reach the model as it was: {json.dumps(missing)[:120]}",
            trace,
            ("/crossings",),
        )


@check("SVC-2", probes=every, histories=SOME, observable=makes_generation_calls)
def the_question_arrives_as_it_was_sent(case: Case, history: History) -> None:
    """The last message of the user is what it is without history."""
    trace, default = case.ask(history), case.default()
    wanted = [_last_user(each.messages) for each in default.generation_calls]
    found = [_last_user(each.messages) for each in trace.generation_calls]
    require(
        found == wanted,
        "with this history the question that reaches the model is another than without",
        trace,
        ("/crossings",),
    )


def _last_user(messages: Any) -> Any:
    said = [each.get("content") for each in messages if each.get("role") == "user"]
    return said[-1] if said else None


def _history(scene: Scene, request: dict[str, Any]) -> list[Any] | None:
    """The list in a request that holds the turns of the ask, wherever it stands."""
    if not scene.said:
        return None
    found = _lists(request["body"])
    return next((each for each in found if len(each) == len(scene.ask.history.turns)), None)


def _lists(value: Any) -> list[list[Any]]:
    if isinstance(value, list):
        return [value]
    if isinstance(value, dict):
        return [found for each in value.values() for found in _lists(each)]
    return []


@sabotage(
    the_streamed_ask_sends_the_model_what_the_ask_does,
    on="request",
    witness=two_turns,
)
def stream_drops_history(scene: Scene, request: dict[str, Any]) -> dict[str, Any]:
    """The streaming route is sent no turns."""
    turns = _history(scene, request) if request["streamed"] else None
    if turns is not None:
        turns.clear()
    return request


@sabotage(
    the_streamed_ask_answers_what_the_ask_does,
    on="response",
    witness=lambda _: RECORD,
    forged=True,
)
def stream_adds_a_closing_word(scene: Scene, seen: dict[str, Any]) -> dict[str, Any]:
    """With history the stream ends in a delta of its own."""
    if not scene.said or not seen.get("deltas"):
        return seen
    return {**seen, "deltas": [*seen["deltas"], " As we said before."]}


@sabotage(every_turn_arrives_as_it_was_sent, on="request", witness=two_turns)
def service_truncates(scene: Scene, request: dict[str, Any]) -> dict[str, Any]:
    """Only the last turn is taken on."""
    turns = _history(scene, request)
    if turns is not None:
        del turns[:-1]
    return request


@sabotage(the_question_arrives_as_it_was_sent, on="ask", witness=two_turns)
def service_splices(scene: Scene, asked: Any) -> Any:
    """History and question are asked as one text."""
    if not scene.said:
        return asked
    return dataclasses.replace(asked, question=" ".join((*scene.said, asked.question)))
