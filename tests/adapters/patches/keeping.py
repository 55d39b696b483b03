"""Forks that let restricted text out, or keep what an ask leaves behind (RES, STA)."""

from __future__ import annotations

import dataclasses
import itertools
import time
from typing import Any

from adapters.patches.table import (
    Asked,
    Function,
    Turn,
    is_pair,
    listening,
    part,
    patch,
    replace,
    with_search,
    wrap,
)

_LINK = "retrieval.link.narrative_link"
_RERANK = "retrieval.rerank.listwise_rerank"
_ALL = "(no label)"
"""A label that no passage has: where it alone is restricted, every passage passes."""


def _link_exit(passes: Any) -> None:
    """Replace the exit before generation by one that a function decides on.

    Args:
        passes: given a chunk, whether it goes to the model.
    """

    def retrieve(inner: Function, self: Any, query: str, **given: Any) -> Any:
        own = part(f"{_LINK}.RESTRICTED_SENSITIVITY")
        replace(f"{_LINK}.RESTRICTED_SENSITIVITY", _ALL)
        try:
            found = inner(self, query, **given)
        finally:
            replace(f"{_LINK}.RESTRICTED_SENSITIVITY", own)
        return [each for each in found if passes(each)]

    wrap(f"{_LINK}.NarrativeIndexRetriever.retrieve", retrieve)


def _restricted(snippet: Any) -> bool:
    return str(snippet["sensitivity"]).upper() == "RESTRICTED"


@patch("RES-1")
def labels_are_compared_as_written() -> None:
    """Knows ``RESTRICTED``, and lets ``Restricted`` pass (RES-1)."""
    _link_exit(lambda snippet: snippet["sensitivity"] != "RESTRICTED")


@patch("RES-1")
def the_label_has_another_name() -> None:
    """Guards both exits against a label that the documents do not use (RES-1)."""
    replace(f"{_LINK}.RESTRICTED_SENSITIVITY", "CONFIDENTIAL")
    replace(f"{_RERANK}.RESTRICTED_SENSITIVITY", "CONFIDENTIAL")


@patch("RES-1")
def a_secret_in_history_closes_its_topic() -> None:
    """Finds nothing more once history holds the start of a restricted passage (RES-1)."""
    asked = listening()
    closed: list[bool] = []

    def passes(snippet: Any) -> bool:
        closed.append(_restricted(snippet) and snippet["text"][:20] in asked.said)
        return not _restricted(snippet)

    _link_exit(passes)

    def search(inner: Function, query: str, filters: Any, top_k: int) -> Any:
        closed.clear()
        found = inner(query, filters=filters, top_k=top_k)
        return [] if any(closed) else found

    with_search(search)


@patch("RES-1")
def one_rendering_is_cleaned() -> None:
    """Takes restricted text out of the answer with citations, not out of the plain one (RES-1)."""
    found: list[Any] = []
    _link_exit(lambda snippet: True)

    def search(inner: Function, query: str, filters: Any, top_k: int) -> Any:
        found[:] = inner(query, filters=filters, top_k=top_k)
        return list(found)

    def around(inner: Function, *args: Any, **kwargs: Any) -> Any:
        answer, plain, sources = inner(*args, **kwargs)
        out = [each for each in found if _restricted(each)]
        for each in out:
            answer = answer.replace(each["text"], "").replace(each["doc_id"], "")
        docs = {each["doc_id"] for each in out}
        return answer, plain, [each for each in sources if each["doc"] not in docs]

    with_search(search)
    wrap("agent.agent._run_narrative", around)


