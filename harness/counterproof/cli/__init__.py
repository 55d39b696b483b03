"""The command line."""

from __future__ import annotations

import gc
import signal
import sys
from types import FrameType

INTERRUPTED = "\ninterrupted; a run that does not end writes no certificate"


def main() -> None:
    """Run the command line; the exit code is one of :class:`counterproof.certify.exits.Exit`."""
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
                signal.signal(number, _interrupted)
        from counterproof.cli.commands import app

        app(prog_name="counterproof", standalone_mode=True)
    except KeyboardInterrupt:
        print(INTERRUPTED, file=sys.stderr)
        sys.exit(130)


def _interrupted(number: int, frame: FrameType | None) -> None:
    """Interrupt the run; a moment later where Python would drop what is raised.

    It drops it in callbacks of the garbage collector, and Hypothesis has one: a signal that comes
    while garbage is collected is handled there, and the run would go on.
    """
    collecting = {getattr(each, "__code__", None) for each in gc.callbacks}
    while frame is not None:
        if frame.f_code in collecting:
            signal.setitimer(signal.ITIMER_REAL, 0.001)
            return
        frame = frame.f_back
    raise KeyboardInterrupt
