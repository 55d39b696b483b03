"""Engines whose sessions listen to history, keep too much, or wave turns through (SES)."""

from __future__ import annotations

import dataclasses
import re
from itertools import count
from typing import Any

from counterproof import Answer, Source, World
from counterproof_reference import session as sessions
from counterproof_reference.exits import is_restricted as own_rule
from counterproof_reference.result import EngineResult
from counterproof_reference.session import ConversationSession, Remembered
from engines.disguise import WITH_SESSION, Ask, Asked, reference_with
from engines.flawed.table import flaw

_ask = ConversationSession.ask
_completed = sessions.completed
_turns = count(1)


def _opened(world: World, session: type[ConversationSession], **parts: Any) -> Ask:
    """The reference engine with another session."""
    return reference_with(world, parts={"adapter.ConversationSession": session, **parts})


class _Reading(ConversationSession):
    """A session that can read what questions name."""

    def named(self, text: str) -> Remembered:
        """The entity and the year a text names, where it names one."""
        intent = self._parse(text, self._date)
        return Remembered(
            intent.entities[-1] if intent.entities else None,
            intent.periods[-1] if intent.periods else None,
        )

    def recall(self, newer: Remembered) -> None:
        """Let what is newer take the place of what is remembered."""
        self._memory = Remembered(
            newer.entity or self._memory.entity, newer.period or self._memory.period
        )


@flaw("SES-1", **WITH_SESSION)
def slots_of_history_remembered(world: World) -> Ask:
    """Remembers what history was about as if it had been asked (SES-1)."""

    class Session(_Reading):
        def ask(self, question: str, *, history: Any = None) -> EngineResult:
            result = super().ask(question, history=history)
            self.recall(self.named(" ".join(text for _, text in history or ())))
            return result

    return _opened(world, Session)


@flaw("SES-1", **WITH_SESSION)
def history_begins_the_session_anew(world: World) -> Ask:
    """Takes a history for another conversation, and forgets its own (SES-1)."""

    class Session(ConversationSession):
        def ask(self, question: str, *, history: Any = None) -> EngineResult:
            if history:
                self._memory = sessions.NOTHING
            return super().ask(question, history=history)

    return _opened(world, Session)


@flaw("SES-1", **WITH_SESSION)
def follow_up_completed_from_history(world: World) -> Ask:
    """Completes a follow-up from history first, and from its own memory then (SES-1)."""

    class Session(_Reading):
        def ask(self, question: str, *, history: Any = None) -> EngineResult:
            own = self._memory
            self.recall(self.named(" ".join(text for _, text in history or ())))
            result = super().ask(question, history=history)
            self._memory = Remembered(own.entity, own.period) if history else self._memory
            return result

    return _opened(world, Session)


@flaw("SES-1", **WITH_SESSION)
def one_memory_for_engine_and_sessions(world: World) -> Ask:
    """Lets a question with a history, put to the engine, change every session of it (SES-1)."""
    open_now: list[_Reading] = []

    class Session(_Reading):
        def __init__(self, *parts: Any, **more: Any) -> None:
            super().__init__(*parts, **more)
            open_now[:] = [self]

    inner = _opened(world, Session)

    def ask(question: str, **history: Any) -> Answer:
        said = " ".join(str(turn[1]) for turn in history.get("history") or () if len(turn) == 2)
        for each in open_now if said else ():
            each.recall(each.named(said))
        return inner(question, **history)

    return ask


@dataclasses.dataclass(frozen=True)
class _More(Remembered):
    """What is remembered, and something besides."""

    kept: tuple[str, ...] = ()


class _Keeping(ConversationSession):
    """A session that keeps something of each result."""

    def ask(self, question: str, *, history: Any = None) -> EngineResult:
        result = super().ask(question, history=history)
        own = self._memory
        self._memory = _More(own.entity, own.period, tuple(self.kept(result)))
        return result

    def kept(self, result: EngineResult) -> list[str]:
        """What is kept of a result."""
        raise NotImplementedError


@flaw("SES-2", **WITH_SESSION)
def answers_remembered(world: World) -> Ask:
    """Keeps the text of its last answer (SES-2)."""

    class Session(_Keeping):
        def kept(self, result: EngineResult) -> list[str]:
            return [result.text]

    return _opened(world, Session)


@flaw("SES-2", **WITH_SESSION)
def figures_remembered(world: World) -> Ask:
    """Keeps the figures it looked up, to compare with (SES-2)."""

    class Session(_Keeping):
        def kept(self, result: EngineResult) -> list[str]:
            return [f"{each['value']:,}" for each in result.tool_results if each.get("value")]

    return _opened(world, Session)


@flaw("SES-2", **WITH_SESSION)
def passages_remembered(world: World) -> Ask:
    """Keeps the passages it cited, for the next question why (SES-2)."""

    class Session(_Keeping):
        def kept(self, result: EngineResult) -> list[str]:
            cited = {each.doc for each in result.sources}
            return [p.text for p in world.passages if p.doc in cited and not own_rule(p.label)]

    return _opened(world, Session)


