"""A vendor's known failures: a file of them, and which of a run's failures they excuse."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import rfc8785
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from counterproof.suite import Suite

ANY = "…"
"""Stands for any text in a pinned message."""
_LEAST = 12
"""Characters a pinned message must hold besides, so that it is pinned to something."""

_Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_NEEDED = {
    "id": "the requirement's id, such as FAB-5",
    "check": "the name of the check that fails",
    "behaviour": "what the model does where it fails, such as cooperative",
    "message": "what the check says",
    "reason": "the reason for which the failure is accepted for now",
    "link": "an http or https address where it is tracked",
    "expires": "a date such as 2027-01-31, the last day on which it is accepted",
}


class KnownError(Exception):
    """A file of known failures that cannot be used; the message says what to mend (exit 2)."""


def _written_as_date(value: Any) -> Any:
    """A date, or a text that gives one; no time, and no number of seconds."""
    written = isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value)
    if not written and type(value) is not date:
        raise ValueError("no date")
    return value


class KnownFailure(BaseModel):
    """One failure a vendor knows of, pinned to where and how it fails.

    Args:
        id: the requirement's id.
        check: the name of the check that fails, without the id.
        behaviour: what the model does where it fails.
        message: what the check says; ``…`` stands for any text.
        reason: why the failure is accepted for now.
        link: where it is tracked.
        expires: the last day (UTC) on which it is.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: _Words
    check: _Words
    behaviour: _Words
    message: Annotated[str, Field(min_length=1)]
    reason: _Words
    link: Annotated[str, Field(pattern=r"^https?://\S+$")]
    expires: Annotated[date, BeforeValidator(_written_as_date)]

    def says(self, message: str) -> bool:
        """Whether its pinned message is this one."""
        first, *rest = self.message.split(ANY)
        if not rest:
            return message == first
        *middle, last = rest
        if not message.startswith(first):
            return False
        place = len(first)
        for part in middle:
            found = message.find(part, place)
            if found < 0:
                return False
            place = found + len(part)
        return message.endswith(last) and len(message) - len(last) >= place


@dataclass(frozen=True)
class KnownFailures:
    """The known failures of a run.

    Args:
        entries: in the file's order.
        on: the day they are judged at.
        digest: SHA-256 of the entries; None where no file is given.
    """

    entries: tuple[KnownFailure, ...] = ()
    on: date = date.min
    digest: str | None = None

    def expired(self, entry: KnownFailure) -> bool:
        """Whether an entry counts no more."""
        return entry.expires < self.on

    def excusing(
        self, requirement: str, check: str, behaviour: str, message: str
    ) -> tuple[KnownFailure, ...]:
        """The entries that know of a failure; an expired one knows of none.

        Args:
            requirement: its requirement's id.
            check: the name of the check that failed.
            behaviour: what the model did.
            message: what the check said.
        """
        return tuple(
            each
            for each in self.entries
            if (each.id, each.check, each.behaviour) == (requirement, check, behaviour)
            and each.says(message)
            and not self.expired(each)
        )


def read_known(file: Path, suite: Suite, on: date) -> KnownFailures:
    """The known failures in a TOML file with one ``[[known]]`` table each.

    Args:
        file: the file.
        suite: every installed requirement, whatever the run is limited to.
        on: the day they are judged at.

    Raises:
        KnownError: it cannot be read, or an entry is not valid; file, entry and what to mend are
            named.
    """
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise KnownError(f"{file}: cannot be read ({error.strerror or error})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise KnownError(f"{file}: is not TOML: {error}") from None
    for name in document:
        if name != "known":
            raise KnownError(f"{file}: holds {name!r}; give each known failure as [[known]]")
    tables = document.get("known", [])
    if not (isinstance(tables, list) and all(isinstance(each, dict) for each in tables)):
        raise KnownError(f"{file}: each known failure is a table of its own, [[known]]")
    places: dict[tuple[str, str, str, str], int] = {}
    entries = []
    for number, table in enumerate(tables, 1):
        where = f"{file}: entry {number}"
        if isinstance(table.get("id"), str):
            where += f" ({table['id']})"
        entry = _valid(table, where)
        _pinned(entry, where, suite)
        pin = (entry.id, entry.check, entry.behaviour, entry.message)
        if pin in places:
            raise KnownError(f"{where}: is pinned to what entry {places[pin]} is; remove one")
        places[pin] = number
        entries.append(entry)
    body: Any = [each.model_dump(mode="json") for each in entries]
    return KnownFailures(tuple(entries), on, hashlib.sha256(rfc8785.dumps(body)).hexdigest())


def _valid(table: Mapping[str, Any], where: str) -> KnownFailure:
    try:
        return KnownFailure.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
    member = str(first["loc"][0])
    if first["type"] == "missing":
        raise KnownError(f"{where}: {member} is missing: give {_NEEDED[member]}")
    if first["type"] == "extra_forbidden":
        raise KnownError(f"{where}: there is no {member!r}; an entry holds {', '.join(_NEEDED)}")
    raise KnownError(f"{where}: {member} is not valid: give {_NEEDED[member]}")


def _pinned(entry: KnownFailure, where: str, suite: Suite) -> None:
    """Refuse an entry that is pinned to nothing there is."""
    if entry.id not in suite.requirements:
        raise KnownError(
            f"{where}: no installed suite holds this requirement; `counterproof requirements`"
            " lists what is installed"
        )
    checks = {each.name: each for each in suite.checks if each.requirement == entry.id}
    if entry.check not in checks:
        raise KnownError(f"{where}: has no check {entry.check!r}, but {', '.join(checks)}")
    behaviours = [str(each) for each in checks[entry.check].behaviours]
    if entry.behaviour not in behaviours:
        raise KnownError(
            f"{where}: {entry.check} is not run with a model of behaviour {entry.behaviour!r},"
            f" but {', '.join(behaviours)}"
        )
    if len(entry.message.replace(ANY, "")) < _LEAST and ANY in entry.message:
        raise KnownError(
            f"{where}: message pins nothing: give at least {_LEAST} characters of what the check"
            f" says besides {ANY}"
        )
