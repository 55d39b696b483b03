"""Engines of which two fresh ones do not agree (STA-1)."""

from __future__ import annotations

import dataclasses
from itertools import count

from counterproof import Answer, World
from engines.disguise import Ask, Asked, reference_with
from engines.flawed.table import flaw

_asked_of_this_process = count(1)


@flaw("STA-1")
def sources_in_the_order_of_a_set(world: World) -> Ask:
    """Cites in an order that the process's hash seed decides (STA-1)."""

    def answers(answer: Answer, _: Asked) -> Answer:
        return dataclasses.replace(answer, sources=list(set(answer.sources)))

    return reference_with(world, answers=answers)


@flaw("STA-1")
def asks_counted_in_the_answer(world: World) -> Ask:
    """Counts in its explanations how many asks its process has answered (STA-1)."""

    def answers(answer: Answer, _: Asked) -> Answer:
        if answer.route != "narrative" or answer.refused:
            return answer
        told = f"{answer.text} (answer {next(_asked_of_this_process)})"
        return dataclasses.replace(answer, text=told)

    return reference_with(world, answers=answers)


@flaw("STA-1")
def address_in_the_tool_results(world: World) -> Ask:
    """Tells where in memory its answer lies, among the results of the tool (STA-1)."""

    def answers(answer: Answer, _: Asked) -> Answer:
        results = list(answer.tool_results or ())
        return dataclasses.replace(answer, tool_results=[*results, {"at": hex(id(results))}])

    return reference_with(world, answers=answers)


@flaw("STA-1")
def prompt_in_the_order_of_a_set(world: World) -> Ask:
    """Lists what it knows to the model in an order that the hash seed decides (STA-1)."""
    names = ", ".join({name for each in world.entities for name in each.names})

    def sends(messages: list[dict[str, str]], _: Asked) -> list[dict[str, str]]:
        told = f"{messages[0]['content']} Known: {names}."
        return [{**messages[0], "content": told}, *messages[1:]]

    return reference_with(world, sends=sends)
