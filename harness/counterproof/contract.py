"""What an adapter sees: the world it opens an engine over, and the answer it returns.

This module runs inside the engine's own environment: the standard library alone, Python 3.10
and later, nothing else of the harness.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from counterproof.asking import Model as Model
from counterproof.asking import ModelError as ModelError
from counterproof.asking import ModelTimeout as ModelTimeout
from counterproof.asking import Port as Port
from counterproof.watching import Seams
from counterproof.watching import Session as Session

CHANNELS = frozenset({"structured", "narrative"})
CLAIMS = frozenset(
    {"composite", "multi", "clarification", "security-gate", "restricted", "session"}
)
SEAMS = frozenset({"model", "parse", "retrieval", "exits", "session", "signature"})
CONCURRENCY = frozenset({"none", "thread", "async"})
REDUCERS = frozenset({"newest"})
"""What a declared history reducer keeps: the newest turns, each whole, so the oldest go first."""

RESERVED_MEMBERS = frozenset(
    {"role", "content", "tool_calls", "name", "arguments", "text", "plain", "sources", "doc",
     "locator", "route", "refused", "tool_results", "query", "filters", "value", "label"}
)  # fmt: skip
"""Members a comparison stands on: an adapter may not declare one of them volatile."""


@dataclass(frozen=True)
class Source:
    """A document an answer cites.

    Args:
        doc: the document's id, as in the world's facts and passages.
        locator: where in the document; may be empty.
    """

    doc: str
    locator: str = ""


@dataclass(frozen=True)
class Answer:
    """Every rendering an engine hands out for one ask.

    Args:
        text: the answer as a person reads it.
        sources: what it cites, in the engine's order.
        route: the engine's own name for the way it took, if it tells.
        refused: True or False where the engine says so itself; None where it does not.
        plain: a second rendering without citations, if the engine hands one out.
        tool_results: the tool results behind the answer, as plain values (dict, list, str,
            numbers, None), if the engine hands them out.
    """

    text: str
    sources: Sequence[Source] = ()
    route: str | None = None
    refused: bool | None = None
    plain: str | None = None
    tool_results: Sequence[Any] | None = None


@dataclass(frozen=True)
class Name:
    """Something facts are about (an entity) or state (a metric), with its spellings.

    Args:
        code: the code facts use, such as ``HK`` or ``REVENUE``.
        names: the spellings questions use; the first is the English display name.
    """

    code: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Fact:
    """One figure of the world.

    Args:
        entity: code of an entity of the world.
        metric: code of a metric of the world.
        period: a fiscal year, written ``FY2025``.
        value: the figure, in ``unit``.
        unit: the figure's unit, such as ``USD_M``.
        doc: id of the document it stands in.
        locator: where in the document.
    """

    entity: str
    metric: str
    period: str
    value: float
    unit: str
    doc: str
    locator: str


@dataclass(frozen=True)
class Passage:
    """One passage of narrative text.

    Args:
        doc: id of its document.
        locator: where in the document.
        text: the passage.
        label: its sensitivity label. ``PUBLIC`` and ``INTERNAL`` may leave, in any case of
            letters; ``RESTRICTED`` may not (RES-1), nor may what only looks like another label,
            nor an unknown or empty one (RES-5, RES-6).
    """

    doc: str
    locator: str
    text: str
    label: str = "PUBLIC"


@dataclass(frozen=True)
class ProbeView:
    """A probe without what it must yield, as ``tool_call`` and ``reply`` are given it.

    Args:
        id: the probe's id.
        question: its text.
        channel: ``structured`` or ``narrative``.
        slots: what a structured question asks for: one mapping of ``entity``, ``metric`` and
            ``period`` to names as the question writes them, for each figure asked for.
    """

    id: str
    question: str
    channel: str
    slots: tuple[Mapping[str, str], ...] = ()


Hit = TypeVar("Hit")


@dataclass(frozen=True)
class World(Seams):
    """The knowledge an engine is certified over, and the seams it is watched at.

    Args:
        reference_date: the date relative periods are reckoned from, ``YYYY-MM-DD``.
        entities: what facts are about, also names without a single fact.
        metrics: what facts state.
        facts: every figure.
        passages: every passage, restricted ones included.
        out_of_scope: names the engine must refuse to speak of (claim ``security-gate``).
        model: the scripted model the engine must use.
    """

    reference_date: str
    entities: tuple[Name, ...]
    metrics: tuple[Name, ...]
    facts: tuple[Fact, ...]
    passages: tuple[Passage, ...]
    out_of_scope: tuple[str, ...]
    model: Model
    _port: Port = field(repr=False)
    _sessions: list[Callable[[], Session]] = field(default_factory=list, repr=False, compare=False)
    _described: dict[str, Callable[[], Any]] = field(default_factory=dict, repr=False)

    def watch_parse(self, parse: Callable[..., Hit]) -> Callable[..., Hit]:
        """Wrap the engine's intent parser, so that each text it is given crosses the seam.

        Args:
            parse: a function whose first argument is the text to parse.

        Returns:
            The function to use in its place.
        """

        def watched(text: str, *args: Any, **kwargs: Any) -> Hit:
            return parse(self._port.cross("parse", {"text": text})["text"], *args, **kwargs)

        return watched

    def watch_retrieval(
        self,
        search: Callable[..., Iterable[Any]],
        *,
        to_passage: Callable[[Any], Passage] | None = None,
        from_passage: Callable[[Passage], Any] | None = None,
    ) -> Callable[..., list[Any]]:
        """Wrap the engine's search, so that each query and its passages cross the seam.

        Args:
            search: ``search(query, **filters) -> hits``.
            to_passage: turns one of the engine's hits into a :class:`Passage`; not needed where
                hits are passages.
            from_passage: turns a :class:`Passage` into a hit; needed with ``to_passage``.

        Returns:
            The function to use in its place.

        Raises:
            TypeError: ``to_passage`` without ``from_passage``, or the reverse.
        """
        if (to_passage is None) != (from_passage is None):
            raise TypeError("watch_retrieval needs to_passage and from_passage, or neither")

        def watched(query: str, *args: Any, **filters: Any) -> list[Any]:
            shown = {name: _shown(value) for name, value in filters.items()}
            got = self._port.cross("query", {"query": query, "filters": shown})
            for name, value in got["filters"].items():
                if name not in shown or shown[name] != value:
                    filters[name] = value
            hits = list(search(got["query"], *args, **filters))
            passages = [hit if to_passage is None else to_passage(hit) for hit in hits]
            kept = self._port.cross(
                "passages", {"passages": [dataclasses.asdict(each) for each in passages]}
            )["passages"]
            return [
                hits[each] if isinstance(each, int) else (from_passage or _itself)(Passage(**each))
                for each in kept
            ]

        return watched


def _itself(passage: Passage) -> Passage:
    return passage


def _shown(value: Any) -> Any:
    """A filter's value as the record holds it: plain where it is plain, its repr elsewhere."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _shown(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shown(each) for each in value]
    return repr(value)


