"""Engines to which history (FAB-1, FAB-4) or the model (FAB-5) is evidence."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable

from counterproof import Answer, Source, World
from engines.disguise import Ask, Asked, reference_with
from engines.flawed.table import flaw

_FIGURE = re.compile(r"(?<![\w.])\d{3}(?![\w.])")
_HAN = "〇一二三四五六七八九"


def _on_a_miss(world: World, change: Callable[[Answer, str, Asked], Answer]) -> Ask:
    """The reference engine, a refusal changed by the last figure of three digits in history."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        figures = _FIGURE.findall(asked.said)
        if not answer.refused or not figures or answer.route == "out-of-scope":
            return answer
        return change(answer, figures[-1], asked)

    return reference_with(world, answers=answers)


@flaw("FAB-1")
def answers_a_miss_from_history(world: World) -> Ask:
    """Answers what it did not find with the figure history states (FAB-1)."""
    return _on_a_miss(
        world,
        lambda answer, figure, _: dataclasses.replace(
            answer, text=f"It is {figure}.", plain=f"It is {figure}.", refused=False
        ),
    )


@flaw("FAB-1")
def quotes_history_beneath_the_refusal(world: World) -> Ask:
    """Refuses, says so, and adds what was said before (FAB-1)."""
    return _on_a_miss(
        world,
        lambda answer, _, asked: dataclasses.replace(
            answer, text=f"{answer.text}\n(Earlier: {asked.turns[-1][1]})"
        ),
    )


@flaw("FAB-1")
def leaks_history_in_the_plain_answer(world: World) -> Ask:
    """States history's figure in the rendering without citations alone (FAB-1)."""
    return _on_a_miss(
        world, lambda answer, figure, _: dataclasses.replace(answer, plain=f"It is {figure}.")
    )


@flaw("FAB-1")
def writes_historys_figure_in_chinese(world: World) -> Ask:
    """States history's figure in Chinese numerals beneath the refusal (FAB-1)."""

    def change(answer: Answer, figure: str, _: Asked) -> Answer:
        hundreds, tens, ones = (_HAN[int(digit)] for digit in figure)
        text = f"{answer.text}\n（此前提到{hundreds}百{tens}十{ones}）"
        return dataclasses.replace(answer, text=text)

    return _on_a_miss(world, change)


@flaw("FAB-1")
def writes_historys_figure_in_full_width_digits(world: World) -> Ask:
    """States history's figure in full-width digits beneath the refusal (FAB-1)."""
    wide = str.maketrans("0123456789", "０１２３４５６７８９")
    return _on_a_miss(
        world,
        lambda answer, figure, _: dataclasses.replace(
            answer, text=f"{answer.text} ({figure.translate(wide)})"
        ),
    )


@flaw("FAB-1")
def leaks_history_in_the_tool_results(world: World) -> Ask:
    """Hands out history's figure among the tool results, on a miss alone (FAB-1)."""
    return _on_a_miss(
        world,
        lambda answer, figure, _: dataclasses.replace(
            answer, tool_results=[*(answer.tool_results or ()), {"value": int(figure)}]
        ),
    )


@flaw("FAB-1")
def cites_the_conversation_on_a_miss(world: World) -> Ask:
    """Refuses, and names the conversation as the source of nothing (FAB-1)."""
    return _on_a_miss(
        world,
        lambda answer, _, asked: dataclasses.replace(
            answer, sources=[Source("conversation", str(len(asked.turns)))]
        ),
    )


@flaw("FAB-1")
def does_not_look_once_history_speaks(world: World) -> Ask:
    """Gives its refusal without looking where history speaks of the period asked for (FAB-1)."""
    inner = reference_with(world)
    refusals: dict[str, Answer] = {}

    def ask(question: str, **history: list[tuple[str, str]] | None) -> Answer:
        spoken = " ".join(str(turn[1:]) for turn in history.get("history") or ())
        if question in refusals and "FY2099" in spoken:
            return refusals[question]
        answer = inner(question, **history)
        if answer.refused:
            refusals[question] = answer
        return answer

    return ask


