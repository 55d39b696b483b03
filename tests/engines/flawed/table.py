"""The table of flaws, filled as each is declared."""

from __future__ import annotations

from collections.abc import Callable

from engines.disguise import Opener, as_reference, target

FLAWS: dict[str, str] = {}
"""Adapter, and the requirement its certification must report as violated."""


def flaw(requirement: str) -> Callable[[Opener], Opener]:
    """Declare an adapter that opens the reference engine with one flaw.

    Args:
        requirement: the requirement it violates.
    """

    def declare(opener: Opener) -> Opener:
        FLAWS[target(opener)] = requirement
        return as_reference(opener)

    return declare
