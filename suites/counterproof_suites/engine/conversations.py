"""STA-3 and STA-4: conversations do not mix, and do not drift."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.plan import applicable
from counterproof.sabotage import Scene
from counterproof.strategies import Material, long_history
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import OMITTED, Ask, Crossing, History, Trace, Turn
from counterproof.worlds import Probe
from counterproof_suites.engine.altering import last_user
from counterproof_suites.engine.block import crossing_of, texts_of
from counterproof_suites.engine.differences import first_difference
from counterproof_suites.engine.grounds import unmarked
from counterproof_suites.engine.inputs import (
    ANY,
    RECORD,
    every,
    makes_generation_calls,
    two_turns,
)

FEW = Histories(lambda _: [RECORD], ANY.drawn, most=1)
"""Each example is several asks, so there are few of them."""
_PERIOD = re.compile(r"FY(\d{4})")
_DRIFTS_AFTER = 12


@dataclass(frozen=True)
class _Said:
    """One ask of a conversation among others.

    Args:
        trace: what was observed.
        own: the word that every turn of its conversation holds.
        foreign: the words of the others.
    """

    trace: Trace
    own: str
    foreign: tuple[str, ...]


def _turns(word: str, count: int) -> tuple[Turn, ...]:
    """So many turns that hold a word."""
    pairs = [
        (("user", f"Remember {word} {n}."), ("assistant", f"{word} {n}: remembered."))
        for n in range(count)
    ]
    return tuple(turn for pair in pairs for turn in pair)


def _interleaved(case: Case, history: History, key: str) -> list[_Said]:
    """Two conversations about the same question, by turns on one engine.

    Their words are another check's under another key: an engine may remember its model's replies.
    """
    words = case.words(2, key)
    plan = [(word, turn) for turn in (1, 2) for word in words]
    asks = [case.asked(History.of((*history.turns, *_turns(*each)))) for each in plan]
    return _said([word for word, _ in plan], case.ask_many(asks))


def _at_once(case: Case, history: History, key: str) -> list[_Said]:
    """Three conversations at once: two about the same question, one about another."""
    words = case.words(3, key)
    cases = [case, _another(case), case]
    asks = [
        each.asked(History.of((*history.turns, *_turns(word, 1))))
        for each, word in zip(cases, words, strict=True)
    ]
    return _said(words, case.ask_many(asks, at_once=True))


def _said(words: list[str], traces: list[Trace]) -> list[_Said]:
    every_word = dict.fromkeys(words)
    return [
        _Said(trace, word, tuple(each for each in every_word if each != word))
        for word, trace in zip(words, traces, strict=True)
    ]


def _another(case: Case) -> Case:
    """Another probe of the engine that the model is called for; the same where there is none."""
    for probe in applicable(case.world, case.declared):
        other = case.of(probe)
        if other is not case and other.default().generation_calls:
            return other
    return case


def _do_not_mix(said: Iterable[_Said], how: str) -> None:
    for each in said:
        generating = {id(call) for call in each.trace.generation_calls}
        for call in each.trace.calls:
            sent = "\n".join(
                text for message in call.messages for text in texts_of(message.get("content"))
            ).casefold()
            mark = (f"/crossings/{crossing_of(each.trace, call)}/messages",)
            foreign = [word for word in each.foreign if word in sent]
            require(
                not foreign,
                f"of conversations held {how}, one is told what was said in another"
                f" ({', '.join(foreign)} in the conversation of {each.own})",
                each.trace,
                mark,
            )
            require(
                id(call) not in generating or each.own in sent,
                f"of conversations held {how}, one is answered without its own history"
                f" ({each.own} is nowhere)",
                each.trace,
                mark,
            )


def _make_their_calls(case: Case, said: Iterable[_Said], how: str) -> None:
    for each in said:
        default = case.of(case.world.probe(each.trace.ask.probe)).default()
        require(
            each.trace.generation_calls or not default.generation_calls,
            f"of conversations held {how}, one is answered without the model call that its"
            " question makes alone",
            each.trace,
            ("/crossings",),
        )


def do_not_mix_at_once(case: Case, history: History, key: str) -> None:
    """See that conversations held at once do not mix; ``key`` tells one check's words apart."""
    _do_not_mix(_at_once(case, history, key), "at once")


def make_their_calls_at_once(case: Case, history: History, key: str) -> None:
    """See that each of several asks put at once makes its model call."""
    _make_their_calls(case, _at_once(case, history, key), "at once")


@check("STA-3", probes=every, histories=FEW, observable=makes_generation_calls)
def interleaved_conversations_do_not_mix(case: Case, history: History) -> None:
    """Each model call holds what was said in its own conversation, and nothing of another."""
    _do_not_mix(_interleaved(case, history, "mixed by turns"), "by turns")


@check("STA-3", probes=every, histories=FEW, observable=makes_generation_calls)
def each_interleaved_ask_makes_its_model_call(case: Case, history: History) -> None:
    """None is answered with what another conversation was told."""
    _make_their_calls(case, _interleaved(case, history, "called by turns"), "by turns")


