"""The suite that certifies engines in process."""

from __future__ import annotations

from importlib.resources import files

from counterproof.suite import Suite, read_requirements
from counterproof_suites.engine import (
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
    session,
    session_gates,
    state,
    turns,
)

SUITE = Suite.of(
    read_requirements(files("counterproof_suites") / "requirements.toml"),
    default_path,
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
    session,
    session_gates,
)
