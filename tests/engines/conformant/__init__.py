"""Engines that differ where they may: each must pass, or a check is over-strict."""

from engines.conformant import asks, calls, leaving, prompts, wording
from engines.conformant.table import DECLARED

CONFORMANT: tuple[str, ...] = tuple(DECLARED)
"""Adapters whose certification must pass."""

__all__ = ["CONFORMANT", "asks", "calls", "leaving", "prompts", "wording"]
