"""Standard output: UTF-8 whatever the locale says, and a reader that leaves is no error."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from rich.console import Console


class Report(Console):
    """Prints a report; where its reader leaves early (``| head``), the exit code stays."""

    def on_broken_pipe(self) -> None:
        """Nobody reads on."""
        self.quiet = True
        _let_go()


def print_json(value: Any) -> None:
    """Print a value as JSON, and flush it."""
    print_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def print_text(text: str) -> None:
    """Print a text as it stands, and flush it."""
    try:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _let_go()


def _let_go() -> None:
    """Standard output goes nowhere from here, so that the interpreter's last flush succeeds."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
