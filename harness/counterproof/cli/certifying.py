"""What ``counterproof certify`` does with its options: run, show, write."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from counterproof.certificate import Level, probe_writable, write
from counterproof.certify.request import Request
from counterproof.certify.run import certify, record_baseline
from counterproof.cli.output import Report, print_json
from counterproof.cli.progress import shown
from counterproof.configuration import Configuration, configured
from counterproof.engines import UnknownEngine
from counterproof.report.sanitise import visible
from counterproof.report.terminal import render


@dataclass(frozen=True)
class Options:
    """How the result is judged and shown.

    Args:
        level: the level the exit is judged at.
        json: where the certificate is written; ``-`` for standard output, None for nowhere.
        verbose: whether every check and counterproof is listed.
        no_color: whether colour is off.
        project_level: the level at which the project's own runs are judged.
    """

    level: Level
    json: str | None
    verbose: bool
    no_color: bool
    project_level: Level = Level.CORE


def chosen(target: str | None) -> tuple[str, Configuration]:
    """The engine to certify, and what the current folder's pyproject.toml fixes of that.

    Args:
        target: the engine given on the command line, if one is.

    Raises:
        ConfigurationError: the file cannot be used.
        UnknownEngine: no engine is given, and it names none.
    """
    found = configured(Path.cwd())
    engine = target if target is not None else found.engine
    if engine is None:
        raise UnknownEngine(
            "no engine is named: give one, such as `counterproof certify reference`, or name it in"
            " pyproject.toml as engine under [tool.counterproof]"
        )
    return engine, found.of(engine)


def seed_for(profile: str) -> int:
    """The seed of a run for which none is given: audit explores, and its report says the seed."""
    return secrets.randbelow(2**32) if profile == "audit" else 0


def run(request: Request, options: Options) -> int:
    """Certify, print the report, write the certificate; the exit code."""
    if options.json not in (None, "-"):
        probe_writable(str(options.json))
    errors = Console(stderr=True, no_color=options.no_color or None)
    with shown(errors, request.target) as progress:
        certificate = certify(request, options.level, progress, command(request, options))
    if options.json not in (None, "-"):
        write(certificate, str(options.json))
    out = errors if options.json == "-" else Report(no_color=options.no_color or None)
    render(certificate, out, verbose=options.verbose)
    if options.json == "-":
        print_json(certificate.plain())
    elif options.json is not None:
        out.print(Text(f"certificate written to {visible(options.json)}"), soft_wrap=True)
    return certificate.outcome.exit


def record(request: Request) -> int:
    """Record a baseline; the exit code."""
    folder = str(request.baseline)
    baseline, count = record_baseline(request, folder)
    print(
        f"recorded the default traces of {count} probes of {baseline.identity.engine}"
        f" {baseline.identity.version} to {visible(os.path.join(folder, ''))}"
    )
    return 0


def command(request: Request, options: Options) -> list[str]:
    """The command that runs a request again, without ``--only``."""
    level = options.level
    words = ["counterproof", "certify", request.target, "--profile", request.profile]
    if not (level is Level.CORE and options.project_level is Level.CORE):
        words += ["--level", level.value]
    if request.seed:
        words += ["--seed", str(request.seed)]
    if request.world_seed:
        words += ["--world-seed", str(request.world_seed)]
    if request.baseline:
        words += ["--baseline", request.baseline]
    service = request.service
    if service is not None:
        words += ["--start", service.start] if service.start else []
        words += ["--mapping", service.mapping] if service.mapping else []
        words += ["--model-port", str(service.model_port)] if service.model_port else []
        words += ["--remote"] if service.remote else []
        words += ["--header", "NAME=VALUE"] if service.headers else []
    if request.known:
        words += ["--known", request.known]
    if request.python:
        words += ["--python", request.python]
    return words
