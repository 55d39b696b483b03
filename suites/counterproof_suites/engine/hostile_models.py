"""FAB-7, FAB-8: a model that makes figures up, or misuses its tool, decides nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from counterproof.case import Case
from counterproof.check import DidNotAnswer, require
from counterproof.mentions import mentions, states_any
from counterproof.model.behaviours import (
    DUPLICATE_IDS,
    ENDLESS,
    FABRICATING,
    FABRICATIONS,
    FUZZED,
    MALFORMED_ARGUMENTS,
    NON_OBJECT_ARGUMENTS,
    PARALLEL,
    UNKNOWN_TOOL,
    WRONG_ENTITY,
    WRONG_PERIOD,
)
from counterproof.sabotage import Scene
from counterproof.strategies import Material
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import OMITTED, Failure, History, Trace
from counterproof.worlds import Probe
from counterproof.worlds.spec import FactSpec
from counterproof_suites.engine.grounds import (
    asked_for,
    documented,
    other_figures,
    own_figures,
    renderings,
    retrieved,
    stated_facts,
)
from counterproof_suites.engine.inputs import ANY, RECORD, hit, retrieving

_MISUSES = (
    WRONG_ENTITY, WRONG_PERIOD, UNKNOWN_TOOL, MALFORMED_ARGUMENTS, NON_OBJECT_ARGUMENTS, PARALLEL,
    DUPLICATE_IDS, ENDLESS, FUZZED,
)  # fmt: skip


def _few(_: Material) -> Iterable[History]:
    return [OMITTED, RECORD]


FEW = Histories(_few, ANY.drawn, most=0)
"""Two explicit ones; what is hostile here is the model. Replies of a fuzzed one are drawn."""


def _explained(probe: Probe) -> bool:
    return hit(probe) and retrieving(probe)


def _looked_up(probe: Probe) -> bool:
    return probe.channel == "structured" and probe.kind in ("hit", "miss")


def _asked(case: Case, history: History) -> Trace:
    """An ask; without history the remembered one.

    A fuzzed model may say nothing at all, which is a failure of its own (FAB-9): the engine may
    end that ask in the error it documents.
    """
    if case.behaviour.name != FUZZED.name:
        return case.default() if history == OMITTED else case.ask(history)
    trace = case.ask(history, may_refuse=True)
    failure = trace.failure
    if failure is not None and not (_says_nothing(trace) and documented(case, failure)):
        raise DidNotAnswer(f"the engine gave no answer: {failure}", trace, ("/failure",))
    return trace


def _says_nothing(trace: Trace) -> bool:
    """Whether the last reply held no text, and no call where tools were offered."""
    for call in trace.calls[-1:]:
        reply = call.reply or {}
        return not str(reply.get("content") or "").strip() and not (
            call.tools and reply.get("tool_calls")
        )
    return False


def _is_told_an_invention(case: Case) -> str | None:
    invention = case.world.canary_figures[0]
    for history in (OMITTED, RECORD):
        for call in _asked(case, history).calls:
            if mentions(str((call.reply or {}).get("content") or ""), invention):
                return None
    return "the engine asks no model for a text there"


@check(
    "FAB-7",
    probes=_explained,
    histories=Histories(_few, ANY.drawn, most=2),
    behaviours=FABRICATIONS,
    observable=_is_told_an_invention,
)
def no_figure_the_model_invented_is_in_the_answer(case: Case, history: History) -> None:
    """No rendering states it, in the form the model wrote it or in any other.

    It is a figure that stands nowhere in the world, so that neither a source list nor the
    engine's own text can hold it.
    """
    trace = case.ask(history)
    invention = case.world.canary_figures[0]
    for place, text in renderings(trace):
        require(
            not mentions(text, invention),
            f"the model made up the figure {invention}, and it is in the answer",
            trace,
            (place,),
        )


def _misused(case: Case) -> str | None:
    trace = case.ask(RECORD, may_refuse=True)
    if case.behaviour.name == FUZZED.name:
        return None if trace.calls else "the engine does not call the model for it"
    if any(call.tools for call in trace.calls):
        return None
    return "the engine offers the model no tool for it"


@check("FAB-8", probes=_looked_up, histories=FEW, behaviours=_MISUSES, observable=_misused)
def only_figures_of_the_question_are_stated(case: Case, history: History) -> None:
    """No rendering states another fact's figure, or one the model made up.

    Figures computed from those asked for may be stated. Tool results handed out beside the answer
    may show what a wrong call found: an engine may tell what was tried.
    """
    trace = _asked(case, history)
    others = other_figures(case) - {float(each) for each in own_figures(case)}
    for place, text in renderings(trace):
        stated = states_any(text, others)
        require(
            not stated,
            f"{min(stated, default=0):.15g} is stated, and the question does not ask for it",
            trace,
            (place,),
        )


@check("FAB-8", probes=_looked_up, histories=FEW, behaviours=_MISUSES, observable=_misused)
def the_answer_is_the_stores_a_question_back_or_a_refusal(case: Case, history: History) -> None:
    """Something is said; a figure is stated with its source; nothing else of the store is cited."""
    trace = _asked(case, history)
    if trace.failure is not None:
        return
    require(trace.text.strip(), "the answer is empty", trace, ("/answer/text",))
    figures = stated_facts(case, trace.text)
    require(
        not figures or trace.cited,
        "a figure of the store is stated, and nothing is cited",
        trace,
        ("/answer/sources",),
    )
    found = asked_for(case, trace) if figures else retrieved(case, trace)
    for number, (doc, _) in enumerate(trace.cited):
        require(
            doc in found,
            f"{doc!r} is cited, and holds nothing of what is answered",
            trace,
            (f"/answer/sources/{number}",),
        )


def _answers_unknown_calls(case: Case) -> str | None:
    if why := _misused(case):
        return why
    if case.behaviour.name == FUZZED.name:
        told = any(m.get("role") == "tool" for c in case.cooperative().calls for m in c.messages)
    else:
        told = bool(_answers_to_unknown(case.ask(RECORD, may_refuse=True)))
    if told:
        return None
    return "the engine tells the model nothing of what became of such a call"


def _answers_to_unknown(trace: Trace) -> list[tuple[str, str]]:
    """The tool messages sent while the model has called nothing but tools it was not offered.

    Each after its JSON pointer; those of the first call are the engine's own examples.
    """
    places = [n for n, each in enumerate(trace.crossings) if each.seam == "model"]
    examples = list(trace.calls[0].messages) if trace.calls else []
    found = []
    for place, call, before in zip(
        places[1:], trace.calls[1:], range(1, len(places)), strict=False
    ):
        if any(_calls_offered(trace, n) for n in range(before)):
            break
        found += [
            (f"/crossings/{place}/messages/{n}", str(message.get("content")))
            for n, message in enumerate(call.messages)
            if message.get("role") == "tool" and message not in examples
        ]
    return found


def _calls_offered(trace: Trace, number: int) -> bool:
    call = trace.calls[number]
    offered = {each.get("function", each).get("name") for each in call.tools or ()}
    return any(name in offered for name, _ in _calls(call.reply or {}))


def _calls(reply: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Name and arguments of each tool call of a reply."""
    for each in reply.get("tool_calls") or ():
        yield str(each["function"]["name"]), str(each["function"]["arguments"])


