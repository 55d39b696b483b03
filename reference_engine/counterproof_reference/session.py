"""A conversation whose follow-ups may leave out what an earlier question named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from counterproof_reference import intent as intents
from counterproof_reference import security_gate
from counterproof_reference.engine import answer_question
from counterproof_reference.facts import FactStore
from counterproof_reference.intent import Intent, IntentParser
from counterproof_reference.narrative import NarrativeRetriever
from counterproof_reference.providers import Provider
from counterproof_reference.result import EngineResult
from counterproof_reference.text import is_cjk
from counterproof_reference.vocabulary import Vocabulary


@dataclass(frozen=True)
class Remembered:
    """All that a session remembers: slots that earlier questions named, in the store's own codes.

    No text of a question or an answer, no figure and no passage is among them (SES-2).

    Args:
        entity: code of the entity last named, or None.
        period: the fiscal year last named, or None.
    """

    entity: str | None = None
    period: str | None = None


NOTHING = Remembered()


class ConversationSession:
    """Asks questions one after the other; what a follow-up leaves out is taken from memory.

    A follow-up is completed before it is asked, and then goes the whole way of any question: the
    parser, the security gate and both exits judge it afresh (SES-3). Only an answered question is
    remembered, and history has nothing to do with it: a history given to a turn is the model's
    context, and neither read for slots nor remembered (SES-1).

    Args:
        store: the facts, and the vocabulary questions are read with.
        provider: the model.
        reference_date: the date relative years are reckoned from; today where it is left out.
        narrative_retriever: finds passages; without it questions why are refused.
        intent_parser: reads questions; the engine's own rules where it is left out.
    """

    def __init__(
        self,
        store: FactStore,
        provider: Provider,
        *,
        reference_date: date | None = None,
        narrative_retriever: NarrativeRetriever | None = None,
        intent_parser: IntentParser | None = None,
    ) -> None:
        self._vocabulary = store.vocabulary
        self._date = reference_date or date.today()
        self._parse = intent_parser or intents.parser(store.vocabulary)
        self._memory = NOTHING

        def answer(question: str, history: Sequence[tuple[str, str]] | None) -> EngineResult:
            return answer_question(
                question,
                store,
                provider,
                reference_date=self._date,
                narrative_retriever=narrative_retriever,
                intent_parser=self._parse,
                history=history,
            )

        self._answer: Callable[[str, Sequence[tuple[str, str]] | None], EngineResult] = answer

    @property
    def remembered(self) -> Remembered:
        """What is remembered now."""
        return self._memory

    def ask(
        self, question: str, *, history: Sequence[tuple[str, str]] | None = None
    ) -> EngineResult:
        """Answer one question of the conversation.

        Args:
            question: the question.
            history: earlier turns for the model, as :func:`answer_question` takes them.

        Returns:
            The answer to the question, completed where it is a follow-up.

        Raises:
            HistoryError: the history is not a sequence of pairs of strings.
        """
        intent = self._parse(question, self._date)
        whole = question
        if security_gate.screen(question, self._vocabulary.out_of_scope) is None:
            whole = completed(question, intent, self._memory, self._vocabulary)
        result = self._answer(whole, history)
        if not result.refused and result.clarification is None:
            self._memory = Remembered(
                _only(intent.entities) or self._memory.entity,
                _only(intent.periods) or self._memory.period,
            )
        return result


def completed(question: str, intent: Intent, memory: Remembered, vocabulary: Vocabulary) -> str:
    """A question for figures with the entity and the year it leaves out, if any are remembered.

    Made of controlled names alone, by rule, so that the same turns give the same question; a
    question why is left as it is.

    Args:
        question: the raw question, which the result begins with.
        intent: what it asks for.
        memory: what earlier questions named.
        vocabulary: the names of entities.
    """
    if not intent.metrics or intent.narrative:
        return question
    added = []
    if not intent.entities and memory.entity is not None:
        chinese = any(map(is_cjk, question))
        added.append(vocabulary.entity_name(memory.entity, chinese=chinese))
    if not intent.periods and memory.period is not None:
        added.append(memory.period)
    return f"{question} ({', '.join(added)})" if added else question


def _only(named: Sequence[str]) -> str | None:
    """The one thing a question names; where it names several, a follow-up cannot mean just one."""
    return named[0] if len(named) == 1 else None
