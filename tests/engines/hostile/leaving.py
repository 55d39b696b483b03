"""Engines that declare exits or sessions, and let nothing of them be seen."""

from __future__ import annotations

import dataclasses
from typing import NoReturn

from counterproof import Session, World
from engines.conformant.leaving import behind
from engines.disguise import WITH_EXITS, WITH_SESSION, Ask, reference_with
from engines.hostile.table import never


@never(3, "the seam exits is declared, and stayed silent", **WITH_EXITS)
def exits_declared_and_never_crossed(world: World) -> Ask:
    """Says that its exits may be watched, and strips where nobody sees it."""
    return reference_with(behind(world, None))


@never(3, "the adapter opens no session", **WITH_SESSION)
def session_declared_and_never_opened(world: World) -> Ask:
    """Says that it holds conversations, and opens none."""
    inner = reference_with(world)
    world._sessions.clear()
    return inner


@never(3, "the first turn of a session: TypeError", **WITH_SESSION)
def session_that_cannot_be_asked(world: World) -> Ask:
    """Opens a session that takes no question."""
    inner = reference_with(world)
    world.session(lambda: Session(lambda: None, lambda: None))
    return inner


@never(3, "RuntimeError: I forgot", **WITH_SESSION)
def session_that_cannot_say_what_it_remembers(world: World) -> Ask:
    """Fails once it is asked what it remembers."""
    inner = reference_with(world)
    make = world._sessions[-1]

    def remembered() -> NoReturn:
        raise RuntimeError("I forgot")

    world.session(lambda: dataclasses.replace(make(), remembered=remembered))
    return inner
