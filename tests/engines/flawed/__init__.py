"""The reference engine in disguise, each time with one flaw, and the row that must see it."""

from engines.flawed import (
    default_path,
    evidence,
    intent,
    messages,
    remainder,
    restricted,
    retrieval,
    roles,
    shapes,
    state,
    turns,
)
from engines.flawed.table import FLAWS

__all__ = [
    "FLAWS",
    "default_path",
    "evidence",
    "intent",
    "messages",
    "remainder",
    "restricted",
    "retrieval",
    "roles",
    "shapes",
    "state",
    "turns",
]
