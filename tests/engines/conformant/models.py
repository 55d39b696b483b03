"""Engines that meet a hostile or failing model, or a miss, in a way of their own."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from counterproof import Answer, World
from counterproof_reference.intent import Slot
from counterproof_reference.narrative import Explanation, grounded
from counterproof_reference.narrative import _run_narrative as own_narrative
from counterproof_reference.tool_loop import Lookup
from counterproof_reference.tool_loop import _execute as own_execute
from counterproof_reference.tool_loop import _run_tool_loop as own_loop
from engines.conformant.table import conformant
from engines.disguise import Ask, Asked, reference_with

_EXCUSES = ("did not reply", "没有应答")


class GenerationFailed(Exception):  # noqa: N818  # as an engine may name its own
    """What an engine documents for a model that fails."""


def _raising(world: World, error: Exception) -> Ask:
    def answers(answer: Answer, _: Asked) -> Answer:
        if any(each in answer.text for each in _EXCUSES):
            raise error
        return answer

    return reference_with(world, answers=answers)


@conformant(errors={"GenerationFailed"})
def raises_the_error_it_documents(world: World) -> Ask:
    """Raises where its model fails, in no words of the kit's (FAB-9)."""
    return _raising(world, GenerationFailed("Bitte später erneut versuchen."))


@conformant()
def lets_its_providers_error_through(world: World) -> Ask:
    """Raises what its provider raised, which speaks for itself (FAB-9)."""
    return _raising(world, ConnectionError("the model endpoint is unavailable"))


@conformant()
def refuses_what_the_model_did_not_look_up(world: World) -> Ask:
    """Answers with what a right call found, and with nothing where there was none (FAB-8)."""
    found: list[Lookup] = []

    def execute(function: Mapping[str, str], store: Any, slot: Slot, day: date) -> Any:
        told, hit = own_execute(function, store, slot, day)
        found.extend([hit] if hit else [])
        return told, hit

    def loop(question: str, store: Any, provider: Any, slot: Slot, *rest: Any) -> Lookup:
        found.clear()
        own_loop(question, store, provider, slot, *rest)
        return found[-1] if found else Lookup(slot, None)

    return reference_with(
        world, parts={"tool_loop._execute": execute, "engine._run_tool_loop": loop}
    )


@conformant()
def leaves_out_sentences_with_figures(world: World) -> Ask:
    """Keeps the model's words but for the sentences with figures no passage holds (FAB-7)."""
    said: list[str] = []

    def guard(reply: str, question: str, passages: Any, *rest: Any) -> bool:
        sentences = re.split(r"(?<=[。.])(?:\s+|(?=[^\W\d]))", reply)
        said[:] = [s for s in sentences if grounded(s, question, passages, *rest)]
        return bool(said)

    def run(*given: Any) -> Explanation:
        explained = own_narrative(*given)
        if explained.text is None or explained.quoted:
            return explained
        return dataclasses.replace(explained, text=" ".join(said))

    return reference_with(world, parts={"narrative.grounded": guard, "engine._run_narrative": run})


@conformant()
def finds_what_does_not_answer(world: World) -> Ask:
    """Has an index that returns whatever shares a word, and keeps to words of passages (FAB-6)."""

    def guard(reply: str, question: str, passages: Any, *rest: Any) -> bool:
        quoted = any(each.text in reply for each in passages)
        return quoted and grounded(reply, question, passages, *rest)

    return reference_with(
        world, parts={"passages.RELEVANCE_FLOOR": 0.0, "narrative.grounded": guard}
    )


@conformant()
def refusals_name_their_assumptions(world: World) -> Ask:
    """Says in each refusal what day it takes it to be, and how much it has (FAB-2)."""

    def answers(answer: Answer, _: Asked) -> Answer:
        if not answer.refused:
            return answer
        told = f"{answer.text} (As of {world.reference_date}, {len(world.facts)} facts.)"
        return dataclasses.replace(answer, text=told)

    return reference_with(world, answers=answers)
