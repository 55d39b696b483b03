"""PAR: history never enters intent parsing or the security gate."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.sabotage import Scene
from counterproof.strategies import Material
from counterproof.suite import check, sabotage
from counterproof.trace import Ask, History
from counterproof_suites.engine.inputs import ANY, RECORD, plain_miss, structured

_PERIOD = re.compile(r"FY\d{4}")


@check("PAR-2", probes=structured, histories=ANY)
def the_answer_is_the_defaults(case: Case, history: History) -> None:
    """Text, plain rendering and refusal are what they are without history."""
    default, trace = case.default().answer, case.ask(history)
    assert default is not None
    assert trace.answer is not None
    for name in ("text", "plain", "refused"):
        require(
            getattr(trace.answer, name) == getattr(default, name),
            f"with this history the answer's {name} is another than without",
            trace,
            (f"/answer/{name}",),
        )


def _tells_its_route(case: Case) -> str | None:
    answer = case.default().answer
    return None if answer and answer.route is not None else "the engine does not tell its route"


@check("PAR-2", probes=structured, histories=ANY, observable=_tells_its_route)
def the_route_is_the_defaults(case: Case, history: History) -> None:
    """The way the engine took is the way it takes without history."""
    default, trace = case.default().answer, case.ask(history)
    assert default is not None
    assert trace.answer is not None
    require(
        trace.answer.route == default.route,
        f"with this history the route is {trace.answer.route!r}, without it {default.route!r}",
        trace,
        ("/answer/route",),
    )


@check("PAR-2", probes=structured, histories=ANY)
def the_sources_are_the_defaults(case: Case, history: History) -> None:
    """What is cited, and in which order, is what is cited without history."""
    default, trace = case.default(), case.ask(history)
    require(
        trace.cited == default.cited,
        "with this history other sources are cited than without",
        trace,
        ("/answer/sources",),
    )


def _hands_out_tool_results(case: Case) -> str | None:
    answer = case.default().answer
    results = None if answer is None else answer.tool_results
    if results is None or (case.probe.kind == "hit" and not results):
        return "the engine hands out no tool results"
    return None


@check("PAR-2", probes=structured, histories=ANY, observable=_hands_out_tool_results)
def the_tool_results_are_the_defaults(case: Case, history: History) -> None:
    """The tool results behind the answer are those behind it without history."""
    default, trace = case.default(), case.ask(history)
    require(
        trace.comparable()["answer"]["tool_results"]
        == default.comparable()["answer"]["tool_results"],
        "with this history the tool results are others than without",
        trace,
        ("/answer/tool_results",),
    )


def _asked_before(material: Material) -> History:
    """A conversation about other periods and entities than a question's own."""
    entities = (*material.entities[:4], "Hong Kong", "China")
    asked = [f"{entities[0]} FY2023 {(*material.metrics, 'revenue')[0]}?"]
    asked += [f"{entities[2]} FY2024 {(*material.metrics, 'revenue')[0]}?"]
    return History.of(tuple(("user", each) for each in (*asked, *asked[:1])))


@sabotage(
    the_answer_is_the_defaults,
    the_tool_results_are_the_defaults,
    on="ask",
    witness=_asked_before,
)
def period_from_history(scene: Scene, asked: Ask) -> Ask:
    """The period of the question gives way to the last other one spoken of."""
    spoken = [each for text in scene.said for each in _PERIOD.findall(text)]
    own = _PERIOD.findall(asked.question)
    others = [each for each in spoken if each not in own]
    if not own or not others:
        return asked
    return dataclasses.replace(asked, question=_PERIOD.sub(others[-1], asked.question))


@sabotage(the_sources_are_the_defaults, on="ask", witness=_asked_before)
def entity_from_history(scene: Scene, asked: Ask) -> Ask:
    """The entity of the question gives way to the last other one spoken of."""
    own = scene.world.read_slots(asked.question)["entity"]
    codes = {each.code for each in scene.world.entities if set(own) & set(each.names)}
    others = [
        name
        for text in scene.said
        for name in scene.world.read_slots(text)["entity"]
        if not any(name in each.names for each in scene.world.entities if each.code in codes)
    ]
    if not own or not others:
        return asked
    question = asked.question
    for name in own:
        question = question.replace(name, others[-1])
    return dataclasses.replace(asked, question=question)


@sabotage(the_route_is_the_defaults, on="answer", witness=lambda _: RECORD, forged=True)
def route_from_history(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """With history, another route is told."""
    return {**answer, "route": "conversation"} if scene.said else answer


@sabotage(the_answer_is_the_defaults, on="ask", witness=_asked_before)
def history_spliced_into_the_question(scene: Scene, asked: Ask) -> Ask:
    """The engine is asked history and question as one text."""
    if not scene.said:
        return asked
    return dataclasses.replace(asked, question=" ".join((*scene.said, asked.question)))


@sabotage(
    the_answer_is_the_defaults,
    on="answer",
    witness=lambda _: RECORD,
    probes=plain_miss,
    forged=True,
)
def anti_fabrication_off_with_history(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """On a miss the conversation's last word is the answer."""
    return {**answer, "text": scene.said[-1]} if scene.said else answer
