"""RES: a label that is not plainly one that may leave counts as restricted.

The engine is opened anew over the same world, its restricted passages bearing the label. An engine
that will not be opened over such a label fails closed, too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from counterproof.case import Case
from counterproof.sabotage import Scene
from counterproof.strategies import labels
from counterproof.suite import check, sabotage
from counterproof.trace import OMITTED, Ask, History
from counterproof_suites.engine.closed import require_closed
from counterproof_suites.engine.exits import TWO_FORMS
from counterproof_suites.engine.inputs import guarded


def _all_closed(case: Case, history: History, of: Callable[[int], Sequence[str]]) -> None:
    for label in of(case.world.seed):
        trace = case.put(case.asked(history, label=label), may_refuse=True)
        require_closed(case.world, trace, f"a passage is labelled {label!a}: ")


@check("RES-5", probes=guarded, histories=TWO_FORMS, needs={"worlds"})
def a_padded_label_is_restricted(case: Case, history: History) -> None:
    """White space and invisible characters around or inside the word."""
    _all_closed(case, history, labels.padded)


@check("RES-5", probes=guarded, histories=TWO_FORMS, needs={"worlds"})
def a_look_alike_label_is_restricted(case: Case, history: History) -> None:
    """Full-width letters, and those of other scripts that look the same."""
    _all_closed(case, history, labels.look_alikes)


@check("RES-6", probes=guarded, histories=TWO_FORMS, needs={"worlds"})
def an_unknown_label_is_restricted(case: Case, history: History) -> None:
    """What nobody has said may leave, stays."""
    _all_closed(case, history, lambda _: labels.UNKNOWN)


@check("RES-6", probes=guarded, histories=TWO_FORMS, needs={"worlds"})
def an_empty_label_is_restricted(case: Case, history: History) -> None:
    """What bears no label, stays."""
    _all_closed(case, history, lambda _: labels.EMPTY)


def _read_as_public(ask: Ask) -> Ask:
    """The ask over passages that are public: what an engine makes of a label it does not know."""
    return dataclasses.replace(ask, label="PUBLIC")


@sabotage(
    a_padded_label_is_restricted,
    a_look_alike_label_is_restricted,
    on="ask",
    witness=lambda _: OMITTED,
)
def exact_match_only(scene: Scene, ask: Ask) -> Ask:
    """Only the word itself is held back; what differs from it in a character is public."""
    return ask if ask.label is None else _read_as_public(ask)


@sabotage(
    an_unknown_label_is_restricted,
    an_empty_label_is_restricted,
    on="ask",
    witness=lambda _: OMITTED,
)
def unknown_let_through(scene: Scene, ask: Ask) -> Ask:
    """What says neither that it may leave nor that it may not is public."""
    return _read_as_public(ask) if ask.label in (*labels.UNKNOWN, *labels.EMPTY) else ask
