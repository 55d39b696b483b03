"""DEF: the default path is byte-identical."""

from __future__ import annotations

import contextlib
import json
import unicodedata
from typing import Any

from counterproof.case import Case
from counterproof.check import CannotJudge, require
from counterproof.sabotage import Scene
from counterproof.suite import NO_HISTORY, Histories, check, sabotage
from counterproof.trace import OMITTED, History
from counterproof_suites.engine.differences import first_difference

_EMPTY = Histories(lambda _: [History("none"), History("list"), History("tuple")])


@check("DEF-1", probes=lambda _: True, histories=_EMPTY)
def an_empty_history_is_no_history(case: Case, history: History) -> None:
    """``None``, ``[]`` and ``()`` give the bytes that leaving history out gives."""
    default = case.default()
    trace = case.ask(history, fresh=True)
    where = first_difference(default.comparable(), trace.comparable())
    require(
        trace.bytes == default.bytes,
        f"an empty history given as {history.kind} is not as if it were left out",
        trace,
        (where,),
    )


@check("DEF-2", probes=lambda _: True, histories=NO_HISTORY, needs_baseline=True)
def the_default_is_the_recorded_one(case: Case, history: History) -> None:
    """The default trace's bytes are those of the snapshot."""
    assert case.baseline is not None
    recorded = case.baseline.recorded(case.probe.id)
    if recorded is None:
        raise CannotJudge(
            f"the baseline holds no snapshot of probe {case.probe.id};"
            " record it anew with --record-baseline"
        )
    trace = case.ask(history, fresh=True)
    try:
        where = first_difference(json.loads(recorded), json.loads(trace.bytes))
    except ValueError:  # the snapshot is no JSON any more; it differs all the same
        where = ""
    require(trace.bytes == recorded, "the default trace is not the recorded one", trace, (where,))


@sabotage(an_empty_history_is_no_history, on="messages", witness=lambda _: History("list"))
def empty_list_adds_a_marker(scene: Scene, messages: list[dict[str, Any]]) -> list[Any]:
    """An empty list is announced to the model."""
    if scene.ask.history != History("list"):
        return messages
    return [*messages, {"role": "system", "content": "No conversation so far."}]


@sabotage(an_empty_history_is_no_history, on="messages", witness=lambda _: History("none"))
def none_changes_the_system_prompt(scene: Scene, messages: list[dict[str, Any]]) -> list[Any]:
    """``None`` is told in the first message."""
    if scene.ask.history != History("none"):
        return messages
    first = {**messages[0], "content": f"{messages[0].get('content')} History: None."}
    return [first, *messages[1:]]


@sabotage(
    an_empty_history_is_no_history, on="answer", witness=lambda _: History("tuple"), forged=True
)
def empty_tuple_shows_in_the_answer(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """For engines of which only the answer is seen."""
    if scene.ask.history != History("tuple"):
        return answer
    return {**answer, "text": answer["text"] + " "}


@sabotage(the_default_is_the_recorded_one, on="answer", witness=lambda _: OMITTED, forged=True)
def one_trailing_byte(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """One byte more at the end of the answer."""
    return {**answer, "text": answer["text"] + " "}


@sabotage(the_default_is_the_recorded_one, on="answer", witness=lambda _: OMITTED, forged=True)
def lines_end_in_crlf(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """Every line end of the answer is CRLF; a text of one line gets one."""
    text = answer["text"]
    return {**answer, "text": text.replace("\n", "\r\n") if "\n" in text else text + "\r\n"}


@sabotage(the_default_is_the_recorded_one, on="messages", witness=lambda _: OMITTED)
def texts_are_decomposed(scene: Scene, messages: list[dict[str, Any]]) -> list[Any]:
    """NFC becomes NFD in what the model is sent."""
    return [
        {**each, "content": unicodedata.normalize("NFD", each["content"])}
        if isinstance(each.get("content"), str)
        else each
        for each in messages
    ]


@sabotage(the_default_is_the_recorded_one, on="messages", witness=lambda _: OMITTED)
def arguments_in_another_order(scene: Scene, messages: list[dict[str, Any]]) -> list[Any]:
    """The members of a tool call's arguments change places."""
    for message in messages:
        for call in message.get("tool_calls") or ():
            with contextlib.suppress(ValueError, AttributeError):  # no object: a hostile model's
                read = json.loads(call["function"]["arguments"])
                turned = dict(reversed(list(read.items())))
                call["function"]["arguments"] = json.dumps(turned, ensure_ascii=False)
    return messages
