"""Turns of a session."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from counterproof.trace import Ask, History
from counterproof.worlds import WorldSpec, builtin_world
from counterproof_suites.engine.follow_ups import another, conversable, opening, openings

WORLD = builtin_world(0)
SAID = History.of([("user", "x")])


def over(**changed: Any) -> WorldSpec:
    return WORLD.model_copy(update=changed)


def test_a_follow_up_names_another_metric_alone() -> None:
    """In the language of the first question; its figure is the store's."""
    asked = {each.probe.id: (each.follow_up, each.value) for each in openings(WORLD)}
    values = {(f.entity, f.metric, f.period): f.value for f in WORLD.facts}
    assert asked == {
        "structured_hit": ("营运利润是多少？", values["HK", "PROFIT", "FY2025"]),
        "structured_hit_en": ("What was the revenue?", values["CN", "REVENUE", "FY2024"]),
    }


@pytest.mark.parametrize("probe", ["multi", "composite", "structured_miss", "narrative_hit"])
def test_other_probes_open_no_session(probe: str) -> None:
    assert opening(WORLD, WORLD.probe(probe)) is None


def test_a_world_without_a_second_figure_opens_none() -> None:
    """Of the same entity and period."""
    one = over(facts=tuple(each for each in WORLD.facts if each.metric == "REVENUE"))
    assert opening(one, WORLD.probe("structured_hit")) is None
    assert opening(one, WORLD.probe("structured_hit_en")) is not None


def test_turns_are_asks_of_a_session() -> None:
    held = openings(WORLD)[0]
    first = held.first(SAID)
    assert first == Ask(held.probe.id, held.probe.question, SAID, session=())
    assert held.then(first) == Ask(held.probe.id, held.follow_up, session=(first,))


def test_another_question_is_about_something_else() -> None:
    for probe in WORLD.probes:
        assert not set(another(WORLD, probe).slots) & set(probe.slots)


@pytest.mark.parametrize(
    ("world", "can"),
    [
        (WORLD, True),
        (over(facts=()), False),
        (over(probes=tuple(p for p in WORLD.probes if p.id != "structured_hit")), False),
    ],
)
def test_two_openings_are_needed(world: WorldSpec, can: bool) -> None:
    case: Any = SimpleNamespace(world=world)
    assert (conversable(case) is None) == can
