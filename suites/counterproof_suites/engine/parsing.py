"""PAR: what the parser is given, and what of history it must not make an intent of."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from counterproof.case import Case
from counterproof.check import require
from counterproof.sabotage import Scene
from counterproof.strategies import Material, bare_1320
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import Ask, History, Trace
from counterproof.worlds import Probe, WorldSpec
from counterproof_suites.engine.inputs import ANY, every, structured

_DIGITS = re.compile(r"\d+")


def _parses(case: Case) -> str | None:
    return None if case.default().parsed else "the engine does not parse for it"


@check("PAR-1", probes=every, histories=ANY, observable=_parses)
def the_parser_is_given_the_question_whole(case: Case, history: History) -> None:
    """The first text it sees is the question, character for character."""
    for trace in (case.default(), case.ask(history)):
        for text in trace.parsed[:1]:
            require(
                text == trace.ask.question,
                "the text parsed is not the current question",
                trace,
                (f"/crossings/{_place(trace.crossings, 0)}/text",),
            )


@check("PAR-1", probes=every, histories=ANY, observable=_parses)
def the_parser_is_given_nothing_else(case: Case, history: History) -> None:
    """Any further text is one it is given without history too: never history.

    Fewer are no violation: an engine may remember what a text was parsed to.
    """
    known = {*case.default().parsed, case.probe.question}
    trace = case.ask(history)
    for number, text in enumerate(trace.parsed):
        require(
            text in known,
            "a text is parsed that is not parsed without history",
            trace,
            (f"/crossings/{_place(trace.crossings, number)}/text",),
        )


def _place(crossings: Iterable[Any], number: int) -> int:
    return [n for n, each in enumerate(crossings) if each.seam == "parse"][number]


def single_hit(probe: Probe) -> bool:
    """Plain questions for one figure that is there."""
    return structured(probe) and probe.kind == "hit" and probe.claim is None


def _bare(material: Material) -> list[str]:
    """Numbers that are a period's own digits, the record's 1320 first."""
    numbers = [each for period in material.periods for each in _DIGITS.findall(period)]
    return list(dict.fromkeys(["1320", *numbers]))


def _said_before(material: Material) -> list[History]:
    """The record's case, and the same with the world's own periods."""
    return [
        History.of(bare_1320()),
        *(History.of((("user", "How much?"), ("assistant", each))) for each in _bare(material)),
    ]


def _numbers(material: Material) -> st.SearchStrategy[History]:
    forms = st.sampled_from(["{}", "{}.", "{} USD_M", "它是{}。", "It was {} then.", "({})"])
    texts = st.builds(str.format, forms, st.sampled_from(_bare(material)))
    turns = st.tuples(st.sampled_from(["assistant", "assistant", "user"]), texts)
    return st.lists(turns, min_size=1, max_size=4).map(lambda drawn: History.of(tuple(drawn)))


NUMBERS = Histories(_said_before, _numbers)
"""Answers that are bare numbers and look like periods."""


@check("PAR-3", probes=single_hit, histories=NUMBERS)
def a_number_said_before_is_no_period(case: Case, history: History) -> None:
    """No figure of another period is answered, and no other period named, than by default."""
    default, trace = case.default(), case.ask(history)
    asked = {each.period for each in case.probe.slots}
    other = {each.period for each in case.world.facts} - asked
    told = [name for name in sorted(other) if name in trace.text and name not in default.text]
    require(
        not told,
        f"history holds a bare number, and the answer speaks of {', '.join(told)}",
        trace,
        ("/answer/text", *told),
    )
    require(
        trace.text == default.text,
        "history holds a bare number, and the answer is another than without it",
        trace,
        ("/answer/text",),
    )


def _looks_up(case: Case) -> str | None:
    if _lookups(case.default()):
        return None
    return "neither tool results nor tool messages are seen"


def _lookups(trace: Trace) -> int:
    """How many figures were looked up: the tool's results, or the tool messages of one call."""
    results: int = len(trace.answer.tool_results or ()) if trace.answer else 0
    told = [sum(m.get("role") == "tool" for m in call.messages) for call in trace.calls]
    return int(max([results, *told]))


