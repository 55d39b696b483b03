"""MSG-6: model calls that generate no answer: a judge of passages, a rewriter of queries.

A generation call offers tools, or its reply shows in the answer. The reverse is not true: an
engine that rejects what the model wrote, and refuses, shows nothing of it. So a call counts as
another one only where that is plain: no generation call of the engine, on any probe, is put in
its words; and something else follows it, a search or a call in other words, or the answer was
already written; or a call in the same words is plainly another one on some probe.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.sabotage import Scene
from counterproof.strategies import Material, long_history
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import History, ModelCall, Trace
from counterproof_suites.engine.altering import last_user, reworded, turns_at, with_last_user
from counterproof_suites.engine.block import AUTHORITY, crossing_of, folded, texts_of
from counterproof_suites.engine.inputs import ANY, RECORD, every, two_turns


@dataclass(frozen=True)
class _Words:
    """What a call is put in, apart from what it is about.

    Args:
        orders: its leading system messages.
        lead: how its last user message begins.
    """

    orders: tuple[str, ...]
    lead: str

    def like(self, other: _Words) -> bool:
        """Whether both may be the same prompt, filled in twice."""
        return self == other or bool(self.lead and self.lead == other.lead)


def _words(case: Case, trace: Trace, call: ModelCall) -> _Words:
    about = (trace.ask.question, *(t for p in case.world.passages for t in (p.text, p.doc)))

    def head(message: Any) -> str:
        text = "\n".join(texts_of(message.get("content")))
        return text[: min((at for at in map(text.find, about) if at >= 0), default=None)].strip()

    orders = []
    for message in call.messages:
        if message.get("role") not in AUTHORITY:
            break
        orders.append(head(message))
    place = last_user(call.messages)
    return _Words(tuple(orders), head(call.messages[place]) if place >= 0 else "")


def _candidates(trace: Trace) -> list[ModelCall]:
    generating = {id(each) for each in trace.generation_calls}
    return [each for each in trace.calls if id(each) not in generating]


def _is_followed(case: Case, trace: Trace, call: ModelCall) -> bool:
    """Whether the answer was written before it, or something else follows it."""
    place = crossing_of(trace, call)
    own = _words(case, trace, call)
    calls = {crossing_of(trace, each): each for each in trace.calls}
    return (
        any(crossing_of(trace, g) < place and not g.tools for g in trace.generation_calls)
        or any(each.seam == "query" for each in trace.crossings[place:])
        or any(at > place and not own.like(_words(case, trace, c)) for at, c in calls.items())
    )


def _others(case: Case, trace: Trace) -> list[ModelCall]:
    """The calls of a trace that are plainly no generation calls."""
    candidates = _candidates(trace)
    if not candidates:
        return []
    defaults = case.defaults()
    generating = [_words(case, t, call) for t in defaults for call in t.generation_calls]
    generating += [_words(case, trace, call) for call in trace.generation_calls]

    def apart(of: Trace, call: ModelCall) -> bool:
        return not any(_words(case, of, call).like(each) for each in generating)

    known = {
        _words(case, t, call)
        for t in defaults
        for call in _candidates(t)
        if apart(t, call) and _is_followed(case, t, call)
    }
    return [
        call
        for call in candidates
        if apart(trace, call)
        and (_is_followed(case, trace, call) or _words(case, trace, call) in known)
    ]


def _makes_other_calls(case: Case) -> str | None:
    if _others(case, case.default()) or _others(case, case.ask(RECORD, fresh=True)):
        return None
    return "no model call is seen for it but those that generate the answer"


def _few(material: Material) -> Iterable[History]:
    canary = (*material.canaries, "word")[0]
    return [two_turns(material), RECORD, History.of(long_history(20, canary=canary))]


FEW = Histories(_few, ANY.drawn, most=3)
"""Each on an engine opened anew, for one that keeps a rewritten query makes no second call."""


@check("MSG-6", probes=every, histories=FEW, observable=_makes_other_calls)
def no_other_call_holds_history(case: Case, history: History) -> None:
    """No turn's text stands in a call that does not generate, unless it does so by default."""
    trace = case.ask(history, fresh=True)
    own = [folded(text) for call in case.default().calls for text in _texts(call)]
    turns = [each for each in map(folded, history.texts) if each]
    for call in _others(case, trace):
        for number, message in enumerate(call.messages):
            text = folded(message.get("content"))
            require(
                text in own or not any(turn in text for turn in turns),
                "a model call that does not generate the answer holds history",
                trace,
                (f"/crossings/{crossing_of(trace, call)}/messages/{number}",),
            )


@check("MSG-6", probes=every, histories=FEW, observable=_makes_other_calls)
def every_other_call_is_the_defaults(case: Case, history: History) -> None:
    """Each is a call that the engine makes without history, byte for byte."""
    trace = case.ask(history, fresh=True)
    own = [trace.mask(_sent(call)) for call in case.default().calls]
    for call in _others(case, trace):
        require(
            trace.mask(_sent(call)) in own,
            "a model call that does not generate the answer is not one that is made without"
            " history",
            trace,
            (f"/crossings/{crossing_of(trace, call)}/messages",),
        )


def _sent(call: ModelCall) -> dict[str, Any]:
    return {"messages": [dict(each) for each in call.messages], "tools": call.tools}


def _texts(call: ModelCall) -> list[Any]:
    return [each.get("content") for each in call.messages]


def _knows_nothing(scene: Scene, messages: Sequence[Any]) -> bool:
    """Whether there is history, and nothing of it stands in this call."""
    return bool(scene.said) and bool(messages) and not turns_at(scene, list(messages))


@sabotage(
    no_other_call_holds_history,
    every_other_call_is_the_defaults,
    on="messages",
    witness=two_turns,
)
def history_shown_to_the_judge(scene: Scene, messages: list[Any]) -> list[Any]:
    """The conversation stands before what is to be judged, as messages."""
    if not _knows_nothing(scene, messages):
        return messages
    turns = [{"role": role, "content": text} for role, text in scene.ask.history.turns]
    return [*messages[:-1], *turns, messages[-1]]


@sabotage(
    no_other_call_holds_history,
    every_other_call_is_the_defaults,
    on="messages",
    witness=two_turns,
)
def history_in_the_rewriters_prompt(scene: Scene, messages: list[Any]) -> list[Any]:
    """The conversation is told in the prompt that has the question rewritten."""
    if not _knows_nothing(scene, messages):
        return messages
    told = "\n".join(scene.said)
    return with_last_user(messages, lambda text: f"{text}\nEarlier:\n{told}")


@sabotage(every_other_call_is_the_defaults, on="messages", witness=two_turns)
def other_calls_told_that_there_is_history(scene: Scene, messages: list[Any]) -> list[Any]:
    """Nothing of the conversation, but that there is one."""
    if not _knows_nothing(scene, messages):
        return messages
    return [reworded(messages[0], lambda text: f"{text} (A follow-up.)"), *messages[1:]]
