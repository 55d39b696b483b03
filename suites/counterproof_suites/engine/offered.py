"""RET: neither what retrieval filters by nor what it offers the model depends on history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.sabotage import Scene
from counterproof.strategies import Material
from counterproof.suite import check, sabotage
from counterproof.trace import History, Message, Trace
from counterproof_suites.engine.block import crossing_of
from counterproof_suites.engine.inputs import (
    ANY,
    RECORD,
    makes_generation_calls,
    other_topic,
    retrieves,
    retrieving,
)


def _filters(trace: Trace) -> list[Mapping[str, Any]]:
    return [each.data["filters"] for each in trace.crossings if each.seam == "query"]


def _filters_anything(case: Case) -> str | None:
    if why := retrieves(case):
        return why
    if any(_filters(case.default())) or any(_filters(case.ask(RECORD))):
        return None
    return "the engine's retrieval takes neither filter nor limit"


@check("RET-2", probes=retrieving, histories=ANY, observable=_filters_anything)
def filters_and_limits_are_the_defaults(case: Case, history: History) -> None:
    """Each query has the filters it has without history."""
    default, trace = _filters(case.default()), case.ask(history)
    places = [n for n, each in enumerate(trace.crossings) if each.seam == "query"]
    for number, (own, found) in enumerate(zip(default, _filters(trace), strict=False)):
        require(
            trace.mask(dict(found)) == trace.mask(dict(own)),
            f"retrieval query {number + 1} is filtered otherwise than without history",
            trace,
            (f"/crossings/{places[number]}/filters",),
        )


def _spoken_of_another_period(material: Material) -> History:
    period = (*material.periods[1:2], "FY2023")[0]
    return History.of((("user", f"Only {period}, please."), ("assistant", f"{period} it is.")))


def _offers_passages(case: Case) -> str | None:
    if why := makes_generation_calls(case):
        return why
    if _offered(case, case.default()):
        return None
    return "no passage of the world is seen in what the model is sent"


def _offered(case: Case, trace: Trace) -> list[list[Message]]:
    """Of each model call, the messages that hold a passage of the world, as they stand."""
    texts = [each.text for each in case.world.passages]
    calls = []
    for call in trace.generation_calls:
        masked = trace.mask([dict(each) for each in call.messages])
        calls.append([m for m in masked if any(text in _text(m) for text in texts)])
    return [each for each in calls if each]


def _text(message: Message) -> str:
    content = message.get("content")
    if isinstance(content, Sequence) and not isinstance(content, str):
        parts = [each.get("text") for each in content if isinstance(each, Mapping)]
        return "\n".join(str(each) for each in parts if each)
    return str(content or "")


@check("RET-3", probes=retrieving, histories=ANY, observable=_offers_passages)
def the_passages_offered_are_the_defaults(case: Case, history: History) -> None:
    """The messages that offer passages are what they are without history, each of them.

    History may quote a passage: its own messages are not looked at. That there is such a call is
    MSG-1's: an engine may remember a reply.
    """
    default, trace = _offered(case, case.default()), case.ask(history)
    for own, call in zip(default, _offering(case, trace), strict=False):
        sent = trace.mask([dict(each) for each in call.messages])
        missing = [each for each in own if each not in sent]
        require(
            not missing,
            "the passages the model is offered are others than without history",
            trace,
            (f"/crossings/{crossing_of(trace, call)}/messages",),
        )


def _offering(case: Case, trace: Trace) -> list[Any]:
    """The generation calls that stand where the default's offer passages."""
    own = case.default().generation_calls
    texts = [each.text for each in case.world.passages]
    places = [
        n
        for n, call in enumerate(own)
        if any(text in _text(message) for message in call.messages for text in texts)
    ]
    return [trace.generation_calls[n] for n in places if n < len(trace.generation_calls)]


def _cites(case: Case) -> str | None:
    return None if case.default().cited else "the engine cites nothing for it"


@check("RET-3", probes=retrieving, histories=ANY, observable=_cites)
def the_sources_are_the_defaults(case: Case, history: History) -> None:
    """What is cited is what is cited without history; their order is STA-1's."""
    default, trace = case.default(), case.ask(history)
    require(
        set(trace.cited) == set(default.cited),
        "the sources are others than without history",
        trace,
        ("/answer/sources",),
    )


@sabotage(
    filters_and_limits_are_the_defaults,
    on="query",
    witness=_spoken_of_another_period,
    crashes=True,
)
def period_filter_from_history(scene: Scene, crossing: dict[str, Any]) -> dict[str, Any]:
    """Passages are looked for in the period that was spoken of."""
    spoken = [each for text in scene.said for each in scene.world.read_slots(text)["period"]]
    if not spoken:
        return crossing
    filters = {name: _within(name, f, spoken[-1]) for name, f in crossing["filters"].items()}
    return {**crossing, "filters": filters}


def _within(name: str, value: Any, period: str) -> Any:
    """A filter narrowed to a period; several may stand in one, and a limit is none."""
    if isinstance(value, Mapping) or (value is None and "filter" in name):
        return {**(value or {}), "period": period}
    return period if value is None or isinstance(value, str) else value


@sabotage(filters_and_limits_are_the_defaults, on="query", witness=_spoken_of_another_period)
def fewer_passages_in_a_conversation(scene: Scene, crossing: dict[str, Any]) -> dict[str, Any]:
    """To leave room for history, one passage has to do."""
    if not scene.said:
        return crossing
    limits = {n: 1 for n, v in crossing["filters"].items() if type(v) is int and v > 1}
    return {**crossing, "filters": {**crossing["filters"], **limits}}


@sabotage(the_passages_offered_are_the_defaults, on="passages", witness=other_topic)
def a_turn_offered_as_a_passage(scene: Scene, crossing: dict[str, Any]) -> dict[str, Any]:
    """What was said stands among what was found."""
    if not scene.said or not crossing["passages"]:
        return crossing
    turn = {**crossing["passages"][0], "text": scene.said[0], "doc": "conversation"}
    return {"passages": [turn, *crossing["passages"]]}


@sabotage(the_passages_offered_are_the_defaults, on="messages", witness=other_topic)
def a_turn_written_among_the_passages(scene: Scene, messages: list[Message]) -> list[Message]:
    """The same, for engines whose retrieval is not seen."""
    if not scene.said:
        return messages
    texts = [each.text for each in scene.world.passages]
    found = [
        n
        for n, each in enumerate(messages)
        if _text(each) not in scene.said and any(text in _text(each) for text in texts)
    ]
    return [
        {**each, "content": f"{_text(each)}\n{scene.said[0]}"} if n in found else each
        for n, each in enumerate(messages)
    ]


@sabotage(the_sources_are_the_defaults, on="passages", witness=other_topic)
def history_pushes_a_passage_out(scene: Scene, crossing: dict[str, Any]) -> dict[str, Any]:
    """In a conversation one passage less is used."""
    return {"passages": crossing["passages"][: -1 if scene.said else None]}


@sabotage(the_sources_are_the_defaults, on="answer", witness=other_topic, forged=True)
def a_source_left_out_in_a_conversation(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """The same, for engines whose retrieval is not seen."""
    return {**answer, "sources": answer["sources"][: -1 if scene.said else None]}
