"""What sabotages of the model's messages share: finding history in them, and rewording them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from counterproof.sabotage import Scene
from counterproof_suites.engine.block import texts_of


def last_user(messages: Sequence[Any]) -> int:
    """Where the last user message stands; -1 where there is none."""
    places = [n for n, each in enumerate(messages) if each.get("role") == "user"]
    return places[-1] if places else -1


def split(scene: Scene, messages: list[Any]) -> tuple[list[Any], list[Any]]:
    """History's messages, and all others; history's are the first whose text is a turn's."""
    places = set(turns_at(scene, messages))
    turns = [each for n, each in enumerate(messages) if n in places]
    return turns, [each for n, each in enumerate(messages) if n not in places]


def turns_at(scene: Scene, messages: list[Any]) -> list[int]:
    """Where history's messages stand."""
    left = list(scene.said)
    places = []
    for place, each in enumerate(messages):
        said = "".join(texts_of(each.get("content")))
        if each.get("content") is not None and said in left and said != scene.ask.question:
            left.remove(said)
            places.append(place)
    return places


def resent(
    scene: Scene, messages: list[Any], change: Callable[[list[Any]], list[Any]]
) -> list[Any]:
    """The messages, history's among them changed; those that follow one another are one list."""
    places = turns_at(scene, messages)
    if not places:
        return messages
    first, last = places[0], places[-1] + 1
    return [*messages[:first], *change(messages[first:last]), *messages[last:]]


def reworded(message: Any, change: Callable[[str], str]) -> Any:
    """A message, its text changed; where it stands in parts, that of each."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [
            {**p, "text": change(str(p["text"]))} if isinstance(p, dict) and "text" in p else p
            for p in content
        ]
        return {**message, "content": parts}
    return {**message, "content": change("" if content is None else str(content))}


def with_last_user(messages: list[Any], change: Callable[[str], str]) -> list[Any]:
    """The messages, the text of the last user message changed."""
    place = last_user(messages)
    if place < 0:
        return messages
    return [*messages[:place], reworded(messages[place], change), *messages[place + 1 :]]
