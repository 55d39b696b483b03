"""A trace as rows a stranger can read, each knowing where in the trace it stands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from counterproof.report.sanitise import role


@dataclass(frozen=True)
class Row:
    """One line of a trace.

    Args:
        path: JSON pointer to what it shows.
        label: what it is, safe to print.
        text: what it shows, as the trace has it: not yet safe to print.
    """

    path: str
    label: str
    text: str


def rows(trace: Any) -> Iterator[Row]:
    """The rows of a trace, in order; parts of a shape nobody foresaw are shown as JSON."""
    if not isinstance(trace, dict):
        yield Row("", "trace", compact(trace))
        return
    crossings = trace.get("crossings")
    for number, crossing in enumerate(crossings if isinstance(crossings, list) else ()):
        yield from _crossing(f"/crossings/{number}", crossing)
    answer = trace.get("answer")
    if isinstance(answer, dict):
        yield from _answer("/answer", answer)
    for key, value in trace.items():
        known = (key == "crossings" and isinstance(value, list)) or key == "ask"
        if not known and value is not None and not (key == "answer" and isinstance(value, dict)):
            yield Row(f"/{key}", role(key), value if isinstance(value, str) else compact(value))


def _crossing(path: str, crossing: Any) -> Iterator[Row]:
    seam = crossing.get("seam") if isinstance(crossing, dict) else None
    if seam == "parse" and isinstance(crossing.get("text"), str):
        yield Row(f"{path}/text", "parsed", _quoted(crossing["text"]))
    elif seam == "query" and isinstance(crossing.get("query"), str):
        yield Row(f"{path}/query", "query", _quoted(crossing["query"]))
        if crossing.get("filters"):
            yield Row(f"{path}/filters", "  filters", compact(crossing["filters"]))
    elif seam == "passages" and isinstance(crossing.get("passages"), list):
        yield from _passages(f"{path}/passages", crossing["passages"])
    elif seam == "exit" and isinstance(crossing.get("released"), list):
        name = str(crossing.get("name", ""))
        yield Row(
            f"{path}/name", "exit", f"{name} lets out {_many(len(crossing['released']), 'passage')}"
        )
        yield from _passages(f"{path}/released", crossing["released"], "  passage")
    elif seam == "session":
        yield Row(f"{path}/remembered", "remembered", compact(crossing.get("remembered")))
    elif seam == "response" and isinstance(crossing.get("status"), int):
        yield from _response(path, crossing)
    elif seam == "model" and isinstance(crossing.get("messages"), list):
        yield from _model(path, crossing)
    else:
        yield Row(path, role(seam) if isinstance(seam, str) else "crossing", compact(crossing))


def _passages(path: str, passages: list[Any], label: str = "passage") -> Iterator[Row]:
    if not passages:
        yield Row(path, f"{label}s", "(none)")
    for number, each in enumerate(passages):
        if isinstance(each, dict) and isinstance(each.get("text"), str):
            place = f"{each.get('doc', '')} {each.get('locator', '')}".strip()
            shown = f"{place} [{each.get('label', '')}] {_quoted(each['text'])}"
        else:
            shown = compact(each)
        yield Row(f"{path}/{number}", label, shown)


def _response(path: str, crossing: dict[str, Any]) -> Iterator[Row]:
    yield Row(f"{path}/status", "response", f"{crossing['status']} {crossing.get('type', '')}")
    if isinstance(crossing.get("deltas"), list):
        yield Row(f"{path}/deltas", "  deltas", compact(crossing["deltas"]))
        yield Row(f"{path}/closing", "  closing", compact(crossing.get("closing")))
    elif crossing.get("body") is not None:
        yield Row(f"{path}/body", "  body", compact(crossing["body"]))


def _model(path: str, crossing: dict[str, Any]) -> Iterator[Row]:
    tools = crossing.get("tools")
    sent = _many(len(crossing["messages"]), "message")
    if isinstance(tools, list) and tools:
        sent += f"; {_many(len(tools), 'tool')} offered"
    yield Row(f"{path}/tools", "model call", sent)
    for number, each in enumerate(crossing["messages"]):
        yield _message(f"{path}/messages/{number}", each, "  ")
    reply = crossing.get("reply")
    if isinstance(reply, dict):
        yield _message(f"{path}/reply", reply, "  reply of ")
    else:
        yield Row(
            f"{path}/reply",
            "  reply",
            "(none: the model failed)" if reply is None else compact(reply),
        )


def _message(path: str, message: Any, before: str) -> Row:
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        return Row(path, f"{before}message", compact(message))
    content = message.get("content")
    shown = (
        []
        if content is None
        else [_quoted(content) if isinstance(content, str) else compact(content)]
    )
    shown += [
        f"{key}={compact(value)}"
        for key, value in message.items()
        if key not in ("role", "content") and value is not None
    ]
    return Row(path, f"{before}{role(message['role'])}", " ".join(shown) or "(nothing)")


def _answer(path: str, answer: dict[str, Any]) -> Iterator[Row]:
    text = answer.get("text")
    yield Row(f"{path}/text", "answer", _quoted(text) if isinstance(text, str) else compact(text))
    sources = answer.get("sources")
    if isinstance(sources, list):
        if not sources:
            yield Row(f"{path}/sources", "  sources", "(none)")
        for number, each in enumerate(sources):
            shown = (
                f"{each.get('doc', '')} {each.get('locator', '')}".strip()
                if isinstance(each, dict)
                else compact(each)
            )
            yield Row(f"{path}/sources/{number}", "  source", shown)
    for key, value in answer.items():
        if key not in ("text", "sources") and value is not None:
            yield Row(
                f"{path}/{key}",
                f"  {role(key)}",
                _quoted(value) if isinstance(value, str) else compact(value),
            )


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _quoted(text: str) -> str:
    return f'"{text}"'


def compact(value: Any) -> str:
    """A JSON value in one line."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
