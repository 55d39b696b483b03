"""The suite that certifies engines in process."""

from __future__ import annotations

from importlib.resources import files

from counterproof.suite import Suite, read_requirements
from counterproof_suites.engine import (
    default_path,
    evidence,
    exits,
    intent,
    labels,
    messages,
    restricted,
    retrieval,
    roles,
    session,
    session_gates,
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
    restricted,
    exits,
    labels,
    state,
    session,
    session_gates,
)
