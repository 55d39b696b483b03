"""Engines that calibrate, and then refuse, repeat, or answer by rote behind a show of calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from counterproof import Answer, Source, World
from counterproof.worlds import builtin_world
from counterproof_reference.history import _history_messages
from counterproof_reference.passages import PassageIndex
from counterproof_reference.tool_loop import query_metric_tool
from counterproof_reference.vocabulary import Vocabulary
from engines.disguise import Ask, Message, once_told, reference_with
from engines.hostile.lookups import EVERY_SEED, _by_its_own_facts
from engines.hostile.table import never


@never(1, "violated")
def empty_once_told(world: World) -> Ask:
    """Returns an empty answer to whoever gives it history, in which nothing leaks."""
    return once_told(world, lambda question, _: Answer(""))


@never(1, "violated")
def none_once_told(world: World) -> Ask:
    """Returns None to whoever gives it history."""
    inner = reference_with(world)

    def ask(question: str, **history: Any) -> Any:
        return None if history.get("history") else inner(question, **history)

    return ask


@never(1, "violated")
def refuses_once_told(world: World) -> Ask:
    """Refuses everything once there is history, and would get away with every FAB row."""
    return once_told(world, lambda question, _: Answer("I cannot answer that.", refused=True))


@never(1, "violated")
def repeats_once_told(world: World) -> Ask:
    """Returns the last turn of history where there is one."""
    return once_told(world, lambda _, asked: Answer(asked.turns[-1][1]) if asked.turns else None)


@never(6, "vacuous", channels={"narrative"}, claims=(), seams={"retrieval"})
def repeats_the_question_with_real_sources(world: World) -> Ask:
    """Returns the question and cites what it retrieves for it, so that RET-1 and FAB-4 hold."""
    search = _index(world)

    def ask(question: str, **history: Any) -> Answer:
        return Answer(question, [Source(each.doc, each.locator) for each in search(question)])

    return ask


def _index(world: World) -> Callable[..., list[Any]]:
    vocabulary = Vocabulary(world.entities, world.metrics, world.out_of_scope)
    return world.watch_retrieval(PassageIndex(world.passages, vocabulary).search)


class _Constant(World):
    """A world whose index returns everything or nothing, as a look behind the seam decides."""

    def watch_retrieval(self, search: Callable[..., Any], **_: Any) -> Callable[..., list[Any]]:
        everything = super().watch_retrieval(lambda query, **filters: list(self.passages))
        nothing = super().watch_retrieval(lambda query, **filters: [])

        def watched(query: str, **filters: Any) -> list[Any]:
            return (everything if search(query, **filters) else nothing)(query, **filters)

        return watched


@never(6, "vacuous")
def constant_retriever_that_knows_a_miss(world: World) -> Ask:
    """Retrieves everything whatever query crosses the seam, so that RET-1 proves nothing."""
    return reference_with(_Constant(**vars(world)))


def _with_show_calls(world: World, seeds: int = EVERY_SEED) -> Ask:
    """Answers by rote, and crosses every seam as a good engine would, to no purpose."""
    recite, search = _by_its_own_facts(world, seeds), _index(world)
    parse = world.watch_parse(lambda text: text)
    probes = builtin_world(0).probes
    explained = {p.question for p in probes if p.channel == "narrative" or p.claim == "composite"}

    def ask(question: str, **history: Any) -> Answer:
        turns = _history_messages(history.get("history"))
        parse(question)
        if question in explained:
            search(question)
        orders: Message = {"role": "system", "content": "Answer the question."}
        asked: Message = {"role": "user", "content": question}
        world.model.complete([orders, *turns, asked], [query_metric_tool()])
        return recite(question)

    return ask


@never(6, "vacuous")
def searches_for_show(world: World) -> Ask:
    """Searches a real index and uses nothing it finds: RET-1 finds that no query matters."""
    return _with_show_calls(world)


@never(6, "vacuous", claims={"composite", "multi", "clarification", "security-gate"})
def searches_for_show_and_promises_less(world: World) -> Ask:
    """The same without a claim about what its passages may hold."""
    return _with_show_calls(world)


@never(3, "over a second world", channels={"structured"}, claims=(), seams={"model"})
def figures_by_rote(world: World) -> Ask:
    """Knows the questions for figures by heart, and the world's figures; not other questions."""
    return _with_show_calls(world, seeds=1)
