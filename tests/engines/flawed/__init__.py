"""The reference engine in disguise, each time with one flaw, and the row that must see it."""

from engines.flawed import (
    claims,
    default_path,
    evidence,
    explanations,
    intent,
    messages,
    models,
    restricted,
    retrieval,
    roles,
    state,
)
from engines.flawed.table import FLAWS

__all__ = [
    "FLAWS",
    "claims",
    "default_path",
    "evidence",
    "explanations",
    "intent",
    "messages",
    "models",
    "restricted",
    "retrieval",
    "roles",
    "state",
]
