"""How far a run is: a bar on a terminal, a line for each requirement elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from counterproof.certify.conduct import Progress as Told


@contextlib.contextmanager
def shown(console: Console, target: str) -> Iterator[Told]:
    """A progress that is shown while the block runs; it leaves nothing behind.

    Args:
        console: where to; standard error, so that the report can be redirected.
        target: what is certified.
    """
    if not console.is_terminal:
        yield _Lines(console, target)
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    )
    with bar:
        yield _Bar(bar, target)


class _Bar:
    def __init__(self, bar: Progress, target: str) -> None:
        self._bar = bar
        self._task = bar.add_task(f"calibrating {target}", total=None)

    def start(self, total: int) -> None:
        self._bar.update(self._task, total=total, description="checking")

    def item(self, name: str, done: int) -> None:
        requirement = name.partition("/")[0]
        sabotaged = "[engine-" not in name
        doing = f"{'sabotaging' if sabotaged else 'checking'} {requirement}"
        self._bar.update(self._task, completed=done, description=f"{doing:18}")


class _Lines:
    def __init__(self, console: Console, target: str) -> None:
        self._console = console
        self._total = 0
        self._last = ""
        self._say(f"calibrating {target}")

    def start(self, total: int) -> None:
        self._total = total

    def item(self, name: str, done: int) -> None:
        requirement = name.partition("/")[0]
        if requirement != self._last:
            self._last = requirement
            self._say(f"[{done}/{self._total}] {requirement}")

    def _say(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False)
