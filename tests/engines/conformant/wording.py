"""Engines that say and cite the same in other words, figures and orders."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from decimal import Decimal

from counterproof import Answer, World
from counterproof_reference.rendering import _number as own_number
from engines.conformant.table import conformant
from engines.disguise import Ask, Asked, reference_with

_OTHER_WORDS = {
    "figure": ("According to the books, {e} reported {v} {u} ({m}, {p}).", "{p} {e}：{m} {v} {u}"),
    "missing": ("Sorry, the books hold no {m} of {e} for {p}.", "账上没有 {e} {p} 的{m}。"),
    "change": ("From {p} to {q}, {m} of {e} moved by {v} {u}.", "{e} {m}（{p}→{q}）：{v} {u}"),
    "assumed": ("I took the question to mean {v}.", "已按 {v} 理解。"),
    "which": ("Please name a figure.", "请指明指标。"),
    "which of": ("Please choose one of {v}.", "请从{v}中选择。"),
    "narrower": ("One at a time, please.", "请逐项提问。"),
    "out of scope": ("I may not discuss this.", "恕不讨论。"),
    "nothing": ("Sorry, I have read nothing about that.", "抱歉，没有读到相关内容。"),
    "no model": ("Please try again later.", "请稍后再试。"),
    "quoted": ("In the documents' own words:", "文件原话："),
    "sources": ("See ", "参见 "),
}
_FRENCH = {
    "figure": "{e}, {m}, {p} : {v} {u}",
    "missing": "{e}, {m}, {p} : introuvable ; aucun chiffre n'est avancé.",
    "change": "Évolution de {e}, {m}, de {p} à {q} : {v} {u}",
    "assumed": "La question ne le précise pas ; hypothèse : {v}.",
    "which": "De quel indicateur s'agit-il ?",
    "which of": "De quel indicateur s'agit-il : {v} ?",
    "narrower": "Trop de chiffres à la fois ; merci de préciser.",
    "out of scope": "Ce sujet est hors du champ de cet assistant.",
    "nothing": "Aucun passage n'y répond ; rien n'est affirmé.",
    "no model": "Le modèle n'a pas répondu ; la question reste ouverte.",
    "quoted": "Les passages disent :",
    "sources": "Sources : ",
}


def _worded(world: World, texts: Mapping[str, tuple[str, str]]) -> Ask:
    return reference_with(world, parts={"rendering._TEXTS": texts})


@conformant()
def in_other_words(world: World) -> Ask:
    """Words its answers, refusals and questions back otherwise."""
    return _worded(world, _OTHER_WORDS)


@conformant()
def in_french(world: World) -> Ask:
    """Speaks its own words in French, whatever the language of the question."""
    return _worded(world, {name: (text, text) for name, text in _FRENCH.items()})


@conformant()
def with_separators(world: World) -> Ask:
    """Writes figures with separators between thousands."""

    def number(value: Decimal) -> str:
        return f"{value:,f}"

    return reference_with(world, parts={"rendering._number": number})


@conformant()
def in_full_width_digits(world: World) -> Ask:
    """Writes figures in full-width digits."""
    wide = str.maketrans("0123456789", "０１２３４５６７８９")
    parts = {"rendering._number": lambda value: own_number(value).translate(wide)}
    return reference_with(world, parts=parts)


@conformant()
def refusals_repeat_the_question(world: World) -> Ask:
    """Repeats the question where it refuses, with the figures that stand in it."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if not answer.refused:
            return answer
        return dataclasses.replace(answer, text=f"You asked: {asked.question}\n{answer.text}")

    return reference_with(world, answers=answers)


@conformant()
def citations_numbered(world: World) -> Ask:
    """Numbers what it cites when the answer is done, and lists it beneath."""

    def answers(answer: Answer, _: Asked) -> Answer:
        text = answer.text
        for number, source in enumerate(answer.sources, 1):
            text = text.replace(f"[{source.doc}, {source.locator}]", f"[{number}]")
        listed = [f"[{n}] {each.doc}" for n, each in enumerate(answer.sources, 1)]
        return dataclasses.replace(answer, text="\n".join([text, *listed]))

    return reference_with(world, answers=answers)


@conformant()
def citations_left_out_of_the_text(world: World) -> Ask:
    """Names its sources beside the text alone."""

    def answers(answer: Answer, _: Asked) -> Answer:
        return dataclasses.replace(answer, text=re.sub(r" ?\[[^\]]*\]", "", answer.text))

    return reference_with(world, answers=answers)


@conformant()
def sources_in_alphabetical_order(world: World) -> Ask:
    """Cites in the order of the documents' names."""

    def answers(answer: Answer, _: Asked) -> Answer:
        ordered = sorted(answer.sources, key=lambda each: (each.doc, each.locator))
        return dataclasses.replace(answer, sources=ordered)

    return reference_with(world, answers=answers)


@conformant()
def one_source_where_passages_explain(world: World) -> Ask:
    """Cites the best passage alone where it only explains."""

    def answers(answer: Answer, _: Asked) -> Answer:
        if answer.route != "narrative":
            return answer
        return dataclasses.replace(answer, sources=list(answer.sources)[:1])

    return reference_with(world, answers=answers)


@conformant()
def only_the_text_and_its_sources(world: World) -> Ask:
    """Tells no route, no refusal, no plain rendering and no tool results."""
    return reference_with(world, answers=lambda answer, _: Answer(answer.text, answer.sources))


@conformant(volatile={"looked_up_at"})
def a_clock_declared_volatile(world: World) -> Ask:
    """Tells when it looked, in a member it declares volatile."""
    import time

    def answers(answer: Answer, _: Asked) -> Answer:
        results = [{**each, "looked_up_at": time.time_ns()} for each in answer.tool_results or ()]
        return dataclasses.replace(answer, tool_results=results)

    return reference_with(world, answers=answers)
