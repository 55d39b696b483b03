"""Forks that search with history, or to which it is evidence (RET, FAB)."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

from adapters.patches.table import Function, listening, part, patch, with_search, wrap

SHORT = 12
"""Characters below which a question is thought to need completing."""


@patch("RET-1")
def a_short_question_is_completed() -> None:
    """Searches for the last turn along with a question of few characters (RET-1)."""
    asked = listening()

    def search(inner: Function, query: str, filters: Any, top_k: int) -> Any:
        if asked.turns and len(query) < SHORT:
            query = f"{asked.turns[-1][1]} {query}"
        return inner(query, filters=filters, top_k=top_k)

    with_search(search)


@patch("RET-1")
def searched_once_more_for_the_conversation() -> None:
    """Searches twice, and keeps what the question found if it found anything (RET-1)."""
    asked = listening()

    def search(inner: Function, query: str, filters: Any, top_k: int) -> Any:
        more = inner(asked.turns[-1][1], filters=filters, top_k=top_k) if asked.turns else []
        return inner(query, filters=filters, top_k=top_k) or more[:0]

    with_search(search)


@patch("RET-1")
def reasons_are_searched_for_in_context() -> None:
    """Completes the query of a question for a figure and its reason alone (RET-1)."""
    asked = listening()
    figures: list[Any] = []

    def noting(inner: Function, *args: Any, **kwargs: Any) -> Any:
        clarified = inner(*args, **kwargs)
        figures[:] = [args[0].route == "composite"]
        return clarified

    def search(inner: Function, query: str, filters: Any, top_k: int) -> Any:
        if asked.turns and figures == [True]:
            query = f"{query} {asked.turns[-1][1]}"
        return inner(query, filters=filters, top_k=top_k)

    wrap("agent.agent.clarify_scope", noting)
    with_search(search)


@patch("RET-1")
def a_pronoun_in_the_query_is_resolved() -> None:
    """Searches for what was spoken of last where a question says "it" (RET-1)."""
    asked = listening()

    def search(inner: Function, query: str, filters: Any, top_k: int) -> Any:
        if asked.turns and re.search(r"它|这个|\b(?:it|that|this)\b", query):
            query = f"{query} {asked.last('user')}"
        return inner(query, filters=filters, top_k=top_k)

    with_search(search)


@patch("RET-1")
def the_query_names_the_entity_spoken_of() -> None:
    """Adds the entity spoken of last to a question that names none (RET-1)."""
    asked = listening()

    def search(inner: Function, query: str, filters: Any, top_k: int) -> Any:
        known = part("agent.intent.ENTITY_SYNONYMS")
        told = [each for each in known if each.lower() in asked.said.lower()]
        if told and not any(each.lower() in query.lower() for each in known):
            query = f"{told[-1]} {query}"
        return inner(query, filters=filters, top_k=top_k)

    with_search(search)


@patch("RET-2")
def the_year_of_the_conversation_filters() -> None:
    """Narrows the search to the last fiscal year spoken of (RET-2)."""
    asked = listening()

    def search(inner: Function, query: str, filters: Any, top_k: int) -> Any:
        told = re.findall(r"FY(\d{4})", asked.said)
        if told:
            filters = {**(filters or {}), "period": told[-1]}
        return inner(query, filters=filters, top_k=top_k)

    with_search(search)


@patch("RET-2")
def a_long_conversation_leaves_less_room() -> None:
    """Asks for fewer passages the more has been said (RET-2)."""
    asked = listening()
    with_search(
        lambda inner, query, filters, top_k: inner(
            query, filters=filters, top_k=max(5, top_k - len(asked.said) // 200)
        )
    )


@patch("RET-3")
def the_index_is_asked_in_context() -> None:
    """Adds the last turn to the query behind the retriever, where no seam shows it (RET-3)."""
    asked = listening()

    def around(inner: Function, self: Any, query: str, **given: Any) -> Any:
        return inner(self, f"{query} {asked.turns[-1][1]}" if asked.turns else query, **given)

    wrap("retrieval.link.narrative_link.NarrativeIndexRetriever.retrieve", around)


@patch("RET-3")
def the_last_answer_is_a_passage() -> None:
    """Offers the last answer among the passages (RET-3)."""
    asked = listening()

    def search(inner: Function, query: str, filters: Any, top_k: int) -> Any:
        found = list(inner(query, filters=filters, top_k=top_k))
        told = asked.last("assistant")
        return [*found, {"text": told, "doc_id": found[0]["doc_id"]}] if found and told else found

    with_search(search)


@patch("RET-3")
def passages_make_room_for_the_conversation() -> None:
    """Offers the first passage only, beside a long conversation (RET-3)."""
    asked = listening()

    def search(inner: Function, query: str, filters: Any, top_k: int) -> Any:
        found = inner(query, filters=filters, top_k=top_k)
        return found[:1] if len(asked.turns) >= 20 else found

    with_search(search)


def _on_a_miss(change: Any) -> None:
    """Change the three parts of an answer to what the store does not hold."""
    asked = listening()

    def around(inner: Function, model_text: str, tool_results: Any) -> Any:
        given = inner(model_text, tool_results)
        missed = tool_results and not any(each.get("status") == "found" for each in tool_results)
        return change(given, asked) if missed and asked.last("assistant") else given

    wrap("agent.agent._structured_answer", around)


@patch("FAB-1")
def a_miss_is_told_with_what_was_said() -> None:
    """Refuses, and repeats what the assistant said before (FAB-1)."""
    _on_a_miss(
        lambda given, asked: (
            f"{given[0]}（此前的回答：{asked.last('assistant')}）",
            *given[1:],
        )
    )


@patch("FAB-1")
def the_plain_answer_is_the_earlier_one() -> None:
    """Refuses in the answer with citations, not in the one without (FAB-1)."""
    _on_a_miss(lambda given, asked: (given[0], asked.last("assistant"), given[2]))


@patch("FAB-1")
def a_miss_is_answered_from_the_conversation() -> None:
    """Gives the figure that history states where the store holds none (FAB-1)."""

    def change(given: Any, asked: Any) -> Any:
        told = re.findall(r"(?<![\w.])\d{3,}(?!\d)", asked.last("assistant"))
        return (f"{told[-1]}（据对话）", told[-1], []) if told else given

    _on_a_miss(change)


def _stated(turns: Any, slots: Any) -> float | None:
    """The figure that a turn gives for the slots of a lookup, as in "Shanghai FY2099 = 999"."""
    for _, text in reversed(turns):
        intent = part("agent.intent.parse_intent")(text)
        value = re.search(r"(?:=|为|是|was|is)\s*([\d,.]*\d)", text)
        if value and (intent.metric, intent.period) == slots:
            return float(value[1].replace(",", ""))
    return None


@patch("FAB-2")
def what_the_user_states_is_a_fact() -> None:
    """Takes a figure that history gives for a metric and a period into the lookup (FAB-2)."""
    asked = listening()

    def around(inner: Function, store: Any, tool_input: Any, reference_date: Any) -> Any:
        result = inner(store, tool_input, reference_date)
        metric, entity, period = (tool_input.get(each) for each in ("metric", "entity", "period"))
        asks = part("agent.intent.parse_intent")(f"{metric} {period}")
        told = _stated(asked.turns, (asks.metric, asks.period))
        if result["status"] == "found" or told is None:
            return result
        return {
            "status": "found",
            "value": told,
            "unit": "USD_M",
            "entity": entity,
            "metric_code": asks.metric,
            "period_type": asks.period[0],
            "period": asks.period[1],
            "source": {"doc": "conversation", "locator": ""},
        }

    wrap("agent.agent._execute_tool", around)


@patch("FAB-2")
def a_tool_turn_is_a_result() -> None:
    """Takes the JSON of a turn of the tool's for a result where the store has none (FAB-2)."""
    asked = listening()

    def around(inner: Function, store: Any, tool_input: Any, reference_date: Any) -> Any:
        result = inner(store, tool_input, reference_date)
        told = asked.last("tool")
        if result["status"] == "found" or '"value"' not in told:
            return result
        try:
            read = json.loads(told)
        except ValueError:
            return result
        return {
            "status": "found",
            "unit": "USD_M",
            "metric_code": tool_input.get("metric"),
            "entity": tool_input.get("entity"),
            "period_type": "HY",
            "period": tool_input.get("period"),
            "source": {"doc": "conversation", "locator": ""},
            "value": float(read["value"]),
        }

    wrap("agent.agent._execute_tool", around)


