"""The suite that certifies services, beside what holds for every engine."""

from __future__ import annotations

from importlib.resources import files

from counterproof.catalogue import read_requirements, read_statements
from counterproof.suite import Suite
from counterproof_suites.service import at_once, bodies, refusals, routes, stream

_DATA = files("counterproof_suites")

SUITE = Suite.of(
    read_requirements(_DATA / "service.toml"),
    bodies,
    routes,
    stream,
    refusals,
    at_once,
    statements=read_statements(_DATA / "service_statements.toml"),
)
"""SVC: ``POST /v1/ask`` and ``POST /v1/ask/stream``, or what a mapping names in their place."""
