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
    refusing,
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
    "lies",
    "lookups",
    "memory",
    "noise",
    "null",
    "processes",
    "refusing",
    "rote",
    "shapes",
    "spying",
]
