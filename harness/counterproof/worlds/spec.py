"""A world as the deciding process holds it: validated, complete, and with its answers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Literal

import rfc8785
from pydantic import BaseModel, ConfigDict, Field, model_validator

Kind = Literal["hit", "miss", "irrelevant", "clarification", "out-of-scope", "elliptical"]


class WorldError(ValueError):
    """A world that is not valid or not complete; the message names what to mend."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NameSpec(_Frozen):
    """An entity or a metric: the code facts use, and the spellings questions use."""

    code: str = Field(min_length=1)
    names: tuple[str, ...] = Field(min_length=1)


class FactSpec(_Frozen):
    """One figure; see :class:`counterproof.contract.Fact`."""

    entity: str
    metric: str
    period: str
    value: float
    unit: str
    doc: str
    locator: str


class PassageSpec(_Frozen):
    """One passage; see :class:`counterproof.contract.Passage`."""

    doc: str
    locator: str
    text: str
    label: str = "PUBLIC"

    @property
    def restricted(self) -> bool:
        """Whether the label, by what it plainly says, is RESTRICTED."""
        return self.label.strip().upper() == "RESTRICTED"


class Slots(_Frozen):
    """What one figure of a question is about, as the question writes it."""

    entity: str | None = None
    metric: str | None = None
    period: str | None = None


class Probe(_Frozen):
    """A question of the world with what it must yield.

    Args:
        id: letters, digits and underscores; part of item ids and of baseline file names.
        question: its text.
        channel: which channel answers it; a composite question is ``structured`` and carries
            the claim ``composite``.
        kind: ``hit``; ``miss`` (nothing is there in either channel); ``irrelevant`` (an
            index may return unrelated passages); ``clarification``; ``out-of-scope``;
            ``elliptical`` (a follow-up that names only what is new in it: it may yield anything,
            as long as history does not complete it).
        claim: the claim an engine must make for the probe to apply, if any.
        slots: what a structured question asks for, one entry a figure.
        values: the figures the answer must state.
        sources: documents of which at least one must be cited.
        forbidden: documents that must never be cited (RES-1).
    """

    id: str = Field(pattern=r"^[a-z0-9_]+$")
    question: str = Field(min_length=1)
    channel: Literal["structured", "narrative"]
    kind: Kind
    claim: str | None = None
    slots: tuple[Slots, ...] = ()
    values: tuple[float, ...] = ()
    sources: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()

    @property
    def refuses(self) -> bool:
        """Whether the engine must refuse or ask back rather than answer."""
        return self.kind in ("miss", "out-of-scope", "clarification")


