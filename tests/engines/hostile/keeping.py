"""Engines that do the opposite of one row about what is kept, and adapters that expose nothing."""

from __future__ import annotations

from typing import Any

from counterproof import Answer, World
from engines.disguise import WITH_SIGNATURE, Ask, Asked, Message, reference_with
from engines.hostile.table import never


@never(3, "the seam signature is declared, and stayed silent", **WITH_SIGNATURE)
def exposes_nothing(world: World) -> Ask:
    """Declares that its signature can be read, and gives no function (DEF-4)."""
    inner = reference_with(world)
    world._described.clear()
    return inner


@never(3, "the engine cannot be described", **WITH_SIGNATURE)
def exposes_what_has_no_signature(world: World) -> Ask:
    """Exposes a callable of which Python cannot tell the signature (DEF-4)."""
    inner = reference_with(world)
    world.expose(dict)
    return inner


@never(1, "violated")
def history_emptied_before_it_is_read(world: World) -> Ask:
    """Empties the caller's list, and then looks into it (STA-2)."""
    inner = reference_with(world)

    def ask(question: str, **history: Any) -> Answer:
        given = history.get("history")
        if isinstance(given, list):
            given.clear()
        return inner(question, **history)

    return ask


@never(1, "violated")
def history_as_python_shows_it(world: World) -> Ask:
    """Closes the prompt with its argument, brackets, quotes and all (DEF-5)."""

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        given = asked.history.get("history")
        return [*messages, {"role": "user", "content": repr(given)}] if given else messages

    return reference_with(world, sends=sends)


@never(1, "violated")
def tired_of_long_conversations(world: World) -> Ask:
    """Refuses every question after the tenth turn (STA-4)."""
    inner = reference_with(world)
    refusal = Answer("Let us stop here.", refused=True, plain="Let us stop here.")

    def ask(question: str, **history: Any) -> Answer:
        return refusal if len(history.get("history") or ()) > 10 else inner(question, **history)

    return ask
