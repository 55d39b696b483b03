"""A whole certification: from what was asked for to a sealed certificate."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import rfc8785

from counterproof import certificate as document
from counterproof import suite as suites
from counterproof.baseline import Baseline, Identity
from counterproof.certificate import Certificate, Counts, Kit, Level, Run, Subject
from counterproof.certify.conduct import Progress, conduct
from counterproof.certify.levels import conclude
from counterproof.certify.request import Request
from counterproof.certify.stale import stale_entries
from counterproof.certify.verdicts import verdicts
from counterproof.suite import Suite

_MATTERING = ("hypothesis", "pytest", "syrupy")


def certify(
    request: Request, level: Level, progress: Progress, command: Sequence[str]
) -> Certificate:
    """Certify an engine.

    Args:
        request: what is asked for.
        level: the level the exit is judged at.
        progress: is told how far the run is.
        command: the command that runs it again, without ``--only``.

    Returns:
        The sealed certificate.

    Raises:
        RequestError: something asked for cannot be.
        AdapterError: the adapter or the calibration failed.
        KeyboardInterrupt: the run was interrupted; every worker is ended.
    """
    started, clock = datetime.now(UTC), time.monotonic()
    known = request.known_failures(started.date())
    bench = request.bench()
    try:
        conduct(bench, progress)
        rows = verdicts(bench.setting.suite, bench.plan, bench.results, command, known)
    finally:
        bench.close()
    declared = bench.declared
    subject = Subject(
        kind=bench.setting.target.kind,
        name=declared.name,
        version=declared.version,
        digest=bench.digest,
        digest_is="measured" if bench.digest else None,
        adapter=bench.setting.target.adapter,
        channels=tuple(sorted(declared.channels)),
        claims=tuple(sorted(declared.claims)),
        seams=("answer", *sorted(declared.seams)),
        volatile=tuple(sorted(declared.volatile)),
        reducer=declared.reducer,
        unproved=bench.setting.target.unproved,
    )
    run = Run.model_validate(
        {
            "profile": request.profile,
            "level": level,
            "only": tuple(request.only),
            "seed": request.seed,
            "world": request.world.name,
            "world_seed": request.world_seed,
            "world_digest": request.world.digest,
            "baseline_digest": bench.baseline.digest if bench.baseline else None,
            "known_digest": known.digest,
            "transport": bench.setting.target.transport,
            "started": started,
            "seconds": round(time.monotonic() - clock, 3),
            "python": declared.python or "unknown",
            "packages": {name: version(name) for name in _MATTERING}
            | {"python": f"{sys.version_info.major}.{sys.version_info.minor}"},
        }
    )
    every = suites.installed()
    stale = stale_entries(known, rows)
    granted, outcome = conclude(
        rows, subject, level, tuple(every.requirements), only=bool(request.only), stale=stale
    )
    return document.seal(
        Certificate(
            kit=Kit(version=version("counterproof"), requirements_digest=_digest(every)),
            subject=subject,
            run=run,
            level=granted,
            outcome=outcome,
            counts=Counts.of(rows),
            requirements=rows,
        )
    )


def record_baseline(request: Request, folder: str) -> tuple[Baseline, int]:
    """Record the default trace of every probe an engine answers.

    Args:
        request: the engine and the world.
        folder: where to; made where it is missing.

    Returns:
        The baseline, and how many probes it holds.

    Raises:
        RequestError: something asked for cannot be.
        AdapterError: the adapter or the calibration failed; nothing is written then.
        BaselineError: the folder cannot be written to, or holds another engine's baseline.
    """
    bench = request.bench(baseline=False)
    try:
        traces = {probe.id: bench.default_bytes(probe) for probe in bench.probes}
    finally:
        bench.close()
    identity = Identity(
        engine=bench.declared.name,
        version=bench.declared.version,
        world=request.world.name,
        world_digest=request.world.digest,
        kit=version("counterproof"),
    )
    baseline = Baseline.start(Path(folder), identity)
    for probe, data in traces.items():
        baseline.record(probe, data)
    return baseline, len(traces)


def _digest(suite: Suite) -> str:
    """SHA-256 over the installed requirements, their checks and their sabotages."""
    body: Any = {
        "requirements": [
            each.model_dump(mode="json") | {"seams": sorted(each.seams)}
            for each in suite.requirements.values()
        ],
        "checks": [each.id for each in suite.checks],
        "counterproofs": [[c.name, [t.id for t in c.trips]] for c in suite.counterproofs],
    }
    return hashlib.sha256(rfc8785.dumps(body)).hexdigest()
