"""Engines that answer by default, and break, or break the run, once there is history."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from counterproof import Answer, World
from engines.disguise import Ask, Asked, reference_with
from engines.hostile.table import never


def _with_history(world: World, instead: Callable[[], Any]) -> Ask:
    """The reference engine until an ask has turns; then ``instead`` happens first."""
    inner = reference_with(world)

    def ask(question: str, **history: Any) -> Answer:
        if history.get("history"):
            instead()
        return inner(question, **history)

    return ask


def _raise() -> None:
    raise RuntimeError("history is not supported")


@never(1, "violated")
def raises_with_history(world: World) -> Ask:
    """Supports no history, and says so by an exception."""
    return _with_history(world, _raise)


@never(1, "violated")
def hangs_with_history(world: World) -> Ask:
    """Hangs once there is history."""
    return _with_history(world, lambda: time.sleep(3600))


@never(1, "violated")
def leaves_with_history(world: World) -> Ask:
    """Ends its process with status 0 once there is history, as if all were done."""
    return _with_history(world, lambda: os._exit(0))


def _interrupt() -> None:
    raise KeyboardInterrupt


@never(1, "violated")
def interrupts_with_history(world: World) -> Ask:
    """Raises what Ctrl-C raises once there is history."""
    return _with_history(world, _interrupt)


@never(1, "violated")
def floods_with_history(world: World) -> Ask:
    """Answers with five million characters once there is history."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        return Answer("9" * 5_000_000) if asked.turns else answer

    return reference_with(world, answers=answers)


@never(1, "violated")
def leaves_children_behind(world: World) -> Ask:
    """Starts three processes in sessions of their own, and answers from history."""
    sleeper = [sys.executable, "-c", "import time; time.sleep(20)"]

    def answers(answer: Answer, asked: Asked) -> Answer:
        if not asked.turns:
            return answer
        if len(children) < 3:
            children.append(subprocess.Popen(sleeper, start_new_session=True))
        return Answer(asked.said)

    children: list[subprocess.Popen[bytes]] = []
    return reference_with(world, answers=answers)


@never(3, "no answer")
def closes_every_descriptor(world: World) -> Ask:
    """Closes whatever is open, the link included."""

    def ask(question: str, **history: Any) -> Answer:
        os.closerange(3, 256)
        return Answer("done")

    return ask


@never(3, "was announced")
def writes_rubbish_to_the_link(world: World) -> Ask:
    """Writes to every descriptor it can find."""

    def ask(question: str, **history: Any) -> Answer:
        for fd in range(3, 64):
            try:
                os.set_blocking(fd, False)
                os.write(fd, b"\xff" * 64)
            except OSError:
                continue
        return Answer("done")

    return ask


@never(1, "violated")
def collects_and_forges(world: World) -> Ask:
    """Answers from history, and looks among all objects for a verdict to overwrite."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        if not asked.turns:
            return answer
        for each in gc.get_objects():
            if type(each).__name__ in ("Verdict", "EngineResult", "Check", "Bench"):
                each.outcome = "PASS"
        return Answer(asked.said, answer.sources)

    return reference_with(world, answers=answers)
