"""The suite that certifies engines in process."""

from __future__ import annotations

from importlib.resources import files

from counterproof.catalogue import read_requirements, read_statements
from counterproof.suite import Suite
from counterproof_suites.engine import (
    afterwards,
    caller,
    conversations,
    default_path,
    evidence,
    exits,
    failing_models,
    gate,
    generated_facts,
    hostile_models,
    inert,
    intent,
    labels,
    malformed,
    messages,
    misses,
    offered,
    other_calls,
    parsing,
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

_DATA = files("counterproof_suites")

SUITE = Suite.of(
    read_requirements(_DATA / "requirements.toml"),
    default_path,
    afterwards,
    signature,
    sequences,
    parsing,
    intent,
    gate,
    messages,
    turns,
    remainder,
    other_calls,
    roles,
    inert,
    malformed,
    retrieval,
    offered,
    evidence,
    generated_facts,
    misses,
    hostile_models,
    failing_models,
    restricted,
    exits,
    labels,
    state,
    caller,
    conversations,
    session,
    session_gates,
    statements=read_statements(_DATA / "statements.toml"),
)