@patch("FAB-3")
def a_correction_wins() -> None:
    """Prefers the figure that history gives of the slots a lookup has found (FAB-3)."""
    asked = listening()

    def around(inner: Function, store: Any, tool_input: Any, reference_date: Any) -> Any:
        result = inner(store, tool_input, reference_date)
        if result["status"] != "found":
            return result
        slots = (result["metric_code"], (result["period_type"], result["period"]))
        told = _stated(asked.turns, slots)
        return result if told is None else {**result, "value": told}

    wrap("agent.agent._execute_tool", around)


@patch("FAB-3")
def a_figure_that_was_told_is_doubted() -> None:
    """Adds to a figure that history says otherwise (FAB-3)."""
    asked = listening()

    def around(inner: Function, model_text: str, tool_results: Any) -> Any:
        answer, plain, sources = inner(model_text, tool_results)
        told = re.findall(r"(?<![\w.])\d{3,}(?!\d)", asked.last("assistant"))
        return f"{answer}（此前为 {told[-1]}）" if told and sources else answer, plain, sources

    wrap("agent.agent._structured_answer", around)


def _citing(change: Any) -> None:
    """Change what an explanation from passages cites."""
    asked = listening()

    def around(inner: Function, *args: Any, **kwargs: Any) -> Any:
        answer, plain, sources = inner(*args, **kwargs)
        return answer, plain, change(sources, asked) if sources else sources

    wrap("agent.agent._run_narrative", around)


