"""The pytest plugin: items from checks and sabotages, for development and for ``certify``.

It does nothing, and imports nothing, until an engine is named.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from counterproof.bench import Bench

BENCH = pytest.StashKey["Bench"]()
"""Where a run's bench is; ``certify`` puts its own there."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options, each with our prefix."""
    group = parser.getgroup("counterproof", "certify conversational RAG engines")
    add = group.addoption
    add("--counterproof-engine", metavar="TARGET", help="engine to check: a name, or module:attr")
    add("--counterproof-profile", default="gate", choices=["gate", "certify", "audit"],
        help="how deep (default: gate)")  # fmt: skip
    add("--counterproof-only", action="append", default=[], metavar="ID",
        help="check this requirement only; may be given again")  # fmt: skip
    add("--counterproof-seed", type=int, default=0, help="seed of everything generated")
    add("--counterproof-world-seed", type=int, default=0, help="seed of the world's values")
    add("--counterproof-python", metavar="PATH", help="interpreter of the engine's environment")
    add("--counterproof-baseline", metavar="DIR", help="folder of a recorded baseline (DEF-2)")


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Set up the engine that is named, once; an error in a collector would be a failed test."""
    config = session.config
    if BENCH not in config.stash and config.getoption("--counterproof-engine"):
        config.stash[BENCH] = _opened(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A suite's module, where an engine is named, holds items."""
    bench = parent.config.stash.get(BENCH, None)
    if bench is None or file_path.resolve() not in bench.plan.files:
        return None
    from counterproof.items import SuiteFile

    made: pytest.Collector = SuiteFile.from_parent(parent, path=file_path)
    return made


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the workers."""
    bench = config.stash.get(BENCH, None)
    if bench is not None:
        bench.close()


def _opened(config: pytest.Config) -> Bench:
    """The bench the options ask for, calibrated."""
    from counterproof.certify.request import Request, RequestError
    from counterproof.subject import AdapterError

    def given(name: str) -> Any:
        return config.getoption(f"--counterproof-{name}")

    try:
        return Request(
            target=given("engine"),
            profile=given("profile"),
            only=tuple(given("only")),
            seed=given("seed"),
            world_seed=given("world-seed"),
            python=given("python"),
            baseline=given("baseline"),
        ).bench()
    except (RequestError, AdapterError) as error:
        raise pytest.UsageError(f"counterproof: {error}") from None
