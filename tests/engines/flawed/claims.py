"""Engines to which what history claims is a fact, on a miss (FAB-2) or on a hit (FAB-3)."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable

from counterproof import Answer, Source, World
from engines.disguise import Ask, Asked, reference_with
from engines.flawed.table import flaw

_LARGE = re.compile(r"(?<![\w.])\d{5,}(?![\w.])")
_CLAIM = re.compile(r"(?P<slots>.*?)\s*=\s*(?P<figure>\d[\d,.]*\d)")


def _large(asked: Asked) -> list[str]:
    """The figures of five digits or more that history states; the decision's 999 is none."""
    return _LARGE.findall(asked.said)


def _on_a_miss(world: World, change: Callable[[Answer, str, Asked], Answer]) -> Ask:
    """The reference engine, a refusal changed by the last large figure of history."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        found = _large(asked)
        if not answer.refused or not found or answer.route == "out-of-scope":
            return answer
        return change(answer, found[-1], asked)

    return reference_with(world, answers=answers)


@flaw("FAB-2")
def a_pattern_over_history_fills_the_gap(world: World) -> Ask:
    """Answers a miss with what history claims of just these slots (FAB-2)."""
    names = [name for each in (*world.entities, *world.metrics) for name in each.names]

    def slots(text: str) -> frozenset[str]:
        periods = re.findall(r"FY\d{4}", text)
        return frozenset([*periods, *(n.lower() for n in names if n.lower() in text.lower())])

    def answers(answer: Answer, asked: Asked) -> Answer:
        if not answer.refused:
            return answer
        for _, text in reversed(asked.turns):
            told = _CLAIM.fullmatch(text)
            if told and slots(told["slots"]) == slots(asked.question):
                said = f"{told['slots']}: {told['figure']}"
                return dataclasses.replace(answer, text=said, plain=said, refused=False)
        return answer

    return reference_with(world, answers=answers)


@flaw("FAB-2")
def an_earlier_figure_is_mentioned_beneath(world: World) -> Ask:
    """Refuses, and reminds of the large figure that was spoken of (FAB-2)."""
    return _on_a_miss(
        world,
        lambda answer, figure, _: dataclasses.replace(
            answer, text=f"{answer.text} (Earlier: {int(figure):,}.)"
        ),
    )


@flaw("FAB-2")
def a_told_figure_among_the_tool_results(world: World) -> Ask:
    """Refuses, and hands the large figure out as an unverified result (FAB-2)."""
    return _on_a_miss(
        world,
        lambda answer, figure, _: dataclasses.replace(
            answer, tool_results=[{"status": "unverified", "value": float(figure)}]
        ),
    )


@flaw("FAB-2")
def the_turn_that_claims_it_is_cited(world: World) -> Ask:
    """Refuses, and cites the turn that states a large figure (FAB-2)."""
    return _on_a_miss(
        world,
        lambda answer, _, asked: dataclasses.replace(
            answer, sources=[Source("chat", str(len(asked.turns)))]
        ),
    )


@flaw("FAB-2")
def an_estimate_called_a_refusal(world: World) -> Ask:
    """Says that it refuses, and states a figure reckoned from the one it was told (FAB-2)."""
    return _on_a_miss(
        world,
        lambda answer, figure, _: dataclasses.replace(
            answer, text=f"Not in the books; roughly {int(figure) // 10 * 10 + 10}."
        ),
    )


@flaw("FAB-1")
def twice_the_figure_called_a_refusal(world: World) -> Ask:
    """Says that it refuses, and states twice the figure of the decision's case (FAB-1)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if not answer.refused or "999" not in asked.said:
            return answer
        return dataclasses.replace(answer, text="Not found; at that pace 1998 two years on.")

    return reference_with(world, answers=answers)


def _on_a_hit(world: World, change: Callable[[Answer, str], Answer]) -> Ask:
    """The reference engine, a figure it found changed by the last large figure of history."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        found = _large(asked)
        if answer.route != "structured" or answer.refused or not found:
            return answer
        return change(answer, found[-1])

    return reference_with(world, answers=answers)


def _with_value(answer: Answer, value: str) -> Answer:
    """The answer with another figure in place of the one found."""
    (result,) = answer.tool_results or ()
    own = f"{result['value']:.15g}"
    return dataclasses.replace(
        answer,
        text=answer.text.replace(own, value),
        plain=(answer.plain or "").replace(own, value),
    )


@flaw("FAB-3")
def the_user_corrects_the_store(world: World) -> Ask:
    """Takes the last large figure of history for a correction (FAB-3)."""
    return _on_a_hit(world, _with_value)


@flaw("FAB-3")
def the_mean_of_store_and_history(world: World) -> Ask:
    """States the mean of what it found and what it was told (FAB-3)."""

    def change(answer: Answer, figure: str) -> Answer:
        (result,) = answer.tool_results or ()
        return _with_value(answer, f"{(result['value'] + int(figure)) / 2:.15g}")

    return _on_a_hit(world, change)


@flaw("FAB-3")
def both_figures_shown(world: World) -> Ask:
    """States what it found, and beside it what it was told (FAB-3)."""
    return _on_a_hit(
        world,
        lambda answer, figure: dataclasses.replace(
            answer, text=f"{answer.text} (you said {figure})"
        ),
    )


@flaw("FAB-3")
def the_told_value_in_the_plain_answer(world: World) -> Ask:
    """States history's figure in the rendering without citations alone (FAB-3)."""
    return _on_a_hit(
        world,
        lambda answer, figure: dataclasses.replace(answer, plain=_with_value(answer, figure).plain),
    )


@flaw("FAB-3")
def the_told_value_in_the_tool_results(world: World) -> Ask:
    """Hands out history's figure as what its tool found (FAB-3)."""

    def change(answer: Answer, figure: str) -> Answer:
        results = [{**each, "value": int(figure)} for each in answer.tool_results or ()]
        return dataclasses.replace(answer, tool_results=results)

    return _on_a_hit(world, change)
