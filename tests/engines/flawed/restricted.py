"""Engines that let restricted passages leave (RES-1), or once history speaks of them (RES-4)."""

from __future__ import annotations

import dataclasses

from counterproof import Answer, Source, World
from counterproof_reference.exits import is_restricted as own_rule
from engines.disguise import Ask, Asked, reference_with
from engines.flawed.table import flaw


@flaw("RES-1")
def no_exit_is_guarded(world: World) -> Ask:
    """Treats every label as public at both exits (RES-1)."""
    return reference_with(world, parts={"exits.is_restricted": lambda label: False})


@flaw("RES-1")
def label_compared_in_its_own_case(world: World) -> Ask:
    """Holds back ``RESTRICTED`` and lets ``Restricted`` go (RES-1)."""
    return reference_with(world, parts={"exits.is_restricted": lambda label: label == "RESTRICTED"})


@flaw("RES-1")
def released_once_history_quotes_it(world: World) -> Ask:
    """Opens both exits where a turn repeats a restricted passage: it is known anyway (RES-1)."""
    asked = Asked()
    closed = [each.text for each in world.passages if own_rule(each.label)]

    def rule(label: object) -> bool:
        return own_rule(label) and not any(text in asked.said for text in closed)

    return reference_with(world, asked=asked, parts={"exits.is_restricted": rule})


def _closed(world: World, topic: str) -> list[Source]:
    """The restricted documents that share a rare word with a question."""
    words = {word for word in ("merger", "并购") if word in topic}
    return [
        Source(each.doc, each.locator)
        for each in world.passages
        if own_rule(each.label) and any(word in each.text.casefold() for word in words)
    ]


@flaw("RES-1")
def restricted_document_cited(world: World) -> Ask:
    """Strips the text, and cites the document it stood in (RES-1)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        return dataclasses.replace(
            answer, sources=[*answer.sources, *_closed(world, asked.question)]
        )

    return reference_with(world, answers=answers)


@flaw("RES-1")
def restricted_words_in_the_plain_answer(world: World) -> Ask:
    """Strips the text of the answer, and not of the rendering without citations (RES-1)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        docs = {each.doc for each in _closed(world, asked.question)}
        told = " ".join(each.text for each in world.passages if each.doc in docs)
        return dataclasses.replace(answer, plain=f"{answer.plain} {told}".strip())

    return reference_with(world, answers=answers)


@flaw("RES-1")
def topics_with_restricted_passages_refused(world: World) -> Ask:
    """Leaks nothing because it says nothing, once history quotes a restricted passage (RES-1)."""
    closed = [each.text for each in world.passages if own_rule(each.label)]

    def answers(answer: Answer, asked: Asked) -> Answer:
        if not any(text in asked.said for text in closed):
            return answer
        return Answer("I cannot speak of that.", plain="I cannot speak of that.")

    return reference_with(world, answers=answers)


@flaw("RES-4")
def citations_carried_forward(world: World) -> Ask:
    """Cites again what a turn cited, restricted or not (RES-4)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        named = [Source(p.doc, p.locator) for p in world.passages if p.doc in asked.said]
        return dataclasses.replace(answer, sources=[*answer.sources, *named])

    return reference_with(world, answers=answers)


@flaw("RES-4")
def reader_sent_to_the_document(world: World) -> Ask:
    """Says in which document the rest stands, where a turn was about it (RES-4)."""
    closed = [each for each in world.passages if own_rule(each.label)]

    def answers(answer: Answer, asked: Asked) -> Answer:
        more = [each.doc for each in closed if each.doc in asked.said or each.text in asked.said]
        told = "".join(f" See {doc}." for doc in more)
        return dataclasses.replace(answer, text=answer.text + told)

    return reference_with(world, answers=answers)
