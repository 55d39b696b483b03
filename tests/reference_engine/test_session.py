"""The session."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest

from counterproof_reference.facts import FactStore
from counterproof_reference.history import HistoryError
from counterproof_reference.intent import Intent
from counterproof_reference.narrative import NarrativeRetriever
from counterproof_reference.providers import MockProvider
from counterproof_reference.session import NOTHING, ConversationSession, Remembered, completed
from reference_engine.doubles import TODAY, VOCABULARY

CN = "What was China's revenue in FY2024?"
HK = "香港 FY2025 的营收是多少？"
PROFIT = "营运利润是多少？"
PLAIN = Intent((), ("PROFIT",), (), numeric=True)


@pytest.fixture
def session(store: FactStore, retriever: NarrativeRetriever) -> ConversationSession:
    """A session that remembers nothing yet, over a cooperative model."""
    return ConversationSession(
        store,
        MockProvider(VOCABULARY, TODAY),
        reference_date=TODAY,
        narrative_retriever=retriever,
    )


class TestMemory:
    def test_only_slots_are_remembered(self, session: ConversationSession) -> None:
        """Codes of the store; no question, answer, figure or passage."""
        answer = session.ask(HK)
        assert session.remembered == Remembered("HK", "FY2025")
        kept = json.dumps(dataclasses.asdict(session.remembered), ensure_ascii=False)
        assert "57812" in answer.text
        assert json.loads(kept) == {"entity": "HK", "period": "FY2025"}

    def test_a_new_session_remembers_nothing(self, session: ConversationSession) -> None:
        assert session.remembered == NOTHING

    def test_the_last_named_is_remembered(self, session: ConversationSession) -> None:
        """What a later question leaves out stays."""
        session.ask(CN)
        session.ask("香港的营收是多少？")
        assert session.remembered == Remembered("HK", "FY2024")

    def test_several_of_a_kind_leave_what_was_remembered(
        self, session: ConversationSession
    ) -> None:
        """A follow-up could not mean just one of them."""
        session.ask(CN)
        session.ask("香港 FY2024 和 FY2025 的营收分别是多少？")
        assert session.remembered == Remembered("HK", "FY2024")

    @pytest.mark.parametrize(
        "question",
        [
            "What was Shanghai's revenue in FY2099?",
            "竞安 FY2025 的营收是多少？",
            "香港 FY2025 是多少？",
            "Why do volcanoes erupt in China in FY2023?",
        ],
    )
    def test_a_turn_that_was_not_answered_leaves_no_memory(
        self, session: ConversationSession, question: str
    ) -> None:
        """A miss, one out of scope, one asked back about, a reason that is not found."""
        session.ask(HK)
        session.ask(question)
        assert session.remembered == Remembered("HK", "FY2025")

    def test_what_an_answered_explanation_names_is_remembered(
        self, session: ConversationSession
    ) -> None:
        session.ask("为什么香港营收下降？")
        assert session.remembered == Remembered("HK", None)


class TestFollowUps:
    def test_entity_and_year_are_inherited(self, session: ConversationSession) -> None:
        """The answer is that of the whole question."""
        session.ask(HK)
        followed = session.ask(PROFIT)
        assert "31117" in followed.text
        assert [each.doc for each in followed.sources] == ["hk.xlsx"]

    def test_the_same_turns_give_the_same_answers(
        self, session: ConversationSession, store: FactStore
    ) -> None:
        other = ConversationSession(store, MockProvider(VOCABULARY, TODAY), reference_date=TODAY)
        turns = (CN, "营收是多少？", HK, PROFIT)
        assert [session.ask(each) for each in turns] == [other.ask(each) for each in turns]

    def test_nothing_is_inherited_by_what_is_out_of_scope(
        self, session: ConversationSession
    ) -> None:
        """It is refused as it is alone."""
        alone = session.ask("竞安的营收是多少？")
        session.ask(HK)
        assert session.ask("竞安的营收是多少？") == alone
        assert alone.route == "out-of-scope"

    @pytest.mark.parametrize("question", ["为什么？", "那竞安呢？", "嗯？", ""])
    def test_nothing_else_is_completed(self, session: ConversationSession, question: str) -> None:
        """A follow-up must name a metric: what was asked for is never inherited."""
        alone = session.ask(question)
        session.ask(HK)
        assert session.ask(question) == alone

    def test_the_question_is_kept_whole(self) -> None:
        """What is inherited stands behind it, in the question's language."""
        memory = Remembered("HK", "FY2025")
        assert completed(PROFIT, PLAIN, memory, VOCABULARY) == f"{PROFIT} (香港, FY2025)"
        assert (
            completed("operating profit?", PLAIN, memory, VOCABULARY)
            == "operating profit? (Hong Kong, FY2025)"
        )

    @pytest.mark.parametrize(
        ("changed", "added"),
        [
            ({"entities": ("CN",)}, " (FY2025)"),
            ({"periods": ("FY2024",)}, " (香港)"),
            ({"entities": ("CN",), "periods": ("FY2024",)}, ""),
            ({"narrative": True}, ""),
            ({"metrics": ()}, ""),
        ],
    )
    def test_only_what_is_left_out_is_added(self, changed: dict[str, Any], added: str) -> None:
        intent = dataclasses.replace(PLAIN, **changed)
        memory = Remembered("HK", "FY2025")
        assert completed(PROFIT, intent, memory, VOCABULARY) == PROFIT + added
        assert completed(PROFIT, intent, NOTHING, VOCABULARY) == PROFIT


