"""Forks whose parser or security gate looks at history (PAR)."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

from adapters.patches.table import Asked, Function, listening, part, patch, wrap


def _with_intent(change: Any) -> None:
    """What the rules make of a question, changed by what was said before it."""
    asked = listening()

    def around(inner: Function, question: str, reference_date: Any = None) -> Any:
        return change(inner(question, reference_date), asked, inner, reference_date)

    wrap("agent.intent.parse_intent", around)


@patch("PAR-1")
def the_parser_reads_the_last_question_too() -> None:
    """Parses the last question and this one as one text (PAR-1)."""

    def around(inner: Function, question: str, *args: Any, **kwargs: Any) -> Any:
        parser = kwargs["intent_parser"]
        said = [text for role, text in kwargs.get("history") or () if role == "user"]

        def parse(text: str, **given: Any) -> Any:
            intent = parser.parse(f"{said[-1]} {text}" if said else text, **given)
            intent.raw_question = text
            return intent

        kwargs["intent_parser"] = SimpleNamespace(parse=parse)
        return inner(question, *args, **kwargs)

    wrap("agent.agent.answer_question", around)


@patch("PAR-1")
def the_topic_of_each_turn_is_parsed() -> None:
    """Parses what the user asked before, for statistics that nothing reads (PAR-1)."""

    def around(inner: Function, question: str, *args: Any, **kwargs: Any) -> Any:
        for role, text in kwargs.get("history") or ():
            if role == "user":
                kwargs["intent_parser"].parse(text, reference_date=kwargs["reference_date"])
        return inner(question, *args, **kwargs)

    wrap("agent.agent.answer_question", around)


@patch("PAR-2")
def the_metric_is_carried_over() -> None:
    """Takes a metric that the question leaves open from what was said (PAR-2)."""

    def change(intent: Any, asked: Asked, *_: Any) -> Any:
        if intent.metric is None and intent.route == "structured":
            told = part("agent.intent._match_all")(
                asked.said.lower(), part("agent.intent.METRIC_SYNONYMS")
            )
            intent.metric, intent.metrics = (told[-1], told[-1:]) if told else (None, [])
        return intent

    _with_intent(change)


@patch("PAR-2")
def the_entity_is_carried_over() -> None:
    """Takes an entity that the question does not name from what was said (PAR-2)."""

    def change(intent: Any, asked: Asked, *_: Any) -> Any:
        if intent.entity is None and intent.route == "structured":
            told = part("agent.intent._match_all")(
                asked.said.lower(), part("agent.intent.ENTITY_SYNONYMS")
            )
            if told:
                intent.entity, intent.entities = told[-1], told[-1:]
        return intent

    _with_intent(change)


@patch("PAR-2", missed="a structured probe that names no period")
def the_period_is_carried_over() -> None:
    """Takes a period that the question does not name from what was said (PAR-2)."""

    def change(intent: Any, asked: Asked, _: Function, reference_date: Any) -> Any:
        if intent.period is None and intent.route == "structured":
            told = part("agent.intent._extract_all_periods")(asked.said, reference_date)
            if told:
                intent.period, intent.periods = told[-1], told[-1:]
        return intent

    _with_intent(change)


@patch("PAR-2", missed="words of an engine-specific slot in history")
def the_sales_channel_is_carried_over() -> None:
    """Narrows several lookups to the sales channel spoken of (PAR-2)."""

    def change(intent: Any, asked: Asked, *_: Any) -> Any:
        if intent.channel == "TOTAL":
            known = part("agent.intent._channel_synonyms")()
            told = part("agent.intent._match_longest")(asked.said.lower(), known)
            intent.channel = told or "TOTAL"
        return intent

    _with_intent(change)


@patch("PAR-2")
def the_answer_is_in_the_language_spoken() -> None:
    """Cites in English once the user has written in English (PAR-2)."""
    asked = listening()

    def around(inner: Function, model_text: str, tool_results: Any) -> Any:
        answer, plain, sources = inner(model_text, tool_results)
        if asked.last("user").isascii() and asked.turns:
            answer = answer.replace("来源：", "source: ")
        return answer, plain, sources

    wrap("agent.agent._structured_answer", around)


@patch("PAR-2", missed="a history that states the true answer")
def what_was_told_is_not_told_again() -> None:
    """Leaves out of a comparison what history states already (PAR-2)."""
    asked = listening()

    def around(inner: Function, tool_results: Any) -> Any:
        new = [each for each in tool_results if f"{each.get('value', '?'):g}" not in asked.said]
        return inner(new or tool_results)

    wrap("agent.agent._multi_subtask_answer", around)


@patch("PAR-2")
def a_long_conversation_is_answered_without_its_last_part() -> None:
    """Runs the first of several lookups only, in conversations of a hundred turns (PAR-2)."""
    asked = listening()
    wrap(
        "agent.agent._run_subtasks",
        lambda inner, subtasks, store: inner(
            subtasks[:1] if len(asked.turns) >= 100 else subtasks, store
        ),
    )


@patch("PAR-3")
def figures_of_an_answer_are_periods() -> None:
    """Reads every period, and every bare year, of the last answer as asked for (PAR-3)."""

    def change(intent: Any, asked: Asked, _: Function, reference_date: Any) -> Any:
        told = part("agent.intent._extract_all_periods")(asked.last("assistant"), reference_date)
        if intent.route == "structured":
            intent.periods = [
                *intent.periods,
                *(each for each in told if each not in intent.periods),
            ]
        return intent

    _with_intent(change)


@patch("PAR-3")
def the_model_is_asked_for_the_answers_period() -> None:
    """Looks up the four-digit figure of the last answer in place of the period (PAR-3)."""
    asked = listening()

    def around(inner: Function, store: Any, tool_input: Any, reference_date: Any) -> Any:
        told = re.findall(r"(?<!\d)\d{4}(?!\d)", asked.last("assistant"))
        if told:
            tool_input = {**tool_input, "period": f"FY{told[-1]}"}
        return inner(store, tool_input, reference_date)

    wrap("agent.agent._execute_tool", around)


@patch("PAR-4")
def the_gate_screens_the_conversation() -> None:
    """Refuses a question because of a name that was spoken of before (PAR-4)."""
    asked = listening()
    wrap(
        "agent.security_gate.SecurityGate.screen",
        lambda inner, self, *, raw_question, metric: inner(
            self, raw_question=f"{asked.said} {raw_question}", metric=metric
        ),
    )


_PERMITS = re.compile("授权|允许|可以|批准|authori[sz]|allow|permi|approv|clear(ed|ance)", re.I)


@patch("PAR-4")
def permission_in_history_opens_the_gate() -> None:
    """Lets a name pass once the assistant has said that it may (PAR-4)."""
    asked = listening()

    def around(inner: Function, self: Any, *, raw_question: str, metric: Any) -> Any:
        if _PERMITS.search(asked.last("assistant")):
            return part("agent.security_gate.SecurityVerdict")(decision="allow")
        return inner(self, raw_question=raw_question, metric=metric)

    wrap("agent.security_gate.SecurityGate.screen", around)


_ELLIPSIS = re.compile(r"^(那|and |what about |how about )", re.I)


@patch("PAR-6")
def an_ellipsis_is_filled_from_the_last_question() -> None:
    """Reads "and Hong Kong?" as the last question, asked of Hong Kong (PAR-6)."""

    def change(intent: Any, asked: Asked, parse: Function, reference_date: Any) -> Any:
        before = asked.last("user")
        if not before or not _ELLIPSIS.match(intent.raw_question):
            return intent
        told = parse(before, reference_date)
        for one, many in (("metric", "metrics"), ("entity", "entities"), ("period", "periods")):
            if not getattr(intent, many):
                setattr(intent, one, getattr(told, one))
                setattr(intent, many, getattr(told, many))
        intent.route = told.route
        return intent

    _with_intent(change)


@patch("PAR-6")
def a_pronoun_stands_for_the_entity_spoken_of() -> None:
    """Reads "its revenue" as the revenue of the entity that was spoken of last (PAR-6)."""

    def change(intent: Any, asked: Asked, *_: Any) -> Any:
        if re.search(r"它|其|\bits?\b", intent.raw_question) and intent.entity is None:
            told = part("agent.intent._match_all")(
                asked.said.lower(), part("agent.intent.ENTITY_SYNONYMS")
            )
            if told:
                intent.entity, intent.entities = told[-1], told[-1:]
        return intent

    _with_intent(change)


@patch("PAR-6")
def an_ellipsis_becomes_a_whole_question() -> None:
    """Asks, in place of an elliptical question, the last one with it added (PAR-6)."""

    def around(inner: Function, question: str, *args: Any, **kwargs: Any) -> Any:
        said = [text for role, text in kwargs.get("history") or () if role == "user"]
        if said and _ELLIPSIS.match(question):
            question = f"{question} {said[-1]}"
        return inner(question, *args, **kwargs)

    wrap("agent.agent.answer_question", around)
