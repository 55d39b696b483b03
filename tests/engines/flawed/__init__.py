"""The reference engine in disguise, each time with one flaw, and the row that must see it."""

from engines.flawed import (
    default_path,
    evidence,
    exits,
    intent,
    messages,
    restricted,
    retrieval,
    roles,
    session,
    state,
)
from engines.flawed.table import FLAWS

__all__ = [
    "FLAWS",
    "default_path",
    "evidence",
    "exits",
    "intent",
    "messages",
    "restricted",
    "retrieval",
    "roles",
    "session",
    "state",
]
