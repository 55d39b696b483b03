"""Engines and adapters that hand out something else than they must."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from counterproof import Answer, Source, World
from engines.disguise import Ask, once_told, reference_with
from engines.hostile.table import never


def _always(answer: Any) -> Callable[..., Any]:
    return lambda question, **history: answer


@never(3, "missing 1 required positional argument")
def wants_two_worlds(world: World, other: World) -> Ask:
    """Cannot be called with a world alone."""
    return reference_with(world)


@never(3, "returned str, not Answer")
def answers_with_text(world: World) -> Callable[..., Any]:
    """Returns a string, not an Answer; cannot pass calibration."""
    return _always("57812")


@never(3, "returned dict, not Answer")
def answers_with_a_dict(world: World) -> Callable[..., Any]:
    """Returns an answer's members in a dict; cannot pass calibration."""
    return _always({"text": "57812", "sources": []})


@never(3, "Answer.text is bytes, not str")
def answers_with_bytes(world: World) -> Callable[..., Any]:
    """Returns an Answer whose text is bytes; cannot pass calibration."""
    return _always(Answer(b"57812"))  # type: ignore[arg-type]  # the wrong type is the point


@never(3, "Answer.sources[0] is str, not Source")
def cites_strings(world: World) -> Callable[..., Any]:
    """Cites names, not sources; cannot pass calibration."""
    return _always(Answer("57812", ["hk-results.xlsx"]))  # type: ignore[list-item]  # the point


@never(3, "returned generator, not Answer")
def yields_its_answer(world: World) -> Callable[..., Iterator[str]]:
    """Streams its answer word by word; cannot pass calibration."""

    def ask(question: str, **history: Any) -> Iterator[str]:
        yield from question.split()

    return ask


class _Finer(Answer):
    """An answer of the engine's own, which might say something else each time it is read."""


@never(1, "violated")
def answers_of_its_own_kind_once_told(world: World) -> Callable[..., Any]:
    """Returns a subclass of Answer once there is history; it might lie, so it is no Answer."""
    return once_told(world, lambda question, _: _Finer("57812"))


@never(3, "Answer.text has 50000000 characters")
def answers_of_fifty_megabytes(world: World) -> Callable[..., Any]:
    """Returns more text than a message may hold; cannot pass calibration."""
    return lambda question, **history: Answer("x" * 50_000_000)


@never(1, "violated")
def answers_of_fifty_megabytes_once_told(world: World) -> Callable[..., Any]:
    """The same once there is history; nothing of it may be held in memory or in a report."""
    return once_told(world, lambda question, _: Answer("x" * 50_000_000))


@never(1, "violated")
def answers_of_a_megabyte_once_told(world: World) -> Callable[..., Any]:
    """Returns a text that fits a message, and hardly a report, once there is history."""
    return once_told(world, lambda question, _: Answer("nothing " * 125_000))


@never(1, "violated")
def endlessly_nested_results_once_told(world: World) -> Callable[..., Any]:
    """Hands out a tool result that holds itself once there is history."""
    inside: list[Any] = []
    inside.append(inside)
    return once_told(world, lambda question, _: Answer("57812", tool_results=inside))


@never(1, "violated")
def results_no_json_can_hold_once_told(world: World) -> Callable[..., Any]:
    """Hands out a set and an object as tool results once there is history."""
    return once_told(world, lambda question, _: Answer("57812", tool_results=[{1, 2}, object()]))


@never(1, "violated")
def odd_numbers_and_characters_once_told(world: World) -> Callable[..., Any]:
    """Hands out NaN, infinity, a huge integer and half a character once there is history."""
    odd = [float("nan"), float("inf"), -float("inf"), 10**400, "\ud800"]
    return once_told(
        world,
        lambda question, _: Answer("half \udc00", [Source("\ud800.md")], tool_results=odd),
    )
