"""The adapter of rag-spine, assembled as its own service assembles a plain install, in memory.

Facts lie in its fact store, passages in its chunk store; a lexical index finds passages, and the
model reranks them. As in the service, the narrative side is opened anew for each question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import date
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

from corespine import ChatCompletion, Choice, FunctionCall, ProviderError, ResponseMessage, ToolCall
from ragspine.agent.agent import answer_question
from ragspine.agent.intent import CLARIFY_OUT_OF_SCOPE_ENTITY, RuleIntentParser
from ragspine.common.glossary import normalize_entity, normalize_metric
from ragspine.retrieval.chunking.chunking import Chunk
from ragspine.retrieval.link.narrative_link import build_narrative_retriever
from ragspine.service.conversation import ConversationSession
from ragspine.storage.fact_store import Fact, SqliteFactStore

from counterproof import Answer, ModelError, Name, Passage, Session, Source, World, adapter


@adapter(
    name="rag-spine",
    version=version("rag-spine"),
    channels={"structured", "narrative"},
    claims={"composite", "multi", "clarification", "security-gate", "restricted", "session"},
    seams={"model", "parse", "retrieval", "session", "signature"},
)
def ragspine(world: World) -> Callable[..., Answer]:
    """Open the engine over a world."""
    facts = _fact_store(world)
    provider = SimpleNamespace(chat=_chat(world))
    world.expose(answer_question)

    def search(query: str, **filters: Any) -> list[dict[str, Any]]:
        retriever, chunks = build_narrative_retriever(":memory:", provider)
        for doc in dict.fromkeys(each.doc for each in world.passages):
            chunks.replace_doc_chunks(doc, _chunks(world, doc))
        return list(retriever.retrieve(query, **filters))

    watched = world.watch_retrieval(search, to_passage=_passage, from_passage=_hit)
    parts = {
        "reference_date": date.fromisoformat(world.reference_date),
        "narrative_retriever": SimpleNamespace(retrieve=watched),
        "intent_parser": SimpleNamespace(parse=world.watch_parse(RuleIntentParser().parse)),
    }

    def ask(question: str, **history: Any) -> Answer:
        return _answer(answer_question(question, facts, provider, **parts, **history))

    def session() -> Session:
        opened = ConversationSession(facts, provider, **parts)  # its turns take no history
        return Session(
            lambda question: _answer(opened.ask(question)),
            lambda: [asdict(each) for each in opened.memory.turns],
            takes_history=False,
        )

    world.session(session)
    return ask


def _answer(result: Any) -> Answer:
    gate = result.clarification and result.clarification.mode
    return Answer(
        text=result.answer,
        plain=result.answer_plain,
        route=result.route,
        refused=True if gate == CLARIFY_OUT_OF_SCOPE_ENTITY else None,
        sources=[Source(each["doc"], each["locator"]) for each in result.sources],
        tool_results=result.tool_results,
    )


def _fact_store(world: World) -> SqliteFactStore:
    entities = {each.code: _code(each, normalize_entity) for each in world.entities}
    metrics = {each.code: _code(each, normalize_metric) for each in world.metrics}
    facts = [
        Fact.metric(
            entity=entities[each.entity],
            metric_code=metrics[each.metric],
            period_type="FY",
            period=each.period.removeprefix("FY"),
            value=each.value,
            unit=each.unit,
            source_doc_id=each.doc,
            source_locator=each.locator,
        )
        for each in world.facts
    ]
    store = SqliteFactStore(":memory:")
    store.init_schema()
    store.upsert_facts(facts, ingested_at=world.reference_date)  # pinned: tool results tell it
    return store


def _code(name: Name, normalize: Callable[[str], str | None]) -> str:
    """The engine's own code of a name; the world's where the engine does not know the name."""
    return next(filter(None, map(normalize, (name.code, *name.names))), name.code)


def _chunks(world: World, doc: str) -> list[Chunk]:
    """A document's passages as chunks, so that the engine cites the world's own locators."""
    return [
        Chunk(f"{doc}#{n}", doc, n, each.text, each.locator, n, n, sensitivity=each.label)
        for n, each in enumerate(world.passages)
        if each.doc == doc
    ]


def _passage(hit: Mapping[str, Any]) -> Passage:
    return Passage(hit["doc_id"], hit["source_locator"], hit["text"], hit["sensitivity"])


def _hit(p: Passage) -> dict[str, str]:
    return {"doc_id": p.doc, "source_locator": p.locator, "text": p.text, "sensitivity": p.label}


def _chat(world: World) -> Callable[..., ChatCompletion]:
    """The kit's model, called as the engine calls a provider."""

    def chat(messages: Any, *, tools: Any = None) -> ChatCompletion:
        try:
            reply = world.model.complete(messages, tools)
        except ModelError as error:
            raise ProviderError(str(error)) from error
        return ChatCompletion(tuple(_choice(each) for each in reply["choices"]))

    return chat


def _choice(choice: Mapping[str, Any]) -> Choice:
    message = choice["message"]
    asked = [(each.get("id", ""), each["function"]) for each in message.get("tool_calls") or ()]
    calls = tuple(ToolCall(id_, FunctionCall(f["name"], f["arguments"])) for id_, f in asked)
    said = ResponseMessage(content=message["content"], tool_calls=calls or None)
    return Choice(choice["index"], said, choice["finish_reason"])
