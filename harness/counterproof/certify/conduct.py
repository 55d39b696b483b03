"""Runs the planned items through pytest, in process, with nothing of the caller's in it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import configuration

from counterproof.bench import Bench
from counterproof.items import CheckItem
from counterproof.plugin import BENCH

_CLEARED = ("PYTEST_", "HYPOTHESIS_")
_OFF = (
    "cacheprovider", "terminal", "terminalprogress", "faulthandler", "logging", "junitxml",
    "pastebin", "doctest", "unittest", "recwarn", "warnings", "stepwise", "debugging", "setuponly",
    "setupplan", "subtests", "python",
)  # fmt: skip


class Progress(Protocol):
    """Is told how far a run is."""

    def start(self, total: int) -> None:
        """So many items will run."""
        ...

    def item(self, name: str, done: int) -> None:
        """An item begins; so many are done."""
        ...


def conduct(bench: Bench, progress: Progress) -> None:
    """Run every item of the bench's plan; what they find is kept in ``bench.results``.

    Args:
        bench: the engine, set up.
        progress: is told how far the run is.

    Raises:
        KeyboardInterrupt: the run was interrupted.
    """
    progress.start(len(bench.plan.items))
    files = list(dict.fromkeys(str(each.check.file) for each in bench.plan.items))
    if not files:
        return
    with tempfile.TemporaryDirectory(prefix="counterproof-") as folder, _apart(folder):
        config = Path(folder, "pytest.ini")
        config.write_text("[pytest]\n", encoding="utf-8")
        code = pytest.main(
            [
                "-c", str(config), f"--rootdir={folder}", "--noconftest", "--assert=plain",
                "--capture=no", "--import-mode=importlib",
                *(each for name in _OFF for each in ("-p", f"no:{name}")),
                "-p", "counterproof.plugin",
                *files,
            ],
            plugins=[_Conductor(bench, progress)],
        )  # fmt: skip
    if code == pytest.ExitCode.INTERRUPTED:
        raise KeyboardInterrupt


class _Conductor:
    """Gives the plugin its bench, and tells the progress."""

    def __init__(self, bench: Bench, progress: Progress) -> None:
        self._bench = bench
        self._progress = progress
        self._done = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[BENCH] = self._bench

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if isinstance(item, CheckItem):
            self._progress.item(item.name, self._done)
            self._done += 1


@contextlib.contextmanager
def _apart(folder: str) -> Iterator[None]:
    """No variable of a test runner has an effect, and Hypothesis writes to ``folder``."""
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(_CLEARED)}
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    configuration.set_hypothesis_home_dir(folder)
    try:
        yield
    finally:
        configuration.set_hypothesis_home_dir(None)
        del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
        os.environ.update(kept)
