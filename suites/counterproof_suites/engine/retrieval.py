"""RET: history never enters retrieval."""

from __future__ import annotations

from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.sabotage import Scene
from counterproof.suite import check, sabotage
from counterproof.trace import History, Trace
from counterproof_suites.engine.inputs import ANY, other_topic, retrieves, retrieving

_SHORT = 20
"""Characters below which engines are known to complete a question from history."""


@check("RET-1", probes=retrieving, histories=ANY, observable=retrieves)
def only_the_question_is_retrieved_for(case: Case, history: History) -> None:
    """The outermost query is the current question, whole and alone."""
    for trace in (case.default(), case.ask(history)):
        for query in trace.queries[:1]:
            require(
                query == trace.ask.question,
                "the retrieval query is not the current question",
                trace,
                (f"/crossings/{_place(trace, 0)}/query",),
            )


@check("RET-1", probes=retrieving, histories=ANY, observable=retrieves)
def every_query_is_the_defaults(case: Case, history: History) -> None:
    """As many queries as by default, and each the same."""
    default, trace = case.default().queries, case.ask(history)
    for number, (own, query) in enumerate(zip(default, trace.queries, strict=False)):
        require(
            query == own,
            f"retrieval query {number + 1} is another than without history",
            trace,
            (f"/crossings/{_place(trace, number)}/query",),
        )
    require(
        len(trace.queries) == len(default),
        f"with this history the engine makes {len(trace.queries)} retrieval queries,"
        f" without it {len(default)}",
        trace,
    )


def _place(trace: Trace, number: int) -> int:
    return [n for n, each in enumerate(trace.crossings) if each.seam == "query"][number]


def _composite(probe: Any) -> bool:
    return bool(probe.claim == "composite")


@sabotage(
    only_the_question_is_retrieved_for,
    every_query_is_the_defaults,
    on="query",
    witness=other_topic,
)
def history_in_query(scene: Scene, crossing: dict[str, Any]) -> dict[str, Any]:
    """The conversation is searched for along with the question."""
    return {**crossing, "query": " ".join((*scene.said, crossing["query"]))}


@sabotage(
    only_the_question_is_retrieved_for,
    on="query",
    witness=other_topic,
    probes=lambda probe: len(probe.question) < _SHORT,
)
def last_turn_prepended_to_short_questions(
    scene: Scene, crossing: dict[str, Any]
) -> dict[str, Any]:
    """A short question is completed from the last turn."""
    if not scene.said or len(scene.ask.question) >= _SHORT:
        return crossing
    return {**crossing, "query": f"{scene.said[-1]} {crossing['query']}"}


@sabotage(only_the_question_is_retrieved_for, on="query", witness=other_topic, probes=_composite)
def history_in_composite_queries_only(scene: Scene, crossing: dict[str, Any]) -> dict[str, Any]:
    """Only the narrative half of a composite question is searched for with history."""
    if not scene.said or not _composite(scene.probe):
        return crossing
    return {**crossing, "query": f"{scene.said[-1]} {crossing['query']}"}
