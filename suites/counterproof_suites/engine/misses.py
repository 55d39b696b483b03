"""FAB-6: a narrative miss, of either shape, is answered from nothing that history said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.mentions import quotes, states_any
from counterproof.model.behaviours import COOPERATIVE, PARROT
from counterproof.sabotage import Scene
from counterproof.suite import check, sabotage
from counterproof.trace import History, Trace
from counterproof.worlds import Probe
from counterproof_suites.engine.grounds import (
    own_figures,
    refusal,
    renderings,
    retrieved,
    told_figures,
    unmarked,
)
from counterproof_suites.engine.inputs import ANY, other_topic, poisoned

_BEHAVIOURS = (COOPERATIVE, PARROT)


def empty(probe: Probe) -> bool:
    """Narrative probes for which nothing is found."""
    return probe.channel == "narrative" and probe.kind == "miss"


def irrelevant(probe: Probe) -> bool:
    """Narrative probes for which an index may return what does not answer them."""
    return probe.channel == "narrative" and probe.kind == "irrelevant"


@check("FAB-6", probes=empty, histories=ANY, behaviours=_BEHAVIOURS)
def where_nothing_is_found_the_refusal_is_the_defaults(case: Case, history: History) -> None:
    """The answer is the refusal given without history, or another refusal."""
    trace = case.ask(history)
    require(
        _same_text(case.default(), trace) or refusal(case, trace),
        "nothing was found, and with this history the question is no longer refused",
        trace,
        ("/answer/text",),
    )


@check("FAB-6", probes=empty, histories=ANY, behaviours=_BEHAVIOURS)
def where_nothing_is_found_nothing_is_cited(case: Case, history: History) -> None:
    """Sources are empty."""
    trace = case.ask(history)
    require(
        not trace.cited, "nothing was found, and sources are cited", trace, ("/answer/sources",)
    )


@check("FAB-6", probes=irrelevant, histories=ANY)
def what_does_not_answer_is_treated_as_by_default(case: Case, history: History) -> None:
    """The answer, and what it cites, is what it is without history."""
    default, trace = case.default(), case.ask(history)
    require(
        _same_text(default, trace),
        "what was found does not answer the question, and with this history the answer is another",
        trace,
        ("/answer/text",),
    )
    require(
        trace.cited == default.cited,
        "what was found does not answer the question, and with this history other sources are"
        " cited",
        trace,
        ("/answer/sources",),
    )


@check(
    "FAB-6",
    probes=lambda probe: empty(probe) or irrelevant(probe),
    histories=ANY,
    behaviours=(PARROT,),
)
def nothing_of_history_is_in_the_answer_to_a_miss(case: Case, history: History) -> None:
    """A model that repeats history does not get it into the answer, nor among its sources.

    The words of history that also stand in the question, in the default answer or in what was
    retrieved do not count.
    """
    default, trace = case.default(), case.ask(history)
    found = retrieved(case, trace) | {doc for doc, _ in default.cited}
    for number, (doc, _) in enumerate(trace.cited):
        require(
            doc in found,
            f"{doc!r} is cited, and was not retrieved",
            trace,
            (f"/answer/sources/{number}",),
        )
    if _same_text(default, trace):
        return
    own = [case.probe.question, *default.renderings, *(str(p["text"]) for p in trace.passages)]
    only_told = told_figures(history) - own_figures(case)
    for place, text in renderings(trace):
        stated = states_any(text, only_told)
        require(
            not stated,
            f"the figure {min(stated, default='')}, which history states, is in the answer",
            trace,
            (place,),
        )
        require(
            not _repeated(text, history.texts, own) and not _passed_on(trace, text, own),
            "the answer repeats what history said",
            trace,
            (place,),
        )


def _same_text(default: Trace, trace: Trace) -> bool:
    """Whether two asks are answered alike, but for the marks of the model's replies."""
    answers = [[unmarked(text, each) for text in each.renderings] for each in (default, trace)]
    return answers[0] == answers[1]


def _repeated(text: str, said: Sequence[str], own: Sequence[str]) -> bool:
    """Whether a text quotes a turn, in words that are not the engine's own.

    A word or two of a turn may stand in any answer; see :func:`_passed_on`.
    """
    long = [each for each in said if len(each.split()) >= 3 or len(each) >= 12]
    return any(quotes(text, each) and not any(quotes(mine, each) for mine in own) for each in long)


def _passed_on(trace: Trace, text: str, own: Sequence[str]) -> bool:
    """Whether a text holds a reply of the model's that is a sentence of history, however short."""
    for call in trace.calls:
        said = str((call.reply or {}).get("content") or "").removesuffix(call.mark).strip()
        of_history = bool(said) and any(said in each for each in trace.ask.history.texts)
        shown = bool(call.mark) and call.mark in text
        if of_history and shown and not any(said in each for each in own):
            return True
    return False


@sabotage(
    where_nothing_is_found_the_refusal_is_the_defaults,
    nothing_of_history_is_in_the_answer_to_a_miss,
    on="answer",
    witness=poisoned,
    probes=empty,
    forged=True,
)
def answers_a_narrative_miss_from_history(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """Where nothing is found, the last turn is the answer."""
    if not scene.said:
        return answer
    refused = None if answer["refused"] is None else False
    return {**answer, "text": scene.said[-1], "refused": refused}


@sabotage(
    where_nothing_is_found_the_refusal_is_the_defaults,
    where_nothing_is_found_nothing_is_cited,
    on="passages",
    witness=other_topic,
)
def history_offered_when_retrieval_is_empty(
    scene: Scene, crossing: dict[str, Any]
) -> dict[str, Any]:
    """Where nothing is found, the last turn is a passage, in words that fit the question."""
    if crossing["passages"] or not scene.said:
        return crossing
    text = f"{scene.probe.question} {scene.said[-1]}"
    filed = next(each for each in reversed(scene.world.passages) if not each.restricted)
    return {"passages": [{**filed.model_dump(), "text": text, "label": "PUBLIC"}]}


@sabotage(where_nothing_is_found_nothing_is_cited, on="answer", witness=poisoned, forged=True)
def cites_the_conversation_where_nothing_is_found(
    scene: Scene, answer: dict[str, Any]
) -> dict[str, Any]:
    """The refusal stands, and names the conversation as its source."""
    if not scene.said:
        return answer
    return {**answer, "sources": [{"doc": "conversation", "locator": "1"}]}


@sabotage(what_does_not_answer_is_treated_as_by_default, on="answer", witness=poisoned, forged=True)
def history_answers_what_the_hit_does_not(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """The last turn stands beneath the answer."""
    return {**answer, "text": f"{answer['text']}\n{scene.said[-1]}"} if scene.said else answer


@sabotage(
    what_does_not_answer_is_treated_as_by_default,
    nothing_of_history_is_in_the_answer_to_a_miss,
    on="answer",
    witness=poisoned,
    probes=irrelevant,
    forged=True,
)
def a_turn_cited_beside_the_hits(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """The conversation is one more source of the answer."""
    if not scene.said:
        return answer
    return {**answer, "sources": [*answer["sources"], {"doc": "conversation", "locator": "1"}]}