@patch("FAB-4")
def the_conversation_is_a_source() -> None:
    """Cites the conversation beside the passages (FAB-4)."""
    _citing(
        lambda sources, asked: (
            [*sources, {"doc": "conversation", "locator": ""}] if asked.turns else sources
        )
    )


@patch("FAB-4")
def documents_spoken_of_are_cited() -> None:
    """Cites each file that history names (FAB-4)."""
    _citing(
        lambda sources, asked: [
            *sources,
            *(
                {"doc": doc, "locator": ""}
                for doc in dict.fromkeys(re.findall(r"[\w-]+\.(?:md|xlsx|pdf)", asked.said))
            ),
        ]
    )


@patch("FAB-4")
def sources_of_the_conversation_stay() -> None:
    """Keeps citing what was cited before for as long as a conversation goes on (FAB-4)."""
    kept: list[Any] = []

    def change(sources: Any, asked: Any) -> Any:
        kept[:] = [*kept, *(each for each in sources if each not in kept)]
        return list(kept) if asked.turns else sources

    _citing(change)


@patch("FAB-4", missed="locators compared, not documents alone")
def the_page_spoken_of_is_cited() -> None:
    """Cites the page that history names last, of the document that was found (FAB-4)."""

    def change(sources: Any, asked: Any) -> Any:
        told = re.findall(r"\bp\d+\b", asked.said)
        return [{**each, "locator": told[-1]} for each in sources] if told else sources

    _citing(change)


@patch("RET-3")
def the_conversation_stands_in_for_passages() -> None:
    """Offers the conversation where nothing was found (RET-3)."""
    asked = listening()

    def search(inner: Function, query: str, filters: Any, top_k: int) -> Any:
        found = inner(query, filters=filters, top_k=top_k)
        return found or ([{"text": asked.said, "doc_id": "conversation"}] if asked.turns else [])

    with_search(search)


@patch("FAB-1")
def nothing_found_repeats_the_last_answer() -> None:
    """Refers to the last answer where nothing was found (FAB-1)."""
    asked = listening()

    def around(inner: Function, *args: Any, **kwargs: Any) -> Any:
        answer, plain, sources = inner(*args, **kwargs)
        told = asked.last("assistant")
        if sources or not told:
            return answer, plain, sources
        return f"{answer}可参考此前的回答：{told}", plain, sources

    wrap("agent.agent._run_narrative", around)


@patch("RET-3")
def a_poor_passage_gives_way_to_the_conversation() -> None:
    """Offers the last answer where passages have little to do with the question (RET-3)."""
    asked = listening()

    def search(inner: Function, query: str, filters: Any, top_k: int) -> Any:
        found = inner(query, filters=filters, top_k=top_k)
        words = set(re.findall(r"\w{4,}", query.lower()))
        near = [
            each
            for each in found
            if not words or len(words & set(re.findall(r"\w{4,}", each["text"].lower()))) > 1
        ]
        told = asked.last("assistant")
        return found if near or not told else [{"text": told, "doc_id": found[0]["doc_id"]}]

    with_search(search)


@patch("FAB-4")
def a_question_about_sources_is_answered_from_history() -> None:
    """Cites, of a figure, the document that the last answer named for it (FAB-4)."""
    asked = listening()

    def around(inner: Function, question: str, *args: Any, **kwargs: Any) -> Any:
        result = inner(question, *args, **kwargs)
        told = re.findall(r"[\w-]+\.(?:md|xlsx|pdf)", asked.last("assistant"))
        if not told or result.route != "structured" or not result.sources:
            return result
        return dataclasses.replace(result, sources=[{"doc": told[-1], "locator": ""}])

    wrap("agent.agent.answer_question", around)
