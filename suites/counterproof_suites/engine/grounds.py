"""What an answer may rest on: what an ask can have found, and the figures it may state."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from decimal import Decimal
from itertools import permutations
from typing import Any

from counterproof.case import Case
from counterproof.mentions import figures, states_any
from counterproof.trace import Failure, History, Trace, plain_answer

_ACCIDENTS = (
    "ArithmeticError", "AssertionError", "AttributeError", "IndexError", "JSONDecodeError",
    "KeyError", "LookupError", "NameError", "NotImplementedError", "OverflowError",
    "RecursionError", "StopAsyncIteration", "StopIteration", "SystemError", "TypeError",
    "UnboundLocalError", "UnicodeDecodeError", "ZeroDivisionError",
)  # fmt: skip
"""Errors of a program that did not expect what it met: no engine documents one as its answer."""
_SPEAKS = re.compile(
    r"model|provider|llm|completion|choice|upstream|unavailable|time[d ]?-?(?:out|limit)|connect"
    r"|service|retr(?:y|ies)|(?:no|empty|blank|missing|invalid) (?:repl|respon|answer|message)"
    r"|模型|服务|超时|不可用|应答|响应|调用失败",
    re.IGNORECASE,
)


def hits(case: Case, trace: Trace) -> set[str]:
    """The documents an ask can have found: by its retrieval, its tool or its store."""
    world = case.world
    docs = {each.doc for each in world.facts} | {each.doc for each in world.passages}
    results = json.dumps(trace.answer and trace.answer.tool_results, ensure_ascii=False)
    told = [results] + [
        str(message.get("content"))
        for call in trace.calls
        for message in call.messages
        if message.get("role") == "tool"
    ]
    return asked_for(case, trace) | {doc for doc in docs if any(doc in each for each in told)}


def asked_for(case: Case, trace: Trace) -> set[str]:
    """The documents that hold what the question asks for, and those retrieved for it."""
    world, slots = case.world, case.probe.slots
    found = retrieved(case, trace)
    names = {name for each in slots for name in (each.entity, each.metric) if name}
    codes = {
        each.code
        for each in (*world.entities, *world.metrics)
        if names & set(each.names) or each.code in names
    }
    periods = {each.period for each in slots}
    return found | {
        fact.doc
        for fact in world.facts
        if fact.entity in codes and fact.metric in codes and fact.period in periods
    }


def retrieved(case: Case, trace: Trace) -> set[str]:
    """The documents retrieved; where that is not seen, those the cooperative answer cites."""
    if "retrieval" not in case.declared.seams or "service" in case.declared.seams:
        return {doc for doc, _ in case.cooperative().cited}
    return {str(each["doc"]) for each in trace.passages}


def own_figures(case: Case) -> set[Decimal]:
    """Figures an answer may state: the question's, the store's for it, the default answer's.

    The default is the one with a cooperative model, so that no figure of a hostile one is in it.
    """
    default = case.cooperative()
    values = " ".join(f"{each:.15g}" for each in case.probe.values)
    passages = " ".join(str(each["text"]) for each in default.passages)
    return all_figures(case.probe.question, whole(default), values, passages)


def other_figures(case: Case) -> set[float]:
    """Unmistakable figures an answer may not state: those of other facts, and the canaries.

    What is computed from the figures asked for (a change, a ratio) may be stated.
    """
    asked = case.probe.values
    computed = {round(each, 6) for a, b in permutations(asked, 2) for each in _computed(a, b)}
    others = {each.value for each in case.world.facts} | set(case.world.canary_figures)
    return {each for each in others if each not in asked and each not in computed}


def _computed(a: float, b: float) -> Iterable[float]:
    return (a + b, a - b, *((a / b, 100 * a / b, 100 * (a - b) / b) if b else ()))


def told_figures(history: History) -> set[Decimal]:
    """The figures a history states; not those inside a word, such as a period's."""
    return all_figures(*history.texts, words=False)


def all_figures(*texts: str, words: bool = True) -> set[Decimal]:
    """Every figure of some texts, those inside a word too unless ``words`` is false."""
    return {each.value for text in texts for each in figures(text) if words or not each.in_word}


def whole(trace: Trace) -> str:
    """Everything an answer hands out, in one text, with what the adapter declared masked."""
    given = trace.mask(plain_answer(trace.answer))
    return json.dumps(given, ensure_ascii=False) if given else ""


def parts(trace: Trace) -> dict[str, str]:
    """Everything an answer hands out, part by part, each as one text."""
    given = trace.mask(plain_answer(trace.answer)) or {}
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in given.items()
    }


def renderings(trace: Trace) -> Iterable[tuple[str, str]]:
    """Each rendering of an answer, after the JSON pointer to it."""
    return zip(("/answer/text", "/answer/plain"), trace.renderings, strict=False)


def unmarked(text: str, trace: Trace) -> str:
    """A text without the marks of the model's replies, which tell one call from another."""
    for call in trace.calls:
        text = text.replace(call.mark, "") if call.mark else text
    return " ".join(text.split())


def refusal(case: Case, trace: Trace) -> bool:
    """Whether a trace is a refusal, as the catalogue has it.

    It says something, cites nothing, states no figure beyond the question's and what the engine
    states that it assumed; and it is the one recorded for the probe, or the engine says that it
    is one. Figures of the recorded refusal and of the reference date are such assumptions.
    """
    if not case.refuses(trace) or trace.cited or not trace.text.strip():
        return False
    dated = case.world.reference_date
    year = int(dated[:4])
    allowed = own_figures(case) | all_figures(case.refusal or "", dated.replace("-", " "))
    allowed |= {Decimal(year - 1), Decimal(year)}
    return not all_figures(*trace.renderings, words=False) - allowed


def stated_facts(case: Case, text: str) -> frozenset[Any]:
    """The values of the store that a text states."""
    return states_any(text, {fact.value for fact in case.world.facts})


def documented(case: Case, failure: Failure) -> bool:
    """Whether a failure is the error an engine documents for a model that fails (FAB-9).

    It is of a type the adapter declares; where it declares none, type or message speaks of the
    model's failure. An accident never is one.
    """
    if failure.kind != "raised" or failure.type in _ACCIDENTS:
        return False
    if case.declared.errors:
        return failure.type in case.declared.errors
    return bool(_SPEAKS.search(f"{failure.type} {failure.message}"))
