"""What a project fixes of its certification: ``[tool.counterproof]`` of its pyproject.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from counterproof.certificate import Level

_Words = Annotated[str, Field(min_length=1)]
_WHERE = "pyproject.toml: [tool.counterproof]"


class ConfigurationError(Exception):
    """A table that cannot be used; the message says what to mend (exit 2)."""


class Configuration(BaseModel):
    """The settings of one engine's certification; each option of the command line goes before.

    Args:
        engine: the engine: a name of an installed one, or ``module:attribute``.
        profile: as ``--profile``.
        level: as ``--level``.
        baseline: as ``--baseline``, relative to the folder of the file, as every path.
        known: as ``--known``.
        python: as ``--python``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    engine: _Words | None = None
    profile: Literal["gate", "certify", "audit"] | None = None
    level: Level | None = None
    baseline: _Words | None = None
    known: _Words | None = None
    python: _Words | None = None

    def of(self, target: str) -> Configuration:
        """The settings where this engine is certified: none where they are another's."""
        return self if self.engine in (None, target) else Configuration()


def configured(folder: Path) -> Configuration:
    """What the pyproject.toml in a folder says; nothing where there is none.

    Raises:
        ConfigurationError: the file cannot be read, or a setting is none, or not valid.
    """
    try:
        table = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return Configuration()
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"pyproject.toml cannot be read: {error}") from None
    for name in ("tool", "counterproof"):
        table = table.get(name, {})
        if not isinstance(table, dict):
            raise ConfigurationError(f"{_WHERE} must be a table")
    try:
        return Configuration.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
    setting, expected = first["loc"][0], first.get("ctx", {}).get("expected")
    if first["type"] == "extra_forbidden":
        known = ", ".join(Configuration.model_fields)
        raise ConfigurationError(f"{_WHERE} has no setting {setting!r}, but {known}")
    wanted = expected or "a string that is not empty"
    raise ConfigurationError(f"{_WHERE} {setting} must be {wanted}, not {first['input']!r}")
