"""Which engine is meant: a name installed by entry point, or ``module:attribute``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from pathlib import Path

GROUP = "counterproof.engines"
BASELINES = "counterproof.baselines"
_ADAPTER = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


class UnknownEngine(Exception):  # noqa: N818  # what the user named
    """No engine of that name; the message says which there are (exit 2)."""


@dataclass(frozen=True)
class Engine:
    """An engine that can be certified by name.

    Args:
        name: the name.
        adapter: its adapter, ``module:attribute``.
        distribution: the installed distribution it comes with.
    """

    name: str
    adapter: str
    distribution: str


def installed() -> list[Engine]:
    """The engines installed distributions offer, by name."""
    found = {each.name: _engine(each) for each in entry_points(group=GROUP)}
    return [found[name] for name in sorted(found)]


def _engine(point: EntryPoint) -> Engine:
    return Engine(point.name, point.value, point.dist.name if point.dist else "")


def adapter_of(target: str) -> str:
    """The adapter a target names, as ``module:attribute``; nothing is imported.

    Args:
        target: a name of :func:`installed`, or ``module:attribute``.

    Raises:
        UnknownEngine: it is neither.
    """
    engines = {each.name: each for each in installed()}
    if target in engines:
        return engines[target].adapter
    if _ADAPTER.fullmatch(target):
        return target
    raise UnknownEngine(
        f"no engine is called {target!r}; give one of {', '.join(engines)},"
        " or your adapter as module:attribute, such as my_pkg.cert:my_engine"
    )


def shipped_baseline(name: str) -> Path | None:
    """The folder of the baseline that ships for an engine of that name, or None."""
    for point in entry_points(group=BASELINES):
        if point.name == name:
            folder = Path(str(files(point.value)))
            return folder if folder.is_dir() else None
    return None
