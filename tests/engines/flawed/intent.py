"""Engines whose figures depend on history (PAR-2)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import date

from counterproof import Answer, World
from counterproof_reference.intent import Intent, IntentParser, periods_in
from counterproof_reference.intent import parser as own_parser
from counterproof_reference.vocabulary import Vocabulary
from engines.disguise import Ask, Asked, reference_with
from engines.flawed.table import flaw

MANY = 10
"""Turns from which on a conversation counts as long."""


def _with_intent(world: World, change: Callable[[Intent, Asked, Vocabulary], Intent]) -> Ask:
    """The reference engine, what it makes of a question changed by what was said before it."""
    asked = Asked()

    def parser(vocabulary: Vocabulary) -> IntentParser:
        own = own_parser(vocabulary)

        def parse(question: str, reference_date: date) -> Intent:
            return change(own(question, reference_date), asked, vocabulary)

        return parse

    return reference_with(world, asked=asked, parts={"intent.parser": parser})


def _last_period(intent: Intent, asked: Asked, _: Vocabulary) -> Intent:
    told = periods_in(asked.said)
    return dataclasses.replace(intent, periods=told[-1:]) if told and intent.periods else intent


@flaw("PAR-2")
def period_from_history(world: World) -> Ask:
    """Lets the last fiscal year spoken of win over the question's own (PAR-2)."""
    return _with_intent(world, _last_period)


@flaw("PAR-2")
def period_from_long_history(world: World) -> Ask:
    """The same, in conversations of more than ten turns alone (PAR-2)."""

    def change(intent: Intent, asked: Asked, vocabulary: Vocabulary) -> Intent:
        return _last_period(intent, asked, vocabulary) if len(asked.turns) > MANY else intent

    return _with_intent(world, change)


@flaw("PAR-2")
def entity_from_history(world: World) -> Ask:
    """Keeps to the entity the conversation was about (PAR-2)."""

    def change(intent: Intent, asked: Asked, vocabulary: Vocabulary) -> Intent:
        told = vocabulary.entities_in(asked.said)
        return dataclasses.replace(intent, entities=told[-1:]) if told else intent

    return _with_intent(world, change)


@flaw("PAR-2")
def metric_from_history(world: World) -> Ask:
    """Takes the metric a question leaves open from history instead of asking back (PAR-2)."""

    def change(intent: Intent, asked: Asked, vocabulary: Vocabulary) -> Intent:
        told = vocabulary.metrics_in(asked.said)
        if not intent.numeric or intent.metrics or not told:
            return intent
        return dataclasses.replace(intent, metrics=told[-1:])

    return _with_intent(world, change)


@flaw("PAR-2")
def history_parsed_with_the_question(world: World) -> Ask:
    """Parses conversation and question as one text, and shows that at the seam (PAR-2)."""
    return reference_with(world, parses=lambda text, asked: f"{asked.said} {text}".strip())


@flaw("PAR-2")
def periods_of_history_added(world: World) -> Ask:
    """Looks up the years spoken of as well, so that one lookup becomes several (PAR-2)."""

    def change(intent: Intent, asked: Asked, _: Vocabulary) -> Intent:
        more = tuple(dict.fromkeys((*intent.periods, *periods_in(asked.said))))
        return dataclasses.replace(intent, periods=more) if intent.periods else intent

    return _with_intent(world, change)


@flaw("PAR-2")
def change_left_out_in_a_conversation(world: World) -> Ask:
    """Leaves out how a figure changed between two years, once there is history (PAR-2)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if answer.route != "multi" or not asked.turns:
            return answer
        return dataclasses.replace(answer, text=answer.text.rpartition("\n")[0])

    return reference_with(world, answers=answers)


@flaw("PAR-2")
def sources_reversed_by_history(world: World) -> Ask:
    """Cites in another order once there is history; text and figures stay as they are (PAR-2)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if not asked.turns or answer.route not in ("multi", "composite"):
            return answer
        return dataclasses.replace(answer, sources=list(answer.sources)[::-1])

    return reference_with(world, answers=answers)


@flaw("PAR-2")
def history_among_the_tool_results(world: World) -> Ask:
    """Hands out what was said before as one more result of the tool, on a hit alone (PAR-2)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        results = [{"status": "said before", "text": text} for _, text in asked.turns]
        if answer.refused or not answer.tool_results:
            return answer
        return dataclasses.replace(answer, tool_results=[*answer.tool_results, *results])

    return reference_with(world, answers=answers)
