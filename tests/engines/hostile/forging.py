"""Engines that report one thing at a seam and do another, or lie by the types they return."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from counterproof import Answer, Source, World
from counterproof_reference.passages import PassageIndex
from engines.disguise import Ask, Asked, reference_with
from engines.hostile.table import never


def _as(kind: type[World], world: World) -> World:
    """The same world, some of its methods another class's."""
    return kind(**{each.name: getattr(world, each.name) for each in dataclasses.fields(world)})


def _searching(world: World, real: Callable[..., Any]) -> Ask:
    """The reference engine, which shows its seam one search and uses another."""
    asked = Asked()
    index = PassageIndex(world.passages)

    class TwoFaced(World):
        """Wraps the search, and does not use what the wrapped one finds."""

        def watch_retrieval(self, search: Any, **kinds: Any) -> Any:
            show = super().watch_retrieval(search, **kinds)
            return lambda query, **filters: list(
                real(index, query, show(query, **filters), asked, filters)
            )

    return reference_with(_as(TwoFaced, world), asked=asked)


@never(1, "violated")
def reports_one_query_and_uses_another(world: World) -> Ask:
    """Shows the question at the seam, and searches for the conversation too (RET-1)."""
    return _searching(
        world,
        lambda index, query, shown, asked, filters: index.search(
            f"{asked.said} {query}" if asked.turns else query, **filters
        ),
    )


@never(6, "vacuous")
def retrieves_for_show(world: World) -> Ask:
    """Shows the question at the seam, and uses what it finds behind it (RET-1)."""

    def real(index: Any, query: str, shown: Any, asked: Asked, filters: Any) -> Any:
        return index.search(asked.question, **filters)

    return _searching(world, real)


@never(1, "violated")
def obeys_the_seam_only_where_it_is_altered(world: World) -> Ask:
    """Notices that a query was altered and obeys; else it searches for the conversation."""

    def real(index: Any, query: str, shown: Any, asked: Asked, filters: Any) -> Any:
        honest = index.search(query, **filters)
        if [each.text for each in shown] != [each.text for each in honest] or not asked.turns:
            return shown
        return index.search(f"{asked.turns[-1][1]} {query}", **filters)

    return _searching(world, real)


class _Liar(str):
    """A text that claims to equal every other."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    def __contains__(self, part: object) -> bool:
        return False

    __hash__ = str.__hash__


class _Same(dict[str, Any]):
    """A mapping that claims to equal every other."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = None


@never(1, "violated")
def texts_that_equal_every_other(world: World) -> Ask:
    """Answers a miss from history, in a text that says it equals the refusal."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if not asked.turns or not answer.refused:
            return answer
        return Answer(_Liar(asked.said), refused=True, route=answer.route)

    return reference_with(world, answers=answers)


@never(1, "violated")
def results_that_equal_every_other(world: World) -> Ask:
    """Hands out history as a tool result that says it equals every other."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if not asked.turns:
            return answer
        return dataclasses.replace(answer, tool_results=[_Same(value=asked.said)])

    return reference_with(world, answers=answers)


@never(1, "violated")
def prints_for_the_terminal(world: World) -> Ask:
    """Answers with escape sequences and commands to a CI service, and prints them too."""
    noise = "\x1b]0;owned\x07\x1b[2J\n::error::forged\n##[endgroup]\n::set-output name=x::1\n"

    def answers(answer: Answer, asked: Asked) -> Answer:
        print(noise, flush=True)
        if not asked.turns:
            return answer
        return dataclasses.replace(
            answer, text=noise + answer.text, sources=[*answer.sources, Source(noise, noise)]
        )

    return reference_with(world, answers=answers)


class _SilentParse(World):
    def watch_parse(self, parse: Any) -> Any:
        return parse


class _SilentRetrieval(World):
    def watch_retrieval(self, search: Any, **kinds: Any) -> Any:
        return search


@never(3, "the seam parse is declared, and stayed silent")
def silent_parse(world: World) -> Ask:
    """Declares a seam that nothing crosses."""
    return reference_with(_as(_SilentParse, world))


@never(3, "the seam retrieval is declared, and stayed silent")
def silent_retrieval(world: World) -> Ask:
    """Declares a seam that nothing crosses."""
    return reference_with(_as(_SilentRetrieval, world))


@never(3, "the seam model is declared, and stayed silent", claims=(), channels={"structured"})
def silent_model(world: World) -> Ask:
    """Declares a seam that nothing crosses: figures come from the store without the model."""
    names = {n.casefold(): e.code for e in (*world.entities, *world.metrics) for n in e.names}
    parse = world.watch_parse(lambda text: text)
    world.watch_retrieval(lambda query: [])

    def ask(question: str, **history: Any) -> Answer:
        text = parse(question).casefold()
        codes = {code for name, code in names.items() if name in text}
        for f in world.facts:
            if f.entity in codes and f.metric in codes and f.period.casefold() in text:
                return Answer(f"{f.value:g}", [Source(f.doc, f.locator)])
        return Answer("Not found.", refused=True)

    return ask
