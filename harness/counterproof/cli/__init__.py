"""The command line."""

from __future__ import annotations

import signal
import sys
from types import FrameType

INTERRUPTED = "\ninterrupted; a run that does not end writes no certificate"


def main() -> None:
    """Run the command line; the exit code is one of :class:`counterproof.certify.exits.Exit`."""
    try:
        signal.signal(signal.SIGTERM, _terminated)
        from counterproof.cli.commands import app

        app(prog_name="counterproof", standalone_mode=True)
    except KeyboardInterrupt:
        print(INTERRUPTED, file=sys.stderr)
        sys.exit(130)


def _terminated(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
