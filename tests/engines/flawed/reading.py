"""Engines that read more into a question than it says (PAR-1, PAR-3, PAR-6)."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable

from counterproof import Answer, World
from counterproof_reference.intent import Intent
from counterproof_reference.vocabulary import Vocabulary
from engines.disguise import Ask, Asked, once_told, reference_with
from engines.flawed.intent import _with_intent
from engines.flawed.table import flaw

_BARE_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
BRIEF = 16
"""Characters below which a question counts as a follow-up."""


@flaw("PAR-1")
def last_user_turn_parsed_too(world: World) -> Ask:
    """Gives the parser the user's last turn for context (PAR-1)."""

    def parses(text: str, asked: Asked) -> str:
        said = [each for role, each in asked.turns if role == "user"]
        return f"{said[-1]} {text}" if said else text

    return reference_with(world, parses=parses)


@flaw("PAR-1")
def question_lowered_for_the_parser(world: World) -> Ask:
    """Cleans the question before the parser sees it (PAR-1)."""
    return reference_with(world, parses=lambda text, _: text.lower())


@flaw("PAR-1")
def parser_told_of_a_follow_up(world: World) -> Ask:
    """Tells the parser that there was a conversation, if not what was said (PAR-1)."""
    return reference_with(
        world, parses=lambda text, asked: f"{text} (follow-up)" if asked.turns else text
    )


def _years(asked: Asked) -> tuple[str, ...]:
    return tuple(f"FY{each}" for each in _BARE_YEAR.findall(asked.said))


def _added(intent: Intent, asked: Asked, _: Vocabulary) -> Intent:
    if not intent.numeric:
        return intent
    return dataclasses.replace(intent, periods=(*intent.periods, *_years(asked)[-1:]))


@flaw("PAR-3")
def four_digits_ask_for_another_year(world: World) -> Ask:
    """Compares with every year it saw, bare numbers included (PAR-3)."""
    return _with_intent(world, _added)


@flaw("PAR-3")
def last_number_is_the_year(world: World) -> Ask:
    """Takes a bare number for the year that the conversation is about (PAR-3)."""

    def change(intent: Intent, asked: Asked, _: Vocabulary) -> Intent:
        told = _years(asked)
        return dataclasses.replace(intent, periods=told[-1:]) if told and intent.periods else intent

    return _with_intent(world, change)


@flaw("PAR-3")
def a_bare_answer_is_a_year(world: World) -> Ask:
    """Takes an assistant's turn that is a number alone for the year that was settled on (PAR-3)."""

    def change(intent: Intent, asked: Asked, _: Vocabulary) -> Intent:
        bare = [t for role, t in asked.turns if role == "assistant" and _BARE_YEAR.fullmatch(t)]
        if not bare or not intent.numeric:
            return intent
        return dataclasses.replace(intent, periods=(f"FY{bare[-1]}",))

    return _with_intent(world, change)


def _following_up(world: World, complete: Callable[[Intent, Asked, Vocabulary], Intent]) -> Ask:
    """The reference engine, which completes brief questions from the conversation."""

    def change(intent: Intent, asked: Asked, vocabulary: Vocabulary) -> Intent:
        brief = len(asked.question) < BRIEF and asked.turns and not intent.metrics
        return complete(intent, asked, vocabulary) if brief else intent

    return _with_intent(world, change)


@flaw("PAR-6")
def follow_up_takes_the_last_metric(world: World) -> Ask:
    """Takes what a follow-up leaves open from what was asked before (PAR-6)."""

    def complete(intent: Intent, asked: Asked, vocabulary: Vocabulary) -> Intent:
        told = vocabulary.metrics_in(asked.said)
        return dataclasses.replace(intent, metrics=told[-1:], numeric=True) if told else intent

    return _following_up(world, complete)


@flaw("PAR-6")
def follow_up_asked_with_the_last_question(world: World) -> Ask:
    """Answers a brief question together with the user's last one (PAR-6)."""
    inner = reference_with(world)

    def ask(question: str, **history: object) -> Answer:
        given = history.get("history")
        said = [text for role, text in given or () if role == "user"]  # type: ignore[attr-defined]
        brief = len(question) < BRIEF and "FY" not in question
        return inner(f"{said[-1]} {question}" if said and brief else question, **history)

    return ask


@flaw("PAR-6")
def follow_up_gets_the_last_answer(world: World) -> Ask:
    """Says again what it said last rather than ask back (PAR-6)."""

    def act(question: str, asked: Asked) -> Answer | None:
        said = [text for role, text in asked.turns if role == "assistant"]
        return Answer(said[-1]) if said and len(question) < BRIEF and "FY" not in question else None

    return once_told(world, act)