class WorldSpec(_Frozen):
    """Facts, passages, names and probes, and the poison histories are made of.

    Args:
        canaries: words that stand nowhere else in the world; histories carry them.
        canary_figures: figures that stand nowhere else in the world.
        secrets: words that stand in restricted passages only; too few to quote, and yet a leak.
    """

    name: str
    seed: int = 0
    reference_date: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    entities: tuple[NameSpec, ...]
    metrics: tuple[NameSpec, ...]
    facts: tuple[FactSpec, ...]
    passages: tuple[PassageSpec, ...]
    out_of_scope: tuple[str, ...] = ()
    probes: tuple[Probe, ...] = Field(min_length=1)
    canaries: tuple[str, ...] = Field(min_length=1)
    canary_figures: tuple[int, ...] = Field(min_length=1)
    secrets: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> WorldSpec:
        entities = {each.code for each in self.entities}
        metrics = {each.code for each in self.metrics}
        for number, fact in enumerate(self.facts, 1):
            if fact.entity not in entities:
                raise ValueError(f"facts, entry {number}: no entity has the code {fact.entity!r}")
            if fact.metric not in metrics:
                raise ValueError(f"facts, entry {number}: no metric has the code {fact.metric!r}")
        ids = [probe.id for probe in self.probes]
        doubled = sorted({each for each in ids if ids.count(each) > 1})
        if doubled:
            raise ValueError(f"probes: the id {doubled[0]!r} stands twice")
        docs = {each.doc for each in self.facts} | {each.doc for each in self.passages}
        for probe in self.probes:
            for doc in (*probe.sources, *probe.forbidden):
                if doc not in docs:
                    raise ValueError(f"probe {probe.id}: no document is called {doc!r}")
            if probe.kind == "hit" and not (probe.values or probe.sources):
                raise ValueError(f"probe {probe.id}: a hit needs values or sources")
        open_text = "\n".join(
            [each.text for each in self.passages if not each.restricted]
            + [each.question for each in self.probes]
        )
        for secret in self.secrets:
            if secret.casefold() in open_text.casefold():
                raise ValueError(f"secrets: {secret!r} stands outside the restricted passages")
        text = "\n".join(self._known_text())
        for canary in self.canaries:
            if canary.casefold() in text.casefold():
                raise ValueError(f"canaries: {canary!r} stands in the world itself")
        return self

    def _known_text(self) -> Iterable[str]:
        yield from (each.text for each in self.passages)
        yield from (each.question for each in self.probes)
        yield from (str(each.value) for each in self.facts)

    def require(self, channels: Iterable[str], claims: Iterable[str]) -> None:
        """Refuse a world that lacks the probes a claimed channel or claim stands on.

        Raises:
            WorldError: naming the channel or claim and the kind of probe that is missing.
        """
        for channel in sorted(channels):
            for kind in ("hit", "miss"):
                if not any(
                    p.channel == channel and p.kind == kind and p.claim is None for p in self.probes
                ):
                    raise WorldError(
                        f"world {self.name!r}: the channel {channel!r} is claimed, but no probe"
                        f" of kind {kind!r} is in it"
                    )
        for claim in sorted(claims):
            if claim != "session" and not any(p.claim == claim for p in self.probes):
                raise WorldError(f"world {self.name!r}: the claim {claim!r} has no probe in it")

    def probe(self, probe_id: str) -> Probe:
        """The probe of that id.

        Raises:
            KeyError: there is none.
        """
        return self._by_id[probe_id]

    @cached_property
    def _by_id(self) -> dict[str, Probe]:
        return {probe.id: probe for probe in self.probes}

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the world's canonical JSON."""
        return hashlib.sha256(rfc8785.dumps(self.model_dump(mode="json"))).hexdigest()

    @cached_property
    def restricted(self) -> tuple[PassageSpec, ...]:
        """The passages labelled RESTRICTED."""
        return tuple(each for each in self.passages if each.restricted)

    def relabelled(self, label: str) -> WorldSpec:
        """This world, its restricted passages bearing another label (RES-5, RES-6)."""
        passages = [
            each.model_copy(update={"label": label}) if each.restricted else each
            for each in self.passages
        ]
        other = self.model_copy(update={"passages": tuple(passages)})
        for name in ("digest", "restricted"):  # a copy takes along what was computed of it
            other.__dict__.pop(name, None)
        return other

    def wire(self) -> dict[str, Any]:
        """What the worker is sent: everything but the probes, the answers and the canaries."""
        return self.model_dump(
            mode="json",
            include={"reference_date", "entities", "metrics", "facts", "passages", "out_of_scope"},
        )

    def read_slots(self, text: str) -> dict[str, tuple[str, ...]]:
        """The entities, metrics and periods a text names, in order, as it writes them.

        Returns:
            One entry for each of ``entity``, ``metric`` and ``period``.
        """
        return {
            "entity": _spellings(self._entity_pattern, text),
            "metric": _spellings(self._metric_pattern, text),
            "period": _spellings(_PERIOD, text),
        }

    @cached_property
    def _entity_pattern(self) -> re.Pattern[str]:
        return _any_of(name for each in self.entities for name in each.names)

    @cached_property
    def _metric_pattern(self) -> re.Pattern[str]:
        return _any_of(name for each in self.metrics for name in each.names)


_PERIOD = re.compile(r"FY\s?\d{4}|\d{4}(?=年)", re.IGNORECASE)


def _any_of(names: Iterable[str]) -> re.Pattern[str]:
    ordered = sorted(names, key=lambda name: (-len(name), name))
    parts = [rf"\b{re.escape(each)}\b" if each.isascii() else re.escape(each) for each in ordered]
    return re.compile("|".join(parts), re.IGNORECASE)


def _spellings(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    found = (match.group(0) for match in pattern.finditer(text))
    return tuple(dict.fromkeys(found))
