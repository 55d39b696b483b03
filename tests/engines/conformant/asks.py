"""Engines that are asked in another manner, or that promise less."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from counterproof import Answer, World
from engines.conformant.table import conformant
from engines.disguise import Ask, reference_with


@conformant(concurrency="async")
def asynchronous(world: World) -> Callable[..., Awaitable[Answer]]:
    """Is asked by a coroutine function."""
    inner = reference_with(world)

    async def ask(question: str, **history: Any) -> Answer:
        await asyncio.sleep(0)
        return inner(question, **history)

    return ask


@conformant(concurrency="async")
def asynchronous_over_a_thread(world: World) -> Callable[..., Awaitable[Answer]]:
    """Is asked by a coroutine function that leaves the work to a thread."""
    inner = reference_with(world)

    async def ask(question: str, **history: Any) -> Answer:
        return await asyncio.to_thread(inner, question, **history)

    return ask


@conformant(concurrency="thread")
def in_a_thread_of_its_own(world: World) -> Ask:
    """Answers each ask in a thread of a pool."""
    inner, pool = reference_with(world), ThreadPoolExecutor(1)

    def ask(question: str, **history: Any) -> Answer:
        return pool.submit(inner, question, **history).result()

    return ask


@conformant()
def history_by_default_none(world: World) -> Ask:
    """Names its keyword, and takes what is left out for ``None``."""
    inner = reference_with(world)

    def ask(question: str, *, history: Sequence[tuple[str, str]] | None = None) -> Answer:
        return inner(question, history=history)

    return ask


@conformant(channels={"narrative"}, claims={"restricted"})
def narrative_only(world: World) -> Ask:
    """Explains, and answers no question for figures."""
    return reference_with(world)


@conformant(
    channels={"structured"},
    claims={"multi", "clarification", "security-gate"},
    seams={"model", "parse"},
)
def structured_only(world: World) -> Ask:
    """Answers questions for figures, and explains nothing."""
    return reference_with(world)


@conformant(seams={"model", "retrieval"})
def without_the_parse_seam(world: World) -> Ask:
    """Does not let its parser be watched."""
    return reference_with(world)


@conformant(claims={"composite", "multi", "clarification", "security-gate"})
def without_the_restricted_claim(world: World) -> Ask:
    """Promises nothing about restricted passages."""
    return reference_with(world)


@conformant(claims=())
def without_any_claim(world: World) -> Ask:
    """Answers plain questions of both channels, and promises no more."""
    return reference_with(world)
