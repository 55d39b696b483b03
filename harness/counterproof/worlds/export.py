"""A world as files, for a service that ingests them: everything but what it must answer."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from counterproof.worlds.spec import FactSpec, WorldSpec

FORMAT = "counterproof/world-export/v1"
_COLUMNS = tuple(FactSpec.model_fields)


class ExportError(Exception):
    """The folder cannot be written to; the message says why (exit 2)."""


def export(world: WorldSpec, folder: Path) -> list[str]:
    """Write a world to a folder.

    ``world.json`` holds the reference date, the names of entities and metrics, and the names
    that are out of scope; ``facts.csv`` and ``facts.json`` the same figures; ``passages/`` a text
    file for each passage and ``passages.json`` what each is: file, document, locator, label;
    ``probes.json`` the questions. No expected answer and no canary is in it.

    Args:
        world: the world.
        folder: made where it is missing; what it holds already must be of an export.

    Returns:
        The names of the files written, in order.

    Raises:
        ExportError: it cannot be written to, or holds something else.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        others = {each.name for each in folder.iterdir()}
        if others and "world.json" not in others:
            raise ExportError(f"{folder}: it holds something else; give an empty folder")
        return _written(world, folder)
    except OSError as error:
        raise ExportError(f"{folder}: it cannot be written to: {error.strerror}") from None


def _written(world: WorldSpec, folder: Path) -> list[str]:
    (folder / "passages").mkdir(exist_ok=True)
    for stale in (folder / "passages").glob("*.txt"):
        stale.unlink()
    manifest = []
    files: dict[str, str] = {}
    for number, each in enumerate(world.passages, 1):
        name = f"passages/{number:03d}-{Path(each.doc).stem}-{each.locator}.txt"
        files[name] = each.text + "\n"
        manifest.append(
            {"file": name, "doc": each.doc, "locator": each.locator, "label": each.label}
        )
    facts = [each.model_dump(mode="json") for each in world.facts]
    shown = {"format", "world", "seed", "reference_date", "entities", "metrics", "out_of_scope"}
    whole = {"format": FORMAT, "world": world.name, **world.model_dump(mode="json")}
    files["world.json"] = _json({name: whole[name] for name in whole if name in shown})
    files["facts.json"] = _json(facts)
    files["facts.csv"] = _csv(facts)
    files["passages.json"] = _json(manifest)
    files["probes.json"] = _json(
        [each.model_dump(include={"id", "question", "channel", "claim"}) for each in world.probes]
    )
    for name in sorted(files):
        (folder / name).write_text(files[name], encoding="utf-8", newline="")
    return sorted(files)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _csv(facts: list[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(facts)
    return out.getvalue()
