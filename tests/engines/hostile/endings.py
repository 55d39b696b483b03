"""Engines that end an ask, or their process, in some other way than with an answer."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, NoReturn

from counterproof import World
from engines.disguise import Asked, once_told, reference_with
from engines.hostile.table import never


class _CannotBeTold(Exception):  # noqa: N818  # it is no error of the engine's own kind
    """An exception that ends the process of whoever asks what it says."""

    def __str__(self) -> str:
        raise SystemExit(0)


def _always(end: Callable[[], NoReturn]) -> Callable[..., Any]:
    return lambda question, **history: end()


def _once_told(world: World, end: Callable[[], NoReturn]) -> Callable[..., Any]:
    return once_told(world, lambda question, asked: end())


def _raise(error: BaseException) -> NoReturn:
    raise error


def _hang() -> NoReturn:
    while True:
        time.sleep(60)


def _spin() -> NoReturn:
    while True:
        pass


def _stop() -> NoReturn:
    os.kill(os.getpid(), signal.SIGSTOP)
    raise AssertionError("stopped")


def _kill() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("killed")


@never(3, "cannot be opened: RuntimeError: no such index")
def raises_when_opened(world: World) -> Callable[..., Any]:
    """Cannot be opened over any world."""
    raise RuntimeError("no such index")


@never(3, "cannot be opened: the worker process ended with status 0")
def exits_when_opened(world: World) -> Callable[..., Any]:
    """Ends its process, with status 0, when it is opened."""
    os._exit(0)


@never(1, "violated")
def raises_at_the_keyword(world: World) -> Callable[..., Any]:
    """Does not know the keyword ``history``, so that even None is refused (DEF-1)."""
    inner = reference_with(world)
    return lambda question: inner(question)


@never(1, "violated")
def raises_what_cannot_be_told(world: World) -> Callable[..., Any]:
    """Raises, once told, what ends the process of whoever wants its message."""
    return _once_told(world, lambda: _raise(_CannotBeTold()))


@never(1, "violated")
def spins_once_told(world: World) -> Callable[..., Any]:
    """The same, at full speed."""
    return _once_told(world, _spin)


@never(1, "violated")
def stops_itself_once_told(world: World) -> Callable[..., Any]:
    """Stops its process once there is history, so that not even a signal handler runs."""
    return _once_told(world, _stop)


@never(1, "violated")
def sys_exits_once_told(world: World) -> Callable[..., Any]:
    """Calls ``sys.exit(0)`` once there is history, which a shell takes for success."""
    return _once_told(world, lambda: sys.exit(0))


@never(1, "violated")
def kills_itself_once_told(world: World) -> Callable[..., Any]:
    """Kills its process once there is history."""
    return _once_told(world, _kill)


@never(1, "violated")
def leaves_as_a_generator_once_told(world: World) -> Callable[..., Any]:
    """Raises GeneratorExit once there is history, which ``except Exception`` lets by."""
    return _once_told(world, lambda: _raise(GeneratorExit()))


@never(1, "violated")
def interrupts_a_coroutine_once_told(world: World) -> Callable[..., Any]:
    """Raises KeyboardInterrupt inside the event loop once there is history."""

    async def interrupted(question: str, asked: Asked) -> NoReturn:
        await asyncio.sleep(0)
        raise KeyboardInterrupt

    return once_told(world, interrupted)


@never(1, "violated")
def cancels_itself_once_told(world: World) -> Callable[..., Any]:
    """Cancels its own coroutine once there is history."""

    async def cancelled(question: str, asked: Asked) -> NoReturn:
        raise asyncio.CancelledError

    return once_told(world, cancelled)
