"""Engines that cross a seam by their own hand, to report what is not so."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from counterproof import Answer, World
from counterproof.contract import Model, Port
from engines.disguise import Ask, Asked, reference_with
from engines.hostile.table import never


@dataclass(frozen=True)
class _Forging:
    """A port that reports the question to be parsed, and lets history be parsed with it."""

    port: Port
    asked: Asked

    def cross(self, seam: str, data: Mapping[str, Any]) -> Any:
        got = self.port.cross(seam, data)
        if seam != "parse":
            return got
        return {**got, "text": f"{self.asked.said} {got['text']}".strip()}


@never(1, "violated")
def reports_one_text_and_parses_another(world: World) -> Ask:
    """Shows the question at the seam, and parses the conversation too (PAR-2)."""
    asked = Asked()
    port = _Forging(world._port, asked)
    forged = dataclasses.replace(world, model=Model(port), _port=port)
    return reference_with(forged, asked=asked)


def _crossing(world: World, seam: str, data: Mapping[str, Any]) -> Ask:
    """The reference engine, which crosses a seam by its own hand once there is history."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if asked.turns:
            world._port.cross(seam, data)
        return answer

    return reference_with(world, answers=answers)


@never(1, "violated")
def a_seam_of_its_own(world: World) -> Ask:
    """Reports at a seam that there is not, once there is history."""
    return _crossing(world, "verdict", {"verdict": "PASS"})


@never(1, "violated")
def a_crossing_without_members(world: World) -> Ask:
    """Reports a text parsed, without the text, once there is history."""
    return _crossing(world, "parse", {})


@never(1, "violated")
def passages_of_another_kind(world: World) -> Ask:
    """Reports passages that are none, once there is history."""
    return _crossing(world, "passages", {"passages": [3, None, {"doc": []}]})


@never(1, "violated")
def messages_of_another_kind(world: World) -> Ask:
    """Sends the model what is no list of messages, once there is history."""
    return _crossing(world, "model", {"messages": "hello", "tools": 3})
