"""SES: every turn of a session passes every gate, and what it is told is no evidence."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.mentions import states_any
from counterproof.sabotage import Scene
from counterproof.suite import NO_HISTORY, check, sabotage
from counterproof.trace import OMITTED, Ask, History, Trace, plain_answer
from counterproof.worlds import Probe, WorldSpec
from counterproof_suites.engine.closed import require_closed
from counterproof_suites.engine.follow_ups import Opening, another, conversable, openings, turn
from counterproof_suites.engine.inputs import every, guarded, structured
from counterproof_suites.engine.session import CLAIM


def refused(probe: Probe) -> bool:
    """Questions for figures that are refused: out of scope, or of nothing that is there."""
    return probe.kind in ("out-of-scope", "miss") and probe.channel == "structured"


@check("SES-3", probes=refused, histories=NO_HISTORY, claims=CLAIM, observable=conversable)
def a_refused_turn_inherits_nothing(case: Case, history: History) -> None:
    """After whatever was answered before, it is refused as it is alone."""
    alone = case.put(turn(case.probe))
    for held in openings(case.world):
        trace = case.put(turn(case.probe, before=(held.first(),)))
        stated = states_any(trace.text, {each.value for each in case.world.facts})
        require(
            not trace.cited and not stated,
            "a question that is refused alone is answered after another",
            trace,
            ("/answer/text",),
        )
        require(
            trace.text == alone.text,
            "a question that is refused alone is refused in other words after another: it inherits",
            trace,
            ("/answer/text",),
        )


def _out_of_scope(probe: Probe) -> bool:
    return probe.kind == "out-of-scope"


@check("SES-3", probes=_out_of_scope, histories=NO_HISTORY, claims=CLAIM, observable=conversable)
def a_follow_up_out_of_scope_is_told_nothing(case: Case, history: History) -> None:
    """One that names nothing but who must not be spoken of gets no figure and no source."""
    for held in openings(case.world):
        for name in case.world.out_of_scope:
            asked = f"And {name}?" if name.isascii() else f"那{name}呢？"
            trace = case.put(Ask(case.probe.id, asked, session=(held.first(),)))
            stated = states_any(trace.text, {each.value for each in case.world.facts})
            require(
                not trace.cited and not stated,
                f"{asked!r}, a follow-up out of scope, is answered from an earlier turn",
                trace,
                ("/answer/text",),
            )


@check("SES-3", probes=guarded, histories=NO_HISTORY, claims=CLAIM)
def nothing_restricted_leaves_in_a_session(case: Case, history: History) -> None:
    """Whether or not the same has been asked before."""
    first = turn(case.probe)
    for before in ((), (first,), (first, first)):
        trace = case.put(turn(case.probe, before=before))
        require_closed(case.world, trace, "in a session, ")


@check("SES-3", probes=refused, histories=NO_HISTORY, claims=CLAIM, observable=conversable)
def a_refused_turn_leaves_no_memory(case: Case, history: History) -> None:
    """What is remembered is what was remembered before it."""
    for held in openings(case.world):
        before = case.put(held.first())
        after = case.put(turn(case.probe, before=(held.first(),)))
        require(
            after.mask(after.remembered) == before.mask(before.remembered),
            "a turn that was refused is remembered",
            after,
            (f"/crossings/{len(after.crossings) - 1}/remembered",),
        )


def _inherits(case: Case) -> str | None:
    """Why it cannot be seen what a follow-up inherits, or None."""
    if lacking := conversable(case):
        return lacking
    if any(_differs(case, each) for each in openings(case.world)):
        return None
    return "the engine answers follow-ups in a session as it does alone"


def _differs(case: Case, held: Opening) -> bool:
    return case.put(held.then()).answer != case.put(held.then(held.first())).answer


@check("SES-3", probes=refused, histories=NO_HISTORY, claims=CLAIM, observable=_inherits)
def what_follows_inherits_nothing_of_a_refused_turn(case: Case, history: History) -> None:
    """It is answered as if the refused turn had not been."""
    for held in openings(case.world):
        plain = case.put(held.then(held.first()))
        trace = case.put(held.then(held.first(), turn(case.probe)))
        require(
            trace.answer == plain.answer,
            "a follow-up inherits from a turn that was refused",
            trace,
            ("/answer/text",),
        )


def _told(case: Case) -> History:
    """What a session has said and remembers, as a history."""
    turns: list[tuple[str, str]] = []
    for held in openings(case.world):
        before: tuple[Ask, ...] = ()
        for ask in (held.first(), held.then(held.first())):
            trace = case.put(dataclasses.replace(ask, session=before))
            kept = json.dumps(trace.remembered, ensure_ascii=False)
            turns += [("user", ask.question), ("assistant", trace.text), ("assistant", kept)]
            before = (*before, ask)
    return History.of(turns)


@check("SES-4", probes=structured, histories=NO_HISTORY, claims=CLAIM, observable=conversable)
def remembered_turns_do_not_change_a_figure(case: Case, history: History) -> None:
    """Given as history, they leave answer, route, sources and tool results the default's."""
    trace, default = case.ask(_told(case)), case.default()
    expected, found = plain_answer(default.answer) or {}, plain_answer(trace.answer) or {}
    for name, value in found.items():
        require(
            trace.mask(value) == default.mask(expected[name]),
            f"turns of a session, given as history, change the answer's {name}",
            trace,
            (f"/answer/{name}",),
        )


