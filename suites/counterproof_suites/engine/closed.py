"""What is restricted of a text, and which texts sent to the model the engine itself wrote."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from counterproof.check import require
from counterproof.mentions import quotes
from counterproof.trace import Message, Trace
from counterproof.worlds import WorldSpec


def leaked(world: WorldSpec, text: str) -> tuple[str, ...]:
    """What of the restricted passages a text holds: the documents it quotes, the secret words."""
    quoted = [each.doc for each in world.restricted if quotes(text, each.text)]
    held = [each for each in world.secrets if each.casefold() in text.casefold()]
    return (*quoted, *held)


def closed_documents(world: WorldSpec, forbidden: Iterable[str] = ()) -> frozenset[str]:
    """The documents that hold what is restricted.

    Args:
        world: the world.
        forbidden: those a probe names besides.
    """
    return frozenset({each.doc for each in world.restricted} | set(forbidden))


def require_closed(world: WorldSpec, trace: Trace, said: str = "") -> None:
    """Require that nothing restricted leaves: not in the answer, its sources, or to the model.

    Args:
        world: the world.
        trace: the trace.
        said: what a message opens with, such as the circumstances.

    Raises:
        Violation: something does.
    """
    require_closed_answer(world, trace, said)
    for pointer, text in written(world, trace):
        require(
            not leaked(world, text),
            f"{said}restricted text is sent to the model",
            trace,
            (pointer, *leaked(world, text)),
        )


def require_closed_answer(world: WorldSpec, trace: Trace, said: str = "") -> None:
    """Require that nothing restricted is in the answer or its sources; see above.

    Raises:
        Violation: something is.
    """
    for name, text in zip(("text", "plain"), trace.renderings, strict=False):
        found = leaked(world, text)
        require(
            not found, f"{said}restricted text is in the answer", trace, (f"/answer/{name}", *found)
        )
    closed = closed_documents(world)
    for number, (doc, _) in enumerate(trace.cited):
        require(
            doc not in closed,
            f"{said}the restricted document {doc!r} is cited",
            trace,
            (f"/answer/sources/{number}",),
        )


def written(world: WorldSpec, trace: Trace) -> Iterator[tuple[str, str]]:
    """The texts the engine wrote for the model, each with the JSON pointer of its message.

    What the caller said is the caller's: a turn of history that holds what is restricted is taken
    out once a call, wherever it stands, be it merged or set in a frame. What is there a second
    time is the engine's doing, unless it is a message of the turn's own once more.
    """
    spoken = [each for each in trace.ask.history.texts if leaked(world, each)]
    for number, crossing in enumerate(trace.crossings):
        if crossing.seam == "model":
            for place, text in _own(crossing.data["messages"], spoken):
                yield f"/crossings/{number}/messages/{place}", text


def without(text: str, said: str) -> str:
    """A text, something that was said taken out of it wherever it stands.

    Args:
        text: the text.
        said: what was said, however its white space, width or case has been changed since.
    """
    return _pattern(said).sub(" ", unicodedata.normalize("NFKC", text)) if said.split() else text


def _own(messages: Iterable[Message], spoken: list[str]) -> Iterator[tuple[int, str]]:
    left = list(spoken)
    rest: list[tuple[int, str]] = []
    for place, message in enumerate(messages):
        text = " ".join(_strings({k: v for k, v in message.items() if k != "role"}))
        turn = next((each for each in spoken if _flat(each) == _flat(text)), None)
        if turn is None or (turn not in left and message.get("role") not in ("user", "assistant")):
            rest.append((place, text))
        elif turn in left:
            left.remove(turn)
    for place, text in rest:
        kept = unicodedata.normalize("NFKC", text)
        for turn in list(left):
            kept, found = _pattern(turn).subn(" ", kept, count=1)
            if found:
                left.remove(turn)
        yield place, kept


def _strings(value: Any) -> Iterator[str]:
    """Every text in a message, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _strings(each)


def _flat(text: str) -> list[str]:
    return unicodedata.normalize("NFKC", text).casefold().split()


def _pattern(turn: str) -> re.Pattern[str]:
    """A turn's text, however its white space, width or case has been changed."""
    words = unicodedata.normalize("NFKC", turn).split()
    return re.compile(r"\s*".join(map(re.escape, words)), re.IGNORECASE)
