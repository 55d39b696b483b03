"""RES: what leaves by the exits, to the model that answers and to the judge of passages."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.sabotage import Scene
from counterproof.strategies import Material, examples
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import OMITTED, Ask, Crossing, History, Trace
from counterproof_suites.engine.closed import leaked, written
from counterproof_suites.engine.inputs import guarded
from counterproof_suites.engine.restricted import BOTH_FORMS

LINK, RERANK = "link", "rerank"


def _two_forms(material: Material) -> Iterable[History]:
    return [OMITTED, History.of(examples(material).get("restricted-words", ()))]


TWO_FORMS = Histories(_two_forms)
"""Without history, and with one that quotes the restricted words; these two alone."""


def _calls_the_model(case: Case) -> str | None:
    return None if case.default().calls else "the engine makes no model call for it"


@check("RES-2", probes=guarded, histories=BOTH_FORMS, observable=_calls_the_model)
def nothing_restricted_is_sent_to_the_model(case: Case, history: History) -> None:
    """Whatever the call is for; turns of history that the caller gave are not the engine's."""
    trace = case.ask(history)
    for pointer, text in written(case.world, trace):
        found = leaked(case.world, text)
        require(
            not found,
            f"restricted text is in a message the engine wrote for the model: {', '.join(found)}",
            trace,
            (pointer, *found),
        )


def _names(case: Case) -> set[str]:
    return {each.data["name"] for each in case.default().crossings if each.seam == "exit"}


def _has_exits(case: Case) -> str | None:
    return None if _names(case) else "no passage comes by an exit for it"


def _has_both(case: Case) -> str | None:
    lacking = sorted({LINK, RERANK} - _names(case))
    return f"nothing comes by the exit {' or '.join(lacking)} for it" if lacking else None


def _require_shut(case: Case, trace: Trace, name: str | None, message: str) -> None:
    for number, passage in trace.released(name):
        found = leaked(case.world, str(passage["text"]))
        exit_ = trace.crossings[number].data["name"]
        require(
            not found,
            message.format(exit=exit_, doc=passage["doc"]),
            trace,
            (f"/crossings/{number}/released", *found),
        )


@check("RES-3", probes=guarded, histories=BOTH_FORMS, observable=_has_exits)
def nothing_restricted_leaves_by_an_exit(case: Case, history: History) -> None:
    """Whatever an exit is given, what it lets out is free of it."""
    trace = case.ask(history)
    _require_shut(case, trace, None, "the exit {exit} lets a restricted passage out, of {doc}")


@check("RES-3", probes=guarded, histories=TWO_FORMS, observable=_has_both)
def link_stays_shut_when_rerank_is_open(case: Case, history: History) -> None:
    """Restricted passages that got as far as the judge do not reach generation."""
    trace = case.put(case.asked(history, opened=frozenset({RERANK})))
    _require_shut(
        case,
        trace,
        LINK,
        "once the exit rerank is open, the exit {exit} lets a restricted passage out, of {doc}",
    )


@check("RES-3", probes=guarded, histories=TWO_FORMS, observable=_has_both)
def rerank_stays_shut_when_link_is_open(case: Case, history: History) -> None:
    """Restricted passages that may reach generation do not reach the judge."""
    trace = case.put(case.asked(history, opened=frozenset({LINK})))
    _require_shut(
        case,
        trace,
        RERANK,
        "once the exit link is open, the exit {exit} lets a restricted passage out, of {doc}",
    )


def _opening(ask: Ask, name: str) -> Ask:
    return dataclasses.replace(ask, opened=ask.opened | {name})


@sabotage(
    nothing_restricted_leaves_by_an_exit,
    link_stays_shut_when_rerank_is_open,
    on="ask",
    witness=lambda _: OMITTED,
)
def link_open(scene: Scene, ask: Ask) -> Ask:
    """What reaches generation is not stripped."""
    return _opening(ask, LINK)


@sabotage(
    nothing_restricted_is_sent_to_the_model,
    nothing_restricted_leaves_by_an_exit,
    rerank_stays_shut_when_link_is_open,
    on="ask",
    witness=lambda _: OMITTED,
)
def rerank_open(scene: Scene, ask: Ask) -> Ask:
    """What reaches the judge is not stripped."""
    return _opening(ask, RERANK)


@sabotage(
    rerank_stays_shut_when_link_is_open,
    nothing_restricted_leaves_by_an_exit,
    on="record",
    witness=lambda _: OMITTED,
    forged=True,
)
def rerank_told_to_be_open(scene: Scene, crossings: tuple[Crossing, ...]) -> tuple[Crossing, ...]:
    """For engines whose judge is no model: what it was given shows nowhere else."""
    closed = [each.model_dump() for each in scene.world.restricted]
    return tuple(
        dataclasses.replace(each, data={**each.data, "released": [*closed, *each.data["released"]]})
        if each.seam == "exit" and each.data["name"] == RERANK
        else each
        for each in crossings
    )


@sabotage(nothing_restricted_is_sent_to_the_model, on="messages", witness=lambda _: OMITTED)
def exit_after_generation_only(
    scene: Scene, messages: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The passage stands beneath the prompt, and is only kept out of the answer."""
    last, told = messages[-1], scene.world.restricted[0].text
    content = last.get("content") or ""
    whole = (
        [*content, {"type": "text", "text": told}]
        if isinstance(content, list)
        else f"{content}\n\n{told}"
    )
    return [*messages[:-1], {**last, "content": whole}]
