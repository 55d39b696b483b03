"""ROL-4: a turn that is not a pair of strings is refused, by its name, before the model is called.

Each malformed turn is put at a place of its own in a history, several times over: to the engine
as it stands, right after a sound history too, and to one opened anew. An engine that looks at a
turn it picks, or at the first only, lets one of them through, whatever chance decides. Nothing is
drawn, and long histories come first, so that chance does not decide what is reported either.
"""

from __future__ import annotations

import dataclasses
import json
import random
import re
from collections.abc import Iterable
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.sabotage import Scene
from counterproof.strategies import Material, decision_case, long_history
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import Ask, History, Trace
from counterproof.worlds import Probe
from counterproof_suites.engine.inputs import makes_generation_calls

_MESSAGE = {"role": "user", "content": "Sent as a message."}
MALFORMED: tuple[Any, ...] = (
    _MESSAGE,
    ("user", None),
    None,
    ("user", "three", "parts"),
    "ok",  # two characters: it unpacks as a pair would
    977,
    ("assistant", ["a", "list"]),
    (None, "nobody said this"),
    ("alone",),
    (),
    ("user", {"type": "text", "text": "a part"}),
    [["user", "nested"]],
)
"""Turns that are no pairs of strings."""


_MANY = 40


def _with(turns: tuple[Any, ...], place: int, odd: Any) -> History:
    return History("raw", (*turns[:place], odd, *turns[place:]))


def _explicit(material: Material) -> Iterable[History]:
    """Each malformed turn somewhere: last of very many, last of many, within, first, alone."""
    canary = (*material.canaries, "word")[0]
    many, few = long_history(_MANY, canary=canary), decision_case()
    return [
        *(_with(many, len(many), odd) for odd in MALFORMED),
        _with(long_history(200), 200, MALFORMED[0]),
        _with(long_history(200), 101, MALFORMED[2]),
        *(_with(many, 7, odd) for odd in MALFORMED[:4]),
        *(_with(few, place, odd) for place in (2, 1, 0) for odd in MALFORMED[:3]),
        *(_with((), 0, odd) for odd in MALFORMED[:3]),
    ]


MALFORMED_HISTORIES = Histories(_explicit)
"""Histories of which one turn is no pair of strings."""


def _plainly_answered(probe: Probe) -> bool:
    """Hits on each route: a history is judged before anything is known of the question."""
    return probe.kind == "hit" and probe.claim in (None, "composite")


def _put(case: Case, history: History) -> list[Trace]:
    """The history, several times: to the engine as it stands, and to one opened anew.

    All are put before any is judged, so that chance does not decide how many asks are made.
    """
    return case.repeatedly(history, fresh=_is_late(history))


def _is_late(history: History) -> bool:
    """Whether the malformed turn comes last of many, which an engine opened anew may take in."""
    return len(history.turns) > _MANY and not _is_a_turn(history.turns[-1])


def _is_a_turn(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) == 2
        and all(isinstance(each, str) for each in value)
    )


def _bad(history: History) -> tuple[int, Any]:
    """The malformed turn and where it stands."""
    return next((n, each) for n, each in enumerate(history.turns) if not _is_a_turn(each))


def _refusal(trace: Trace) -> str | None:
    """What a refusal says: an error's type and message, or an answer that says it is one."""
    if trace.failure is not None:
        return f"{trace.failure.type}: {trace.failure.message}"
    if trace.answer is not None and trace.answer.refused:
        return trace.text
    return None


@check(
    "ROL-4",
    probes=_plainly_answered,
    histories=MALFORMED_HISTORIES,
    observable=makes_generation_calls,
)
def a_malformed_turn_is_refused_every_time(case: Case, history: History) -> None:
    """By an error, or by an answer that says it is a refusal, as often as it is put."""
    place, odd = _bad(history)
    # What is sound of it must be answered, or refusing everything would do.
    case.ask(History.of([each for each in history.turns if _is_a_turn(each)]))
    for trace in _put(case, history):
        require(
            _refusal(trace) is not None,
            f"turn {place + 1} of {len(history.turns)} is {_told(odd)}, no pair of strings, and is"
            " answered all the same",
            trace,
            ("/answer/text",),
        )


