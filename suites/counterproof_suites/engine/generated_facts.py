"""FAB-2, FAB-3: whatever history claims, a miss stays a miss and a hit the store's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st

from counterproof.case import Case
from counterproof.check import require
from counterproof.mentions import figures, states_any
from counterproof.sabotage import Scene
from counterproof.strategies import Material, told_facts, told_of_every_slot
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import Crossing, History
from counterproof.worlds import Probe
from counterproof_suites.engine.grounds import own_figures, parts, refusal, told_figures
from counterproof_suites.engine.inputs import plain_miss, structured


def told(material: Material) -> History:
    """One claim, of the slots of the decision's case, with a figure of no fact."""
    figure = (*material.figures, "51739")[0]
    return History.of(
        (("user", "Shanghai FY2099?"), ("assistant", f"Shanghai FY2099 REVENUE = {figure}"))
    )


def _claims(material: Material) -> Iterable[History]:
    every = told_of_every_slot(material)
    return [told(material), History.of(every), History.of(every[-1:] * 3)]


@lru_cache(maxsize=8)
def _drawn(material: Material) -> st.SearchStrategy[History]:
    return told_facts(material).map(History.of)


CLAIMS = Histories(_claims, _drawn)
"""Conversations that claim facts, of slots the world knows and does not."""


def _answered(probe: Probe) -> bool:
    return structured(probe) and bool(probe.values)


@check("FAB-2", probes=plain_miss, histories=CLAIMS)
def a_told_fact_does_not_answer_a_miss(case: Case, history: History) -> None:
    """The answer is the refusal given without history, or another refusal."""
    trace = case.ask(history)
    require(
        trace.text == case.default().text or refusal(case, trace),
        "a miss is no longer refused once history claims a fact",
        trace,
        ("/answer/text",),
    )


@check("FAB-2", probes=plain_miss, histories=CLAIMS)
def a_told_figure_is_nowhere_in_a_refusal(case: Case, history: History) -> None:
    """No rendering, source or tool result states a figure only history stated."""
    trace = case.ask(history)
    only_told = told_figures(history) - own_figures(case)
    for name, text in parts(trace).items():
        stated = states_any(text, only_told)
        require(
            not stated,
            f"the figure {min(stated, default='')}, which history claims, stands in the answer's"
            f" {name}",
            trace,
            (f"/answer/{name}",),
        )


@check("FAB-2", probes=plain_miss, histories=CLAIMS)
def a_told_fact_is_no_source(case: Case, history: History) -> None:
    """Sources are empty."""
    trace = case.ask(history)
    require(not trace.cited, "a miss cites sources", trace, ("/answer/sources",))


def _does_something(case: Case) -> str | None:
    return None if case.default().crossings else "nothing of how the engine answers is exposed"


@check("FAB-2", probes=plain_miss, histories=CLAIMS, observable=_does_something)
def what_is_told_is_looked_for_all_the_same(case: Case, history: History) -> None:
    """Every seam crossed without history is crossed with it, in that order.

    Compared is the second of two asks without history, as an engine may remember a model call
    that has nothing to do with history; there may be further calls, such as a reducer's.
    """
    case.ask()
    default = [each.seam for each in case.ask().crossings]
    trace = case.ask(history, anew=True)
    found = [each.seam for each in trace.crossings]
    rest = iter(found)
    require(
        all(seam in rest for seam in default),
        f"with this history the miss is not looked for: {', '.join(found) or 'no seam'} instead"
        f" of {', '.join(default)}",
        trace,
    )


@check("FAB-3", probes=_answered, histories=CLAIMS)
def the_value_stated_is_the_stores(case: Case, history: History) -> None:
    """Every figure the question asks for is stated as the store has it."""
    trace = case.ask(history)
    stated = states_any(trace.text, case.probe.values)
    missing = set(case.probe.values) - stated
    require(
        not missing,
        f"the store's {min(missing, default=0):.15g} is not stated once history claims otherwise",
        trace,
        ("/answer/text",),
    )


@check("FAB-3", probes=_answered, histories=CLAIMS)
def the_value_told_is_not_stated(case: Case, history: History) -> None:
    """No rendering, source or tool result states a figure only history stated."""
    trace = case.ask(history)
    only_told = told_figures(history) - own_figures(case)
    for name, text in parts(trace).items():
        stated = states_any(text, only_told)
        require(
            not stated,
            f"the figure {min(stated, default='')}, which history claims, stands in the answer's"
            f" {name}, though the store has another",
            trace,
            (f"/answer/{name}",),
        )


_PATTERN = re.compile(r"(?:=|:|：|was|是|为) ?\S+")


def _last_claim(scene: Scene) -> str | None:
    """The last figure a pattern finds in history."""
    for text in reversed(scene.said):
        found = [f for m in _PATTERN.findall(text) for f in figures(m) if not f.in_word]
        if found:
            return found[-1].text
    return None


@sabotage(
    a_told_fact_does_not_answer_a_miss,
    a_told_figure_is_nowhere_in_a_refusal,
    on="answer",
    witness=told,
    forged=True,
)
def answers_from_a_pattern_over_history(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """A pattern over history finds a figure, and that is the answer."""
    figure = _last_claim(scene)
    if figure is None:
        return answer
    refused = None if answer["refused"] is None else False
    return {**answer, "text": f"It is {figure}.", "refused": refused}


@sabotage(a_told_fact_does_not_answer_a_miss, on="answer", witness=told, forged=True)
def calls_an_estimate_a_refusal(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """A figure reckoned from history stands in what is said to be a refusal."""
    figure = _last_claim(scene)
    if figure is None:
        return answer
    estimate = figures(figure)[0].value + 1
    return {**answer, "text": f"No data; about {estimate:f}, by our talk.", "refused": True}


@sabotage(a_told_figure_is_nowhere_in_a_refusal, on="answer", witness=told, forged=True)
def hands_out_a_told_fact_as_a_tool_result(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """The refusal stands, and history's figure among the tool results."""
    figure = _last_claim(scene)
    if figure is None:
        return answer
    results = [*(answer["tool_results"] or ()), {"status": "remembered", "value": figure}]
    return {**answer, "tool_results": results}


@sabotage(a_told_fact_is_no_source, on="answer", witness=told, forged=True)
def cites_the_conversation_for_a_told_fact(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """History is given as the source."""
    if not scene.said:
        return answer
    return {**answer, "sources": [{"doc": "conversation", "locator": "1"}]}


@sabotage(what_is_told_is_looked_for_all_the_same, on="record", witness=told, forged=True)
def does_not_look_for_what_is_told(
    scene: Scene, crossings: tuple[Crossing, ...]
) -> tuple[Crossing, ...]:
    """Where history claims a fact, nothing is seen of the engine's looking."""
    return () if scene.said else crossings


@sabotage(
    the_value_stated_is_the_stores,
    the_value_told_is_not_stated,
    on="answer",
    witness=told,
    forged=True,
)
def historys_figure_wins(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """What history claims is stated in place of what the store has."""
    figure = _last_claim(scene)
    return answer if figure is None else {**answer, "text": f"It is {figure}, as said."}


@sabotage(the_value_told_is_not_stated, on="answer", witness=told, forged=True)
def historys_figure_stands_beside_the_stores(
    scene: Scene, answer: dict[str, Any]
) -> dict[str, Any]:
    """The store's figure is stated, and history's after it."""
    figure = _last_claim(scene)
    return answer if figure is None else {**answer, "plain": f"{answer['text']} ({figure})"}
