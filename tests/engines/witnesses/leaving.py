"""Witnesses of flaws in what leaves by the exits, and in sessions (RES, SES)."""

from __future__ import annotations

import json
from typing import Any

from counterproof.trace import OMITTED, Ask, History, Trace
from counterproof_suites.engine.follow_ups import Opening, openings
from engines.witnesses.reading import (
    OTHER_YEAR,
    SECRETS,
    TOLD,
    WORLD,
    Shows,
    Witness,
    documents,
)

NAMED = History.of([("user", f"See {', '.join(each.doc for each in WORLD.passages)}.")])
HK, CN = openings(WORLD)


def _sent(trace: Trace) -> str:
    """Everything the model was sent."""
    return json.dumps([list(map(dict, each.messages)) for each in trace.calls], ensure_ascii=False)


def _leaks(text: str) -> bool:
    return any(each in text for each in SECRETS)


def _to_the_model(default: Trace, told: Trace) -> bool:
    return _leaks(_sent(told))


def _released(name: str) -> Shows:
    return lambda _, told: any(_leaks(each["text"]) for _, each in told.released(name))


def _with(opened: str) -> dict[str, Any]:
    probe = WORLD.probe("restricted")
    return {"put": Ask(probe.id, probe.question, opened=frozenset({opened}))}


def _labelled(label: str) -> Witness:
    probe = WORLD.probe("restricted")
    return Witness(probe.id, OMITTED, _to_the_model, put=Ask(probe.id, probe.question, label=label))


def _session(ask: Ask, shows: Shows) -> Witness:
    return Witness(ask.probe, OMITTED, shows, put=ask)


def _states(value: float) -> Shows:
    return lambda _, told: f"{value:g}" in told.text


def _turn(probe: str, *before: Ask, question: str = "") -> Ask:
    return Ask(probe, question or WORLD.probe(probe).question, session=before)


def _remembers(text: str) -> Shows:
    return lambda _, told: text in json.dumps(told.remembered, ensure_ascii=False)


def _value(entity: str, metric: str, period: str) -> float:
    return next(
        each.value
        for each in WORLD.facts
        if (each.entity, each.metric, each.period) == (entity, metric, period)
    )


def _told(held: Opening, history: History) -> Ask:
    """The follow-up of a session, which is given a history."""
    return Ask(held.probe.id, held.follow_up, history, session=(held.first(),))


def _beside(held: Opening, history: History) -> Ask:
    return held.then(held.first(), Ask(held.probe.id, held.probe.question, history))


_ANSWER = f"{HK.probe.values[0]:g}"
SAID = History.of([("user", HK.probe.question), ("assistant", f"It is {_ANSWER}.")])
SAVED_SLOTS = History.of([("assistant", '{"entity": "HK", "period": "FY2025"}')])

EXITS = {
    "told_not_to_quote_what_is_restricted": Witness("restricted", OMITTED, _to_the_model),
    "judged_before_it_is_stripped": Witness("restricted", OMITTED, _to_the_model),
    "words_to_search_for_taken_from_all_passages": Witness("restricted", OMITTED, _to_the_model),
    "context_rebuilt_around_the_cited_passages": Witness("restricted", OMITTED, _to_the_model),
    "link_relies_on_rerank": Witness("restricted", OMITTED, _released("link"), **_with("rerank")),
    "rerank_relies_on_link": Witness("restricted", OMITTED, _released("rerank")),
    "stripped_once_is_enough": Witness("restricted", OMITTED, _released("link"), **_with("rerank")),
    "link_holds_back_what_rerank_did": Witness(
        "restricted", OMITTED, _released("link"), **_with("rerank")
    ),
    "label_compared_as_it_stands": _labelled("RESTRICTED "),
    "label_stripped_and_compared": _labelled("restricted\u200b"),
    "label_normalised_and_compared": _labelled("RESTRICTЕD"),
    "label_searched_for_the_word": _labelled("ＲＥＳＴＲＩＣＴＥＤ"),
    "unknown_labels_let_through": _labelled("SECRET"),
    "no_label_means_public": _labelled(""),
    "a_list_of_closed_labels": _labelled("TLP:RED"),
    "public_anywhere_in_the_label": _labelled("not public"),
    "released_once_history_names_it": Witness("restricted", NAMED, _to_the_model),
    "documents_of_the_conversation_opened": Witness("narrative_hit", NAMED, _to_the_model),
}

RESTRICTED = {
    "citations_carried_forward": Witness(
        "narrative_hit", NAMED, lambda _, told: "layoff-plan.md" in documents(told)
    ),
    "reader_sent_to_the_document": Witness(
        "narrative_hit", NAMED, lambda _, told: "layoff-plan.md" in told.text
    ),
}

SESSION = {
    "slots_of_history_remembered": _session(
        CN.first(OTHER_YEAR), lambda _, told: told.remembered["period"] == "FY2023"
    ),
    "history_begins_the_session_anew": _session(
        _told(CN, TOLD),
        lambda _, told: f"{CN.value:g}" not in told.text,
    ),
    "follow_up_completed_from_history": _session(
        _told(CN, OTHER_YEAR), _states(_value("CN", "REVENUE", "FY2023"))
    ),
    "one_memory_for_engine_and_sessions": _session(
        _beside(CN, OTHER_YEAR), _states(_value("CN", "REVENUE", "FY2023"))
    ),
    "answers_remembered": _session(HK.first(), _remembers(_ANSWER)),
    "figures_remembered": _session(HK.first(), _remembers(f"{HK.probe.values[0]:,.0f}")),
    "passages_remembered": _session(_turn("narrative_hit"), _remembers("代理渠道")),
    "metric_remembered": _session(
        _turn("clarification", CN.first()), _states(_value("HK", "PROFIT", "FY2025"))
    ),
    "period_not_inherited": _session(
        CN.then(CN.first()), _states(_value("CN", "REVENUE", "FY2025"))
    ),
    "inherits_every_third_time_only": _session(
        CN.then(CN.first(), CN.then(), CN.then()), lambda _, told: f"{CN.value:g}" not in told.text
    ),
    "refused_turns_remembered": _session(
        _turn("structured_miss", CN.first()), _remembers("FY2099")
    ),
    "gate_passed_once": _session(
        _turn("out_of_scope", CN.first()), lambda _, told: bool(told.cited)
    ),
    "elliptical_follow_ups_repeat_the_last_question": _session(
        _turn("out_of_scope", CN.first(), question="And Jingan?"), _states(CN.probe.values[0])
    ),
    "exits_open_the_second_time": _session(_turn("restricted", _turn("restricted")), _to_the_model),
    "answered_before_is_answered_again": Witness(
        HK.probe.id, SAID, lambda _, told: told.text == SAID.texts[1] and not told.cited
    ),
    "last_figure_offered_on_a_miss": Witness(
        "structured_miss", SAID, lambda _, told: f"Earlier: {_ANSWER}" in told.text
    ),
    "session_cited": Witness(
        HK.probe.id, SAID, lambda _, told: documents(told)[-1:] == ["session"]
    ),
    "saved_slots_read_back": Witness(
        "narrative_hit", SAVED_SLOTS, lambda _, told: told.queries[0].endswith(" HK FY2025")
    ),
}
