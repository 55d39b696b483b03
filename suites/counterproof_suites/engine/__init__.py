"""The suite that certifies engines in process."""

from __future__ import annotations

from importlib.resources import files

from counterproof.suite import Suite, read_requirements
from counterproof_suites.engine import (
    default_path,
    evidence,
    exits,
    failing_models,
    generated_facts,
    hostile_models,
    inert,
    intent,
    labels,
    malformed,
    messages,
    misses,
    other_calls,
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
