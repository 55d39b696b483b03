"""How an exit is watched, what a session lets be seen, what is exposed; part of what adapters use.

This module runs inside the engine's own environment: the standard library alone, Python 3.10
and later, nothing else of the harness.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterproof.contract import Passage, Port

EXITS = frozenset({"link", "rerank"})
"""``link`` guards what reaches generation, ``rerank`` what reaches the judge of passages."""


@dataclass(frozen=True)
class Session:
    """One conversation an engine remembers slots of, as the kit holds it.

    Args:
        ask: ``ask(question, **history) -> Answer``, plain or async; one turn of the session.
        remembered: what the session remembers, as plain values (dict, list, str, numbers, None).
        takes_history: whether ``ask`` takes ``history`` at all.
    """

    ask: Callable[..., Any]
    remembered: Callable[[], Any]
    takes_history: bool = True


class Seams:
    """The seams of a :class:`counterproof.World` that few engines have."""

    _port: Port
    _sessions: list[Callable[[], Session]]
    _described: dict[str, Callable[[], Any]]

    def watch_exit(
        self,
        name: str,
        strip: Callable[[Iterable[Any]], Iterable[Any]],
        *,
        to_passage: Callable[[Any], Passage] | None = None,
        from_passage: Callable[[Passage], Any] | None = None,
    ) -> Callable[[Iterable[Any]], list[Any]]:
        """Wrap what strips passages at an exit, so that what it lets out crosses the seam.

        Args:
            name: ``link`` (guards what reaches generation) or ``rerank`` (what reaches the judge).
            strip: passages in, those that may leave out.
            to_passage: as for :meth:`counterproof.World.watch_retrieval`.
            from_passage: as there; both, or neither.

        Returns:
            The function to use in its place.

        Raises:
            TypeError: ``to_passage`` without ``from_passage``, or the reverse.
            ValueError: there is no exit of that name.
        """
        from counterproof.contract import Passage

        if name not in EXITS:
            raise ValueError(f"watch_exit: {name!r} is not one of {', '.join(sorted(EXITS))}")
        if (to_passage is None) != (from_passage is None):
            raise TypeError("watch_exit needs to_passage and from_passage, or neither")

        def shown(hit: Any) -> dict[str, Any]:
            return dataclasses.asdict(hit if to_passage is None else to_passage(hit))

        def watched(hits: Iterable[Any]) -> list[Any]:
            given = list(hits)
            released = list(strip(given))
            known = [*released, *given]
            kept = self._port.cross(
                "exit",
                {
                    "name": name,
                    "given": [shown(each) for each in given],
                    "released": [shown(each) for each in released],
                },
            )["released"]
            passages = [each if isinstance(each, int) else Passage(**each) for each in kept]
            return [
                known[each] if isinstance(each, int) else each if from_passage is None
                else from_passage(each)
                for each in passages
            ]  # fmt: skip

        return watched

    def session(self, make: Callable[[], Session]) -> None:
        """Let the kit hold conversations with the engine (claim ``session``).

        Args:
            make: opens a session that remembers nothing yet; called once for each conversation.
        """
        self._sessions[:] = [make]

    def expose(self, answer: Callable[..., Any], *, history: str = "history") -> None:
        """Let the kit read the signature of the engine's first-answer function (DEF-4).

        It is read only, never called.

        Args:
            answer: the function a caller of the engine gets a first answer from.
            history: the name of its parameter for the conversation.
        """
        from counterproof.signatures import described

        self._described["signature"] = lambda: described(answer, history)
