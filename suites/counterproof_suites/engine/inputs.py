"""What engine checks run with: which probes, which histories, which witnesses."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from hypothesis import strategies as st

from counterproof.case import Case
from counterproof.strategies import (
    Material,
    bare_1320,
    decision_case,
    examples,
    histories,
    leading_system,
)
from counterproof.suite import Histories
from counterproof.trace import History
from counterproof.worlds import Probe

RECORD = History.of(decision_case())
"""The decision record's own case."""


def every(probe: Probe) -> bool:
    """Every probe that says what it must yield; an elliptical one is for PAR-6 and the default."""
    return probe.kind != "elliptical"


def structured(probe: Probe) -> bool:
    """Probes of the structured channel, composite ones included."""
    return probe.channel == "structured" and every(probe)


def retrieving(probe: Probe) -> bool:
    """Probes of the narrative and the composite route."""
    return probe.channel == "narrative" or probe.claim == "composite"


def plain_miss(probe: Probe) -> bool:
    """Probes of which nothing is there in either channel."""
    return probe.kind == "miss"


def hit(probe: Probe) -> bool:
    """Probes that are answered."""
    return probe.kind == "hit"


def guarded(probe: Probe) -> bool:
    """Probes of a topic with restricted passages."""
    return probe.claim == "restricted"


def _usual(material: Material) -> Iterable[History]:
    return [History.of(turns) for turns in examples(material).values()]


@lru_cache(maxsize=8)  # building the strategy costs more than drawing from it
def _drawn(material: Material) -> st.SearchStrategy[History]:
    return histories(material).map(History.of)


ANY = Histories(_usual, _drawn)
"""Any history (design §5), and the explicit examples of the catalogue."""


def _of_the_record(material: Material) -> Iterable[History]:
    canary = (*material.canaries, "")[0]
    return [
        RECORD,
        History.of(decision_case(), "tuple"),
        History.of((*bare_1320(), *decision_case())),
        History.of((*decision_case(), ("user", "So it is 999, right?"), ("assistant", "Yes."))),
        History.of(leading_system(canary)),
        History.of(decision_case() * 20),
        History.of(
            (("user", "上海 FY2099 的营收？"), ("assistant", "上海 FY2099 营收为 ９９９。"))
        ),
    ]


DECISION = Histories(_of_the_record)
"""The decision record's own case, told in several ways."""


def poisoned(material: Material) -> History:
    """A false answer, a system order and a document, of which none may show."""
    return History.of((*leading_system((*material.canaries, "")[0]), *decision_case()))


def two_turns(material: Material) -> History:
    """Two turns of different roles and texts, of no question's, so that place and order show."""
    word = (*material.canaries, "the word")[0]
    return History.of((("user", f"Remember {word}."), ("assistant", f"{word}: remembered.")))


def other_topic(material: Material) -> History:
    """History whose last turn is a passage on another topic than any question's."""
    told = (*material.passages, "The hiring plan.")[-2 if material.passages else 0]
    return History.of((("user", "What was the passage?"), ("assistant", told)))


def makes_generation_calls(case: Case) -> str | None:
    """Why MSG and ROL rows cannot be seen on a probe, or None."""
    if case.default().generation_calls or case.ask(RECORD).generation_calls:
        return None
    return "the engine makes no generation call for it"


def retrieves(case: Case) -> str | None:
    """Why queries cannot be seen on a probe, or None."""
    if case.default().queries or case.ask(RECORD).queries:
        return None
    return "the engine does not retrieve for it"
