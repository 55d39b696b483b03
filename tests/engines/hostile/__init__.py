"""Engines that must never be certified: null ones, cheats, and those that attack the run."""

from engines.hostile import (
    breaking,
    crossings,
    endings,
    forging,
    leaving,
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
from engines.hostile.table import GAPS, NULL

__all__ = [
    "GAPS",
    "NULL",
    "breaking",
    "crossings",
    "endings",
    "forging",
    "leaving",
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
