"""SES: a session remembers slots of questions; history has nothing to do with it."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.mentions import figures, quotes, states_any
from counterproof.sabotage import Scene
from counterproof.suite import NO_HISTORY, Histories, check, sabotage
from counterproof.trace import OMITTED, Ask, Crossing, History, Trace
from counterproof.worlds import Probe
from counterproof_suites.engine.closed import without
from counterproof_suites.engine.follow_ups import another, conversable, heading, opening, turn
from counterproof_suites.engine.inputs import ANY, RECORD, hit

CLAIM = ("session",)
SOME = Histories(ANY.explicit, ANY.drawn, most=5)
"""Each example is a conversation or two, so there are few of them."""


def follows_up(case: Case) -> str | None:
    """Why it cannot be seen what a session inherits, or None."""
    held = opening(case.world, case.probe)
    if held is None:
        return "the world holds no second figure of its entity and period to ask for"
    if lacking := conversable(case):
        return lacking
    alone = case.put(held.then()).answer
    for anew in (False, True, True):  # one that inherits now and then is seen to do so
        if case.put(held.then(held.first()), anew=anew).answer != alone:
            return None
    return f"the engine answers {held.follow_up!r} in a session as it does alone"


def _takes_history(case: Case) -> str | None:
    state = case.put(turn(case.probe)).crossings[-1].data
    reason = None if state.get("takes_history") else "a turn of its session takes no history"
    return reason or follows_up(case)


@check("SES-1", probes=heading, histories=SOME, claims=CLAIM, observable=_takes_history)
def history_given_to_a_turn_leaves_the_session_as_it_is(case: Case, history: History) -> None:
    """What is remembered, and what the next turn inherits, is what it is without it."""
    held = opening(case.world, case.probe)
    assert held is not None
    _require_same_memory(case.put(held.first()), case.put(held.first(history)))
    plain = case.put(held.then(held.first()))
    _require_same_turn(plain, case.put(held.then(held.first(history))))
    told = dataclasses.replace(held.then(held.first()), history=history)
    _require_same_turn(plain, case.put(told))
    _require_same_memory(plain, case.put(told))


@check("SES-1", probes=heading, histories=SOME, claims=CLAIM, observable=follows_up)
def history_given_beside_a_session_leaves_it_as_it_is(case: Case, history: History) -> None:
    """A question with a history, put to the engine itself between two turns, changes neither."""
    held = opening(case.world, case.probe)
    assert held is not None
    aside = dataclasses.replace(case.asked(history), session=None)
    told = case.put(held.then(held.first(), aside))
    plain = case.put(held.then(held.first()))
    _require_same_turn(plain, told)
    _require_same_memory(plain, told)


def _require_same_memory(expected: Trace, found: Trace) -> None:
    require(
        found.mask(found.remembered) == expected.mask(expected.remembered),
        "history changes what the session remembers",
        found,
        (f"/crossings/{len(found.crossings) - 1}/remembered",),
    )


def _require_same_turn(expected: Trace, found: Trace) -> None:
    require(
        found.answer == expected.answer,
        "history changes what a turn of the session inherits",
        found,
        ("/answer",),
    )


@check("SES-2", probes=heading, histories=NO_HISTORY, claims=CLAIM, observable=follows_up)
def a_follow_up_inherits_entity_and_period(case: Case, history: History) -> None:
    """It states the figure of what the question before it was about, and no other of the store."""
    held = opening(case.world, case.probe)
    assert held is not None
    trace = case.put(held.then(held.first()))
    stated = states_any(trace.text, {each.value for each in case.world.facts})
    require(
        stated == {held.value},
        f"{held.follow_up!r} is not answered for the entity and the period of the turn before",
        trace,
        ("/answer/text",),
    )


def _open(probe: Probe) -> bool:
    return probe.kind == "clarification"


@check("SES-2", probes=_open, histories=NO_HISTORY, claims=CLAIM, observable=conversable)
def the_metric_is_not_inherited(case: Case, history: History) -> None:
    """A question that leaves the metric out is asked back about, as it is alone."""
    alone = case.put(turn(case.probe))
    trace = case.put(turn(case.probe, before=(turn(another(case.world, case.probe)),)))
    require(
        trace.answer == alone.answer,
        "a question that leaves the metric out is answered from an earlier one",
        trace,
        ("/answer/text",),
    )


@check("SES-2", probes=hit, histories=NO_HISTORY, claims=CLAIM)
def no_answer_value_or_passage_is_remembered(case: Case, history: History) -> None:
    """Whatever shape what is remembered has, none of its texts and numbers is one of them.

    The question itself may be remembered, and may share words with a passage.
    """
    trace = case.put(turn(case.probe))
    kept = without(json.dumps(trace.remembered, ensure_ascii=False), case.probe.question)
    asked = {each.value for each in figures(case.probe.question)}
    values = [v for v in case.probe.values if v not in asked]
    found = [f"the figure {v:.15g}" for v in values if states_any(kept, [v])]
    found += [f"a passage of {p.doc}" for p in case.world.passages if quotes(kept, p.text)]
    found += ["the model's words" for call in trace.calls if call.mark and call.mark in kept]
    found += [
        "the answer" for text in trace.renderings if _plain(text) and _plain(text) in _plain(kept)
    ]
    require(
        not found,
        f"the session remembers {', '.join(dict.fromkeys(found))}",
        trace,
        (f"/crossings/{len(trace.crossings) - 1}/remembered",),
    )


def _plain(text: str) -> str:
    return "".join(each for each in text.casefold() if each.isalnum())


@check("SES-2", probes=heading, histories=NO_HISTORY, claims=CLAIM, observable=follows_up)
def the_same_turns_inherit_the_same(case: Case, history: History) -> None:
    """Sessions of the same turns end alike."""
    held = opening(case.world, case.probe)
    assert held is not None
    turns = held.then(held.first())
    one = case.put(turns, anew=True)
    for _ in range(2):
        other = case.put(turns, anew=True)
        same = one.mask(one.remembered) == other.mask(other.remembered)
        require(
            same and one.answer == other.answer,
            "the same turns of two sessions do not inherit the same",
            other,
            ("/answer/text",),
        )


def _other_question(scene: Scene, before: tuple[Ask, ...]) -> tuple[Ask, ...]:
    """The turns before, and another question after them, whose slots a follow-up inherits."""
    return (*before, turn(another(scene.world, scene.probe)))


@sabotage(
    history_given_to_a_turn_leaves_the_session_as_it_is,
    history_given_beside_a_session_leaves_it_as_it_is,
    on="ask",
    witness=lambda _: RECORD,
)
def history_feeds_the_session(scene: Scene, ask: Ask) -> Ask:
    """What history is about is inherited as if it had been asked in the session."""
    if ask.session and any(each.history for each in ask.session):
        return dataclasses.replace(ask, session=_other_question(scene, ask.session))
    return ask


@sabotage(
    history_given_to_a_turn_leaves_the_session_as_it_is,
    on="record",
    witness=lambda _: RECORD,
    forged=True,
)
def history_kept_in_the_session(
    scene: Scene, crossings: tuple[Crossing, ...]
) -> tuple[Crossing, ...]:
    """Turns of history are among what is remembered."""
    return _also_remembered(crossings, list(scene.said)) if scene.said else crossings


def _also_remembered(crossings: tuple[Crossing, ...], more: Any) -> tuple[Crossing, ...]:
    return tuple(
        dataclasses.replace(each, data={**each.data, "remembered": [each.data["remembered"], more]})
        if each.seam == "session"
        else each
        for each in crossings
    )


@sabotage(a_follow_up_inherits_entity_and_period, on="ask", witness=lambda _: OMITTED)
def slots_of_another_question_inherited(scene: Scene, ask: Ask) -> Ask:
    """A follow-up is about something else than the turn before it."""
    if not ask.session:
        return ask
    return dataclasses.replace(ask, session=_other_question(scene, ask.session))


@sabotage(the_metric_is_not_inherited, on="ask", witness=lambda _: OMITTED)
def metric_inherited(scene: Scene, ask: Ask) -> Ask:
    """What was asked before is asked again, where the question does not say."""
    return dataclasses.replace(ask, question=ask.session[-1].question) if ask.session else ask


@sabotage(
    no_answer_value_or_passage_is_remembered, on="record", witness=lambda _: OMITTED, forged=True
)
def answer_text_kept(scene: Scene, crossings: tuple[Crossing, ...]) -> tuple[Crossing, ...]:
    """The session keeps what it answered: the figures, or the passages it was told from."""
    told = [f"{value:g}" for value in scene.probe.values]
    told += [p.text for p in scene.world.passages if p.doc in scene.probe.sources]
    return _also_remembered(crossings, told)


@sabotage(the_same_turns_inherit_the_same, on="ask", witness=lambda _: OMITTED)
def forgets_every_other_time(scene: Scene, ask: Ask) -> Ask:
    """Whether a session remembers depends on how many asks came before."""
    if not ask.session or (scene.number // (1 + len(ask.session))) % 2:
        return ask
    return dataclasses.replace(ask, session=())
