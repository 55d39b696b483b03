"""How the kit reaches an engine: what a worker's link and a service's have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

from counterproof.worker.link import Cross
from counterproof.worlds import WorldSpec


class Link(Protocol):
    """Reaches one engine; what it is asked, and replies, is what the worker takes and gives.

    Attributes:
        hash_seed: the PYTHONHASHSEED of the engine's process, where it is the kit's (STA-1).
    """

    hash_seed: int

    @property
    def target(self) -> Target:
        """What is reached."""
        ...

    @property
    def running(self) -> bool:
        """Whether the engine's process is up."""
        ...

    def start(self) -> None:
        """Start it; raises WorkerDied where it cannot be."""
        ...

    def close(self) -> None:
        """End it, or give it up; safe to call twice."""
        ...

    def open(self, world: WorldSpec, cross: Cross) -> dict[str, Any]:
        """Open the engine anew over a world; raises WorkerDied."""
        ...

    def request(
        self, message: Mapping[str, Any], cross: Cross | None = None, seconds: float | None = None
    ) -> dict[str, Any]:
        """Have one request answered, its crossings served; raises WorkerDied."""
        ...


class Connection(Protocol):
    """Gives links to one engine, and ends what they share."""

    def link(self, *, hash_seed: int = 0, untold: bool = False) -> Link:
        """A link to a process with that hash seed, or to one that is never told a history."""
        ...

    def close(self) -> None:
        """End what the links share."""
        ...


class Target(Protocol):
    """What is certified and how it is reached."""

    @property
    def adapter(self) -> str:
        """What messages and certificates call it."""
        ...

    @property
    def kind(self) -> Literal["engine", "service"]:
        """What sort of thing it is."""
        ...

    @property
    def transport(self) -> str:
        """How it is reached, in a word."""
        ...

    @property
    def unproved(self) -> tuple[str, ...]:
        """What this way of reaching it leaves unproved, a sentence each."""
        ...

    def connect(self) -> Connection:
        """What gives links to it."""
        ...