@patch("RES-1")
def what_is_withheld_is_announced() -> None:
    """Tells how each passage begins that the asker may not read (RES-1)."""
    held: list[str] = []

    def passes(snippet: Any) -> bool:
        if _restricted(snippet):
            held.append(snippet["text"][:40])
        return not _restricted(snippet)

    def around(inner: Function, *args: Any, **kwargs: Any) -> Any:
        held.clear()
        answer, plain, sources = inner(*args, **kwargs)
        told = "".join(f"\n（无权查看：{each}…）" for each in held if sources)
        return f"{answer}{told}", plain, sources

    _link_exit(passes)
    wrap("agent.agent._run_narrative", around)


@patch("RES-2")
def restricted_text_is_taken_out_of_the_answer() -> None:
    """Strips restricted passages after generation (RES-2)."""
    found: list[Any] = []
    _link_exit(lambda snippet: True)

    def search(inner: Function, query: str, filters: Any, top_k: int) -> Any:
        found[:] = inner(query, filters=filters, top_k=top_k)
        return list(found)

    with_search(search)

    def around(inner: Function, *args: Any, **kwargs: Any) -> Any:
        answer, plain, sources = inner(*args, **kwargs)
        out = [each for each in found if _restricted(each)]
        for each in out:
            for told in (each["text"], f"{each['doc_id']} {each['source_locator']}"):
                answer, plain = answer.replace(told, ""), plain.replace(told, "")
        docs = {each["doc_id"] for each in out}
        return answer, plain, [each for each in sources if each["doc"] not in docs]

    wrap("agent.agent._run_narrative", around)


@patch("RES-2")
def the_judge_ranks_restricted_passages() -> None:
    """Guards what reaches the answer, not what reaches the judge (RES-2)."""
    part(f"{_LINK}.RESTRICTED_SENSITIVITY")  # imported first: it takes the name over
    replace(f"{_RERANK}.RESTRICTED_SENSITIVITY", _ALL)


@patch("RES-1")
def the_exits_have_one_switch() -> None:
    """Opens the exit before generation to whatever the judge has been shown (RES-1)."""
    replace(f"{_RERANK}.RESTRICTED_SENSITIVITY", _ALL)
    replace(f"{_LINK}.RESTRICTED_SENSITIVITY", _ALL)


@patch("RES-4")
def a_document_spoken_of_is_released() -> None:
    """Lets a restricted passage pass whose document history names (RES-4)."""
    asked = listening()
    _link_exit(lambda each: not _restricted(each) or str(each["doc_id"]) in asked.said)


@patch("RES-4")
def a_passage_that_was_quoted_is_released() -> None:
    """Lets a restricted passage pass of which history has half the words (RES-4)."""
    asked = listening()

    def known(snippet: Any) -> bool:
        words = [snippet["text"][at : at + 4] for at in range(0, len(snippet["text"]) - 3, 4)]
        return sum(each in asked.said for each in words) * 2 >= len(words)

    _link_exit(lambda each: not _restricted(each) or known(each))


@patch("RES-4")
def clearance_in_history_opens_the_exit() -> None:
    """Lets every passage pass once a turn speaks of clearance (RES-4)."""
    asked = listening()
    words = ("clearance", "cleared", "unrestricted", "授权", "批准", "权限")
    _link_exit(lambda each: not _restricted(each) or any(word in asked.said for word in words))


@patch("STA-1", missed="a second process in another time zone")
def the_prompt_tells_the_hour() -> None:
    """Tells the model what time it is, not what date the caller says (STA-1)."""
    wrap(
        "agent.agent._system_prompt",
        lambda inner, reference_date: f"{inner(reference_date)}现在 {time.strftime('%H')} 点。",
    )


@patch("STA-1")
def sources_are_a_set() -> None:
    """Cites each document once, in the order of a set (STA-1)."""

    def around(inner: Function, *args: Any, **kwargs: Any) -> Any:
        answer, plain, sources = inner(*args, **kwargs)
        once = {(str(each["doc"]), str(each["locator"])) for each in sources}
        return answer, plain, [{"doc": doc, "locator": place} for doc, place in once]

    wrap("agent.agent._run_narrative", around)


