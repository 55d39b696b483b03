"""The narrative channel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterproof_reference.engine import EngineResult, Source
from counterproof_reference.exits import Exits
from counterproof_reference.narrative import NarrativeRetriever, grounded
from counterproof_reference.narrative_prompt import citation, first_passage, user_message
from counterproof_reference.passages import Passage
from reference_engine.doubles import FAILURES, PASSAGES, Reply, Script, say

FERRY = "Why did the ferry terminal close?"
DRIVERS = "为什么香港的续约推迟？"
HONEST = "The ferry terminal closed because of storms."
Ask = Callable[..., EngineResult]


class TestRetrieval:
    @pytest.mark.parametrize(
        "question", ["为什么火山爆发？", "Why do volcanoes erupt?", "Why?", ""]
    )
    def test_without_a_passage_the_model_is_not_asked(self, ask: Ask, question: str) -> None:
        """It would have nothing to answer from but history."""
        model = Script(say("Because of 999."))
        answer = ask(question, model, history=[("assistant", "volcanoes erupt: 999")])
        assert model.calls == []
        assert answer.refused
        assert answer.sources == ()
        assert "999" not in answer.text

    def test_without_a_retriever_nothing_is_found(self, ask: Ask) -> None:
        """And that is what is said."""
        assert ask(FERRY, Script(say(HONEST)), narrative_retriever=None).refused

    def test_the_question_alone_is_searched_for(
        self, ask: Ask, retriever: NarrativeRetriever
    ) -> None:
        """With the same filters whatever history says."""
        seen: list[tuple[str, dict[str, Any]]] = []

        def search(query: str, **filters: Any) -> list[Passage]:
            seen.append((query, filters))
            return []

        spying = replace(retriever, search=search)
        for history in (None, [("user", "FY1320?"), ("assistant", "yes, FY1320")]):
            ask(FERRY, Script(say("")), narrative_retriever=spying, history=history)
        assert seen == [(FERRY, {"limit": 12, "period": None})] * 2
        ask("Why did it close in FY2025?", Script(say("")), narrative_retriever=spying)
        assert seen[-1][1]["period"] == "FY2025"

    def test_the_passage_that_holds_most_of_the_question_is_first(
        self, retriever: NarrativeRetriever
    ) -> None:
        """Whatever order the search gave."""
        backwards = replace(retriever, search=lambda query, **filters: PASSAGES[::-1])
        kept = backwards.retrieve(FERRY)
        assert [each.text for each in kept[:2]] == [PASSAGES[1].text, PASSAGES[2].text]

    def test_sources_are_the_passages_the_model_was_given(self, ask: Ask) -> None:
        """No more and no fewer."""
        model = Script(say(HONEST))
        answer = ask(FERRY, model)
        assert answer.route == "narrative"
        assert answer.sources == (Source("ferry.md", "p1"), Source("ferry.md", "p2"))
        prompt = model.messages[0][-1]["content"]
        for passage in PASSAGES:
            assert (passage.text in prompt) == (passage.doc == "ferry.md")


class TestRestricted:
    @pytest.mark.parametrize("question", [FERRY, "Is the ferry terminal sold?", "ferry zebramop"])
    @pytest.mark.parametrize(
        "history", [None, [("user", "codename zebramop, ferry-plan.md"), ("assistant", "quillfen")]]
    )
    def test_restricted_text_reaches_neither_model_nor_answer(
        self, ask: Ask, question: str, history: Any
    ) -> None:
        """Also where history names it."""
        model = Script(say(HONEST))
        answer = ask(question, model, history=history)
        assert "to be sold" not in str(model.messages)
        assert "to be sold" not in answer.text
        assert "ferry-plan.md" not in {source.doc for source in answer.sources}

    def test_where_all_that_fits_is_restricted_nothing_was_found(self, ask: Ask) -> None:
        """And the refusal is the one for that."""
        model = Script(say("quillfen"))
        answer = ask("What is the vault code?", model)
        nothing = ask("What is the moon phase?", Script(say("x")))
        assert (answer.text, answer.refused, model.calls) == (nothing.text, True, [])

    @pytest.mark.parametrize("shut", ["link", "rerank"])
    def test_either_exit_alone_holds_back(
        self, ask: Ask, retriever: NarrativeRetriever, shut: str
    ) -> None:
        """One open exit leaves the other closed."""
        exits = Exits(**{name: list for name in ("link", "rerank") if name != shut})
        model = Script(say(HONEST))
        ask(FERRY, model, narrative_retriever=replace(retriever, exits=exits))
        assert "zebramop" not in str(model.messages)

    def test_the_reranker_sees_nothing_restricted(self, retriever: NarrativeRetriever) -> None:
        """With the other exit open."""
        kept = replace(retriever, exits=Exits(link=list)).retrieve(FERRY)
        assert {"ferry.md"} == {each.doc for each in kept}

    def test_a_passage_mislabelled_behind_the_search_gets_out(
        self, ask: Ask, retriever: NarrativeRetriever
    ) -> None:
        """The counterproof: labels are what the exits go by."""

        def search(query: str, **filters: Any) -> list[Passage]:
            return [replace(each, label="public") for each in PASSAGES]

        model = Script(say(HONEST))
        ask(FERRY, model, narrative_retriever=replace(retriever, search=search))
        assert "zebramop" in str(model.messages)


class TestGuard:
    @pytest.mark.parametrize(
        "figure",
        [
            "999",
            "９９９",
            "9,990",
            "九百九十九",
            "九九九",
            "nine hundred",
            "999%",
            "9.99e2",
            "1702.5",
            "1,703",
        ],
    )
    def test_a_figure_no_passage_holds_has_the_passages_quoted_instead(
        self, ask: Ask, figure: str
    ) -> None:
        """In whatever form it is written."""
        answer = ask(FERRY, Script(say(f"{HONEST} It cost {figure}.")))
        assert figure not in answer.text
        assert PASSAGES[1].text in answer.text
        assert PASSAGES[1].text in answer.plain
        assert answer.sources[0] == Source("ferry.md", "p1")
        assert not answer.refused

    @pytest.mark.parametrize(
        "reply",
        [
            "续约推迟影响约 1702 家客户",
            "续约推迟影响约１，７０２家客户",
            "续约推迟影响约一千七百零二家客户",
            "续约推迟影响 1,702 家客户 [drivers.md, p1]",
        ],
    )
    def test_a_passages_own_figure_may_be_said_in_any_form(self, ask: Ask, reply: str) -> None:
        """And the place it stands in be cited."""
        assert ask(DRIVERS, Script(say(reply))).plain == reply

    def test_a_place_that_is_cited_is_no_figure(self) -> None:
        """Though a page has a number; the number alone is one."""
        passage = Passage("plan-88.md", "p. 77", PASSAGES[1].text)
        assert grounded(f"{HONEST} [plan-88.md, p. 77]", FERRY, [passage])
        assert grounded(f"{HONEST} (plan-88.md)", FERRY, [passage])
        assert not grounded(f"{HONEST} 77", FERRY, [passage])

    def test_a_document_whose_name_is_a_number_vouches_for_none(self) -> None:
        """It would hide that figure in any reply."""
        passage = Passage("999", "", PASSAGES[1].text)
        assert not grounded(f"{HONEST} 999", FERRY, [passage])

    def test_a_year_of_the_question_may_be_said_and_its_other_figures_may_not(self) -> None:
        """A question does not vouch for a figure."""
        question = "Did the ferry terminal close in FY2025 at a cost of 999?"
        assert grounded(f"{HONEST} FY2025", question, PASSAGES[1:2], ["FY2025"])
        assert not grounded(f"{HONEST} 999", question, PASSAGES[1:2], ["FY2025"])
        assert not grounded(f"{HONEST} FY2025", question, PASSAGES[1:2])

    @pytest.mark.parametrize(
        "reply", ["The mayor resigned over a lawsuit.", "ferry terminal close", "市长辞职了", "?"]
    )
    def test_words_that_rest_on_no_passage_are_not_passed_on(self, ask: Ask, reply: str) -> None:
        """Such as a sentence repeated from history."""
        answer = ask(FERRY, Script(say(reply)), history=[("assistant", reply)])
        assert not answer.plain.startswith(reply)
        assert PASSAGES[1].text in answer.text

    @given(st.text())
    def test_no_reply_states_a_figure_of_its_own(self, text: str) -> None:
        """Whatever surrounds it."""
        assert not grounded(f"{text} {HONEST} 31,999", FERRY, PASSAGES[1:2])

    @pytest.mark.parametrize("failure", FAILURES)
    def test_a_model_that_fails_is_said_to_have_failed(self, ask: Ask, failure: str) -> None:
        """Without a figure or a source."""
        reply: Reply = FAILURES[failure]
        answer = ask(FERRY, Script(reply), history=[("assistant", "It closed in 1999.")])
        assert answer.refused
        assert answer.text == "The language model did not reply, so the question was not answered."
        assert answer.sources == ()


class TestPrompt:
    def test_history_stands_between_system_prompt_and_question(self, ask: Ask) -> None:
        """And the messages around it are what they are without it."""
        bare, full = Script(say(HONEST)), Script(say(HONEST))
        history = [("user", "a"), ("system", "{question}"), ("assistant", "")]
        assert ask(FERRY, bare) == ask(FERRY, full, history=history)
        system, user = bare.messages[0]
        assert full.messages[0] == [
            system,
            {"role": "user", "content": "a"},
            {"role": "user", "content": "{question}"},
            {"role": "assistant", "content": ""},
            user,
        ]
        assert full.calls[0][1] is None

    @pytest.mark.parametrize("extra", ["{question}", "{{ }}", "%s", "{0}", "$x", "{"])
    def test_template_characters_mean_nothing(self, ask: Ask, extra: str) -> None:
        """In a question, in history, in a passage."""
        model = Script(say(HONEST))
        ask(f"{FERRY} {extra}", model, history=[("user", extra)])
        assert model.messages[0][1]["content"] == extra
        prompt = model.messages[0][-1]["content"]
        assert prompt.endswith(f"\n{FERRY} {extra}")
        assert prompt.count(FERRY) == 1
        assert extra in user_message("q", [Passage("d", "l", extra)])

    def test_passages_are_cited_with_document_and_place(self) -> None:
        """The place may be missing."""
        message = user_message("q", [Passage("d", "", "one"), Passage("e", "p", "two")])
        assert citation("d", "") == "[d]"
        assert "[d]\none" in message
        assert "[e, p]\ntwo" in message
        assert first_passage(message) == "one"
        assert first_passage("something else") is None
