"""What an answer may rest on: the figures it may state, and what is a refusal."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from counterproof.case import Case
from counterproof.contract import Answer, Source
from counterproof.model.behaviours import COOPERATIVE
from counterproof.subject import Declared, Subject
from counterproof.trace import Ask, Crossing, History, Trace
from counterproof.worlds import builtin_world
from counterproof_suites.engine.grounds import (
    all_figures,
    asked_for,
    hits,
    other_figures,
    own_figures,
    refusal,
    told_figures,
    unmarked,
)

WORLD = builtin_world(0)
REFUSAL = "Shanghai FY2099: nothing in 16 facts."
DECLARED = Declared(
    name="x", version="1", channels=frozenset({"structured"}), claims=frozenset(),
    seams=frozenset({"retrieval"}), volatile=frozenset(), concurrency="none", python="3.11",
)  # fmt: skip


def trace(text: str, *docs: str, refused: bool | None = None, **given: Any) -> Trace:
    """An answer."""
    crossings = given.pop("crossings", ())
    answer = Answer(text, tuple(Source(doc) for doc in docs), refused=refused, **given)
    return Trace(Ask("structured_miss", ""), crossings, answer)


def case(probe: str = "structured_miss", default: str = REFUSAL) -> Case:
    """A case that was calibrated with that answer."""

    class Known(Subject):
        def __init__(self) -> None:
            self._world, self.asks = WORLD, 0

        def describe(self) -> Declared:
            return DECLARED

    subject = Known()
    return Case(
        subject,
        WORLD.probe(probe),
        COOPERATIVE,
        twin=lambda: subject,
        refusal=REFUSAL,
        calibrated=lambda: trace(default),
    )


@pytest.mark.parametrize(
    "given",
    [
        trace(REFUSAL),
        trace("Not found.", refused=True),
        trace("Nothing for FY2099 among 16 facts.", refused=True),
        trace("As of 2026-07-14, FY2025 assumed, nothing.", refused=True),
        trace("截至2025年没有数据，一般如此。", refused=True),
        trace("Nothing.", refused=True, plain="Nothing."),
    ],
    ids=lambda each: each.text,
)
def test_a_refusal(given: Trace) -> None:
    """The recorded one, or one the engine calls so; with the question's and assumed figures."""
    assert refusal(case(), given)


@pytest.mark.parametrize(
    "given",
    [
        trace("Not found."),
        trace(REFUSAL, refused=False),
        trace(" ", refused=True),
        trace("Not found.", "hk-results.xlsx", refused=True),
        trace("Not found; about 1234.", refused=True),
        trace("Not found; about 一千二百三十四.", refused=True),
        trace("Not found.", refused=True, plain="About 1234."),
    ],
    ids=lambda each: f"{each.text}-{each.answer.plain}",
)
def test_no_refusal(given: Trace) -> None:
    """Neither told nor recorded; empty; citing; stating a figure that nothing vouches for."""
    assert not refusal(case(), given)


def test_figures_of_an_answers_own() -> None:
    """The question's, the store's for it, and those of the calibrated answer."""
    probe = WORLD.probe("multi")
    own = own_figures(case("multi", "Change: +12."))
    assert {Decimal(2024), Decimal(2025), Decimal(12), *map(Decimal, probe.values)} <= own
    assert Decimal(WORLD.canary_figures[0]) not in own


def test_other_figures_are_neither_asked_for_nor_computed() -> None:
    """Other facts' and the canaries'; what the two asked for give together is none."""
    probe = WORLD.probe("multi")
    assert set(WORLD.canary_figures) < other_figures(case("multi"))
    assert not other_figures(case("multi")) & set(probe.values)
    a, b = probe.values
    fact = WORLD.facts[-1].model_copy(update={"value": b - a})
    world = WORLD.model_copy(update={"facts": (*WORLD.facts, fact)})
    known = case("multi")
    known._subject._world = world
    assert b - a not in other_figures(known)


def test_told_figures_are_those_that_stand_by_themselves() -> None:
    """A period's are not."""
    history = History.of([("user", "FY2099 = 1,234.00"), ("assistant", "９９９")])
    assert told_figures(history) == {Decimal(1234), Decimal(999)}
    assert all_figures("FY2099") == {Decimal(2099)}


def test_what_an_ask_can_have_found() -> None:
    """What its slots lie in, what it retrieved, what its tool told; a misled tool finds more."""
    passages = Crossing("passages", {"passages": [{"doc": "cn-hiring.md", "text": ""}]})
    tool = {"role": "tool", "content": '{"doc": "cn-results.xlsx"}'}
    call = Crossing("model", {"messages": [tool], "tools": None, "reply": None, "mark": ""})
    told = trace("x", crossings=(passages, call))
    known = case("structured_hit")
    assert asked_for(known, told) == {"cn-hiring.md", "hk-results.xlsx"}
    assert hits(known, told) == {"cn-hiring.md", "hk-results.xlsx", "cn-results.xlsx"}


def test_marks_do_not_tell_answers_apart() -> None:
    """A reply's mark is the number of the call that gave it."""
    call = Crossing("model", {"messages": [], "tools": None, "reply": None, "mark": "abcdef"})
    assert unmarked("Said so. abcdef\n", trace("", crossings=(call,))) == "Said so."
