"""The catalogue as data: requirements, and the statements of their source that they hold."""

from __future__ import annotations

import tomllib
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from counterproof.certificate import Level

ID = r"[A-Z]{3}-\d+"
"""What a requirement's id looks like."""

_Id = Annotated[str, Field(pattern=f"^{ID}$")]
_Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class SuiteError(Exception):
    """A suite that does not hold together; the message names what to mend."""


class RequirementSpec(BaseModel):
    """One normative sentence of the catalogue.

    Args:
        id: its stable id, such as ``RET-1``.
        version: its version, from 1.
        level: the level it belongs to.
        title: a few words.
        sentence: what must hold.
        source: the document it comes from.
        seams: where the kit must be able to watch to check it, besides the answer.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: _Id
    version: int = Field(ge=1)
    level: Level
    title: _Words
    sentence: _Words
    source: _Words
    seams: frozenset[str] = frozenset()


class Statement(BaseModel):
    """One thing that the requirements' source says.

    Args:
        id: its stable name, such as ``parser-sees-the-question``.
        says: what it says, in our words.
        source: the document that says it.
        rows: ids of the requirements that hold it.
        awaits: ids of those that will, once they are in the catalogue.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    says: _Words
    source: _Words
    rows: tuple[_Id, ...] = ()
    awaits: tuple[_Id, ...] = ()


_Entry = TypeVar("_Entry", bound=BaseModel)


def read_requirements(file: Any) -> list[RequirementSpec]:
    """The requirements of a TOML file with one ``[[requirement]]`` table each.

    Args:
        file: a path, or a resource that can be read as text.

    Raises:
        SuiteError: the file is not TOML, or an entry is not valid, naming it and what is wrong.
    """
    return _read(file, "requirement", RequirementSpec)


def read_statements(file: Any) -> list[Statement]:
    """The statements of a TOML file with one ``[[statement]]`` table each.

    Args:
        file: a path, or a resource that can be read as text.

    Raises:
        SuiteError: as of :func:`read_requirements`.
    """
    return _read(file, "statement", Statement)


def _read(file: Any, name: str, kind: type[_Entry]) -> list[_Entry]:
    found = []
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8")).get(name, [])
    except tomllib.TOMLDecodeError as error:
        raise SuiteError(str(error)) from None
    if not (isinstance(tables, list) and all(isinstance(each, dict) for each in tables)):
        raise SuiteError(f"{name}: each is a table of its own, [[{name}]]")
    for number, table in enumerate(tables, 1):
        try:
            found.append(kind.model_validate(table))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            called = table.get("id", f"entry {number}")
            raise SuiteError(f"{called}: {where}: {first['msg']}") from None
    return found
