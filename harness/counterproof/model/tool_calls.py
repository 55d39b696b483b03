"""How the scripted model fills in an engine's tool: rightly, or wrongly in one named way."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from counterproof.worlds import Probe, Slots, WorldSpec

_ALIASES = {
    "entity": ("entity", "company", "region", "subject", "organisation", "organization", "name"),
    "metric": ("metric", "measure", "indicator", "kpi", "field"),
    "period": ("period", "year", "date", "quarter", "time"),
}


def read(world: WorldSpec, probe: Probe, question: str) -> tuple[Slots, ...]:
    """What a model would take a question to ask for.

    The probe's own slots where the question names just these; otherwise the first entity,
    metric and period it names, the probe's where it names none.
    """
    found = world.read_slots(question)
    own = {
        axis: tuple(dict.fromkeys(getattr(s, axis) for s in probe.slots if getattr(s, axis)))
        for axis in _ALIASES
    }
    if all(_folded(found[axis]) == _folded(own[axis]) or not found[axis] for axis in _ALIASES):
        return probe.slots
    first = {axis: (found[axis] or own[axis] or (None,))[0] for axis in _ALIASES}
    return (Slots(**first),)


def _folded(names: Sequence[str]) -> list[str]:
    return [name.casefold().replace(" ", "") for name in names]


def make(
    world: WorldSpec,
    probe: Probe,
    slots: Sequence[Slots],
    tools: Sequence[Mapping[str, Any]],
    given: tuple[str, Mapping[str, Any]] | None,
) -> list[dict[str, Any]]:
    """The tool calls for these slots, without ids; as the adapter says, where it does."""
    calls = []
    for asked in slots or (Slots(),):
        if given is None:
            name, arguments = _by_schema(tools, asked)
        else:
            name, arguments = given[0], _replaced(given[1], probe, asked)
        calls.append(_call(name, arguments))
    return calls


def _by_schema(tools: Sequence[Mapping[str, Any]], asked: Slots) -> tuple[str, dict[str, Any]]:
    best: tuple[str, dict[str, Any]] = ("", {})
    for tool in tools:
        function = tool.get("function", tool)
        properties = (function.get("parameters") or {}).get("properties") or {}
        arguments = {}
        for member in properties:
            axis = next(
                (a for a in _ALIASES if any(w in member.lower() for w in _ALIASES[a])), None
            )
            value = getattr(asked, axis) if axis else None
            if value is not None:
                arguments[member] = value
        if not best[0] or len(arguments) > len(best[1]):
            best = (str(function.get("name", "")), arguments)
    return best


def _replaced(arguments: Mapping[str, Any], probe: Probe, asked: Slots) -> dict[str, Any]:
    """The adapter's arguments, with the probe's slots replaced by those the question names."""
    own = probe.slots[0] if probe.slots else Slots()
    swap = {
        getattr(own, axis): getattr(asked, axis)
        for axis in _ALIASES
        if getattr(own, axis) and getattr(asked, axis)
    }
    return {k: swap.get(v, v) if isinstance(v, str) else v for k, v in arguments.items()}


def _call(name: str, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"id": "", "type": "function", "function": {"name": name, "arguments": text}}


def spoil(behaviour: str, calls: list[dict[str, Any]], world: WorldSpec) -> list[dict[str, Any]]:
    """The calls as the behaviour makes them; unchanged where it calls rightly."""
    if not calls:
        return calls
    first = calls[0]["function"]
    name, text = first["name"], first["arguments"]
    if behaviour == "unknown-tool":
        return [_call("make_up_figure", text)]
    if behaviour == "malformed-arguments":
        return [_call(name, text[: max(1, len(text) // 2)])]
    if behaviour == "non-object-arguments":
        return [_call(name, '["' + name + '"]')]
    if behaviour == "wrong-entity":
        return [_call(name, _elsewhere(text, world, "entity"))]
    if behaviour == "wrong-period":
        return [_call(name, _elsewhere(text, world, "period"))]
    if behaviour == "parallel":
        return [*calls, _call(name, _elsewhere(text, world, "period"))]
    if behaviour == "duplicate-ids":
        return [*calls, _call(name, text)]
    return calls


def _elsewhere(text: str, world: WorldSpec, axis: str) -> str:
    """Arguments that name another entity or period, one the world has facts for."""
    arguments = json.loads(text)
    spellings = {n.casefold(): e.code for e in world.entities for n in e.names}
    for member, value in arguments.items():
        if any(word in member.lower() for word in _ALIASES[axis]) and isinstance(value, str):
            now = spellings.get(value.casefold(), value)
            for fact in world.facts:
                other = fact.entity if axis == "entity" else fact.period
                if other != now:
                    names = {e.code: e.names[0] for e in world.entities}
                    arguments[member] = names.get(other, other)
                    break
            break
    return json.dumps(arguments, ensure_ascii=False)
