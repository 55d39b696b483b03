"""The suite that certifies engines in process."""

from __future__ import annotations

from importlib.resources import files

from counterproof.suite import Suite, read_requirements
from counterproof_suites.engine import (
    default_path,
    evidence,
    failing_models,
    generated_facts,
    hostile_models,
    intent,
    messages,
    misses,
    restricted,
    retrieval,
    roles,
    state,
)

SUITE = Suite.of(
    read_requirements(files("counterproof_suites") / "requirements.toml"),
    default_path,
    intent,
    messages,
    roles,
    retrieval,
    evidence,
    generated_facts,
    misses,
    hostile_models,
    failing_models,
    restricted,
    state,
)
