"""The reference engine as the kit opens it; the one module here that knows the kit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from counterproof import Answer, ModelError, Session, Source, World, adapter
from counterproof_reference import exits, intent, judging
from counterproof_reference.engine import answer_question
from counterproof_reference.facts import FactStore
from counterproof_reference.narrative import NarrativeRetriever
from counterproof_reference.passages import PassageIndex
from counterproof_reference.providers import ProviderError
from counterproof_reference.result import EngineResult
from counterproof_reference.session import ConversationSession
from counterproof_reference.vocabulary import Vocabulary


def _version() -> str:
    """The distribution's version, where it is installed; another environment need not have it."""
    try:
        return version("counterproof")
    except PackageNotFoundError:
        return "not installed"


def _judged(messages: Sequence[Mapping[str, Any]], tools: Sequence[Any] | None) -> str | None:
    """A cooperative judge's reply: the passages are in order as they are."""
    if messages[0].get("content") != judging.SYSTEM:
        return None
    listed = judging.listed(str(messages[-1]["content"]))
    return ", ".join(map(str, range(1, listed + 1)))


@adapter(
    name="reference",
    version=_version(),
    channels={"structured", "narrative"},
    claims={"composite", "multi", "clarification", "security-gate", "restricted", "session"},
    seams={"model", "parse", "retrieval", "exits", "session", "signature"},
    concurrency="thread",
    reply=_judged,
)
def reference(world: World) -> Callable[..., Answer]:
    """Open the engine over a world.

    Args:
        world: facts, passages and names, and the seams to be watched at.
    """
    vocabulary = Vocabulary(world.entities, world.metrics, world.out_of_scope)
    store = FactStore(world.facts, vocabulary)
    index = PassageIndex(world.passages, vocabulary)
    provider = _WorldModel(world)
    world.expose(answer_question)
    guards = exits.Exits(
        link=world.watch_exit("link", exits.link), rerank=world.watch_exit("rerank", exits.rerank)
    )
    parts: dict[str, Any] = {
        "reference_date": date.fromisoformat(world.reference_date),
        "narrative_retriever": NarrativeRetriever(
            world.watch_retrieval(index.search), vocabulary, guards, judging.ModelJudge(provider)
        ),
        "intent_parser": world.watch_parse(intent.parser(vocabulary)),
    }

    def ask(question: str, **history: Any) -> Answer:
        return _answer(answer_question(question, store, provider, **parts, **history))

    def session() -> Session:
        opened = ConversationSession(store, provider, **parts)
        return Session(
            lambda question, **history: _answer(opened.ask(question, **history)),
            lambda: asdict(opened.remembered),
        )

    world.session(session)
    return ask


def _answer(result: EngineResult) -> Answer:
    return Answer(
        text=result.text,
        plain=result.plain,
        route=result.route,
        refused=result.refused,
        sources=[Source(each.doc, each.locator) for each in result.sources],
        tool_results=[dict(each) for each in result.tool_results],
    )


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
