"""The table of engines that must never be certified, filled as each is declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engines.disguise import Opener, as_reference, target

NULL: dict[str, tuple[int, str]] = {
    "engines.hostile.broken_import:engine": (3, "RuntimeError: not today"),
    "engines.hostile.null:NOT_AN_ADAPTER": (2, "no function marked with @adapter"),
    "engines.hostile.null:missing": (2, "has no missing"),
}
"""Adapter, and the exit code and part of the reason its certification must end with."""


def never(code: int, reason: str, **instead: Any) -> Callable[[Opener], Opener]:
    """Declare an adapter that must not be certified.

    Args:
        code: the exit code of its certification.
        reason: what the one-line reason must hold.
        instead: what it declares otherwise than the reference engine.
    """

    def declare(opener: Opener) -> Opener:
        NULL[target(opener)] = (code, reason)
        return as_reference(opener, **instead)

    return declare
