"""The suite that certifies services, beside what holds for every engine."""

from __future__ import annotations

from importlib.resources import files

from counterproof.suite import Suite, read_requirements
from counterproof_suites.service import at_once, bodies, refusals, routes, stream

SUITE = Suite.of(
    read_requirements(files("counterproof_suites") / "service.toml"),
    bodies,
    routes,
    stream,
    refusals,
    at_once,
)
"""SVC: ``POST /v1/ask`` and ``POST /v1/ask/stream``, or what a mapping names in their place."""