@flaw("SES-2", **WITH_SESSION)
def metric_remembered(world: World) -> Ask:
    """Completes a question that names no metric with the last one named (SES-2)."""

    class Session(ConversationSession):
        last: tuple[str, ...] = ()

        def ask(self, question: str, *, history: Any = None) -> EngineResult:
            intent = self._parse(question, self._date)
            if intent.numeric and not intent.metrics and self.last:
                question = (
                    f"{question} ({self._vocabulary.metric_name(self.last[0], chinese=True)})"
                )
            self.last = intent.metrics or self.last
            return super().ask(question, history=history)

    return _opened(world, Session)


@flaw("SES-2", **WITH_SESSION)
def period_not_inherited(world: World) -> Ask:
    """Inherits the entity, and assumes the year (SES-2)."""

    def completed(question: str, intent: Any, memory: Remembered, vocabulary: Any) -> str:
        return _completed(question, intent, Remembered(memory.entity), vocabulary)

    return reference_with(world, parts={"session.completed": completed})


@flaw("SES-2", **WITH_SESSION)
def inherits_every_third_time_only(world: World) -> Ask:
    """Forgets, by a count its process keeps, what it was asked (SES-2)."""

    def completed(question: str, intent: Any, memory: Remembered, vocabulary: Any) -> str:
        if memory == sessions.NOTHING:
            return question
        own = memory if next(_turns) % 3 == 1 else sessions.NOTHING
        return _completed(question, intent, own, vocabulary)

    return reference_with(world, parts={"session.completed": completed})


@flaw("SES-3", **WITH_SESSION)
def refused_turns_remembered(world: World) -> Ask:
    """Remembers what a question was about before it is answered (SES-3)."""

    class Session(_Reading):
        def ask(self, question: str, *, history: Any = None) -> EngineResult:
            result = super().ask(question, history=history)
            self.recall(self.named(question))
            return result

    return _opened(world, Session)


@flaw("SES-3", **WITH_SESSION)
def gate_passed_once(world: World) -> Ask:
    """Does not screen a conversation again once a turn of it was answered (SES-3)."""
    names = re.compile("|".join(map(re.escape, world.out_of_scope)))

    class Session(ConversationSession):
        def ask(self, question: str, *, history: Any = None) -> EngineResult:
            if self._memory != sessions.NOTHING:
                question = names.sub("", question)
            return super().ask(question, history=history)

    return _opened(world, Session)


@flaw("SES-3", **WITH_SESSION)
def elliptical_follow_ups_repeat_the_last_question(world: World) -> Ask:
    """Asks the last question once more where the new one names nothing it knows (SES-3)."""

    class Session(ConversationSession):
        last = ""

        def ask(self, question: str, *, history: Any = None) -> EngineResult:
            intent = self._parse(question, self._date)
            if self.last and not (intent.entities or intent.metrics) and len(question) < 14:
                question = self.last
            result = super().ask(question, history=history)
            self.last = question if not result.refused else self.last
            return result

    return _opened(world, Session)


@flaw("SES-3", **WITH_SESSION)
def exits_open_the_second_time(world: World) -> Ask:
    """Releases what a conversation has asked for before: it was cleared then (SES-3)."""
    cleared: list[bool] = []

    class Session(ConversationSession):
        def __init__(self, *parts: Any, **more: Any) -> None:
            super().__init__(*parts, **more)
            self.before: set[str] = set()

        def ask(self, question: str, *, history: Any = None) -> EngineResult:
            cleared[:] = [question in self.before]
            self.before.add(question)
            try:
                return super().ask(question, history=history)
            finally:
                cleared.clear()

    def rule(label: object) -> bool:
        return own_rule(label) and not (cleared and cleared[0])

    return _opened(world, Session, **{"exits.is_restricted": rule})


@flaw("SES-4", **WITH_SESSION)
def answered_before_is_answered_again(world: World) -> Ask:
    """Repeats the answer a turn gave to the same question, without looking (SES-4)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        pairs = zip(asked.turns, asked.turns[1:], strict=False)
        told = [a for (_, q), (role, a) in pairs if q == asked.question and role == "assistant"]
        return Answer(told[0], plain=told[0], route="structured") if told else answer

    return reference_with(world, answers=answers)


@flaw("SES-4", **WITH_SESSION)
def last_figure_offered_on_a_miss(world: World) -> Ask:
    """Offers the figure said last where it finds none (SES-4)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        figures = re.findall(r"\d{5,}", asked.said)
        if not answer.refused or not figures:
            return answer
        return dataclasses.replace(answer, text=f"{answer.text} Earlier: {figures[-1]}.")

    return reference_with(world, answers=answers)


@flaw("SES-4", **WITH_SESSION)
def session_cited(world: World) -> Ask:
    """Names the conversation as a source where it spoke of a figure (SES-4)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if not re.search(r"\d{5,}", asked.said):
            return answer
        return dataclasses.replace(answer, sources=[*answer.sources, Source("session", "1")])

    return reference_with(world, answers=answers)


@flaw("SES-4", **WITH_SESSION)
def saved_slots_read_back(world: World) -> Ask:
    """Searches for the slots that a turn holds in JSON, too (SES-4)."""

    def searches(query: str, asked: Asked) -> str:
        saved = re.findall(r'\{"entity": "(\w+)", "period": "(\w+)"\}', asked.said)
        return f"{query} {' '.join(saved[-1])}" if saved else query

    return reference_with(world, searches=searches)
