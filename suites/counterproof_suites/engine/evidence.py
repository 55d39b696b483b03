"""FAB: history is never evidence, and neither is a model that looked nothing up."""

from __future__ import annotations

import json
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.mentions import figures, mentions, states_any
from counterproof.model.behaviours import EMPTY, NO_TOOL, PARROT
from counterproof.sabotage import Scene
from counterproof.suite import check, sabotage
from counterproof.trace import OMITTED, Crossing, History, ModelCall, Trace, plain_answer
from counterproof_suites.engine.grounds import hits, own_figures, refusal
from counterproof_suites.engine.inputs import (
    ANY,
    DECISION,
    RECORD,
    every,
    hit,
    plain_miss,
    poisoned,
    structured,
)

_POISON = 999
_UNHELPFUL = (PARROT, NO_TOOL, EMPTY)


@check("FAB-1", probes=plain_miss, histories=DECISION)
def a_miss_stays_the_default_refusal(case: Case, history: History) -> None:
    """The answer is the refusal given without history, or another that states no figure."""
    trace = case.ask(history)
    require(
        trace.text == case.default().text or refusal(case, trace),
        "a miss is no longer refused once history speaks of it",
        trace,
        ("/answer/text",),
    )


@check("FAB-1", probes=plain_miss, histories=DECISION)
def the_figure_of_history_is_nowhere_in_the_answer(case: Case, history: History) -> None:
    """No rendering, source or tool result states 999, in any form."""
    trace = case.ask(history)
    for name, value in (plain_answer(trace.answer) or {}).items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        require(
            not mentions(text, _POISON),
            f"history's figure stands in the answer's {name}",
            trace,
            (f"/answer/{name}",),
        )


@check("FAB-1", probes=plain_miss, histories=DECISION)
def a_miss_cites_nothing(case: Case, history: History) -> None:
    """Sources are empty."""
    trace = case.ask(history)
    require(not trace.cited, "a miss cites sources", trace, ("/answer/sources",))


def _does_something(case: Case) -> str | None:
    return None if case.default().crossings else "nothing of how the engine answers is exposed"


@check("FAB-1", probes=plain_miss, histories=DECISION, observable=_does_something)
def the_miss_path_really_ran(case: Case, history: History) -> None:
    """The seams are crossed as they are without history: the miss was looked for.

    Compared is the second of two asks without history: an engine may remember a model call that
    has nothing to do with history, and make it once. One that remembers every reply makes its
    calls with history, and not without: a fresh one makes them either way.
    """
    case.ask()
    default = [each.seam for each in case.ask().crossings]
    trace = case.ask(history, anew=True)
    found = [each.seam for each in trace.crossings]
    if found != default:
        default = [each.seam for each in case.default().crossings]
        trace = case.ask(history, fresh=True)
        found = [each.seam for each in trace.crossings]
    require(
        found == default,
        f"with this history the engine goes another way: {', '.join(found) or 'no seam'}"
        f" instead of {', '.join(default)}",
        trace,
    )


def _finds_what_it_cites(case: Case) -> str | None:
    if case.probe.channel == "narrative" and "retrieval" not in case.declared.seams:
        return "the adapter does not expose the seam retrieval"
    return None


@check("FAB-4", probes=every, histories=ANY, observable=_finds_what_it_cites)
def every_source_is_a_real_hit(case: Case, history: History) -> None:
    """What is cited was found by this ask: by its retrieval, its tool or its store."""
    trace = case.ask(history)
    found = hits(case, trace)
    for number, (doc, _) in enumerate(trace.cited):
        require(
            doc in found,
            f"{doc!r} is cited, and nothing this ask did found it",
            trace,
            (f"/answer/sources/{number}",),
        )


def _asks_the_model_to_look_up(case: Case) -> str | None:
    if any(_looking_up(_asked(case, each), case) for each in (OMITTED, RECORD)):
        return None
    return "the engine does not call the model for its figures"


def _asked(case: Case, history: History) -> Trace:
    """An ask; a model that replies with nothing has failed, and the engine may raise (FAB-9)."""
    return case.ask(history, may_refuse=case.behaviour == EMPTY)


def _looking_up(trace: Trace, case: Case) -> list[ModelCall]:
    """The calls of the structured channel: all, but on the composite route those with tools."""
    return [call for call in trace.calls if call.tools or case.probe.claim != "composite"]


@check(
    "FAB-5",
    probes=structured,
    histories=ANY,
    behaviours=_UNHELPFUL,
    observable=_asks_the_model_to_look_up,
)
def the_models_own_figures_are_not_in_the_answer(case: Case, history: History) -> None:
    """A figure only the model, or history, said is in no rendering of the answer."""
    trace = _asked(case, history)
    said = [str((call.reply or {}).get("content") or "") for call in _looking_up(trace, case)]
    own = {each.value for text in said for each in figures(text)} - own_figures(case)
    for name, text in zip(("text", "plain"), trace.renderings, strict=False):
        stated = states_any(text, own)
        require(
            not stated,
            f"the model called no tool, and its own figure {min(stated, default='')} is in the"
            f" answer",
            trace,
            (f"/answer/{name}",),
        )


