"""The exit codes of the command line (design §4)."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What an exit code means; where several causes apply, the first in this order wins."""

    INTERRUPTED = 130
    """Interrupted."""
    USAGE = 2
    """A bad option, an unknown engine, a bad world, baseline or known file."""
    ERROR = 3
    """The adapter's or the harness's fault: calibration failed, a seam was silent, a worker cannot
    run, any ERROR verdict."""
    VIOLATED = 1
    """A requirement is violated, or an entry of the known failures is stale."""
    VACUOUS = 6
    """A check is vacuous on this engine: nothing could break it, so passing it proves nothing."""
    NOT_ENOUGH_OBSERVED = 4
    """Less could be observed than the level needs."""
    CONFORMANT = 0
    """Conformant at the level asked for; or no failure but known ones, and that level withheld."""