HISTORIES: dict[str, Any] = {
    "none": None,
    "another year": [("user", CN), ("assistant", "71234")],
    "a list of slots": [("assistant", '{"entity": "CN", "period": "FY2024"}')],
}


class TestHistory:
    @pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES)
    def test_a_history_leaves_the_session_as_it_is(
        self, session: ConversationSession, history: Any
    ) -> None:
        """Given with the first turn, or with the one that follows."""
        session.ask(HK, history=history)
        assert session.remembered == Remembered("HK", "FY2025")
        assert "31117" in session.ask(PROFIT, history=history).text
        assert session.remembered == Remembered("HK", "FY2025")

    def test_a_history_feeds_no_empty_session(self, session: ConversationSession) -> None:
        """The figure is that of the entity and the year the engine assumes."""
        assert "57812" in session.ask("营收是多少？", history=HISTORIES["another year"]).text
        assert session.remembered == NOTHING

    def test_a_history_reaches_the_model(self, store: FactStore) -> None:
        """As earlier turns, as without a session."""
        seen: list[Any] = []

        class Seeing(MockProvider):
            def chat(self, messages: Any, **more: Any) -> Any:
                seen.append(messages)
                return super().chat(messages, **more)

        session = ConversationSession(store, Seeing(VOCABULARY, TODAY), reference_date=TODAY)
        session.ask(HK, history=[("user", "quillfen")])
        assert {"role": "user", "content": "quillfen"} in seen[0]

    def test_a_malformed_history_is_refused_and_nothing_is_remembered(
        self, session: ConversationSession
    ) -> None:
        bad: Any = [("user",)]
        with pytest.raises(HistoryError):
            session.ask(HK, history=bad)
        assert session.remembered == NOTHING

    def test_history_is_keyword_only(self, session: ConversationSession) -> None:
        ask: Callable[..., Any] = session.ask
        with pytest.raises(TypeError):
            ask(HK, [])


def test_restricted_passages_stay_inside_whatever_was_asked(
    session: ConversationSession,
) -> None:
    """Each turn passes both exits afresh."""
    question = "Why did the ferry terminal close?"
    for _ in range(3):
        answer = session.ask(question)
        assert "zebramop" not in answer.text
        assert "ferry-plan.md" not in [each.doc for each in answer.sources]