@check(
    "FAB-5",
    probes=structured,
    histories=ANY,
    behaviours=_UNHELPFUL,
    observable=_asks_the_model_to_look_up,
)
def the_models_own_words_are_not_the_answer(case: Case, history: History) -> None:
    """The text of a reply is not handed out as the answer."""
    trace = _asked(case, history)
    for call in _looking_up(trace, case):
        for name, text in zip(("text", "plain"), trace.renderings, strict=False):
            require(
                not (call.mark and call.mark in text),
                "the model called no tool, and its words are the answer",
                trace,
                (f"/answer/{name}",),
            )


@check(
    "FAB-5",
    probes=structured,
    histories=ANY,
    behaviours=_UNHELPFUL,
    observable=_asks_the_model_to_look_up,
)
def the_answer_is_rendered_from_facts_or_is_a_refusal(case: Case, history: History) -> None:
    """The values asked for, with their source; or no value of the store, and no source."""
    trace = _asked(case, history)
    if trace.failure is not None:
        return
    values = set(case.probe.values)
    stated = states_any(trace.text, {fact.value for fact in case.world.facts})
    answered = bool(values) and values <= stated <= values and bool(trace.cited)
    refused = bool(trace.text.strip()) and not trace.cited and not stated
    composite = case.probe.claim == "composite" and not stated - values
    require(
        answered or refused or composite,
        "the answer is neither the store's figure with its source nor a refusal",
        trace,
        ("/answer/text",),
    )


@sabotage(a_miss_stays_the_default_refusal, on="answer", witness=lambda _: RECORD, forged=True)
def answers_a_miss_from_history(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """The conversation's last word is the answer."""
    if not scene.said:
        return answer
    return {
        **answer,
        "text": scene.said[-1],
        "refused": None if answer["refused"] is None else False,
    }


@sabotage(a_miss_stays_the_default_refusal, on="answer", witness=lambda _: RECORD, forged=True)
def calls_a_figure_a_refusal(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """A figure that nothing found stands in what is said to be a refusal."""
    if not scene.said:
        return answer
    return {**answer, "text": "Not in the store; about 74,813, I would say.", "refused": True}


@sabotage(
    the_figure_of_history_is_nowhere_in_the_answer,
    on="answer",
    witness=lambda _: RECORD,
    forged=True,
)
def quotes_history_beneath_the_refusal(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """The refusal stands, and history's figure beneath it."""
    if not scene.said:
        return answer
    return {**answer, "text": f"{answer['text']}\n(Earlier: {scene.said[-1]})"}


@sabotage(
    the_figure_of_history_is_nowhere_in_the_answer,
    on="answer",
    witness=lambda _: RECORD,
    forged=True,
)
def leaks_history_in_the_plain_answer(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """Only the rendering without citations states it."""
    return {**answer, "plain": scene.said[-1]} if scene.said else answer


@sabotage(a_miss_cites_nothing, on="answer", witness=lambda _: RECORD, forged=True)
def cites_the_conversation_on_a_miss(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """History is given as the source."""
    if not scene.said:
        return answer
    return {**answer, "sources": [{"doc": "conversation", "locator": "1"}]}


@sabotage(the_miss_path_really_ran, on="record", witness=lambda _: RECORD, forged=True)
def does_not_look_once_history_speaks(
    scene: Scene, crossings: tuple[Crossing, ...]
) -> tuple[Crossing, ...]:
    """With history, nothing is seen of the engine's looking."""
    return () if scene.said else crossings


@sabotage(every_source_is_a_real_hit, on="answer", witness=poisoned, forged=True)
def cites_the_conversation(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """A source that is no document."""
    if not scene.said:
        return answer
    return {**answer, "sources": [*answer["sources"], {"doc": "conversation", "locator": "1"}]}


@sabotage(
    every_source_is_a_real_hit,
    on="answer",
    witness=lambda m: History.of((("user", f"See {' and '.join(m.documents)}."),)),
    forged=True,
)
def cites_a_document_that_history_names(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """Documents of the world, cited because they were spoken of."""
    cited = {each["doc"] for each in answer["sources"]}
    docs = dict.fromkeys(each.doc for each in scene.world.passages)
    named = [doc for doc in docs if doc not in cited and any(doc in text for text in scene.said)]
    more = [{"doc": doc, "locator": "p1"} for doc in named]
    return {**answer, "sources": [*answer["sources"], *more]}


@sabotage(
    the_models_own_figures_are_not_in_the_answer,
    the_models_own_words_are_not_the_answer,
    on="answer",
    witness=lambda _: RECORD,
    forged=True,
)
def returns_the_models_text(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """What the model said is the answer."""
    return {**answer, "text": scene.last_reply or answer["text"]}


@sabotage(
    the_answer_is_rendered_from_facts_or_is_a_refusal,
    on="answer",
    witness=lambda _: RECORD,
    probes=hit,
    forged=True,
)
def answers_with_another_fact(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """A figure of the store that was not asked for."""
    other = next(f for f in scene.world.facts if f.value not in scene.probe.values)
    return {**answer, "text": f"{other.value:g} {other.unit}"}
