"""What the worker replies once an ask has ended: its answer as plain values, or what went wrong."""

from __future__ import annotations

import os
import traceback
from typing import Any, Dict

from counterproof import contract

_LONGEST = 1_000_000
"""The most characters of a text an answer may have; found out before it is encoded."""


def answered(answer: Any) -> Dict[str, Any]:
    """The reply that an answer is."""
    if type(answer) is not contract.Answer:
        found = type(answer).__name__
        return failed("ask", TypeError(f"ask() returned {found}, not Answer"), "contract")
    for name, value in (
        ("text", answer.text),
        ("plain", answer.plain),
        ("route", answer.route),
    ):
        if not (isinstance(value, str) or (value is None and name != "text")):
            wrong = TypeError(f"Answer.{name} is {type(value).__name__}, not str")
            return failed("ask", wrong, "contract")
        if value is not None and len(value) > _LONGEST:
            long = ValueError(f"Answer.{name} has {len(value)} characters; {_LONGEST} is most")
            return failed("ask", long, "contract")
    if answer.refused not in (None, True, False):
        return failed("ask", TypeError("Answer.refused is not True, False or None"), "contract")
    sources = []
    for number, source in enumerate(answer.sources):
        if type(source) is not contract.Source:
            wrong = TypeError(f"Answer.sources[{number}] is {type(source).__name__}, not Source")
            return failed("ask", wrong, "contract")
        sources.append({"doc": str(source.doc), "locator": str(source.locator)})
    results = answer.tool_results
    return {
        "op": "answer",
        "answer": {
            "text": answer.text,
            "sources": sources,
            "route": answer.route,
            "refused": None if answer.refused is None else bool(answer.refused),
            "plain": answer.plain,
            "tool_results": None if results is None else list(results),
        },
    }


def failed(stage: str, error: BaseException, kind: str) -> Dict[str, Any]:
    """What went wrong, without a path of this machine in it.

    Args:
        stage: the request it went wrong in.
        error: what was raised.
        kind: ``raised``, ``contract`` or ``unknown``.
    """
    frames = [
        each
        for each in traceback.extract_tb(error.__traceback__)
        if os.path.dirname(each.filename) != os.path.dirname(__file__)
    ]
    where = [f"{os.path.basename(f.filename)}:{f.lineno} in {f.name}" for f in frames]
    try:
        message = str(error)
    except Exception:  # noqa: BLE001  # a lying exception is reported all the same
        message = "(no message)"
    return {
        "op": "failed",
        "stage": stage,
        "kind": kind,
        "type": type(error).__name__,
        "message": message[:2000],
        "where": where[-6:],
    }