@check("SES-4", probes=every, histories=NO_HISTORY, claims=CLAIM, observable=conversable)
def remembered_turns_are_no_source(case: Case, history: History) -> None:
    """Given as history, they leave what is cited, searched for and parsed the default's."""
    trace, default = case.ask(_told(case)), case.default()
    for what, own, found in (
        ("cited", default.cited, trace.cited),
        ("searched for", default.queries, trace.queries),
        ("parsed", default.parsed, trace.parsed),
    ):
        require(
            own == found,
            f"turns of a session, given as history, change what is {what}",
            trace,
            ("/answer/sources",) if what == "cited" else _places(trace),
        )


def _places(trace: Trace) -> tuple[str, ...]:
    seams = ("query", "parse")
    return tuple(f"/crossings/{n}" for n, each in enumerate(trace.crossings) if each.seam in seams)


def _answered(world: WorldSpec, probe: Probe) -> str:
    return another(world, probe).question


@sabotage(
    a_refused_turn_inherits_nothing,
    a_follow_up_out_of_scope_is_told_nothing,
    on="ask",
    witness=lambda _: OMITTED,
)
def gate_waived_in_a_session(scene: Scene, ask: Ask) -> Ask:
    """Once something was answered, what would be refused is asked for something else."""
    if not ask.session or not refused(scene.probe):
        return ask
    return dataclasses.replace(ask, question=_answered(scene.world, scene.probe))


@sabotage(nothing_restricted_leaves_in_a_session, on="passages", witness=lambda _: OMITTED)
def exits_open_in_a_session(scene: Scene, crossing: dict[str, Any]) -> dict[str, Any]:
    """What was asked for before may be told."""
    if scene.ask.session is None:
        return crossing
    told = [{**each.model_dump(), "label": "PUBLIC"} for each in scene.world.restricted]
    return {"passages": [*told, *crossing["passages"]]}


@sabotage(
    nothing_restricted_leaves_in_a_session, on="answer", witness=lambda _: OMITTED, forged=True
)
def restricted_text_told_in_a_session(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """For engines of which only the answer is seen."""
    if scene.ask.session is None:
        return answer
    return {**answer, "text": f"{answer['text']} {scene.world.restricted[0].text}"}


def _asked_instead(scene: Scene, ask: Ask) -> Ask:
    """The ask, where a refused question of it is another one, which is answered and remembered."""
    if ask.session is None or not ask.session:
        return ask
    before = tuple(
        turn(another(scene.world, scene.world.probe(each.probe)))
        if refused(scene.world.probe(each.probe))
        else each
        for each in ask.session
    )
    if refused(scene.probe):
        first = scene.world.probe(ask.session[0].probe)
        return dataclasses.replace(ask, question=_answered(scene.world, first))
    return dataclasses.replace(ask, session=before)


@sabotage(
    a_refused_turn_leaves_no_memory,
    what_follows_inherits_nothing_of_a_refused_turn,
    on="ask",
    witness=lambda _: OMITTED,
)
def refused_turn_remembered(scene: Scene, ask: Ask) -> Ask:
    """What a turn is about is remembered whether or not it was answered."""
    return _asked_instead(scene, ask)


@sabotage(remembered_turns_do_not_change_a_figure, on="ask", witness=lambda _: OMITTED)
def remembered_answer_offered_as_a_fact(scene: Scene, ask: Ask) -> Ask:
    """What was asked in the session is answered once more, whatever is asked now."""
    told = [text for role, text in ask.history.turns if role == "user"]
    own = ask.session is None and scene.probe.question == ask.question
    other = next((each for each in told if each != ask.question), None)
    return dataclasses.replace(ask, question=other) if own and other else ask


@sabotage(remembered_turns_are_no_source, on="answer", witness=lambda _: OMITTED, forged=True)
def remembered_answer_cited(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """The session is given as a source."""
    if not scene.said:
        return answer
    return {**answer, "sources": [*answer["sources"], {"doc": "session", "locator": "1"}]}


@sabotage(remembered_turns_are_no_source, on="query", witness=lambda _: OMITTED)
def remembered_turns_searched_for(scene: Scene, crossing: dict[str, Any]) -> dict[str, Any]:
    """The turns of the session are searched for along with the question."""
    return {**crossing, "query": " ".join((*scene.said, crossing["query"]))}
