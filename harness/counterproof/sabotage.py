"""Sabotages: alterations of crossings that make an engine behave as if broken in one way.

A sabotage is a set of hooks, identity where it names none. It happens to the vendor's own engine:
a query altered here is the query the engine's retriever really gets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from counterproof.trace import Ask, Crossing, Trace
from counterproof.worlds import Probe, WorldSpec

HOOKS = (
    "on_ask", "on_parse", "on_query", "on_passages", "on_messages", "on_answer", "on_record",
    "on_state", "on_description", "on_end", "on_request", "on_response",
)  # fmt: skip


@dataclass(frozen=True)
class Scene:
    """What a sabotage may know of the ask it alters.

    Args:
        ask: the ask as the check put it.
        world: the world the engine is opened over.
        number: how many asks the sabotaged engine has been put before.
        crossings: what has crossed in this ask so far.
        hash_seed: the PYTHONHASHSEED of the engine's process (STA-1).
        reducer: what of a history the engine keeps, where its adapter declares that (MSG-4).
        heard: the texts of the last other history put to the engine's process, be it before this
            ask or at the same time (DEF-3, STA-3); none where there was none.
    """

    ask: Ask
    world: WorldSpec
    number: int = 0
    crossings: tuple[Crossing, ...] = ()
    hash_seed: int = 0
    reducer: str | None = None
    heard: tuple[str, ...] = ()

    @property
    def probe(self) -> Probe:
        """The probe asked."""
        return self.world.probe(self.ask.probe)

    @property
    def said(self) -> tuple[str, ...]:
        """The texts of history's turns; none without history."""
        return self.ask.history.texts

    @property
    def last_reply(self) -> str:
        """The text of the model's last reply; empty where it gave none."""
        for crossing in reversed(self.crossings):
            if crossing.seam == "model":
                return str((crossing.data["reply"] or {}).get("content") or "")
        return ""


Hook = Callable[[Scene, Any], Any]


@dataclass(frozen=True)
class Sabotage:
    """One way to be broken.

    Args:
        name: as certificates print it, such as ``history-in-query``.
        hooks: by hook name, a function of the :class:`Scene` and of what crosses. It returns
            what takes its place: for ``on_ask`` an :class:`Ask`, for ``on_record`` the tuple of
            crossings as they are kept, for ``on_state`` what the worker tells of the caller's
            history objects, for ``on_description`` what is described, by seam, for ``on_end`` the
            answer as plain values or the :class:`Failure` the ask ends in; for the others plain
            values of the crossing's own shape.
        forged: whether it edits only what is reported, not what the engine does.

    Raises:
        ValueError: a hook that does not exist, or none at all.
    """

    name: str
    hooks: Mapping[str, Hook]
    forged: bool = False

    def __post_init__(self) -> None:
        unknown = sorted(set(self.hooks) - set(HOOKS))
        if unknown or not self.hooks:
            raise ValueError(
                f"sabotage {self.name}: hooks are of {', '.join(HOOKS)}, not {unknown}"
            )

    def apply(self, hook: str, scene: Scene, value: Any) -> Any:
        """What takes the place of ``value`` at that hook; ``value`` where it alters nothing."""
        altering = self.hooks.get(hook)
        return value if altering is None else altering(scene, value)


_SEEN_ITSELF = {
    "on_messages", "on_answer", "on_record", "on_state", "on_description", "on_end",
    "on_request", "on_response",
}  # fmt: skip


def landed(clean: Trace, sabotaged: Trace) -> bool:
    """Whether a sabotage really changed what the engine did (design §3).

    At the model seam and the answer the alteration itself is seen. The parse and retrieval seams
    are the vendor's word, passages included: there a model message or the answer must differ,
    or an engine that reports one query and uses another would pass.

    Args:
        clean: the same ask on the same engine without the sabotage.
        sabotaged: the ask with it.
    """
    if sabotaged.altered & _SEEN_ITSELF:
        return True
    return bool(sabotaged.altered) and _seen(clean) != _seen(sabotaged)


def _seen(trace: Trace) -> tuple[Any, ...]:
    sent = [(call.messages, call.tools) for call in trace.calls]
    return sent, trace.answer, trace.failure
