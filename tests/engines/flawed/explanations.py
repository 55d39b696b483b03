"""Engines that explain a miss from history (FAB-6), or pass on invented figures (FAB-7)."""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from counterproof import Answer, Passage, Source, World
from counterproof_reference.narrative import Explanation, NarrativeRetriever, grounded
from counterproof_reference.narrative import _run_narrative as own_narrative
from counterproof_reference.providers import reply_of
from engines.disguise import Ask, Asked, reference_with
from engines.flawed.table import flaw


@flaw("FAB-6")
def history_is_retrieved_when_nothing_else_is(world: World) -> Ask:
    """Offers the last turn as a passage where its index finds nothing (FAB-6)."""
    asked = Asked()

    class Retriever(NarrativeRetriever):
        def retrieve(self, question: str, *, period: str | None = None) -> list[Any]:
            found = super().retrieve(question, period=period)
            said = [text for _, text in asked.turns[-1:] if text.strip()]
            return found or [Passage("conversation", "last", text) for text in said]

    return reference_with(world, asked=asked, parts={"adapter.NarrativeRetriever": Retriever})


@flaw("FAB-6")
def the_model_is_asked_without_passages(world: World) -> Ask:
    """Lets the model answer from the conversation where nothing is found (FAB-6)."""

    def run(question: str, provider: Any, retriever: Any, turns: Any, periods: Any) -> Explanation:
        found = own_narrative(question, provider, retriever, turns, periods)
        if found.text is not None or not turns:
            return found
        asked = {"role": "user", "content": question}
        return Explanation(reply_of(provider.chat([*turns, asked]))["content"] or None)

    return reference_with(world, parts={"engine._run_narrative": run})


def _on_a_narrative_miss(world: World, change: Callable[[Answer, Asked], Answer]) -> Ask:
    def answers(answer: Answer, asked: Asked) -> Answer:
        if answer.route != "narrative" or not answer.refused or not asked.turns:
            return answer
        return change(answer, asked)

    return reference_with(world, answers=answers)


@flaw("FAB-6")
def the_earlier_topic_is_taken_up_again(world: World) -> Ask:
    """Refuses, and says what was spoken of before (FAB-6)."""
    return _on_a_narrative_miss(
        world,
        lambda answer, asked: dataclasses.replace(
            answer, text=f"{answer.text} We spoke of: {asked.turns[-1][1]}", refused=False
        ),
    )


@flaw("FAB-6")
def the_conversation_is_cited_for_a_refusal(world: World) -> Ask:
    """Refuses, and names the conversation as its source (FAB-6)."""
    return _on_a_narrative_miss(
        world,
        lambda answer, _: dataclasses.replace(answer, sources=[Source("conversation")]),
    )


@flaw("FAB-6")
def what_does_not_answer_vouches_for_anything(world: World) -> Ask:
    """Finds passages that do not answer, and passes on whatever the model says of them (FAB-6)."""

    def lax(reply: str, question: str, passages: Sequence[Any], *rest: Any) -> bool:
        return "flood" in question or grounded(reply, question, passages, *rest)

    return reference_with(world, parts={"passages.RELEVANCE_FLOOR": 0.0, "narrative.grounded": lax})


@flaw("FAB-6")
def a_conversation_widens_the_search(world: World) -> Ask:
    """Takes what does not answer for a hit once there is history (FAB-6)."""
    asked = Asked()

    class Retriever(NarrativeRetriever):
        def retrieve(self, question: str, *, period: str | None = None) -> list[Any]:
            found = super().retrieve(question, period=period)
            public = [each for each in world.passages if each.label.lower() == "public"]
            return found or (public[-1:] if asked.turns and "flood" in question else [])

    return reference_with(world, asked=asked, parts={"adapter.NarrativeRetriever": Retriever})


def _guarded(world: World, read: Callable[[str], set[str]]) -> Ask:
    """The reference engine, its guard in place of its own: figures read of reply and passages."""

    def guard(reply: str, question: str, passages: Sequence[Any], *_: Any) -> bool:
        vouched = set().union(*(read(each.text) for each in passages), read(question))
        return read(reply) <= vouched

    return reference_with(world, parts={"narrative.grounded": guard})


@flaw("FAB-7")
def no_guard(world: World) -> Ask:
    """Passes on whatever the model says (FAB-7)."""
    return _guarded(world, lambda _: set())


@flaw("FAB-7")
def guard_of_ascii_digits(world: World) -> Ask:
    """Reads ASCII digits alone (FAB-7)."""
    return _guarded(world, lambda text: set(re.findall(r"[0-9]+", text)))


@flaw("FAB-7")
def guard_of_digits(world: World) -> Ask:
    """Reads digits of every width, and no Chinese numerals (FAB-7)."""
    return _guarded(
        world, lambda text: set(re.findall(r"\d+", unicodedata.normalize("NFKC", text)))
    )


@flaw("FAB-7")
def guard_of_long_numbers(world: World) -> Ask:
    """Reads runs of four digits and more, in which a separator is no digit (FAB-7)."""
    han = re.compile("[一二三四五六七八九十百千万]{4,}")

    def read(text: str) -> set[str]:
        plain = unicodedata.normalize("NFKC", text)
        return {*re.findall(r"\d{4,}", plain), *han.findall(plain)}

    return _guarded(world, read)


@flaw("FAB-7")
def guard_of_whole_numbers(world: World) -> Ask:
    """Reads whole numbers in every script and form, and nothing with a point (FAB-7)."""
    whole = re.compile(
        r"(?<![\d.e])(?:\d{1,3}(?:,\d{3})+|\d+)(?!\d|\.\d|e\d)|[一二三四五六七八九十百千万]{4,}"
    )
    return _guarded(world, lambda text: set(whole.findall(unicodedata.normalize("NFKC", text))))


@flaw("FAB-7")
def guard_of_one_rendering(world: World) -> Ask:
    """Guards its answer, and not the rendering without citations (FAB-7)."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if answer.route != "narrative" or answer.refused or not asked.replies:
            return answer
        return dataclasses.replace(answer, plain=str(asked.replies[-1].get("content")))

    return reference_with(world, answers=answers)
