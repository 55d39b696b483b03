"""The judge of passages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterproof_reference.judging import SYSTEM, ModelJudge, judge_messages, listed, read_order
from counterproof_reference.narrative import NarrativeRetriever
from counterproof_reference.passages import Passage
from reference_engine.doubles import FAILURES, PASSAGES, Reply, Script, say

QUESTION = "Why did the ferry terminal close?"
SHOWN = PASSAGES[:3]


def ordered(*replies: Reply) -> list[str]:
    """The locators in the order a judge of these replies gives."""
    found = ModelJudge(Script(*replies)).order(QUESTION, SHOWN)
    return [f"{each.doc} {each.locator}" for each in found]


class TestOrder:
    @pytest.mark.parametrize(
        ("reply", "expected"),
        [
            ("3, 1, 2", [2, 0, 1]),
            ("2", [1, 0, 2]),
            (" 1,3\n", [0, 2, 1]),
            ("1, 1", [0, 1, 2]),
            ("0, 1", [0, 1, 2]),
            ("4, 1", [0, 1, 2]),
            ("The best is 2.", [0, 1, 2]),
            ("2; 1", [0, 1, 2]),
            ("二, 一", [0, 1, 2]),
        ],
    )
    def test_the_reply_decides_where_it_is_of_use(self, reply: str, expected: list[int]) -> None:
        """What it leaves out comes last; what is of no use changes nothing."""
        own = [f"{each.doc} {each.locator}" for each in SHOWN]
        assert ordered(say(reply)) == [own[each] for each in expected]

    @pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
    def test_a_failing_judge_changes_nothing(self, failure: Reply) -> None:
        assert ordered(failure) == [f"{each.doc} {each.locator}" for each in SHOWN]

    @pytest.mark.parametrize("count", [0, 1])
    def test_what_has_one_order_only_is_not_asked_about(self, count: int) -> None:
        model = Script(say("1"))
        assert ModelJudge(model).order(QUESTION, SHOWN[:count]) == list(SHOWN[:count])
        assert model.calls == []

    @given(st.text() | st.from_regex(r"\d{1,3}(, ?\d{1,3}){0,4}", fullmatch=True))
    def test_no_passage_is_lost_or_added(self, reply: str) -> None:
        """Whatever the judge says."""
        found = ModelJudge(Script(say(reply))).order(QUESTION, SHOWN)
        assert sorted(found, key=str) == sorted(SHOWN, key=str)

    def test_an_order_holds_no_place_twice(self) -> None:
        assert read_order("2,1", 2) == [1, 0]
        assert read_order("2,2", 2) == []


class TestPrompt:
    def test_it_holds_the_passages_and_the_question(self) -> None:
        """Numbered, and nothing of where they stand."""
        system, user = judge_messages(QUESTION, SHOWN)
        assert system == {"role": "system", "content": SYSTEM}
        assert user["content"].endswith(QUESTION)
        assert f"2. {SHOWN[1].text}" in user["content"]
        assert "ferry.md" not in user["content"]

    def test_the_passages_of_a_prompt_are_counted(self) -> None:
        """Numbers inside a passage or the question are not."""
        odd = [*SHOWN, Passage("d", "p", "Two points:\n1. one\n2. two")]
        assert listed(judge_messages("1. What?", odd)[1]["content"]) == 4
        assert listed(judge_messages(QUESTION, [])[1]["content"]) == 0


class TestRetriever:
    def test_the_judge_puts_in_order_what_is_retrieved(self, retriever: NarrativeRetriever) -> None:
        """And sees nothing that may not leave by the exit."""
        model = Script(say("2, 1"))
        judged = replace(retriever, judge=ModelJudge(model))
        plain, found = retriever.retrieve(QUESTION), judged.retrieve(QUESTION)
        assert found == plain[::-1]
        assert "zebramop" not in str(model.messages)
        assert QUESTION in str(model.messages)

    def test_an_open_rerank_exit_shows_the_judge_what_is_restricted(
        self, retriever: NarrativeRetriever
    ) -> None:
        """The counterproof: that exit, and no other, stands before the judge."""
        model = Script(say("1"))
        exits: Any = replace(retriever.exits, rerank=list)
        replace(retriever, judge=ModelJudge(model), exits=exits).retrieve(QUESTION)
        assert "zebramop" in str(model.messages)
