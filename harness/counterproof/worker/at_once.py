"""Several asks put at once, by threads or by one event loop, so that they really overlap."""

from __future__ import annotations

import contextvars
import threading
from typing import Any, Callable, Coroutine, Dict, List, Optional, Sequence

ASK: contextvars.ContextVar[Optional[int]] = contextvars.ContextVar("ask", default=None)
"""Which of the asks put at once this is; threads of an engine's own may have lost it."""

_PATIENCE = 0.1
"""Seconds an ask waits at a seam for the others to come to one: they may wait for it in turn."""

Reply = Dict[str, Any]


class Meeting:
    """Holds each ask at a seam until every other has come to one, or has ended.

    Without it an engine so quick that a thread is never interrupted would be asked one question
    after the other. An engine that lets one ask wait for another is not held up: once nobody has
    come in time, nobody is waited for any more.

    Args:
        count: how many asks there are.
    """

    def __init__(self, count: int) -> None:
        self._running = count
        self._waiting = 0
        self._round = 0
        self._over = False
        self._changed = threading.Condition()

    def wait(self) -> None:
        """Wait for the others."""
        with self._changed:
            if self._over:
                return
            now = self._round
            self._waiting += 1
            if self._waiting >= self._running:
                self._next()
                return
            came = self._changed.wait_for(lambda: self._round != now, _PATIENCE)
            if not came:
                self._over = True
                self._next()

    def leave(self) -> None:
        """An ask has ended."""
        with self._changed:
            self._running -= 1
            if 0 < self._running <= self._waiting:
                self._next()

    def _next(self) -> None:
        self._waiting = 0
        self._round += 1
        self._changed.notify_all()


def in_threads(answers: Sequence[Callable[[], Reply]], meeting: Meeting) -> List[Reply]:
    """The replies of asks that are each put in a thread of its own.

    Args:
        answers: puts an ask and gives its reply; never raises.
        meeting: where the asks wait for each other.
    """
    replies: List[Reply] = [{}] * len(answers)

    def run(number: int) -> None:
        ASK.set(number)
        try:
            replies[number] = answers[number]()
        finally:
            meeting.leave()

    threads = [
        threading.Thread(target=run, args=(number,), daemon=True) for number in range(len(answers))
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return replies


async def in_tasks(answers: Sequence[Callable[[], Coroutine[Any, Any, Reply]]]) -> List[Reply]:
    """The replies of asks that are each put in a task of its own.

    Args:
        answers: puts an ask and gives its reply; never raises.
    """
    import asyncio

    async def run(number: int) -> Reply:
        ASK.set(number)
        return await answers[number]()

    return list(await asyncio.gather(*map(run, range(len(answers)))))