@dataclass(frozen=True)
class AdapterSpec:
    """What an adapter declares of its engine; see :func:`adapter`."""

    name: str
    version: str
    channels: frozenset[str]
    claims: frozenset[str]
    seams: frozenset[str]
    volatile: frozenset[str]
    concurrency: str
    reducer: str | None = None
    tool_call: Callable[[ProbeView], tuple[str, Mapping[str, Any]]] | None = None
    reply: Callable[..., Any] | None = None
    errors: frozenset[str] = frozenset()


Opener = TypeVar("Opener", bound=Callable[..., Any])


def adapter(
    *,
    name: str,
    version: str,
    channels: Iterable[str],
    claims: Iterable[str] = (),
    seams: Iterable[str] = (),
    volatile: Iterable[str] = (),
    concurrency: str = "none",
    reducer: str | None = None,
    tool_call: Callable[[ProbeView], tuple[str, Mapping[str, Any]]] | None = None,
    reply: Callable[..., Any] | None = None,
    errors: Iterable[str] = (),
) -> Callable[[Opener], Opener]:
    """Declare a function that opens an engine over a world.

    The function takes a :class:`World` and returns ``ask(question, **history) -> Answer``, plain
    or async. ``history`` is passed only when the ask has one: omitted, ``None`` and ``[]`` are
    three different calls (DEF-1). It is called again for each freshly opened engine.

    Args:
        name: the engine's name, as certificates print it.
        version: the engine's version.
        channels: what it answers, of ``structured`` and ``narrative``; at least one.
        claims: further promises it makes, of ``composite``, ``multi``, ``clarification``,
            ``security-gate``, ``restricted`` and ``session``.
        seams: where the kit may watch, besides the answer: ``model``, ``parse``, ``retrieval``,
            ``exits``, ``session`` and ``signature``.
        volatile: names of JSON members (a clock, a request id) whose values are masked before
            two traces are compared, in tool results and in JSON inside messages.
        concurrency: how asks may run at once: ``none``, ``thread`` or ``async``.
        reducer: what of a history the engine keeps where it sends the model less than all of
            it: ``newest`` (the newest turns, the last one always among them, in their order and
            unchanged). Left out, every turn must arrive (MSG-4).
        tool_call: how a cooperative model calls the engine's tool for a probe; without it,
            arguments are matched to slots by their names in the tool's schema.
        reply: ``reply(messages, tools)`` gives the text a cooperative model answers the
            engine's other prompts with (a judge, a rewriter), or None to leave it to the kit.
        errors: names of the exception types the engine documents for a model that fails
            (FAB-9), where it raises; without it the exception must speak of the failure itself.

    Raises:
        ValueError: a word that is not one of those above.
    """
    spec = AdapterSpec(
        name=name,
        version=version,
        channels=_words("channels", channels, CHANNELS),
        claims=_words("claims", claims, CLAIMS),
        seams=_words("seams", seams, SEAMS),
        volatile=frozenset(volatile),
        concurrency=concurrency,
        reducer=reducer,
        tool_call=tool_call,
        reply=reply,
        errors=frozenset([errors] if isinstance(errors, str) else errors),
    )
    if not spec.channels:
        raise ValueError("channels: an engine answers at least one of narrative, structured")
    if concurrency not in CONCURRENCY:
        raise ValueError(f"concurrency: {concurrency!r} is not one of async, none, thread")
    if reducer is not None and reducer not in REDUCERS:
        raise ValueError(f"reducer: {reducer!r} is not one of {', '.join(sorted(REDUCERS))}")
    if spec.volatile & RESERVED_MEMBERS:
        raise ValueError(
            f"volatile: {', '.join(sorted(spec.volatile & RESERVED_MEMBERS))} may not be masked;"
            " the comparison stands on it"
        )

    def declare(opener: Opener) -> Opener:
        opener.__counterproof__ = spec  # type: ignore[attr-defined]  # a mark on the function
        return opener

    return declare


def _words(what: str, given: Iterable[str], known: frozenset[str]) -> frozenset[str]:
    words = frozenset([given] if isinstance(given, str) else given)
    if words - known:
        raise ValueError(
            f"{what}: {', '.join(map(repr, sorted(words - known)))} is not one of "
            f"{', '.join(sorted(known))}"
        )
    return words
