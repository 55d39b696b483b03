"""The reference engine as the kit opens it; the one module here that knows the kit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from counterproof import Answer, ModelError, Source, World, adapter
from counterproof_reference import intent
from counterproof_reference.engine import answer_question
from counterproof_reference.facts import FactStore
from counterproof_reference.narrative import NarrativeRetriever
from counterproof_reference.passages import PassageIndex
from counterproof_reference.providers import ProviderError
from counterproof_reference.vocabulary import Vocabulary


def _version() -> str:
    """The distribution's version, where it is installed; another environment need not have it."""
    try:
        return version("counterproof")
    except PackageNotFoundError:
        return "not installed"


@adapter(
    name="reference",
    version=_version(),
    channels={"structured", "narrative"},
    claims={"composite", "multi", "clarification", "security-gate", "restricted"},
    seams={"model", "parse", "retrieval"},
    concurrency="thread",
)
def reference(world: World) -> Callable[..., Answer]:
    """Open the engine over a world.

    Args:
        world: facts, passages and names, and the seams to be watched at.
    """
    vocabulary = Vocabulary(world.entities, world.metrics, world.out_of_scope)
    store = FactStore(world.facts, vocabulary)
    index = PassageIndex(world.passages, vocabulary)
    retriever = NarrativeRetriever(world.watch_retrieval(index.search), vocabulary)
    parse = world.watch_parse(intent.parser(vocabulary))
    provider = _WorldModel(world)
    day = date.fromisoformat(world.reference_date)

    def ask(question: str, **history: Any) -> Answer:
        result = answer_question(
            question,
            store,
            provider,
            reference_date=day,
            narrative_retriever=retriever,
            intent_parser=parse,
            **history,
        )
        return Answer(
            text=result.text,
            plain=result.plain,
            route=result.route,
            refused=result.refused,
            sources=[Source(each.doc, each.locator) for each in result.sources],
            tool_results=[dict(each) for each in result.tool_results],
        )

    return ask


@dataclass(frozen=True)
class _WorldModel:
    """The kit's model as a provider of the engine."""

    world: World

    def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> dict[str, Any]:
        try:
            return self.world.model.complete(messages, tools)
        except ModelError as error:
            raise ProviderError(str(error)) from error
