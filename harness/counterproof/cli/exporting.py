"""What ``counterproof world export`` does."""

from __future__ import annotations

from pathlib import Path

from counterproof.certify.request import RequestError
from counterproof.report.sanitise import visible
from counterproof.worlds import builtin_world
from counterproof.worlds.export import ExportError, export


def export_world(folder: Path, world_seed: int) -> None:
    """Write a world to a folder and say what was written.

    Args:
        folder: where to.
        world_seed: seed of the world's values.

    Raises:
        RequestError: the folder cannot be written to, or holds something else.
    """
    try:
        files = export(builtin_world(world_seed), folder)
    except ExportError as error:
        raise RequestError(str(error)) from None
    print(f"{len(files)} files written to {visible(str(folder))}")
    print("facts.csv, facts.json: the figures; passages/, passages.json: texts, labels, documents")
    print("world.json: names, reference date; probes.json: the questions")
