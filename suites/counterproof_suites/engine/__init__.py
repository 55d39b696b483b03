"""The suite that certifies engines in process."""

from __future__ import annotations

from importlib.resources import files

from counterproof.suite import Suite, read_requirements
from counterproof_suites.engine import (
    afterwards,
    caller,
    conversations,
    default_path,
    evidence,
    exits,
    inert,
    intent,
    labels,
    malformed,
    messages,
    other_calls,
    remainder,
    restricted,
    retrieval,
    roles,
    sequences,
    session,
    session_gates,
    signature,
    state,
    turns,
)

SUITE = Suite.of(
    read_requirements(files("counterproof_suites") / "requirements.toml"),
    default_path,
    afterwards,
    signature,
    sequences,
    intent,
    messages,
    turns,
    remainder,
    other_calls,
    roles,
    inert,
    malformed,
    retrieval,
    evidence,
    restricted,
    exits,
    labels,
    state,
    caller,
    conversations,
    session,
    session_gates,
)