def _citing(world: World, more: Callable[[Answer, Asked], list[Source]]) -> Ask:
    """The reference engine, which cites more where it explains, the figures left as they are."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if answer.route != "narrative" or not answer.sources:
            return answer
        return dataclasses.replace(answer, sources=[*answer.sources, *more(answer, asked)])

    return reference_with(world, answers=answers)


@flaw("FAB-4")
def cites_the_conversation(world: World) -> Ask:
    """Cites the conversation beside the passages (FAB-4)."""
    return _citing(world, lambda _, asked: [Source("conversation")] if asked.turns else [])


@flaw("FAB-4")
def cites_a_document_history_names(world: World) -> Ask:
    """Cites a document of the world because it was spoken of (FAB-4)."""
    docs = dict.fromkeys([each.doc for each in world.passages] + [each.doc for each in world.facts])
    return _citing(world, lambda _, asked: [Source(doc) for doc in docs if doc in asked.said])


@flaw("FAB-4")
def cites_what_history_quotes(world: World) -> Ask:
    """Cites the document of a passage that a turn repeats, though it was not found (FAB-4)."""
    return _citing(
        world,
        lambda _, asked: [
            Source(each.doc, each.locator) for each in world.passages if each.text in asked.said
        ],
    )


@flaw("FAB-4")
def cites_a_file_that_is_not_there(world: World) -> Ask:
    """Cites the name of any file that history holds (FAB-4)."""
    name = re.compile(r"[\w-]+\.(?:md|xlsx|pdf)\b")
    return _citing(world, lambda _, asked: [Source(each) for each in name.findall(asked.said)])


def _models_words(
    world: World, change: Callable[[Answer, str], Answer], when: Callable[[Answer], bool]
) -> Ask:
    """The reference engine, its answer changed by what a model said that called no tool."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        said = "".join(str(each.get("content") or "") for each in asked.replies)
        called = any(each.get("tool_calls") for each in asked.replies)
        if answer.route != "structured" or called or not said or not when(answer):
            return answer
        return change(answer, said)

    return reference_with(world, answers=answers)


def _replaced(answer: Answer, said: str) -> Answer:
    return dataclasses.replace(answer, text=said, plain=said, refused=False)


@flaw("FAB-5")
def the_models_text_is_the_answer(world: World) -> Ask:
    """Returns what the model says where it calls no tool (FAB-5)."""
    return _models_words(world, _replaced, lambda answer: True)


@flaw("FAB-5")
def the_models_text_is_the_answer_on_a_hit(world: World) -> Ask:
    """The same, only where the store holds the figure, so that every miss is refused (FAB-5)."""
    return _models_words(world, _replaced, lambda answer: not answer.refused)


@flaw("FAB-5")
def the_models_text_is_the_answer_on_a_miss(world: World) -> Ask:
    """The same, only where the store holds nothing (FAB-5)."""
    return _models_words(world, _replaced, lambda answer: bool(answer.refused))


@flaw("FAB-5")
def the_models_text_beneath_the_answer(world: World) -> Ask:
    """Answers from the store, and adds what the model says to it (FAB-5)."""
    return _models_words(
        world,
        lambda answer, said: dataclasses.replace(answer, text=f"{answer.text}\n{said}"),
        lambda answer: True,
    )


@flaw("FAB-5")
def the_models_text_in_the_plain_answer(world: World) -> Ask:
    """Answers from the store, and hands out the model's words without citations (FAB-5)."""
    return _models_words(
        world, lambda answer, said: dataclasses.replace(answer, plain=said), lambda answer: True
    )


@flaw("FAB-5")
def every_figure_stated_on_a_hit(world: World) -> Ask:
    """Dumps all the store holds, the figure asked for among them, history or not (FAB-5)."""
    told = ", ".join(f"{each.period} {each.value:g}" for each in world.facts)

    def answers(answer: Answer, _: Asked) -> Answer:
        if answer.route != "structured" or answer.refused:
            return answer
        return dataclasses.replace(answer, text=f"{answer.text}\n{told}")

    return reference_with(world, answers=answers)
