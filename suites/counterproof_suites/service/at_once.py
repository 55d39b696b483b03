"""SVC-7: conversations held at once over HTTP do not mix."""

from __future__ import annotations

from typing import Any

from counterproof.case import Case
from counterproof.sabotage import Scene
from counterproof.suite import check, sabotage
from counterproof.trace import Crossing, History
from counterproof_suites.engine import conversations
from counterproof_suites.engine.inputs import every, two_turns


@check(
    "SVC-7",
    probes=every,
    histories=conversations.FEW,
    observable=conversations.may_be_asked_at_once,
)
def conversations_at_once_do_not_mix(case: Case, history: History) -> None:
    """Each model call holds its own conversation's words, and nothing of another's."""
    conversations.do_not_mix_at_once(case, history, "over HTTP mixed")


@check(
    "SVC-7",
    probes=every,
    histories=conversations.FEW,
    observable=conversations.may_be_asked_at_once,
)
def each_conversation_at_once_makes_its_model_call(case: Case, history: History) -> None:
    """None is answered with what another was told."""
    conversations.make_their_calls_at_once(case, history, "over HTTP called")


@sabotage(conversations_at_once_do_not_mix, on="messages", witness=two_turns)
def buffer_of_all_requests(scene: Scene, messages: list[Any]) -> list[Any]:
    """What was said in another request stands before the question."""
    return conversations.with_another_buffer(scene, messages)


@sabotage(
    each_conversation_at_once_makes_its_model_call, on="record", witness=two_turns, forged=True
)
def response_cached_by_question(
    scene: Scene, crossings: tuple[Crossing, ...]
) -> tuple[Crossing, ...]:
    """Once a request has been answered, the next with its question gets the same response."""
    return () if scene.said and scene.heard else crossings
