"""Engines that must never be certified: null ones, cheats, and those that attack the run."""

from engines.hostile import (
    breaking,
    crossings,
    endings,
    forging,
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
from engines.hostile.table import NULL

__all__ = [
    "NULL",
    "breaking",
    "crossings",
    "endings",
    "forging",
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
