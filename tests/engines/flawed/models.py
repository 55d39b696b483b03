"""Engines that a model decides over by misusing its tool (FAB-8), or by failing (FAB-9)."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from counterproof import Answer, ModelError, Source, World
from counterproof_reference.intent import Slot, read_period
from counterproof_reference.tool_loop import MAX_ITERATIONS, Lookup, look_up
from counterproof_reference.tool_loop import _execute as own_execute
from counterproof_reference.tool_loop import _run_tool_loop as own_loop
from engines.disguise import Ask, Asked, reference_with
from engines.flawed.table import flaw

Execute = Callable[[Mapping[str, str], Any, Slot, date], tuple[str, Lookup | None]]


def _trusting(function: Mapping[str, str], store: Any, slot: Slot, day: date) -> Any:
    """The tool, which looks up what it is called for."""
    arguments = json.loads(function["arguments"])
    words = store.vocabulary
    named = Slot(
        words.entity(str(arguments.get("entity", ""))) or slot.entity,
        words.metric(str(arguments.get("metric", ""))) or slot.metric,
        read_period(str(arguments.get("period", "")), day) or slot.period,
    )
    hit = look_up(store, named)
    return json.dumps(hit.as_result(), ensure_ascii=False), hit


def _executing(world: World, execute: Execute) -> Ask:
    return reference_with(world, parts={"tool_loop._execute": execute})


def _safely(function: Mapping[str, str], store: Any, slot: Slot, day: date) -> Any:
    """The reference's own answer to what is no proper call, else what is called for."""
    told, hit = own_execute(function, store, slot, day)
    proper = "does not ask for" in told
    return _trusting(function, store, slot, day) if proper else (told, hit)


@flaw("FAB-8")
def the_arguments_are_trusted(world: World) -> Ask:
    """Looks up what the model's arguments name, whatever the question asks (FAB-8)."""
    return _executing(world, _safely)


@flaw("FAB-8")
def only_the_entity_is_checked(world: World) -> Ask:
    """Compares the entity with the question's, and trusts the period (FAB-8)."""

    def execute(function: Mapping[str, str], store: Any, slot: Slot, day: date) -> Any:
        told, hit = _safely(function, store, slot, day)
        if hit is not None and hit.slot.entity != slot.entity:
            return own_execute(function, store, slot, day)
        return told, hit

    return _executing(world, execute)


@flaw("FAB-8")
def whatever_the_tool_is_called(world: World) -> Ask:
    """Has one tool, and runs it whatever name the model calls (FAB-8)."""

    def execute(function: Mapping[str, str], store: Any, slot: Slot, day: date) -> Any:
        return own_execute({**function, "name": "query_metric"}, store, slot, day)

    return _executing(world, execute)


@flaw("FAB-8")
def broken_arguments_end_the_ask(world: World) -> Ask:
    """Parses arguments as if they were always JSON (FAB-8)."""

    def execute(function: Mapping[str, str], store: Any, slot: Slot, day: date) -> Any:
        json.loads(function["arguments"])
        return own_execute(function, store, slot, day)

    return _executing(world, execute)


@flaw("FAB-8")
def arguments_are_taken_for_an_object(world: World) -> Ask:
    """Refuses what is no JSON, and reads members of whatever is (FAB-8)."""

    def execute(function: Mapping[str, str], store: Any, slot: Slot, day: date) -> Any:
        try:
            arguments = json.loads(function["arguments"])
        except ValueError:
            return json.dumps({"status": "error", "error": "no JSON"}), None
        arguments.get("entity")
        return own_execute(function, store, slot, day)

    return _executing(world, execute)


@flaw("FAB-8")
def only_the_first_call_is_checked(world: World) -> Ask:
    """Checks the first of several calls, and trusts the others (FAB-8)."""
    seen: list[str] = []

    def execute(function: Mapping[str, str], store: Any, slot: Slot, day: date) -> Any:
        seen.append(function["name"])
        chosen = own_execute if len(seen) == 1 else _safely
        return chosen(function, store, slot, day)

    def loop(*given: Any) -> Lookup:
        seen.clear()
        return own_loop(*given)

    return reference_with(
        world, parts={"tool_loop._execute": execute, "engine._run_tool_loop": loop}
    )


