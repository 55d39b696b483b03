"""The engine: one question in, one answer out, and history nothing but the model's context.

The life of a question: the intent is read from it alone; the security gate judges its raw text;
what it leaves open is asked back; then figures are looked up, passages retrieved, or both; and
the answer is rendered from what was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from counterproof_reference import intent as intents
from counterproof_reference import security_gate
from counterproof_reference.facts import FactStore
from counterproof_reference.history import HistoryError, Message, _history_messages
from counterproof_reference.intent import Intent, IntentParser, Slot
from counterproof_reference.narrative import NarrativeRetriever, _run_narrative
from counterproof_reference.providers import Provider, ProviderError
from counterproof_reference.rendering import Rendered, Renderer, missing_all
from counterproof_reference.result import EngineResult, Source
from counterproof_reference.tool_loop import Lookup, _run_tool_loop, look_up

__all__ = ["EngineResult", "HistoryError", "Source", "answer_question"]

MAX_SLOTS = 24
"""How many figures one question may ask for."""


def answer_question(
    question: str,
    store: FactStore,
    provider: Provider,
    *,
    reference_date: date | None = None,
    narrative_retriever: NarrativeRetriever | None = None,
    intent_parser: IntentParser | None = None,
    history: Sequence[tuple[str, str]] | None = None,
) -> EngineResult:
    """Answer one question.

    History is given to the model as earlier turns and to nothing else: not to the parser, the
    gate, the tool or the retriever (PAR-1, PAR-4, RET-1), and the answer is rendered from this
    question's facts and passages (FAB-1 to FAB-5). Without history every message is what it is
    where ``history`` is left out (DEF-1). Nothing is kept from one question to the next (STA-1).

    A model that fails, or replies with nothing, gets the question refused with a sentence that
    says so: no figure, no source (FAB-9).

    Args:
        question: the current question.
        store: the facts, and the vocabulary questions are read with.
        provider: the model.
        reference_date: the date relative years are reckoned from; today where it is left out.
        narrative_retriever: finds passages; without it questions why are refused.
        intent_parser: reads the question; the engine's own rules where it is left out.
        history: earlier turns as (role, text) pairs, oldest first (DEF-4).

    Returns:
        The answer.

    Raises:
        HistoryError: the history is not a sequence of pairs of strings; raised before anything
            else is done (ROL-4).
    """
    turns = _history_messages(history)
    day = reference_date or date.today()
    parse = intent_parser or intents.parser(store.vocabulary)
    intent = parse(question, day)
    renderer = Renderer(question, store.vocabulary)
    if security_gate.screen(question, store.vocabulary.out_of_scope) is not None:
        return _result(renderer.fixed("out of scope"), "out-of-scope", refused=True)
    if intent.numeric and not intent.metrics:
        return _asked_back(renderer.which_metric())
    slots = intent.slots(store.vocabulary.home, intents.assumed_period(day))
    if intent.numeric and len(slots) > MAX_SLOTS:
        return _asked_back(renderer.fixed("narrower"))
    route = _route(intent, slots)
    try:
        lookups = _figures(question, store, provider, slots, day, turns) if intent.numeric else []
        if not intent.narrative:
            return _figures_answer(renderer, intent, lookups, route)
        explanation = _run_narrative(question, provider, narrative_retriever, turns, intent.periods)
    except ProviderError:
        return _result(renderer.fixed("no model"), route, refused=True)
    explained = renderer.explanation(explanation)
    if not intent.numeric:
        return _result(explained, route, refused=explanation.text is None)
    answer = _figures_answer(renderer, intent, lookups, route)
    whole = Rendered(answer.text, answer.plain, answer.sources) + explained
    return _result(whole, route, lookups, refused=answer.refused and explanation.text is None)


def _route(intent: Intent, slots: Sequence[Slot]) -> str:
    if intent.numeric and intent.narrative:
        return "composite"
    if not intent.numeric:
        return "narrative"
    return "structured" if len(slots) == 1 else "multi"


def _figures(
    question: str,
    store: FactStore,
    provider: Provider,
    slots: Sequence[Slot],
    day: date,
    turns: Sequence[Message],
) -> list[Lookup]:
    """One slot is the model's to look up; several are the engine's, for it knows them all."""
    if len(slots) == 1:
        return [_run_tool_loop(question, store, provider, slots[0], day, turns)]
    return [look_up(store, slot) for slot in slots]


def _figures_answer(
    renderer: Renderer, intent: Intent, lookups: Sequence[Lookup], route: str
) -> EngineResult:
    slot = lookups[0].slot
    rendered = renderer.figures(
        lookups,
        None if intent.entities else slot.entity,
        None if intent.periods else slot.period,
    )
    return _result(rendered, route, lookups, refused=missing_all(lookups))


def _asked_back(rendered: Rendered) -> EngineResult:
    return EngineResult(rendered.text, rendered.plain, "clarification", clarification=rendered.text)


def _result(
    rendered: Rendered, route: str, lookups: Sequence[Lookup] = (), *, refused: bool
) -> EngineResult:
    return EngineResult(
        rendered.text,
        rendered.plain,
        route,
        refused,
        rendered.sources,
        tuple(each.as_result() for each in lookups),
    )
