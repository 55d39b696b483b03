"""A recorded baseline: a syrupy snapshot of each probe's default trace, as bytes (DEF-2)."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from syrupy.data import Snapshot, SnapshotCollection
from syrupy.extensions.single_file import SingleFileSnapshotExtension

IDENTITY = "counterproof-baseline.json"


class BaselineError(Exception):
    """A baseline folder that cannot be used; the message says why and what to do (exit 2)."""


class Identity(BaseModel):
    """Whose baseline it is, and over what it was recorded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    engine: str
    version: str
    world: str
    world_digest: str
    kit: str


class _Snapshots(SingleFileSnapshotExtension):
    """A trace's canonical bytes, one file a probe; syrupy's text formats fold line endings."""

    file_extension = "json"


@dataclass(frozen=True)
class Baseline:
    """A folder of snapshots, and whose they are.

    Args:
        folder: where it is.
        identity: what its identity file says.
    """

    folder: Path
    identity: Identity

    @classmethod
    def read(cls, folder: Path, engine: str, world_digest: str) -> Baseline:
        """The baseline in a folder.

        Args:
            folder: the folder.
            engine: the name of the engine it must be of.
            world_digest: digest of the world it must have been recorded over.

        Raises:
            BaselineError: there is none, or it is of another engine or world.
        """
        try:
            text = (folder / IDENTITY).read_bytes()
        except OSError:
            raise BaselineError(
                f"{folder}: no baseline is recorded there ({IDENTITY} is missing);"
                " record one with --record-baseline"
            ) from None
        try:
            identity = Identity.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the file"
            raise BaselineError(f"{folder}/{IDENTITY}: {where}: {first['msg']}") from None
        if identity.engine != engine:
            raise BaselineError(
                f"{folder}: this is the baseline of {identity.engine!r}, and the engine is"
                f" {engine!r}; a fork keeps upstream's name in its adapter, and its own version"
            )
        if identity.world_digest != world_digest:
            raise BaselineError(
                f"{folder}: this baseline was recorded over another world"
                f" (digest {identity.world_digest[:12]}, not {world_digest[:12]});"
                " use the --world-seed it was recorded with, or record one anew"
            )
        return cls(folder, identity)

    @classmethod
    def start(cls, folder: Path, identity: Identity) -> Baseline:
        """Begin to record a baseline in a folder.

        Raises:
            BaselineError: the folder cannot be written to, or holds another engine's baseline.
        """
        if os.path.exists(folder / IDENTITY):  # not Path.exists: that raises where it cannot look
            cls.read(folder, identity.engine, identity.world_digest)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / IDENTITY).write_text(
                json.dumps(identity.model_dump(), indent=2, sort_keys=True) + "\n",
                encoding="utf-8",
            )
        except OSError as error:
            raise BaselineError(f"{folder}: cannot be written to: {error.strerror}") from None
        return cls(folder, identity)

    def recorded(self, probe: str) -> bytes | None:
        """The bytes recorded for a probe, or None."""
        found: Any = _Snapshots().read_snapshot_data_from_location(
            snapshot_location=str(self._file(probe)), snapshot_name=probe, session_id=""
        )
        return None if found is None else bytes(found)

    def record(self, probe: str, data: bytes) -> None:
        """Write the snapshot of a probe.

        Raises:
            BaselineError: the file cannot be written.
        """
        collection = SnapshotCollection(location=str(self._file(probe)))
        collection.add(Snapshot(name=probe, data=_Snapshots().serialize(data)))
        try:
            _Snapshots.write_snapshot_collection(snapshot_collection=collection)
        except OSError as error:
            raise BaselineError(f"{self._file(probe)}: {error.strerror}") from None

    @property
    def digest(self) -> str:
        """SHA-256 over the identity and every snapshot, by name."""
        whole = hashlib.sha256()
        for file in sorted(self.folder.glob("*.json")):
            data = file.read_bytes()
            whole.update(f"{file.name}\0{len(data)}\0".encode() + data)
        return whole.hexdigest()

    def _file(self, probe: str) -> Path:
        return self.folder / f"{probe}.json"
