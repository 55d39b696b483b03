"""Engines that must never be certified: null ones, cheats, and those that attack the run."""

from engines.hostile import (
    breaking,
    crossings,
    endings,
    forging,
    idle,
    lies,
    lookups,
    memory,
    noise,
    null,
    processes,
    rote,
    shapes,
    spying,
)
from engines.hostile.table import GAPS, NULL, OF_ROWS

__all__ = [
    "GAPS",
    "NULL",
    "OF_ROWS",
    "breaking",
    "crossings",
    "endings",
    "forging",
    "idle",
    "lies",
    "lookups",
    "memory",
    "noise",
    "null",
    "processes",
    "rote",
    "shapes",
    "spying",
]