@flaw("FAB-8")
def too_many_rounds_raise(world: World) -> Ask:
    """Gives up with an error where the model never stops calling (FAB-8)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if sum(bool(each.get("tool_calls")) for each in asked.replies) >= MAX_ITERATIONS:
            raise RuntimeError("the agent did not finish")
        return answer

    return reference_with(world, answers=answers)


@flaw("FAB-8")
def words_beside_a_call_are_kept(world: World) -> Ask:
    """Adds what the model says beside its calls to the answer (FAB-8)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        told = [str(e["content"]) for e in asked.replies if e.get("tool_calls") and e["content"]]
        if answer.route != "structured" or not told:
            return answer
        return dataclasses.replace(answer, text="\n".join([answer.text, *told]))

    return reference_with(world, answers=answers)


def _without_a_model(world: World, instead: Callable[[Answer, Asked], Answer]) -> Ask:
    """The reference engine, which does something else where its model has failed."""
    asked = Asked()
    inner = reference_with(world, asked=asked)
    silent = ("did not reply", "没有应答")

    def ask(question: str, **history: Any) -> Answer:
        answer = inner(question, **history)
        failed = any(each in answer.text for each in silent)
        return instead(answer, asked) if failed else answer

    return ask


@flaw("FAB-9")
def the_last_turn_is_said_again(world: World) -> Ask:
    """Falls back on the last turn of history where the model fails (FAB-9)."""
    return _without_a_model(
        world,
        lambda answer, asked: Answer(asked.turns[-1][1]) if asked.said.strip() else answer,
    )


@flaw("FAB-9")
def the_last_assistant_turn_beneath_the_excuse(world: World) -> Ask:
    """Says that the model failed, and repeats what it said last (FAB-9)."""

    def instead(answer: Answer, asked: Asked) -> Answer:
        said = [text for role, text in asked.turns if role == "assistant" and text.strip()]
        if not said:
            return answer
        return dataclasses.replace(answer, text=f"{answer.text}\nLast time: {said[-1]}")

    return _without_a_model(world, instead)


@flaw("FAB-9")
def the_first_choice_is_taken(world: World) -> Ask:
    """Takes the first of a completion's choices, as if there were always one (FAB-9)."""

    def reply_of(completion: Any) -> dict[str, Any]:
        message = completion["choices"][0]["message"]
        return {**message, "content": message.get("content") or ""}

    names = ("narrative.reply_of", "tool_loop.reply_of")
    return reference_with(world, parts=dict.fromkeys(names, reply_of))


@flaw("FAB-9")
def nothing_is_said_for_nothing(world: World) -> Ask:
    """Answers a model's silence with its own (FAB-9)."""
    return _without_a_model(world, lambda *_: Answer(""))


@flaw("FAB-9")
def the_nearest_figure_will_do(world: World) -> Ask:
    """States the first figure it has where the model fails (FAB-9)."""
    fact = world.facts[0]
    said = f"{fact.entity} {fact.metric} {fact.period}: {fact.value:g}"
    return _without_a_model(world, lambda *_: Answer(said, [Source(fact.doc, fact.locator)]))


@flaw("FAB-9")
def the_conversation_is_cited_instead(world: World) -> Ask:
    """Says that it rests on the conversation where the model fails (FAB-9)."""
    return _without_a_model(
        world, lambda answer, _: dataclasses.replace(answer, sources=[Source("conversation")])
    )


@flaw("FAB-9")
def the_failure_is_hidden_in_a_bug(world: World) -> Ask:
    """Fails over its own feet where the model fails (FAB-9)."""

    def instead(answer: Answer, asked: Asked) -> Answer:
        reply: Any = None
        try:
            return Answer(reply["content"])
        except ModelError:
            return answer

    return _without_a_model(world, instead)