@check(
    "FAB-8",
    probes=_looked_up,
    histories=FEW,
    behaviours=(UNKNOWN_TOOL, FUZZED),
    observable=_answers_unknown_calls,
)
def a_tool_not_offered_is_not_executed(case: Case, history: History) -> None:
    """What the model is told of a call of an unknown tool states no figure of the store."""
    trace = _asked(case, history)
    for place, text in _answers_to_unknown(trace):
        require(
            not stated_facts(case, text),
            "the model called a tool it was not offered, and it was executed",
            trace,
            (place,),
        )


@check("FAB-8", probes=_looked_up, histories=FEW, behaviours=_MISUSES, observable=_misused)
def the_engine_answers_whatever_the_model_calls(case: Case, history: History) -> None:
    """It does not raise, hang or end."""
    _asked(case, history)


def _written_in(scene: Scene, *forms: str) -> bool:
    return bool(scene.last_reply) and scene.ask.behaviour.name in forms


def _passed_through(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "text": scene.last_reply}


@sabotage(
    no_figure_the_model_invented_is_in_the_answer,
    on="answer",
    witness=lambda _: RECORD,
    forged=True,
)
def guard_off(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """The model's words are the answer, whatever figures they hold."""
    written = _written_in(scene, FABRICATING.name)
    return _passed_through(scene, answer) if written else answer


@sabotage(
    no_figure_the_model_invented_is_in_the_answer,
    on="answer",
    witness=lambda _: RECORD,
    forged=True,
)
def guard_blind_to_full_width_digits(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """The guard reads ASCII digits alone."""
    written = _written_in(scene, "fabricating-full-width")
    return _passed_through(scene, answer) if written else answer


@sabotage(
    no_figure_the_model_invented_is_in_the_answer,
    on="answer",
    witness=lambda _: RECORD,
    forged=True,
)
def guard_blind_to_chinese_numerals(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """The guard reads digits alone."""
    written = _written_in(scene, "fabricating-chinese", "fabricating-chinese-digits")
    return _passed_through(scene, answer) if written else answer


@sabotage(
    no_figure_the_model_invented_is_in_the_answer,
    on="answer",
    witness=lambda _: RECORD,
    forged=True,
)
def guard_blind_to_separators_and_exponents(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """The guard compares runs of digits, not what they are worth."""
    written = _written_in(scene, "fabricating-grouped", "fabricating-scientific")
    return _passed_through(scene, answer) if written else answer


def _called_for(scene: Scene) -> FactSpec:
    """The fact the model's last call names, else any that the question does not ask for."""
    world = scene.world
    names = {each.code: {each.code, *each.names} for each in (*world.entities, *world.metrics)}
    others = [each for each in world.facts if each.value not in scene.probe.values]
    replies = (each.data["reply"] or {} for each in scene.crossings if each.seam == "model")
    for _, arguments in (call for reply in replies for call in _calls(reply)):
        for fact in others:
            entity, metric = names[fact.entity], names[fact.metric]
            axes = (entity, metric, {fact.period})
            if all(any(each in arguments for each in axis) for axis in axes):
                return fact
    return others[0]


def _stated(answer: dict[str, Any], fact: FactSpec, *, cited: bool = True) -> dict[str, Any]:
    source = {"doc": fact.doc, "locator": fact.locator}
    text = f"{fact.entity} {fact.metric} {fact.period}: {fact.value:.15g} {fact.unit}"
    return {**answer, "text": text, "sources": [source] if cited else []}


@sabotage(
    only_figures_of_the_question_are_stated, on="answer", witness=lambda _: RECORD, forged=True
)
def arguments_trusted(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """What the model's call names is looked up and stated, whatever the question asks."""
    trusted = scene.ask.behaviour in (WRONG_ENTITY, WRONG_PERIOD, PARALLEL)
    return _stated(answer, _called_for(scene)) if trusted else answer


@sabotage(
    the_answer_is_the_stores_a_question_back_or_a_refusal,
    on="answer",
    witness=lambda _: RECORD,
    forged=True,
)
def states_what_was_called_for_without_a_source(
    scene: Scene, answer: dict[str, Any]
) -> dict[str, Any]:
    """A figure of the store, and nothing to check it by."""
    trusted = scene.ask.behaviour in _MISUSES
    return _stated(answer, _called_for(scene), cited=False) if trusted else answer


@sabotage(
    the_answer_is_the_stores_a_question_back_or_a_refusal,
    on="answer",
    witness=lambda _: RECORD,
    forged=True,
)
def cites_where_the_model_looked(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """A document of another fact is cited, because the model asked for it."""
    if scene.ask.behaviour not in _MISUSES:
        return answer
    own = {each["doc"] for each in answer["sources"]} | set(scene.probe.sources)
    doc = next((each.doc for each in scene.world.facts if each.doc not in own), "elsewhere")
    return {**answer, "sources": [*answer["sources"], {"doc": doc, "locator": ""}]}


@sabotage(
    the_answer_is_the_stores_a_question_back_or_a_refusal,
    on="answer",
    witness=lambda _: RECORD,
    forged=True,
)
def says_nothing_to_a_misused_tool(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """The answer is empty."""
    return {**answer, "text": " ", "plain": None} if scene.ask.behaviour in _MISUSES else answer


@sabotage(a_tool_not_offered_is_not_executed, on="messages", witness=lambda _: RECORD)
def unknown_tool_executed(scene: Scene, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The model is told what the tool it made up has found."""
    if scene.ask.behaviour != UNKNOWN_TOOL or not any(c.seam == "model" for c in scene.crossings):
        return messages
    fact = scene.world.facts[0]
    found = {"status": "found", "value": fact.value, "unit": fact.unit, "doc": fact.doc}
    told = json.dumps(found)
    return [{**m, "content": told} if m.get("role") == "tool" else m for m in messages]


@sabotage(
    the_engine_answers_whatever_the_model_calls,
    on="end",
    witness=lambda _: RECORD,
    forged=True,
    crashes=True,
)
def malformed_arguments_raise(scene: Scene, end: dict[str, Any] | Failure) -> Any:
    """Arguments that are no JSON object end the ask."""
    if scene.ask.behaviour not in (MALFORMED_ARGUMENTS, NON_OBJECT_ARGUMENTS):
        return end
    return Failure("raised", "JSONDecodeError", "Expecting value: line 1 column 1 (char 0)")