@check(
    "ROL-4",
    probes=_plainly_answered,
    histories=MALFORMED_HISTORIES,
    observable=makes_generation_calls,
)
def the_refusal_names_the_turn(case: Case, history: History) -> None:
    """The error's message holds the turn's number, from zero or from one, or the turn itself.

    As Python writes it or as JSON does, alone or in a longer text; a number may stand in any
    words or brackets, as long as it is not part of a longer number.
    """
    place, odd = _bad(history)
    for trace in _put(case, history):
        told = _refusal(trace)
        require(
            told is None or _names(told, place, odd),
            f"turn {place + 1} of {len(history.turns)} is {_told(odd)}, no pair of strings, and"
            " the refusal does not say which turn it is",
            trace,
            ("/failure",),
        )


@check(
    "ROL-4",
    probes=_plainly_answered,
    histories=MALFORMED_HISTORIES,
    observable=makes_generation_calls,
)
def the_model_is_not_called_with_it(case: Case, history: History) -> None:
    """Not once: the history is judged before anything is done with it."""
    place, odd = _bad(history)
    for trace in _put(case, history):
        require(
            not trace.calls,
            f"turn {place + 1} of {len(history.turns)} is {_told(odd)}, no pair of strings, and"
            " the model is called",
            trace,
            ("/crossings",),
        )


def _names(told: str, place: int, odd: Any) -> bool:
    numbers = "|".join(str(each) for each in (place, place + 1))
    if re.search(rf"(?<!\d)(?:{numbers})(?!\d)", told):
        return True
    written = {repr(odd), json.dumps(odd), json.dumps(odd, ensure_ascii=False)}
    return any(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", told) for each in written)


def _told(odd: Any) -> str:
    """What a malformed turn is, in a word or two."""
    if odd is None:
        return "None"
    kind = {dict: "a dict", str: "a string", int: "a number"}.get(type(odd))
    if kind is not None:
        return kind
    if len(odd) != 2:
        return f"a {type(odd).__name__} of {len(odd)}"
    names = [type(each).__name__ for each in odd]
    return f"a pair of {names[0]} and {names[1]}"


def _witness(_: Material) -> History:
    """A message of a dict last of many."""
    many = long_history(_MANY)
    return _with(many, len(many), _MESSAGE)


def _coerced(turn: Any) -> tuple[str, str]:
    """What a lenient engine makes of a turn."""
    if _is_a_turn(turn):
        return (turn[0], turn[1])
    if isinstance(turn, dict):
        return (str(turn.get("role", "user")), str(turn.get("content", "")))
    if isinstance(turn, tuple | list) and len(turn) > 1:
        return (str(turn[0]), str(turn[1]))
    return ("user", str(turn))


def _lenient(asked: Ask, looked_at: int) -> Ask:
    """The ask of an engine that looks at one turn, and makes a turn of every other."""
    turns = asked.history.turns
    if asked.history.kind != "raw" or not turns or not _is_a_turn(turns[looked_at]):
        return asked
    return dataclasses.replace(asked, history=History.of([_coerced(each) for each in turns]))


@sabotage(
    a_malformed_turn_is_refused_every_time,
    the_model_is_not_called_with_it,
    on="ask",
    witness=_witness,
)
def only_the_first_turn_validated(scene: Scene, asked: Ask) -> Ask:
    """If the first turn is sound, so are all."""
    return _lenient(asked, 0)


@sabotage(
    a_malformed_turn_is_refused_every_time,
    the_model_is_not_called_with_it,
    on="ask",
    witness=_witness,
)
def a_random_turn_validated(scene: Scene, asked: Ask) -> Ask:
    """One turn, picked anew for each ask, speaks for all."""
    number = max(1, len(asked.history.turns))
    picked = random.Random(scene.number).randrange(number)  # noqa: S311  # nothing is secret
    return _lenient(asked, picked)


@sabotage(a_malformed_turn_is_refused_every_time, on="ask", witness=_witness)
def refused_every_other_time(scene: Scene, asked: Ask) -> Ask:
    """What is refused once is answered the next time."""
    return asked if scene.number % 2 else _lenient(asked, 0)


@sabotage(the_refusal_names_the_turn, on="ask", witness=_witness, crashes=True)
def another_turn_named(scene: Scene, asked: Ask) -> Ask:
    """The error is about another turn than the one that is malformed."""
    if asked.history.kind != "raw":
        return asked
    turns = [_coerced(each) for each in asked.history.turns]
    return dataclasses.replace(asked, history=_with(tuple(turns), 0, ("alone",)))
