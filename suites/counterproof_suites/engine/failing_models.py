"""FAB-9: where the model fails, nothing takes its place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.mentions import quotes, states_any
from counterproof.model.behaviours import (
    EMPTY,
    FAILING_ERROR,
    FAILING_NO_CHOICES,
    FAILING_TIMEOUT,
)
from counterproof.sabotage import Scene
from counterproof.strategies import Material
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import OMITTED, Failure, History, Trace
from counterproof.worlds import Probe
from counterproof_suites.engine.generated_facts import told
from counterproof_suites.engine.grounds import (
    documented,
    hits,
    other_figures,
    own_figures,
    renderings,
    told_figures,
)
from counterproof_suites.engine.inputs import RECORD, other_topic, two_turns

_FAILURES = (FAILING_ERROR, FAILING_TIMEOUT, FAILING_NO_CHOICES, EMPTY)


def _few(material: Material) -> Iterable[History]:
    return [OMITTED, RECORD, told(material), two_turns(material), other_topic(material)]


FEW = Histories(_few)
"""Explicit ones: where the model fails, little depends on what history holds."""


def _asks_a_model(probe: Probe) -> bool:
    return probe.kind in ("hit", "miss") and probe.claim in (None, "composite")


def _model_is_asked(case: Case) -> str | None:
    if any(case.ask(each, may_refuse=True).calls for each in (OMITTED, RECORD)):
        return None
    return "the engine asks no model for it"


@check(
    "FAB-9", probes=_asks_a_model, histories=FEW, behaviours=_FAILURES, observable=_model_is_asked
)
def a_model_that_fails_is_told_of(case: Case, history: History) -> None:
    """Something is said, or the engine raises the error it documents.

    An engine that hands out a rendering without citations says something in that one too: a list
    of sources alone is no answer.

    Documented is an exception of a type the adapter declares (``errors``); where it declares none,
    one whose type or message speaks of the model's failure. An IndexError or the like is never
    one: it says that the engine did not expect what its provider's contract allows.
    """
    trace = case.ask(history, may_refuse=True)
    if trace.answer is not None:
        require(
            trace.text.strip(),
            "the model failed, and the answer is empty",
            trace,
            ("/answer/text",),
        )
        require(
            trace.answer.plain is None or trace.answer.plain.strip(),
            "the model failed, and the answer without citations is empty",
            trace,
            ("/answer/plain",),
        )
        return
    assert trace.failure is not None
    require(
        documented(case, trace.failure),
        f"the model failed, and the engine ends in what is no documented error: {trace.failure}",
        trace,
        ("/failure",),
    )


@check(
    "FAB-9", probes=_asks_a_model, histories=FEW, behaviours=_FAILURES, observable=_model_is_asked
)
def history_does_not_take_the_models_place(case: Case, history: History) -> None:
    """No turn of history, and no figure that only history states, is in the answer.

    The words of history that also stand in the question, in what was retrieved, in the
    cooperative answer or in the one given without history do not count.
    """
    bare, trace = case.ask(OMITTED, may_refuse=True), case.ask(history, may_refuse=True)
    only_told = told_figures(history) - own_figures(case)
    own = [*bare.renderings, *_own_words(case, trace)]
    for place, text in renderings(trace):
        stated = states_any(text, only_told)
        require(
            not stated,
            f"the model failed, and the figure {min(stated, default='')}, which history states, is"
            " in the answer",
            trace,
            (place,),
        )
        require(
            not any(
                quotes(text, said) and not any(quotes(mine, said) for mine in own)
                for said in history.texts
            ),
            "the model failed, and a turn of history is in the answer",
            trace,
            (place,),
        )


def _own_words(case: Case, trace: Trace) -> list[str]:
    found = [str(each["text"]) for each in trace.passages]
    return [case.probe.question, *case.cooperative().renderings, *found]


@check(
    "FAB-9", probes=_asks_a_model, histories=FEW, behaviours=_FAILURES, observable=_model_is_asked
)
def no_figure_is_stated_in_the_models_place(case: Case, history: History) -> None:
    """No rendering states a figure of the store that the question does not ask for."""
    trace = case.ask(history, may_refuse=True)
    others = other_figures(case) - {float(each) for each in own_figures(case)}
    for place, text in renderings(trace):
        stated = states_any(text, others)
        require(
            not stated,
            f"the model failed, and {min(stated, default=0):.15g}, which the question does not ask"
            " for, is stated",
            trace,
            (place,),
        )


@check(
    "FAB-9", probes=_asks_a_model, histories=FEW, behaviours=_FAILURES, observable=_model_is_asked
)
def no_source_is_cited_in_the_models_place(case: Case, history: History) -> None:
    """What is cited was found by this ask, without the model."""
    trace = case.ask(history, may_refuse=True)
    found = hits(case, trace)
    for number, (doc, _) in enumerate(trace.cited):
        require(
            doc in found,
            f"the model failed, and {doc!r} is cited, which nothing found",
            trace,
            (f"/answer/sources/{number}",),
        )


def _fails(scene: Scene) -> bool:
    return scene.ask.behaviour in _FAILURES


def _answering(end: dict[str, Any] | Failure, text: str, *docs: str) -> dict[str, Any]:
    """An answer in place of how the ask ended."""
    bare = {"route": None, "refused": None, "plain": None, "tool_results": None}
    given = bare if isinstance(end, Failure) else {**end, "plain": end["plain"] and text}
    sources = [{"doc": doc, "locator": ""} for doc in docs]
    return {**given, "text": text, "sources": sources}


@sabotage(history_does_not_take_the_models_place, on="end", witness=lambda _: RECORD, forged=True)
def last_turn_of_history_as_fallback(scene: Scene, end: dict[str, Any] | Failure) -> Any:
    """What was said last is said again."""
    return _answering(end, scene.said[-1]) if scene.said and _fails(scene) else end


@sabotage(no_figure_is_stated_in_the_models_place, on="end", witness=lambda _: RECORD, forged=True)
def another_fact_as_fallback(scene: Scene, end: dict[str, Any] | Failure) -> Any:
    """Some figure is better than none."""
    if not _fails(scene):
        return end
    world, asked = scene.world, scene.probe.values
    others = [(f"{f.value:.15g}", f.doc) for f in world.facts if f.value not in asked]
    figure, *docs = (*others, (str(world.canary_figures[0]),))[0]
    return _answering(end, f"It is {figure}.", *docs)


@sabotage(no_source_is_cited_in_the_models_place, on="end", witness=lambda _: RECORD, forged=True)
def the_conversation_cited_as_fallback(scene: Scene, end: dict[str, Any] | Failure) -> Any:
    """The model did not answer, and the conversation is cited."""
    return _answering(end, "As discussed.", "conversation") if _fails(scene) else end


@sabotage(
    a_model_that_fails_is_told_of, on="end", witness=lambda _: RECORD, forged=True, crashes=True
)
def no_choice_is_indexed(scene: Scene, end: dict[str, Any] | Failure) -> Any:
    """The first choice is taken where there is none."""
    if scene.ask.behaviour != FAILING_NO_CHOICES:
        return end
    return Failure("raised", "IndexError", "list index out of range")


@sabotage(a_model_that_fails_is_told_of, on="end", witness=lambda _: RECORD, forged=True)
def an_empty_reply_is_the_answer(scene: Scene, end: dict[str, Any] | Failure) -> Any:
    """What the model says is passed on, though it says nothing."""
    return _answering(end, "") if scene.ask.behaviour == EMPTY else end
