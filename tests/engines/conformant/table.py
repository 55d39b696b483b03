"""The list of conformant engines, filled as each is declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engines.disguise import Opener, as_reference, target

DECLARED: list[str] = []
"""Adapters in the order they are declared."""


def conformant(**instead: Any) -> Callable[[Opener], Opener]:
    """Declare an adapter that differs from the reference engine where no row forbids it.

    Args:
        instead: what it declares otherwise.
    """

    def declare(opener: Opener) -> Opener:
        DECLARED.append(target(opener))
        return as_reference(opener, **instead)

    return declare
