"""The certificate as a document: whose it is, what it says, and its digest (design §4)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Annotated, Any, Literal

import rfc8785
from pydantic import AwareDatetime, Field, model_validator

from counterproof.certificate.findings import Level, Requirement, Verdict
from counterproof.certificate.values import Amount, Frozen, Seed, Text


class Kit(Frozen):
    """Which Counterproof ran, and the digest of the requirements it ran."""

    version: Text
    requirements_digest: Text


class Subject(Frozen):
    """What was tested.

    Args:
        kind: what sort of thing it is.
        name: its name, as its adapter declares it.
        version: its version, as its adapter declares it.
        digest: digest of its code, or None where there is none.
        digest_is: ``measured`` by the kit, or ``claimed`` by the adapter; None without a digest.
        adapter: where its adapter is, such as ``my_pkg.cert:my_engine``.
        channels: what it answers.
        claims: which further promises it makes.
        seams: where it lets the kit watch, besides the answer.
        volatile: members whose values were masked before traces were compared.
        reducer: what of a history it keeps, where it declares that it reduces histories.
        unproved: what the way it was reached leaves unproved, a sentence each.
    """

    kind: Literal["engine", "service", "history", "reducer"]
    name: Text
    version: Text
    digest: Text | None = None
    digest_is: Literal["measured", "claimed"] | None = None
    adapter: Text
    channels: tuple[Text, ...]
    claims: tuple[Text, ...]
    seams: tuple[Text, ...]
    volatile: tuple[Text, ...] = ()
    reducer: Text | None = None
    unproved: tuple[Text, ...] = ()

    @model_validator(mode="after")
    def _says_what_the_digest_is(self) -> Subject:
        if (self.digest is None) != (self.digest_is is None):
            raise ValueError("digest and digest_is stand together or not at all")
        return self


class Run(Frozen):
    """How it was tested.

    Args:
        profile: how deep.
        level: the level the exit is judged at.
        only: the ids the run was limited to; empty where it was not.
        seed: seed of everything generated.
        world: the world's name.
        world_seed: the seed its values are drawn from.
        world_digest: digest of the world as it was drawn.
        baseline_digest: digest of the recorded baseline, or None without one.
        known_digest: digest of the list of known failures, or None without one.
        transport: how the engine was reached, such as ``worker``.
        started: when; not part of the digest.
        seconds: how long it took; not part of the digest.
        python: the version of Python the engine ran on.
        packages: versions of the packages that matter to the result.
    """

    profile: Literal["gate", "certify", "audit"]
    level: Level
    only: tuple[Text, ...] = ()
    seed: Seed
    world: Text
    world_seed: Seed
    world_digest: Text
    baseline_digest: Text | None = None
    known_digest: Text | None = None
    transport: Text
    started: AwareDatetime
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    python: Text
    packages: dict[Text, Text]


class Stale(Frozen):
    """An entry of the vendor's known failures that a run found to be no longer true.

    Args:
        entry: which one of the file, from 1.
        id: the requirement it is about.
        check: the name of the check it is pinned to.
        behaviour: the behaviour of the model it is pinned to.
        message: the message it is pinned to.
        expires: the last day on which it counts.
        because: what became of it: the check passes, fails otherwise, or that day is over.
    """

    entry: Annotated[int, Field(ge=1)]
    id: Text
    check: Text
    behaviour: Text
    message: Text
    expires: date
    because: Literal["passes", "fails otherwise", "expired"]


class Counts(Frozen):
    """How many requirements have each verdict."""

    passed: Amount = Field(default=0, alias="pass")
    fail: Amount = 0
    vacuous: Amount = 0
    not_observable: Amount = 0
    not_applicable: Amount = 0
    known: Amount = 0
    error: Amount = 0

    @classmethod
    def of(cls, requirements: Iterable[Requirement]) -> Counts:
        """The counts of these requirements' verdicts."""
        found = Counter(each.verdict.value.lower() for each in requirements)
        return cls.model_validate(dict(found))


class Outcome(Frozen):
    """What the run comes to, so that a report needs nothing but the certificate.

    Args:
        line: the verdict line.
        exit: the exit code of the command that wrote the certificate.
        reason: why that one, in a sentence.
        stale: entries of the known failures that are no longer true.
    """

    line: Text
    exit: Literal[0, 1, 3, 4, 6]
    reason: Text
    stale: tuple[Stale, ...] = ()


class Footer(Frozen):
    """Written last: the document is whole, and this is its digest."""

    complete: Literal[True] = True
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Certificate(Frozen):
    """The whole document; ``footer`` is None until it is sealed."""

    format: Literal["counterproof/certificate/v1"] = Field(
        default="counterproof/certificate/v1", alias="schema"
    )
    kit: Kit
    subject: Subject
    run: Run
    level: Level | None
    outcome: Outcome
    counts: Counts
    requirements: tuple[Requirement, ...]
    footer: Footer | None = None

    @model_validator(mode="after")
    def _adds_up(self) -> Certificate:
        rows = self.requirements
        ids = [each.id for each in rows]
        if len(set(ids)) != len(ids):
            raise ValueError("a requirement stands in it twice")
        if self.counts != Counts.of(self.requirements):
            raise ValueError("counts are not those of its requirements")
        stale = self.outcome.stale
        if self.run.known_digest is None and (stale or any(r.known for r in rows)):
            raise ValueError("failures are known though no list of known failures was given")
        if stale and self.outcome.exit not in (1, 3):
            raise ValueError("an entry of the known failures is stale, and the run did not fail")
        if self.level is not None and (failed := _failed(rows, self.level)):
            raise ValueError(f"{self.level} is granted though {failed.id} is {failed.verdict}")
        if self.level is not None and self.run.only:
            raise ValueError("a run with --only grants no level")
        if self.level is not None and not any(r.verdict is Verdict.PASS for r in self.requirements):
            raise ValueError("a level is granted though nothing passed")
        return self

    def plain(self) -> dict[str, Any]:
        """The document as JSON values."""
        return self.model_dump(mode="json", by_alias=True)


def _failed(rows: Iterable[Requirement], level: Level) -> Requirement | None:
    """The first row that a level cannot be granted with."""
    failures = (Verdict.FAIL, Verdict.KNOWN, Verdict.ERROR, Verdict.VACUOUS)
    return next((r for r in rows if level.includes(r.level) and r.verdict in failures), None)


def digest(certificate: Certificate) -> str:
    """SHA-256 of a certificate's canonical JSON, less its times and its footer.

    It detects accidents; only a signature would detect tampering.
    """
    return digest_of_document(certificate.plain())


def digest_of_document(document: Mapping[str, Any]) -> str:
    """The same of a certificate's JSON document.

    Raises:
        ValueError: the document holds what canonical JSON cannot.
    """
    run = {key: each for key, each in document["run"].items() if key not in ("started", "seconds")}
    body = {key: each for key, each in document.items() if key != "footer"} | {"run": run}
    return hashlib.sha256(rfc8785.dumps(body)).hexdigest()


def seal(certificate: Certificate) -> Certificate:
    """The certificate with the footer that says it is complete."""
    return certificate.model_copy(update={"footer": Footer(sha256=digest(certificate))})


def schema() -> dict[str, Any]:
    """The JSON schema of a written certificate, as published in the documentation."""
    made = Certificate.model_json_schema(mode="serialization", by_alias=True)
    # Only a certificate still being made lacks its footer; a written one never does.
    made["properties"]["footer"] = {"$ref": "#/$defs/Footer"}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}
