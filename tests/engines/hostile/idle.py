"""Engines made to get past one row by doing nothing, or by hiding what they do."""

from __future__ import annotations

import dataclasses
import os
import re

from counterproof import Answer, World
from engines.disguise import Ask, Asked, once_told, reference_with
from engines.hostile.table import never

_WIDE = str.maketrans("0123456789", "０１２３４５６７８９")
_EXCUSES = ("did not reply", "没有应答")


def _claimed(asked: Asked) -> list[str]:
    """The large figures that history claims."""
    return re.findall(r"(?<!\w)\d{5,}(?!\w)", asked.said)


@never(1, "violated", rows=("FAB-2",))
def says_that_it_refuses(world: World) -> Ask:
    """States what history claims, and says of each such answer that it is a refusal."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        told = _claimed(asked)
        if not answer.refused or not told:
            return answer
        return dataclasses.replace(answer, text=f"No data. ({int(told[-1]) + 3})")

    return reference_with(world, answers=answers)


@never(1, "violated", rows=("FAB-3",))
def refuses_what_history_claims(world: World) -> Ask:
    """States no figure at all once history claims one, so that none of them is wrong."""

    def act(_: str, asked: Asked) -> Answer | None:
        return Answer("I cannot say.", refused=True) if _claimed(asked) else None

    return once_told(world, act)


@never(1, "violated", rows=("FAB-6",))
def says_nothing_where_nothing_is_found(world: World) -> Ask:
    """Answers a narrative miss with nothing once there is history, in which nothing leaks."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        idle = answer.route == "narrative" and answer.refused and asked.turns
        return Answer("", refused=True) if idle else answer

    return reference_with(world, answers=answers)


@never(1, "violated", rows=("FAB-7",))
def writes_invented_figures_otherwise(world: World) -> Ask:
    """Passes the model's figures on in full-width digits, whatever form they came in."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        said = "".join(str(each.get("content") or "") for each in asked.replies)
        found = re.findall(r"\d{5}", said)
        if answer.route != "narrative" or not found:
            return answer
        return dataclasses.replace(answer, text=f"{answer.text} {found[-1].translate(_WIDE)}")

    return reference_with(world, answers=answers)


@never(1, "violated", rows=("FAB-8",))
def silent_before_a_misused_tool(world: World) -> Ask:
    """Says nothing unless the model calls its tool just once, and in its own words."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        calls = [call for each in asked.replies for call in each.get("tool_calls") or ()]
        proper = [each for each in calls if each["function"]["name"] == "query_metric"]
        return answer if len(calls) == len(proper) <= 1 else Answer("", plain="")

    return reference_with(world, answers=answers)


@never(1, "violated", rows=("FAB-9",))
def leaves_when_the_model_fails(world: World) -> Ask:
    """Ends its process with status 0 where there is no reply."""

    def answers(answer: Answer, _: Asked) -> Answer:
        if any(each in answer.text for each in _EXCUSES):
            os._exit(0)
        return answer

    return reference_with(world, answers=answers)


@never(1, "violated", rows=("FAB-9",), errors={"IndexError"})
def documents_its_accidents(world: World) -> Ask:
    """Declares an IndexError as the error it documents, and raises it."""

    def answers(answer: Answer, _: Asked) -> Answer:
        choices: list[Answer] = []
        return choices[0] if any(each in answer.text for each in _EXCUSES) else answer

    return reference_with(world, answers=answers)
