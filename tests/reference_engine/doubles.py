"""A small world for the engine, and models that play what a test needs."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from counterproof_reference.facts import Fact
from counterproof_reference.passages import Passage
from counterproof_reference.providers import ProviderError
from counterproof_reference.vocabulary import Term, Vocabulary

TODAY = date(2026, 7, 14)
VOCABULARY = Vocabulary(
    entities=(
        Term("HK", ("Hong Kong", "香港")),
        Term("CN", ("China", "中国")),
        Term("SH", ("Shanghai", "上海")),
    ),
    metrics=(
        Term("REVENUE", ("revenue", "营收")),
        Term("PROFIT", ("operating profit", "营运利润")),
    ),
    out_of_scope=("竞安", "Jingan"),
)
FACTS = (
    Fact("HK", "REVENUE", "FY1320", 41113, "USD_M", "old.xlsx", "A1"),
    Fact("HK", "REVENUE", "FY2024", 84994, "USD_M", "hk.xlsx", "R!2024"),
    Fact("HK", "REVENUE", "FY2025", 57812.5, "USD_M", "hk.xlsx", "R!2025"),
    Fact("HK", "PROFIT", "FY2025", 31117, "USD_M", "hk.xlsx", "P!2025"),
    Fact("CN", "REVENUE", "FY2025", 63331, "USD_M", "cn.xlsx", "R!2025"),
    Fact("CN", "REVENUE", "FY2024", 71234, "RMB_M", "cn.xlsx", "R!2024"),
)
PASSAGES = (
    Passage(
        "drivers.md", "p1", "香港营收下降的原因：企业客户续约推迟，影响约 1,702 家客户。", "Public"
    ),
    Passage("ferry.md", "p1", "The ferry terminal closed because of seventeen storms.", "PUBLIC"),
    Passage(
        "ferry.md", "p2", "Staff of the ferry terminal expect repairs to end soon.", "Internal"
    ),
    Passage(
        "ferry-plan.md", "p1", "The ferry terminal is to be sold, codename zebramop.", "RESTRICTED"
    ),
    Passage("vault.md", "p1", "The vault code is quillfen.", "Restricted"),
)

Reply = Mapping[str, Any] | Exception | None
Messages = list[dict[str, Any]]


class Script:
    """A model that gives these replies in turn, the last one ever after, and keeps what it saw.

    Args:
        replies: completions, or errors to raise; a function is given the messages.
    """

    def __init__(self, *replies: Reply | Callable[[Messages], Reply]) -> None:
        self._replies = replies
        self.calls: list[tuple[Messages, list[dict[str, Any]] | None]] = []

    def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> Any:
        """Give the next reply."""
        seen = copy.deepcopy([dict(each) for each in messages])
        offered = None if tools is None else copy.deepcopy([dict(each) for each in tools])
        self.calls.append((seen, offered))
        reply = self._replies[min(len(self.calls), len(self._replies)) - 1]
        given = reply(seen) if callable(reply) else reply
        if isinstance(given, Exception):
            raise given
        return given

    @property
    def messages(self) -> list[Messages]:
        """The messages of each call."""
        return [messages for messages, _ in self.calls]


def completion(message: Any) -> dict[str, Any]:
    """A chat completion with this reply message."""
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


def say(text: str | None) -> dict[str, Any]:
    """A reply of this text."""
    return completion({"role": "assistant", "content": text})


def call(
    arguments: Mapping[str, Any] | str, name: str = "query_metric", id_: str = "c1"
) -> dict[str, Any]:
    """One tool call of a reply."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": text}}


def calls(*tool_calls: Any) -> dict[str, Any]:
    """A reply that makes these tool calls."""
    return completion({"role": "assistant", "content": None, "tool_calls": list(tool_calls)})


def asked(entity: str = "香港", metric: str = "营收", period: str = "FY2025") -> dict[str, str]:
    """The tool's arguments."""
    return {"entity": entity, "metric": metric, "period": period}


FAILURES: dict[str, Reply] = {
    "an error": ProviderError("down"),
    "no choices": {"choices": []},
    "no completion": None,
    "no message": {"choices": [{}]},
    "an empty text": say(""),
    "white space": say(" \n"),
    "no text": say(None),
    "no string": completion({"content": [{"type": "text", "text": "999"}]}),
}
"""Every way a model gives no usable reply."""
