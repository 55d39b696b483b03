"""The structured channel: the model may call one tool; the engine answers from what it found."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from counterproof_reference.facts import Fact, FactStore
from counterproof_reference.history import Message
from counterproof_reference.intent import Slot, read_period
from counterproof_reference.providers import Provider, ProviderError, reply_of

MAX_ITERATIONS = 4
"""How often the model is asked before the engine answers without it."""

QUERY_METRIC = "query_metric"


def query_metric_tool() -> dict[str, Any]:
    """The one tool the model is offered, in the OpenAI shape."""
    described = {
        "entity": "Whose figure, as the question names it.",
        "metric": "Which figure, as the question names it.",
        "period": "The fiscal year, such as FY2025.",
    }
    return {
        "type": "function",
        "function": {
            "name": QUERY_METRIC,
            "description": "Look up one figure of the company's results.",
            "parameters": {
                "type": "object",
                "properties": {
                    name: {"type": "string", "description": text}
                    for name, text in described.items()
                },
                "required": list(described),
                "additionalProperties": False,
            },
        },
    }


@dataclass(frozen=True)
class Lookup:
    """What the store holds for one slot.

    Args:
        slot: what was looked up.
        fact: the fact, or None where there is none.
    """

    slot: Slot
    fact: Fact | None

    def as_result(self) -> dict[str, Any]:
        """The tool's answer, as plain values."""
        asked = {
            "entity": self.slot.entity,
            "metric": self.slot.metric,
            "period": self.slot.period,
        }
        if self.fact is None:
            return {"status": "not_found", **asked}
        return {
            "status": "found",
            **asked,
            "value": plain_number(self.fact.value),
            "unit": self.fact.unit,
            "doc": self.fact.doc,
            "locator": self.fact.locator,
        }


def look_up(store: FactStore, slot: Slot) -> Lookup:
    """Look one slot up in the store.

    Args:
        store: the facts.
        slot: what to look up.
    """
    return Lookup(slot, store.find(slot.entity, slot.metric, slot.period))


def plain_number(value: float) -> int | float:
    """A figure without the ``.0`` that floating point adds to a whole number."""
    return int(value) if value == int(value) else value


def _run_tool_loop(
    question: str,
    store: FactStore,
    provider: Provider,
    slot: Slot,
    reference_date: date,
    history_messages: Sequence[Message],
) -> Lookup:
    """Let the model look up what the question asks, and return what was found for it.

    The model's words are not returned, whatever they are (FAB-5). The tool answers for the
    question's own slot alone, so no other figure can come out of it (FAB-8). A model that never
    asked for the slot changes nothing: the engine then looks it up itself.

    Args:
        question: the raw question.
        store: the facts.
        provider: the model.
        slot: what the question asks about.
        reference_date: the date relative years are reckoned from.
        history_messages: earlier turns, placed between system prompt and question (MSG-1).

    Raises:
        ProviderError: the model gave no reply, or at first an empty one (FAB-9).
    """
    messages: list[Message] = [
        {"role": "system", "content": _system_prompt(reference_date)},
        *(dict(each) for each in history_messages),
        {"role": "user", "content": question},
    ]
    found: Lookup | None = None
    for iteration in range(MAX_ITERATIONS):
        shown = [dict(each) for each in messages]
        reply = reply_of(provider.chat(shown, tools=[query_metric_tool()]))
        calls = _calls(reply.get("tool_calls"), iteration)
        if not calls:
            if iteration == 0 and not reply["content"].strip():
                raise ProviderError("the model replied with nothing")
            break
        messages.append(
            {"role": "assistant", "content": reply["content"] or None, "tool_calls": calls}
        )
        for call in calls:
            content, hit = _execute(call["function"], store, slot, reference_date)
            found = hit or found
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    return found or look_up(store, slot)


def _system_prompt(reference_date: date) -> str:
    return (
        f"You look up a company's figures. Today is {reference_date.isoformat()}. Call "
        f"{QUERY_METRIC} for the figure the last message asks for, and report what it returns; "
        "earlier turns of the conversation are context, never evidence. Where it finds nothing, "
        "say so and state no figure."
    )


def _calls(given: object, iteration: int) -> list[dict[str, Any]]:
    """The reply's tool calls as they go back to the model: names, ids and arguments as they came.

    What is missing or of the wrong type is made up, for each call needs a tool message.
    """
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes)):
        return []
    calls = []
    for number, each in enumerate(given):
        call = each if isinstance(each, Mapping) else {}
        function = call.get("function")
        function = function if isinstance(function, Mapping) else {}
        name, arguments = function.get("name"), function.get("arguments")
        calls.append(
            {
                "id": call["id"] if isinstance(call.get("id"), str) else f"_{iteration}_{number}",
                "type": "function",
                "function": {
                    "name": name if isinstance(name, str) else "",
                    "arguments": arguments if isinstance(arguments, str) else "",
                },
            }
        )
    return calls


def _execute(
    function: Mapping[str, str], store: FactStore, slot: Slot, reference_date: date
) -> tuple[str, Lookup | None]:
    """The tool message for one call, and what was found if it asked for the question's slot."""
    if function["name"] != QUERY_METRIC:
        return _error("there is no such tool"), None
    try:
        arguments = json.loads(function["arguments"])
    except (ValueError, RecursionError):
        return _error("the arguments are not JSON"), None
    if not isinstance(arguments, dict):
        return _error("the arguments are not an object"), None
    texts = [arguments.get(name) for name in ("entity", "metric", "period")]
    entity, metric, period = (each if isinstance(each, str) else "" for each in texts)
    words = store.vocabulary
    asked = (words.entity(entity), words.metric(metric), read_period(period, reference_date))
    if asked != (slot.entity, slot.metric, slot.period):
        return _error("the question does not ask for that figure"), None
    hit = look_up(store, slot)
    return json.dumps(hit.as_result(), ensure_ascii=False), hit


def _error(what: str) -> str:
    return json.dumps({"status": "error", "error": what})
