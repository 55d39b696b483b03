"""Knowledge from a world's export: a folder of facts, passages and names, as the kit writes it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from counterproof_reference.knowledge import Knowledge, KnowledgeError

DEFAULT = Path(__file__).parent / "world"
"""The export that ships: the kit's built-in world, seed 0."""


@dataclass(frozen=True)
class Exported:
    """What an export holds.

    Args:
        knowledge: names, facts and passages.
        reference_date: the date relative periods are reckoned from.
    """

    knowledge: Knowledge
    reference_date: date


def read(folder: Path) -> Exported:
    """Read an export.

    Args:
        folder: the folder that holds ``world.json``, ``facts.json`` and ``passages.json``.

    Raises:
        KnowledgeError: a file is missing, or is not what it should be.
    """
    world = _json(folder / "world.json")
    passages = _json(folder / "passages.json")
    try:
        whole = {
            "entities": [{"code": e["code"], "names": e["names"]} for e in world["entities"]],
            "metrics": [{"code": e["code"], "names": e["names"]} for e in world["metrics"]],
            "out_of_scope": world["out_of_scope"],
            "facts": _json(folder / "facts.json"),
            "passages": [
                {
                    "doc": each["doc"],
                    "locator": each["locator"],
                    "label": each["label"],
                    "text": _text(folder / each["file"]),
                }
                for each in passages
            ],
        }
        return Exported(
            TypeAdapter(Knowledge).validate_python(whole),
            date.fromisoformat(world["reference_date"]),
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise KnowledgeError(f"{folder}: {place}: {first['msg']}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise KnowledgeError(f"{folder}: it is no export: {error}") from None


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_bytes())
    except OSError as error:
        raise KnowledgeError(f"{file}: {error.strerror}") from None
    except ValueError as error:
        raise KnowledgeError(f"{file}: it is no JSON: {error}") from None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise KnowledgeError(f"{file}: {error}") from None
