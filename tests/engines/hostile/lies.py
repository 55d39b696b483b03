"""Engines whose values say one thing and are another."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from counterproof import Answer, Source, World
from engines.disguise import Ask, Asked, reference_with
from engines.hostile.table import never


class _Text(str):  # a lie needs no slots
    """A text that equals every other, hashes like none and prints as something else."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 0

    def __str__(self) -> str:
        return "Not found."

    def __repr__(self) -> str:
        return "'Not found.'"

    def encode(self, *args: Any, **kwargs: Any) -> bytes:
        return b"Not found."


class _Number(int):
    """A number that equals every other."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __str__(self) -> str:
        return "0"

    __repr__ = __str__


class _Mapping(dict[str, Any]):
    """A mapping that equals every other and shows other members than it holds."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None

    def get(self, key: str, default: Any = None) -> Any:
        return "not found"


class _Sources(list[Source]):
    """A list that claims to be empty and is not."""

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None

    def __iter__(self) -> Iterator[Source]:
        yield Source("conversation")


class _Yes:
    """A truth value that equals None, True and False."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]  # never hashed

    def __bool__(self) -> bool:
        return False


class _Pretends:
    """An object that says that it is a string."""

    @property
    def __class__(self) -> Any:
        return str

    @__class__.setter
    def __class__(self, other: Any) -> None:
        raise TypeError("it stays what it says it is")


def _told(world: World, change: Callable[[Answer, str], Answer]) -> Ask:
    """The reference engine, its answer changed by the last turn."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        return change(answer, asked.turns[-1][1]) if asked.turns else answer

    return reference_with(world, answers=answers)


@never(1, "violated")
def lying_plain_text(world: World) -> Ask:
    """The same in the rendering without citations alone."""
    return _told(world, lambda answer, last: dataclasses.replace(answer, plain=_Text(last)))


@never(1, "violated")
def lying_source(world: World) -> Ask:
    """Cites the conversation under a name that equals every other."""
    return _told(
        world,
        lambda answer, _: dataclasses.replace(
            answer, sources=[*answer.sources, Source(_Text("conversation"))]
        ),
    )


@never(1, "violated")
def lying_list_of_sources(world: World) -> Ask:
    """Cites the conversation in a list that says that it is empty."""
    return _told(world, lambda answer, _: dataclasses.replace(answer, sources=_Sources()))


@never(1, "violated")
def lying_numbers(world: World) -> Ask:
    """Hands out 999 as a tool result that equals every other number and prints as nought."""
    results = [{"status": "found", "value": _Number(999)}]
    return _told(world, lambda answer, _: dataclasses.replace(answer, tool_results=results))


@never(1, "violated")
def lying_mappings(world: World) -> Ask:
    """Hands out the last turn in a mapping that equals every other."""
    return _told(
        world,
        lambda answer, last: dataclasses.replace(answer, tool_results=[_Mapping(said=last)]),
    )


@never(1, "violated")
def lying_refusal(world: World) -> Ask:
    """Answers a miss from history, and is refused whatever it is asked."""
    return _told(
        world,
        lambda answer, last: dataclasses.replace(
            answer,
            text=last,
            refused=_Yes(),  # type: ignore[arg-type]  # the lie
        ),
    )


@never(1, "violated")
def text_that_is_none(world: World) -> Ask:
    """Answers with an object that passes for a string wherever its class is asked for."""
    return _told(
        world,
        lambda answer, _: dataclasses.replace(
            answer,
            text=_Pretends(),  # type: ignore[arg-type]  # the lie
        ),
    )
