"""Engines that know the kit's world by heart, and look like engines at every seam."""

from __future__ import annotations

from typing import Any

from counterproof import Answer, Source, World
from counterproof.worlds import Probe, WorldSpec, builtin_world
from engines.disguise import Ask
from engines.hostile.table import never

EVERY_SEED = 12
"""As many worlds in a row ask every question that there is."""


def _table(world: WorldSpec) -> dict[str, Probe]:
    return {probe.question: probe for probe in world.probes}


def _answer(probe: Probe | None) -> Answer:
    if probe is None or probe.kind in ("miss", "out-of-scope", "irrelevant"):
        return Answer("Nothing is known of that.", refused=True)
    if probe.kind == "clarification":
        return Answer("Which metric?")
    values = ", ".join(f"{each:g}" for each in probe.values) or "As the document says."
    return Answer(values, [Source(doc) for doc in probe.sources])


@never(3, "over a second world", seams=())
def knows_the_default_world(world: World) -> Ask:
    """Has the answers of the default world in a table, and reads nothing it is given."""
    table = _table(builtin_world(0))
    return lambda question, **history: _answer(table.get(question))


@never(3, "over a second world", seams=())
def knows_many_worlds(world: World) -> Ask:
    """Finds the seed of the world it is given among the first few, and looks the answers up."""
    shown = {each.value for each in world.facts}
    seeds = (s for s in range(20) if {each.value for each in builtin_world(s).facts} == shown)
    table = _table(builtin_world(next(seeds, 0)))
    return lambda question, **history: _answer(table.get(question))


def _by_its_own_facts(world: World, seeds: int = EVERY_SEED) -> Ask:
    """Knows some worlds' questions by heart, and takes the values from the one it is given."""
    table: dict[str, Probe] = {}
    for seed in range(seeds):
        table |= _table(builtin_world(seed))
    names = {name: each.code for each in (*world.entities, *world.metrics) for name in each.names}
    value = {(f.entity, f.metric, f.period): f.value for f in world.facts}

    def ask(question: str, **history: Any) -> Answer:
        probe = table.get(question)
        if probe is None or not probe.values:
            return _answer(probe)
        slots = [
            (names.get(str(s.entity), ""), names.get(str(s.metric), ""), str(s.period))
            for s in probe.slots
        ]
        text = ", ".join(f"{value[each]:g}" for each in slots)
        return Answer(text, [Source(doc) for doc in probe.sources])

    return ask


@never(4, "only the engine's answers can be seen", seams=())
def knows_the_questions(world: World) -> Ask:
    """Shows nothing but its answers, which are right."""
    return _by_its_own_facts(world)


@never(6, "vacuous", seams={"model", "retrieval"})
def crosses_the_seams_for_show(world: World) -> Ask:
    """Retrieves and asks the model for every question, and uses nothing of what comes back."""
    inner = _by_its_own_facts(world)
    table = _table(builtin_world(0))

    def search(query: str, **filters: Any) -> list[Any]:
        return [each for each in world.passages if each.doc in shown]

    shown: set[str] = set()
    retrieve = world.watch_retrieval(search)
    tool = {"type": "function", "function": {"name": "query", "parameters": {"type": "object"}}}

    def ask(question: str, **history: Any) -> Answer:
        turns = [
            {"role": r if r in ("user", "assistant") else "user", "content": t}
            for r, t in history.get("history") or ()
        ]
        system = {"role": "system", "content": "Answer."}
        asked = {"role": "user", "content": question}
        shown.clear()
        shown.update(table[question].sources if question in table else ())
        retrieve(question)
        world.model.complete([system, *turns, asked], [tool])
        return inner(question, **history)

    return ask
