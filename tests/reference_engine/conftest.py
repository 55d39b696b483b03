"""The engine over the small world, ready to be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from counterproof_reference.engine import EngineResult, answer_question
from counterproof_reference.facts import FactStore
from counterproof_reference.narrative import NarrativeRetriever
from counterproof_reference.passages import PassageIndex
from reference_engine.doubles import FACTS, PASSAGES, TODAY, VOCABULARY


@pytest.fixture(scope="session")
def store() -> Iterator[FactStore]:
    """The facts; nothing changes them, so one store serves all tests."""
    with FactStore(FACTS, VOCABULARY) as opened:
        yield opened


@pytest.fixture(scope="session")
def index() -> Iterator[PassageIndex]:
    """The passages; nothing changes them."""
    with PassageIndex(PASSAGES, VOCABULARY) as opened:
        yield opened


@pytest.fixture(scope="session")
def retriever(index: PassageIndex) -> NarrativeRetriever:
    """Finds passages of the small world."""
    return NarrativeRetriever(index.search, VOCABULARY)


@pytest.fixture(scope="session")
def ask(store: FactStore, retriever: NarrativeRetriever) -> Callable[..., EngineResult]:
    """``ask(question, provider=…, history=…)``, at a fixed date."""

    def asking(question: str, provider: object, **more: object) -> EngineResult:
        answer = partial(answer_question, question, store)
        defaults = {"reference_date": TODAY, "narrative_retriever": retriever}
        return answer(provider, **{**defaults, **more})  # type: ignore[arg-type]

    return asking
