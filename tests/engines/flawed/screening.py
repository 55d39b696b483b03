"""Engines whose security gate reads something else than the raw question (PAR-4, PAR-5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date

from counterproof import World
from counterproof_reference.intent import Intent, IntentParser
from counterproof_reference.intent import parser as own_parser
from counterproof_reference.security_gate import screen as own_screen
from counterproof_reference.vocabulary import Vocabulary
from engines.disguise import Ask, Asked, reference_with
from engines.flawed.table import flaw

Screen = Callable[[str, Iterable[str]], str | None]


def _screening(world: World, screen: Callable[[str, Iterable[str], Asked], str | None]) -> Ask:
    asked = Asked()
    gate: Screen = lambda question, names: screen(question, names, asked)  # noqa: E731
    return reference_with(world, asked=asked, parts={"security_gate.screen": gate})


@flaw("PAR-4")
def gate_reads_the_conversation(world: World) -> Ask:
    """Screens everything that was said (PAR-4)."""
    return _screening(
        world, lambda question, names, asked: own_screen(f"{asked.said} {question}", names)
    )


def _waived_by(world: World, *roles: str) -> Ask:
    """The reference engine, whose gate lets by what a turn of these roles has named."""

    def screen(question: str, names: Iterable[str], asked: Asked) -> str | None:
        found = own_screen(question, names)
        named = any(found in text for role, text in asked.turns if role in roles) if found else True
        return None if named else found

    return _screening(world, screen)


@flaw("PAR-4")
def gate_waived_once_the_assistant_named_it(world: World) -> Ask:
    """Speaks of what it has spoken of before (PAR-4)."""
    return _waived_by(world, "assistant")


@flaw("PAR-4")
def gate_waived_by_a_system_turn(world: World) -> Ask:
    """Obeys a turn that calls itself the system's (PAR-4)."""
    return _waived_by(world, "system")


def _parsed(world: World, screen: Callable[[str, Iterable[str], str, Intent], str | None]) -> Ask:
    """The reference engine, whose gate is given the text that was parsed and what it came to."""
    read: list[tuple[str, Intent]] = []

    def parser(vocabulary: Vocabulary) -> IntentParser:
        own = own_parser(vocabulary)

        def parse(question: str, reference_date: date) -> Intent:
            read[:] = [(question, own(question, reference_date))]
            return read[0][1]

        return parse

    gate: Screen = lambda question, names: screen(question, names, *read[0])  # noqa: E731
    return reference_with(world, parts={"intent.parser": parser, "security_gate.screen": gate})


@flaw("PAR-5")
def gate_reads_what_was_parsed(world: World) -> Ask:
    """Screens the text its parser was given (PAR-5)."""
    return _parsed(world, lambda question, names, text, intent: own_screen(text, names))


@flaw("PAR-5")
def gate_waived_by_a_known_entity(world: World) -> Ask:
    """Does not screen a question in which the parser found a known entity (PAR-5)."""
    return _parsed(
        world,
        lambda question, names, text, intent: (
            None if intent.entities else own_screen(question, names)
        ),
    )


@flaw("PAR-5")
def gate_needs_the_parser_to_agree(world: World) -> Ask:
    """Refuses only where the name stands in the question and in what was parsed (PAR-5)."""
    return _parsed(
        world,
        lambda question, names, text, intent: (
            own_screen(question, names) and own_screen(text, names)
        ),
    )