def may_be_asked_at_once(case: Case) -> str | None:
    """Why a probe cannot be asked at once with others, or None."""
    if case.declared.concurrency == "none":
        return "the adapter declares no concurrency"
    return makes_generation_calls(case)


@check("STA-3", probes=every, histories=FEW, observable=may_be_asked_at_once)
def concurrent_conversations_do_not_mix(case: Case, history: History) -> None:
    """Nor do they where they are held at once."""
    do_not_mix_at_once(case, history, "mixed at once")


@check("STA-3", probes=every, histories=FEW, observable=may_be_asked_at_once)
def each_concurrent_ask_makes_its_model_call(case: Case, history: History) -> None:
    """Nor is one of them answered with what another was told."""
    make_their_calls_at_once(case, history, "called at once")


@check("STA-3", probes=every, histories=FEW, observable=may_be_asked_at_once)
def concurrent_asks_get_the_answers_they_get_alone(case: Case, history: History) -> None:
    """Sources are the question's own; on the structured channel the whole answer is.

    A call that holds nothing of its conversation cannot be told to be of this ask, so the marks of
    the model's replies, which number its calls, do not count.
    """
    for each in _at_once(case, history, "answered at once"):
        probe = case.world.probe(each.trace.ask.probe)
        default, found = (_unmarked_answer(t) for t in (case.of(probe).default(), each.trace))
        names = default if probe.channel == "structured" else ("sources",)
        for name in names:
            require(
                found[name] == default[name],
                f"asked at once with others, the answer's {name} is another than alone",
                each.trace,
                (f"/answer/{name}",),
            )


def _unmarked_answer(trace: Trace) -> dict[str, Any]:
    """An answer as plain values, without the marks of the model's replies."""
    answer: dict[str, Any] = trace.comparable()["answer"]
    texts = {name: answer[name] for name in ("text", "plain") if answer[name] is not None}
    return {**answer, **{name: unmarked(text, trace) for name, text in texts.items()}}


def _plain_figure(probe: Probe) -> bool:
    return probe.channel == "structured" and probe.kind == "hit" and probe.claim is None


def _openings(material: Material) -> Iterable[History]:
    return [OMITTED, RECORD, History.of(long_history(60))]


@check("STA-4", probes=_plain_figure, histories=Histories(_openings, ANY.drawn, most=1))
def figures_do_not_drift_in_a_long_conversation(case: Case, history: History) -> None:
    """Every question is asked twice in one conversation; those for figures get their answers."""
    probes = applicable(case.world, case.declared)
    start = probes.index(case.probe)
    for number, trace in enumerate(case.converse((probes[start:] + probes[:start]) * 2, history)):
        probe = case.world.probe(trace.ask.probe)
        if probe.channel != "structured":
            continue
        default = case.of(probe).default().comparable()["answer"]
        where = first_difference(default, trace.comparable()["answer"], "/answer")
        require(
            trace.comparable()["answer"] == default,
            f"question {number + 1} of a conversation gets another answer than alone",
            trace,
            (where,),
        )


@sabotage(
    interleaved_conversations_do_not_mix,
    concurrent_conversations_do_not_mix,
    on="messages",
    witness=two_turns,
)
def shared_buffer(scene: Scene, messages: list[Any]) -> list[Any]:
    """What was said in another conversation stands before the question."""
    return with_another_buffer(scene, messages)


def with_another_buffer(scene: Scene, messages: list[Any]) -> list[Any]:
    """The messages of an engine whose conversations share a buffer."""
    place = last_user(messages)
    if not scene.said or not scene.heard or place < 0:
        return messages
    told = [{"role": "user", "content": text} for text in scene.heard]
    return [*messages[:place], *told, *messages[place:]]


@sabotage(
    each_interleaved_ask_makes_its_model_call,
    each_concurrent_ask_makes_its_model_call,
    on="record",
    witness=two_turns,
    forged=True,
)
def answer_cached_by_question_alone(
    scene: Scene, crossings: tuple[Crossing, ...]
) -> tuple[Crossing, ...]:
    """Once a conversation has been answered, nothing is seen of how the next one is."""
    return () if scene.said and scene.heard else crossings


@sabotage(
    concurrent_asks_get_the_answers_they_get_alone, on="answer", witness=two_turns, forged=True
)
def answers_of_another_conversation(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """What is cited is what the other question's answer cites."""
    if not scene.said or not scene.heard:
        return answer
    other = {"doc": "another-conversation", "locator": "1"}
    return {**answer, "sources": [*answer["sources"], other]}


@sabotage(figures_do_not_drift_in_a_long_conversation, on="ask", witness=lambda _: OMITTED)
def slow_drift(scene: Scene, asked: Ask) -> Ask:
    """After a while each question is taken for one about the year before."""
    if len(scene.said) < _DRIFTS_AFTER:
        return asked
    earlier = _PERIOD.sub(lambda year: f"FY{int(year[1]) - 1}", asked.question)
    return dataclasses.replace(asked, question=earlier)
