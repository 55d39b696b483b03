"""Engines that print, and answer, what steers a terminal, a CI service or a page."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from counterproof import Answer, Source, World
from engines.disguise import Ask, Asked, once_told, reference_with
from engines.hostile.table import never

NOISE = (
    "\x1b]0;certified\x07\x1b[2J\x1b[1;32mCONFORMANT\x1b[0m\r\x08\x9b2K\x00\u202e"
    "\n::set-output name=verdict::core\n::error file=app.py,line=1::certified\n"
    "##vso[task.complete result=Succeeded;]\n##teamcity[testFinished name='all']\n"
    "</pre><script>document.title='certified'</script> [link](javascript:alert(1)) `|` &amp;"
)
"""What a report must show as it is, and no terminal or service may obey."""


def _print() -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.write(NOISE)
        stream.flush()


@never(1, "violated", name=f"noisy {NOISE}", version=f"1 {NOISE}")
def noise_everywhere(world: World) -> Ask:
    """Prints it always, and puts it into name, version and, once told, every rendering."""

    def answers(answer: Answer, asked: Asked) -> Answer:
        _print()
        if not asked.turns:
            return answer
        return Answer(
            text=f"{answer.text}{NOISE}",
            sources=[*answer.sources, Source(f"{NOISE}.md", NOISE)],
            route=NOISE,
            refused=answer.refused,
            plain=NOISE,
            tool_results=[{NOISE: NOISE}],
        )

    _print()
    return reference_with(world, answers=answers)


@never(1, "violated")
def noise_in_an_exception(world: World) -> Callable[..., Any]:
    """Raises it once there is history."""

    def act(question: str, _: Asked) -> Answer:
        raise RuntimeError(NOISE)

    return once_told(world, act)


@never(1, "violated")
def noise_as_last_words(world: World) -> Callable[..., Any]:
    """Prints it and ends its process once there is history."""

    def act(question: str, _: Asked) -> Answer:
        _print()
        os._exit(0)

    return once_told(world, act)


@never(3, "cannot be opened: RuntimeError")
def noise_when_opened(world: World) -> Ask:
    """Prints it and raises it when it is opened."""
    _print()
    raise RuntimeError(NOISE)


@never(1, "violated")
def noise_in_the_messages(world: World) -> Ask:
    """Sends it to the model once there is history."""

    def sends(messages: list[dict[str, Any]], asked: Asked) -> list[dict[str, Any]]:
        return [*messages, {"role": NOISE, "content": NOISE}] if asked.turns else messages

    return reference_with(world, sends=sends)
