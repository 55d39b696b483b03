"""Engines that call the model, the tool or the retriever more, less or by another name."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from counterproof import ModelError, Passage, World
from counterproof_reference.adapter import _WorldModel
from counterproof_reference.facts import FactStore
from counterproof_reference.intent import Slot
from counterproof_reference.narrative import NarrativeRetriever
from counterproof_reference.passages import PassageLike
from counterproof_reference.tool_loop import Lookup, look_up
from engines.conformant.table import conformant
from engines.disguise import Ask, reference_with


def _judging(world: World) -> Ask:
    """The reference engine, a model asked for its opinion of what was found."""

    class Judged(NarrativeRetriever):
        def retrieve(self, question: str, *, period: str | None = None) -> list[PassageLike]:
            found = super().retrieve(question, period=period)
            listed = "\n".join(f"{number}. {each.text}" for number, each in enumerate(found, 1))
            asked = f"Which of these is best for: {question}\n{listed}"
            with contextlib.suppress(ModelError):
                world.model.complete([{"role": "user", "content": asked}])
            return found

    return reference_with(world, parts={"adapter.NarrativeRetriever": Judged})


@conformant()
def a_judge_of_passages(world: World) -> Ask:
    """Has the model judge what was found before it answers, without a word of history."""
    return _judging(world)


def _judgement(messages: Sequence[Mapping[str, Any]], tools: Sequence[Any] | None) -> str | None:
    return "1" if str(messages[-1]["content"]).startswith("Which of these") else None


@conformant(reply=_judgement)
def a_judge_the_adapter_answers_for(world: World) -> Ask:
    """The same, and its adapter says what the judge replies."""
    return _judging(world)


@conformant()
def a_warm_up_call_each_time(world: World) -> Ask:
    """Calls the model once before every question, with nothing of it."""
    inner = reference_with(world)

    def ask(question: str, **history: Any) -> Any:
        with contextlib.suppress(ModelError):
            world.model.complete([{"role": "user", "content": "Say that you are ready."}])
        return inner(question, **history)

    return ask


@conformant()
def a_warm_up_call_on_opening(world: World) -> Ask:
    """Calls the model once when it is opened."""
    world.model.complete([{"role": "user", "content": "Say that you are ready."}])
    return reference_with(world)


class _Twice(_WorldModel):
    """A provider that asks twice and takes the second reply."""

    def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> dict[str, Any]:
        super().chat(messages, tools=tools)
        return super().chat(messages, tools=tools)


class _Again(_WorldModel):
    """A provider that asks again where the reply is empty."""

    def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> dict[str, Any]:
        got = super().chat(messages, tools=tools)
        reply = got["choices"][0]["message"] if got["choices"] else {}
        if reply.get("content") or reply.get("tool_calls"):
            return got
        return super().chat(messages, tools=tools)


@conformant()
def each_call_made_twice(world: World) -> Ask:
    """Makes every model call twice, and uses the second reply."""
    return reference_with(world, parts={"adapter._WorldModel": _Twice})


@conformant()
def empty_replies_asked_for_again(world: World) -> Ask:
    """Tries once more where the model replies with nothing."""
    return reference_with(world, parts={"adapter._WorldModel": _Again})


@conformant()
def another_tool(world: World) -> Ask:
    """Calls its tool something else."""
    return reference_with(world, parts={"tool_loop.QUERY_METRIC": "fetch_figure"})


def _named(probe: Any) -> tuple[str, dict[str, Any]]:
    slots = probe.slots[0] if probe.slots else {}
    return "query_metric", {name: slots.get(name, "") for name in ("entity", "metric", "period")}


@conformant(tool_call=_named)
def tool_calls_as_the_adapter_says(world: World) -> Ask:
    """Says itself how its tool is to be called."""
    return reference_with(world)


@conformant()
def figures_without_the_model(world: World) -> Ask:
    """Answers questions for figures from the store, and calls the model to explain alone."""

    def from_store(_: str, store: FactStore, __: object, slot: Slot, *rest: object) -> Lookup:
        return look_up(store, slot)

    return reference_with(world, parts={"engine._run_tool_loop": from_store})


@conformant()
def an_inner_query(world: World) -> Ask:
    """Searches for the question, and then for its words in another order."""

    class Twice(NarrativeRetriever):
        def retrieve(self, question: str, *, period: str | None = None) -> list[PassageLike]:
            found = super().retrieve(question, period=period)
            turned = " ".join(reversed(question.split()))
            more = super().retrieve(turned, period=period)
            return found + [each for each in more if each not in found]

    return reference_with(world, parts={"adapter.NarrativeRetriever": Twice})


class _Converting(World):
    """A world whose retrieval seam is watched through another type of hit."""

    def watch_retrieval(
        self, search: Callable[..., Iterable[Any]], **_: Any
    ) -> Callable[..., list[Any]]:
        def rows(query: str, **filters: Any) -> list[tuple[str, ...]]:
            found = search(query, **filters)
            return [(each.doc, each.locator, each.text, each.label) for each in found]

        watched = super().watch_retrieval(
            rows,
            to_passage=lambda row: Passage(*row),
            from_passage=lambda each: (each.doc, each.locator, each.text, each.label),
        )
        return lambda query, **filters: [Passage(*row) for row in watched(query, **filters)]


@conformant()
def hits_of_its_own_kind(world: World) -> Ask:
    """Has a retriever that returns rows, which its adapter turns into passages and back."""
    own = {each.name: getattr(world, each.name) for each in dataclasses.fields(world)}
    return reference_with(_Converting(**own))
