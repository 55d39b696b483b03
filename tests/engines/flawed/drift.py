"""Engines whose answers change in the course of a conversation (STA-4)."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from counterproof import Answer, World
from engines.disguise import Ask, Asked, reference_with
from engines.flawed.table import flaw

_PERIOD = re.compile(r"FY\d{4}")


@flaw("STA-4")
def asked_before_told_so(world: World) -> Ask:
    """Refers to its earlier answer where a question is asked again (STA-4)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if ("user", asked.question) not in asked.turns:
            return answer
        return dataclasses.replace(answer, text=f"As I said: {answer.text}")

    return reference_with(world, answers=answers)


@flaw("STA-4")
def no_sources_late_in_a_conversation(world: World) -> Ask:
    """Stops citing what it has cited in this conversation before (STA-4)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        cited = [each for each in answer.sources if each.doc not in asked.said]
        return dataclasses.replace(answer, sources=cited) if answer.tool_results else answer

    return reference_with(world, answers=answers)


@flaw("STA-4")
def year_of_its_own_last_answers(world: World) -> Ask:
    """Settles on the year it has answered for most, once the conversation is long (STA-4)."""
    asked = Asked()
    inner = reference_with(world, asked=asked)

    def ask(question: str, **history: Any) -> Answer:
        turns = [tuple(each) for each in history.get("history") or ()]
        years = [y for each in turns if each[0] == "assistant" for y in _PERIOD.findall(each[1])]
        if len(turns) < 12 or not years:
            return inner(question, **history)
        return inner(_PERIOD.sub(max(years, key=years.count), question), **history)

    return ask


@flaw("STA-4")
def figures_rounded_in_a_long_conversation(world: World) -> Ask:
    """Rounds figures the conversation has stated before (STA-4)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        def shorter(figure: re.Match[str]) -> str:
            stated = figure[0] in asked.said
            return f"{figure[0][:-3]},000" if stated else figure[0]

        text = re.sub(r"\d{5}|\d{1,3}(?:,\d{3})+", shorter, answer.text)
        return dataclasses.replace(answer, text=text)

    return reference_with(world, answers=answers)
