"""Turns of a session: what is asked first, what follows it up, and what that must state."""

from __future__ import annotations

from dataclasses import dataclass

from counterproof.case import Case
from counterproof.model.behaviours import COOPERATIVE
from counterproof.trace import OMITTED, Ask, History
from counterproof.worlds import Probe, WorldSpec


@dataclass(frozen=True)
class Opening:
    """A question that names entity and period, and one that leaves them out.

    Args:
        probe: the first question's probe.
        follow_up: the second question, which names another metric alone.
        value: the figure of that metric, for the entity and the period of the first.
    """

    probe: Probe
    follow_up: str
    value: float

    def first(self, history: History = OMITTED) -> Ask:
        """The first turn of a session.

        Args:
            history: a history given along with it.
        """
        return turn(self.probe, history)

    def then(self, *before: Ask) -> Ask:
        """The follow-up, as a later turn.

        Args:
            before: the turns before it, in order.
        """
        return Ask(self.probe.id, self.follow_up, session=before)


def turn(probe: Probe, history: History = OMITTED, before: tuple[Ask, ...] = ()) -> Ask:
    """A probe's question as a turn of a session.

    Args:
        probe: the probe.
        history: a history given along with it.
        before: the turns before it, in order.
    """
    return Ask(probe.id, probe.question, history, COOPERATIVE, session=before)


def heading(probe: Probe) -> bool:
    """Probes a session may open with: one figure, found."""
    return probe.claim is None and probe.kind == "hit" and len(probe.slots) == 1


def opening(world: WorldSpec, probe: Probe) -> Opening | None:
    """A session that opens with a probe, or None where the world has no second figure for it."""
    if not heading(probe):
        return None
    slots = probe.slots[0]
    entity = next((e.code for e in world.entities if slots.entity in (e.code, *e.names)), None)
    chinese = not probe.question.isascii()
    for metric in world.metrics:
        if slots.metric in (metric.code, *metric.names):
            continue
        name = next((n for n in metric.names if n.isascii() != chinese), metric.names[0])
        for fact in world.facts:
            if (fact.entity, fact.metric, fact.period) == (entity, metric.code, slots.period):
                asked = f"{name}是多少？" if chinese else f"What was the {name}?"
                return Opening(probe, asked, fact.value)
    return None


def openings(world: WorldSpec) -> list[Opening]:
    """Every session a world has, in the order of its probes."""
    return [each for each in (opening(world, probe) for probe in world.probes) if each]


def conversable(case: Case) -> str | None:
    """Why no session can be held over the world, or None."""
    if len({each.probe.slots for each in openings(case.world)}) > 1:
        return None
    return "the world holds no two questions for a figure that a session can open with"


def another(world: WorldSpec, probe: Probe) -> Probe:
    """A probe of another figure than this one's, so that it shows which of the two was meant."""
    own = set(probe.slots)
    return next(each.probe for each in openings(world) if not own & set(each.probe.slots))
