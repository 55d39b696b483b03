"""Forks to which no history is something, or in which it stays (DEF)."""

from __future__ import annotations

import dataclasses
import inspect
import json
from types import SimpleNamespace
from typing import Any

from adapters.patches.table import Function, Message, listening, part, patch, replace, wrap


@patch("DEF-1")
def an_empty_history_gets_a_heading() -> None:
    """Heads the conversation wherever the argument is given, be it empty (DEF-1)."""

    def around(inner: Function, history: Any) -> list[Message]:
        sent: list[Message] = inner(history)
        return sent if history is None else [{"role": "user", "content": "对话历史："}, *sent]

    wrap("agent.agent._history_messages", around)


@patch("DEF-1")
def a_first_turn_is_greeted() -> None:
    """Greets whoever has a conversation that has not begun (DEF-1)."""

    def around(inner: Function, question: str, *args: Any, **kwargs: Any) -> Any:
        result = inner(question, *args, **kwargs)
        history = kwargs.get("history")
        if history is None or len(history):
            return result
        return dataclasses.replace(result, answer=f"您好！{result.answer}")

    wrap("agent.agent.answer_question", around)


@patch("DEF-1")
def none_is_written_out() -> None:
    """Writes the argument into the prompt wherever it is given (DEF-1)."""
    told: list[str] = []

    def around(inner: Function, question: str, *args: Any, **kwargs: Any) -> Any:
        empty = "history" in kwargs and not kwargs["history"]
        told[:] = [f"对话：{kwargs['history']}。"] if empty else []
        return inner(question, *args, **kwargs)

    wrap("agent.agent.answer_question", around)
    wrap(
        "agent.agent._system_prompt",
        lambda inner, reference_date: "".join([inner(reference_date), *told]),
    )


@patch("DEF-2")
def the_prompt_speaks_of_conversations() -> None:
    """Tells every model, with history or without, what history is for (DEF-2)."""
    before = part("agent.agent._SYSTEM_PROMPT_TEMPLATE")
    replace("agent.agent._SYSTEM_PROMPT_TEMPLATE", f"{before}对话历史仅供参考。")


@patch("DEF-2")
def tool_results_are_sorted() -> None:
    """Sorts the members of a tool's result, for a vendor's prompt cache (DEF-2)."""
    sorting = SimpleNamespace(
        loads=json.loads,
        dumps=lambda value, **given: json.dumps(value, sort_keys=True, **given),
    )
    replace("agent.agent.json", sorting)


@patch("DEF-2")
def figures_are_grouped() -> None:
    """Writes thousands with separators wherever a figure is found (DEF-2)."""

    def around(inner: Function, model_text: str, tool_results: Any) -> Any:
        answer, plain, sources = inner(model_text, tool_results)
        for each in tool_results:
            if each.get("status") == "found":
                answer = answer.replace(f"{each['value']:g}", f"{each['value']:,g}")
        return answer, plain, sources

    wrap("agent.agent._structured_answer", around)


@patch("DEF-2", missed="a structured probe that names no period")
def the_assumed_year_is_the_current_one() -> None:
    """Assumes the year that is not over where a question names none (DEF-2)."""

    def around(inner: Function, intent: Any, reference_date: Any = None) -> Any:
        later = reference_date.replace(year=reference_date.year + 1)
        return inner(intent, reference_date=later if intent.period is None else reference_date)

    wrap("agent.agent.clarify_scope", around)


@patch("DEF-3")
def the_last_conversation_is_resumed() -> None:
    """Goes on with the last conversation where none is given (DEF-3)."""
    kept: list[Any] = []

    def around(inner: Function, question: str, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("history"):
            kept[:] = kwargs["history"]
        elif kept:
            kwargs["history"] = list(kept)
        return inner(question, *args, **kwargs)

    wrap("agent.agent.answer_question", around)


@patch("DEF-3")
def the_entity_spoken_of_becomes_the_default() -> None:
    """Remembers whom conversations are about, for questions that name nobody (DEF-3)."""
    asked = listening()
    names = part("agent.intent.ENTITY_SYNONYMS")

    def around(inner: Function, *args: Any, **kwargs: Any) -> Any:
        found = part("agent.intent._match_longest")(asked.said.lower(), names)
        if found:
            replace("agent.intent._DEFAULT_ENTITY", found)
        return inner(*args, **kwargs)

    wrap("agent.agent.clarify_scope", around)


@patch("DEF-3")
def the_prompt_grows_with_every_conversation() -> None:
    """Counts conversations in a prompt that every later ask is given (DEF-3)."""
    asked = listening()
    seen: list[str] = []

    def around(inner: Function, reference_date: Any) -> str:
        if asked.turns:
            seen.append(asked.question)
        told = f"已有 {len(seen)} 个对话。" if seen else ""
        return f"{inner(reference_date)}{told}"

    wrap("agent.agent._system_prompt", around)


@patch("DEF-4")
def history_may_be_given_by_place() -> None:
    """Takes history as the fourth argument, and pushes the date behind it (DEF-4)."""
    inner = part("agent.agent.answer_question")
    own = inspect.signature(inner).parameters
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    moved = [
        *list(own.values())[:3],
        own["history"].replace(kind=kind),
        *(each for each in list(own.values())[3:] if each.name != "history"),
    ]

    def answer_question(
        question: str, store: Any, provider: Any, history: Any = None, **more: Any
    ) -> Any:
        return inner(question, store, provider, history=history, **more)

    answer_question.__signature__ = inspect.Signature(moved)  # type: ignore[attr-defined]
    replace("agent.agent.answer_question", answer_question)


@patch("DEF-5")
def only_a_list_is_a_history() -> None:
    """Takes whatever is no list for no history (DEF-5)."""
    wrap(
        "agent.agent._history_messages",
        lambda inner, history: inner(history if isinstance(history, list) else None),
    )


@patch("DEF-5")
def a_tuple_is_one_turn() -> None:
    """Takes a tuple for a single turn, which then is none of two strings (DEF-5)."""

    def around(inner: Function, question: str, *args: Any, **kwargs: Any) -> Any:
        if isinstance(kwargs.get("history"), tuple) and kwargs["history"]:
            kwargs["history"] = [("user", str(kwargs["history"]))]
        return inner(question, *args, **kwargs)

    wrap("agent.agent.answer_question", around)
