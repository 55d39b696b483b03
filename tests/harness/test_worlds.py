"""The built-in world: what its seed draws."""

from __future__ import annotations

import pytest

from counterproof.worlds import another_world, builtin_world

PLAIN = ("structured_hit", "structured_hit_en")


@pytest.mark.parametrize("id_", PLAIN)
def test_another_world_asks_for_other_figures(id_: str) -> None:
    """An engine that knows a world's questions by heart does not know this one's."""
    for seed in range(40):
        asked, other = builtin_world(seed).probe(id_), another_world(seed).probe(id_)
        assert asked.question != other.question
        assert asked.values != other.values
        assert asked.slots != other.slots


@pytest.mark.parametrize("id_", PLAIN)
def test_a_question_says_what_its_slots_say_and_is_answered_by_the_store(id_: str) -> None:
    """Of every seed: names, period, value and document belong together."""
    questions = set()
    for seed in range(12):
        world = builtin_world(seed)
        probe = world.probe(id_)
        (slots,) = probe.slots
        assert world.read_slots(probe.question)["entity"] == (slots.entity,)
        codes = {
            name: each.code for each in (*world.entities, *world.metrics) for name in each.names
        }
        (fact,) = (
            each
            for each in world.facts
            if (each.entity, each.metric, each.period)
            == (codes[slots.entity or ""], codes[slots.metric or ""], slots.period)
        )
        assert probe.values == (fact.value,)
        assert probe.sources == (fact.doc,)
        assert str(slots.period) in probe.question
        assert str(slots.metric) in probe.question
        questions.add(probe.question)
    assert len(questions) == 12
