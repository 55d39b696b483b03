"""The table of flaws, filled as each is declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engines.disguise import Opener, as_reference, target

FLAWS: dict[str, str] = {}
"""Adapter, and the requirement its certification must report as violated."""


def flaw(requirement: str, **instead: Any) -> Callable[[Opener], Opener]:
    """Declare an adapter that opens the reference engine with one flaw.

    Args:
        requirement: the requirement it violates.
        instead: what it declares otherwise than the reference engine.
    """

    def declare(opener: Opener) -> Opener:
        FLAWS[target(opener)] = requirement
        return as_reference(opener, **instead)

    return declare