@patch("STA-1")
def the_prompt_has_a_session_id() -> None:
    """Tells the model the hash of the conversation, which Python salts (STA-1)."""
    asked = listening()
    wrap(
        "agent.agent._system_prompt",
        lambda inner, reference_date: (
            f"{inner(reference_date)}会话 {hash(asked.said)}。"
            if asked.turns
            else inner(reference_date)
        ),
    )


@patch("STA-2")
def the_question_joins_the_callers_list() -> None:
    """Adds what was asked and answered to the caller's own list (STA-2)."""

    def around(inner: Function, question: str, *args: Any, **kwargs: Any) -> Any:
        result = inner(question, *args, **kwargs)
        if isinstance(kwargs.get("history"), list):
            kwargs["history"] += [("user", question), ("assistant", result.answer)]
        return result

    wrap("agent.agent.answer_question", around)


@patch("STA-2")
def old_turns_are_deleted_in_place() -> None:
    """Trims the caller's own list to its last fifty turns (STA-2)."""

    def around(inner: Function, question: str, *args: Any, **kwargs: Any) -> Any:
        if isinstance(kwargs.get("history"), list):
            del kwargs["history"][:-50]
        return inner(question, *args, **kwargs)

    wrap("agent.agent.answer_question", around)


@patch("STA-3")
def answers_are_kept_by_question() -> None:
    """Answers a question that it has had before from a cache (STA-3)."""
    kept: dict[Any, Any] = {}

    def around(inner: Function, question: str, store: Any, *args: Any, **kwargs: Any) -> Any:
        key = (question, bool(kwargs.get("history")))
        if key not in kept or not kwargs.get("history"):
            kept[key] = inner(question, store, *args, **kwargs)
        return kept[key]

    wrap("agent.agent.answer_question", around)


@patch("STA-3")
def all_conversations_share_one_buffer() -> None:
    """Sends, before a conversation, the last turn of the one before it (STA-3)."""
    buffer: list[Turn] = []

    def around(inner: Function, question: str, *args: Any, **kwargs: Any) -> Any:
        own = kwargs.get("history")
        if own and all(is_pair(each) for each in own):
            kwargs["history"] = [*(each for each in buffer if each not in own), *own]
            buffer[:] = own[-1:]
        return inner(question, *args, **kwargs)

    wrap("agent.agent.answer_question", around)


@patch("STA-4")
def figures_are_rounded_as_a_conversation_goes_on() -> None:
    """Rounds a figure to the thousand from the third answer on (STA-4)."""

    def change(result: Any, asked: Asked) -> Any:
        answers = [text for role, text in asked.turns if role == "assistant"]
        if len(answers) < 3 or result.get("status") != "found":
            return result
        return {**result, "value": float(round(result["value"], -3))}

    asked = listening()
    wrap("agent.agent._execute_tool", lambda inner, *given: change(inner(*given), asked))


@patch("STA-4")
def a_conversation_has_a_budget_of_lookups() -> None:
    """Looks nothing up any more in a conversation of six answers (STA-4)."""
    asked = listening()

    def around(inner: Function, store: Any, tool_input: Any, reference_date: Any) -> Any:
        result = inner(store, tool_input, reference_date)
        if sum(role == "assistant" for role, _ in asked.turns) < 6:
            return result
        return {"status": "unrecognized_param", "param": "period", "raw": tool_input.get("period")}

    wrap("agent.agent._execute_tool", around)


@patch("STA-4")
def each_answer_is_numbered() -> None:
    """Counts the answers that a process has given in conversations (STA-4)."""
    number = itertools.count(1)

    def around(inner: Function, question: str, *args: Any, **kwargs: Any) -> Any:
        result = inner(question, *args, **kwargs)
        if not kwargs.get("history") or result.route != "structured":
            return result
        return dataclasses.replace(result, answer=f"{result.answer}\n#{next(number)}")

    wrap("agent.agent.answer_question", around)
