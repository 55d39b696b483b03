"""STA: no state is kept between asks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.sabotage import Scene
from counterproof.strategies import Material, long_history
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import OMITTED, History
from counterproof_suites.engine.differences import first_difference
from counterproof_suites.engine.inputs import ANY, RECORD, every


def _few(material: Material) -> Iterable[History]:
    return [OMITTED, RECORD, History.of(long_history(20))]


FEW = Histories(_few, ANY.drawn, most=3)
"""Each ask opens two engines, so there are few of them."""


@check("STA-1", probes=every, histories=FEW, needs={"processes"})
def two_fresh_engines_give_the_same_bytes(case: Case, history: History) -> None:
    """In two processes whose hash seeds differ."""
    here = case.ask(history, fresh=True)
    there = case.elsewhere(history)
    where = first_difference(here.comparable(), there.comparable())
    require(
        here.bytes == there.bytes,
        "the same ask on two fresh engines, in two processes, gives two traces",
        there,
        (where,),
    )


@sabotage(two_fresh_engines_give_the_same_bytes, on="answer", witness=lambda _: RECORD)
def sources_in_another_order_with_history(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """The order of a set decides on the order of sources."""
    if not scene.said or not scene.hash_seed:
        return answer
    return {**answer, "sources": answer["sources"][::-1]}


@sabotage(
    two_fresh_engines_give_the_same_bytes, on="answer", witness=lambda _: OMITTED, forged=True
)
def process_shows_in_the_answer(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """For engines that cite one source at most."""
    return {**answer, "text": f"{answer['text']} #{scene.hash_seed}"} if scene.hash_seed else answer
