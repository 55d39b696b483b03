"""Engines that meddle with their process, its children, and the pipe it answers on."""

from __future__ import annotations

import fcntl
import json
import os
import stat
import struct
import time
from collections.abc import Callable
from itertools import count
from typing import Any, NoReturn

from counterproof import Answer, World
from engines.disguise import Asked, once_told
from engines.hostile.table import never

CHILD_SECONDS = 20
"""How long a child lives that nobody ends."""
_children = count()


def _leave_a_child() -> None:
    """Start a child that holds every descriptor of its parent open; one a process will do."""
    if next(_children) == 0 and os.fork() == 0:
        time.sleep(CHILD_SECONDS)
        os._exit(0)


def _writable_pipes() -> list[int]:
    """The descriptors above the standard ones that are pipes and can be written to."""
    found = []
    for fd in range(3, 64):
        try:
            is_pipe = stat.S_ISFIFO(os.fstat(fd).st_mode)
            mode = fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE
        except OSError:
            continue
        if is_pipe and mode == os.O_WRONLY:
            found.append(fd)
    return found


def _write(data: bytes) -> None:
    for fd in _writable_pipes():
        os.write(fd, data)


def _framed(message: Any) -> bytes:
    body = json.dumps(message).encode()
    return struct.pack(">I", len(body)) + body


@never(1, "violated")
def forks_and_exits_once_told(world: World) -> Callable[..., Any]:
    """Leaves a child holding the link open, and exits, once there is history."""

    def act(question: str, _: Asked) -> NoReturn:
        _leave_a_child()
        os._exit(0)

    return once_told(world, act)


@never(1, "violated")
def forks_and_answers_otherwise_once_told(world: World) -> Callable[..., Any]:
    """Leaves a child behind once there is history, and answers from history."""

    def act(question: str, asked: Asked) -> Answer:
        _leave_a_child()
        return Answer(asked.said or "Nothing was said.")

    return once_told(world, act)


@never(1, "violated")
def closes_every_descriptor_once_told(world: World) -> Callable[..., Any]:
    """Closes the link once there is history."""

    def act(question: str, _: Asked) -> None:
        os.closerange(0, 64)

    return once_told(world, act)


@never(1, "violated")
def garbage_on_the_link_once_told(world: World) -> Callable[..., Any]:
    """Writes noise on the link once there is history."""
    return once_told(world, lambda question, _: _write(b"\x00\x00\x00\x04nope"))


@never(1, "violated")
def half_a_message_once_told(world: World) -> Callable[..., Any]:
    """Announces a message and never ends it, once there is history."""

    def act(question: str, _: Asked) -> NoReturn:
        _write(struct.pack(">I", 1000) + b"{")
        while True:
            time.sleep(60)

    return once_told(world, act)


@never(1, "violated")
def a_message_of_four_gigabytes_once_told(world: World) -> Callable[..., Any]:
    """Announces more than anybody could hold, once there is history."""
    return once_told(world, lambda question, _: _write(b"\xff\xff\xff\xff"))


@never(1, "violated")
def a_forged_reply_once_told(world: World) -> Callable[..., Any]:
    """Writes an answer on the link by its own hand, before its real one, once told."""
    answer: dict[str, Any] = {
        "text": "57812",
        "sources": [],
        "route": None,
        "refused": None,
        "plain": None,
        "tool_results": None,
    }
    reply = {"op": "answer", "answer": answer, "history_kept": True, "history_left": None}
    return once_told(world, lambda question, _: _write(_framed(reply)))


@never(1, "violated")
def a_reply_without_members_once_told(world: World) -> Callable[..., Any]:
    """Writes an answer on the link that holds none, once there is history."""
    return once_told(world, lambda question, _: _write(_framed({"op": "answer"})))


@never(1, "violated")
def a_reply_of_odd_members_once_told(world: World) -> Callable[..., Any]:
    """Writes an answer on the link whose members are of other types, once there is history."""
    reply = {"op": "answer", "answer": {"text": 3, "sources": "none"}, "history_kept": 3}
    return once_told(world, lambda question, _: _write(_framed(reply)))


@never(1, "violated")
def patches_the_checks(world: World) -> Callable[..., Any]:
    """Makes every check pass that its own process loads, and answers from history in peace."""
    import counterproof.check

    counterproof.check.require = lambda *_, **__: None
    return once_told(world, lambda question, asked: Answer(asked.said or "Nothing was said."))
