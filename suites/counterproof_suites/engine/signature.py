"""DEF-4: what the engine's first-answer function asks of its caller."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.sabotage import Scene
from counterproof.suite import NO_HISTORY, check, sabotage
from counterproof.trace import OMITTED, History, Trace
from counterproof.worlds import Probe

Parameter = Mapping[str, Any]
_OF_A_CONVERSATION = re.compile(r"histor|conversation|dialog|(^|_)turns?($|_)", re.IGNORECASE)


def plain_hit(probe: Probe) -> bool:
    """Probes any engine of the channel answers."""
    return probe.kind == "hit" and probe.claim is None


class _Signature:
    """The signature in a description."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        crossings = list(enumerate(trace.crossings))
        self._place, told = next(
            (n, each.data) for n, each in crossings if each.seam == "signature"
        )
        self.parameters: list[Parameter] = list(told["parameters"])
        named = [each for each in self.parameters if each["name"] == told["history"]]
        self.history = next((each for each in named if each["kind"] != "variadic keyword"), None)

    def takes(self, kind: str) -> bool:
        """Whether it has a parameter of that kind."""
        return any(each["kind"] == kind for each in self.parameters)

    def mark(self, parameter: Parameter) -> tuple[str, ...]:
        """JSON pointer to a parameter in the trace."""
        return (f"/crossings/{self._place}/parameters/{self.parameters.index(parameter)}",)


@check("DEF-4", probes=plain_hit, histories=NO_HISTORY)
def history_may_be_left_out(case: Case, history: History) -> None:
    """The parameter for history has a default."""
    signature = _Signature(case.description())
    own = signature.history
    if own is not None:
        require(
            not _required(own),
            f"the parameter {own['name']} is required: who asks a first question must give one",
            signature.trace,
            signature.mark(own),
        )


def _tells_how_history_is_given(case: Case) -> str | None:
    signature = _Signature(case.description())
    if signature.history is not None:
        return None
    if not signature.takes("variadic keyword"):
        return "the exposed function takes no history; expose the one that does, or its parameter"
    if signature.takes("variadic positional"):
        return "the exposed function hands on whatever it is given, and does not say to what"
    return None


@check("DEF-4", probes=plain_hit, histories=NO_HISTORY, observable=_tells_how_history_is_given)
def history_is_given_by_keyword_only(case: Case, history: History) -> None:
    """No positional argument is ever taken for history."""
    signature = _Signature(case.description())
    own = signature.history
    if own is not None:
        require(
            own["kind"] == "keyword-only",
            f"the parameter {own['name']} is {own['kind']}, not keyword-only",
            signature.trace,
            signature.mark(own),
        )


@check("DEF-4", probes=plain_hit, histories=NO_HISTORY)
def the_first_answer_call_needs_nothing_new(case: Case, history: History) -> None:
    """No other parameter that speaks of a conversation is required."""
    signature = _Signature(case.description())
    for each in signature.parameters:
        if each is not signature.history and _OF_A_CONVERSATION.search(each["name"]):
            require(
                not _required(each),
                f"a first answer needs {each['name']}, which only a conversation has",
                signature.trace,
                signature.mark(each),
            )


def _required(parameter: Parameter) -> bool:
    return not parameter["has_default"] and not parameter["kind"].startswith("variadic")


def _redeclared(
    described: dict[str, Any], change: Callable[[list[Any], dict[str, Any]], list[Any]]
) -> dict[str, Any]:
    """The description, the parameter for history changed; added where there is none."""
    told = described.get("signature")
    if told is None:
        return described
    own = {"name": told["history"], "kind": "keyword-only", "has_default": True, "default": "None"}
    rest = []
    for each in told["parameters"]:
        if each["name"] == told["history"] and each["kind"] != "variadic keyword":
            own = each
        else:
            rest.append(each)
    return {**described, "signature": {**told, "parameters": change(rest, own)}}


@sabotage(history_may_be_left_out, on="description", witness=lambda _: OMITTED, forged=True)
def history_required(scene: Scene, described: dict[str, Any]) -> dict[str, Any]:
    """Whoever asks has to give one."""
    required = {"has_default": False, "default": None}
    return _redeclared(described, lambda rest, own: [*rest, {**own, **required}])


@sabotage(
    history_is_given_by_keyword_only, on="description", witness=lambda _: OMITTED, forged=True
)
def history_positional(scene: Scene, described: dict[str, Any]) -> dict[str, Any]:
    """An argument too many is taken for it."""
    return _redeclared(
        described, lambda rest, own: [{**own, "kind": "positional or keyword"}, *rest]
    )


@sabotage(
    the_first_answer_call_needs_nothing_new,
    on="description",
    witness=lambda _: OMITTED,
    forged=True,
)
def conversation_id_required(scene: Scene, described: dict[str, Any]) -> dict[str, Any]:
    """Nobody is answered who has not opened a conversation."""
    new = {"name": "conversation_id", "kind": "keyword-only", "has_default": False, "default": None}
    return _redeclared(described, lambda rest, own: [*rest, own, new])