@check("PAR-3", probes=single_hit, histories=NUMBERS, observable=_looks_up, claims={"multi"})
def a_single_lookup_stays_single(case: Case, history: History) -> None:
    """As many figures are looked up as without history."""
    default, trace = case.default(), case.ask(history)
    require(
        _lookups(trace) == _lookups(default),
        f"history holds a bare number, and {_lookups(trace)} figures are looked up instead of"
        f" {_lookups(default)}",
        trace,
        ("/answer/tool_results",),
    )


def elliptical(probe: Probe) -> bool:
    """Follow-ups that name only what is new in them."""
    return probe.kind == "elliptical"


@check("PAR-6", probes=elliptical, histories=ANY)
def a_follow_up_is_answered_as_if_it_stood_alone(case: Case, history: History) -> None:
    """Every rendering, the refusal and the sources are those of the question alone."""
    default, trace = case.default().answer, case.ask(history)
    assert default is not None
    assert trace.answer is not None
    for name in ("text", "plain", "refused", "sources"):
        require(
            getattr(trace.answer, name) == getattr(default, name),
            f"a follow-up is completed from history: the answer's {name} is another than where the"
            " question stands alone",
            trace,
            (f"/answer/{name}",),
        )


def _asked_of_another(material: Material) -> History:
    """A question for a figure of another entity than any follow-up's, and its answer."""
    entity = (*material.entities[2:3], "China")[0]
    metric, period = (*material.metrics, "revenue")[0], (*material.periods[-2:], "FY2025")[0]
    return History.of((("user", f"{entity} {period} {metric}?"), ("assistant", "57")))


@sabotage(
    the_parser_is_given_the_question_whole,
    the_parser_is_given_nothing_else,
    on="ask",
    witness=_asked_of_another,
)
def history_spliced_before_parsing(scene: Scene, asked: Ask) -> Ask:
    """The engine is asked history and question as one text."""
    if not scene.said:
        return asked
    return dataclasses.replace(asked, question=" ".join((*scene.said, asked.question)))


@sabotage(
    the_parser_is_given_the_question_whole,
    the_parser_is_given_nothing_else,
    on="parse",
    witness=_asked_of_another,
)
def history_appended_for_the_parser_only(scene: Scene, crossing: dict[str, Any]) -> dict[str, Any]:
    """What was said is parsed along with the question, which everything else sees alone."""
    return {**crossing, "text": " ".join((crossing["text"], *scene.said))}


def _periods_of(world: WorldSpec, said: Iterable[str]) -> list[str]:
    """The periods whose digits were said as bare numbers, the last first."""
    numbers = [each for text in said for each in _DIGITS.findall(text)]
    periods = dict.fromkeys(each.period for each in world.facts)
    return [p for n in reversed(numbers) for p in periods if _DIGITS.findall(p) == [n]]


@sabotage(
    a_number_said_before_is_no_period,
    a_single_lookup_stays_single,
    on="ask",
    witness=lambda _: History.of(bare_1320()),
)
def bare_numbers_become_periods(scene: Scene, asked: Ask) -> Ask:
    """A number that was said and could be a period is asked for too.

    It stands first and last, for an engine of one period takes the first it finds, or the last.
    """
    said = [p for p in _periods_of(scene.world, scene.said) if p not in asked.question]
    return dataclasses.replace(asked, question=" ".join((*said[:1], asked.question, *said[:1])))


@sabotage(a_follow_up_is_answered_as_if_it_stood_alone, on="ask", witness=_asked_of_another)
def ellipsis_filled_from_the_last_turn(scene: Scene, asked: Ask) -> Ask:
    """What the question leaves open is taken from the last question that names it."""
    read = scene.world.read_slots
    left = [part for part, found in read(asked.question).items() if not found]
    filled = [
        next((read(text)[part][0] for text in reversed(scene.said) if read(text)[part]), "")
        for part in left
    ]
    return dataclasses.replace(asked, question=" ".join((asked.question, *filled)).strip())
