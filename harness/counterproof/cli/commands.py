"""The commands, their options and their help."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from counterproof.certificate import Level
from counterproof.certify.exits import Exit
from counterproof.cli import INTERRUPTED

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Certify that conversation history stays generation-only context in a RAG engine."
    " Every verdict carries a counterproof.",
)


class ProfileName(StrEnum):
    """How deep a run goes."""

    GATE = "gate"
    CERTIFY = "certify"
    AUDIT = "audit"


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"counterproof {version('counterproof')}")
        raise typer.Exit


@app.callback()
def _options(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


_EXAMPLES = """[bold]Exit codes[/bold]

  0 conformant at --level, or no failure but those of --known, which the report says

  1 a requirement is violated, or an entry of --known is stale

  2 usage: a bad option, an unknown engine, a baseline or a known file that does not fit

  3 the adapter or the harness failed

  4 less could be observed than the level needs

  6 a check is vacuous on this engine

  130 interrupted

[bold]Examples[/bold]

  counterproof certify reference

  counterproof certify my_pkg.cert:my_engine --json certificate.json

  counterproof certify my_pkg.cert:my_engine --python .venv/bin/python --profile gate

  counterproof certify ragspine --only FAB-5

  counterproof certify http://127.0.0.1:8123 --start "my-service --port 8123"

  counterproof certify my_pkg.cert:my_engine --known known.toml

  counterproof certify my_pkg.cert:my_engine --baseline baseline --record-baseline
"""


@app.command(epilog=_EXAMPLES)
def certify(
    target: Annotated[
        str | None,
        typer.Argument(
            help="An installed engine's name (see `counterproof engines`), or your adapter as"
            " module:attribute, importable from the current folder. Without it, the engine that"
            r" \[tool.counterproof] of pyproject.toml names.",
            show_default=False,
        ),
    ] = None,
    profile: Annotated[
        ProfileName | None,
        typer.Option(
            help="How deep: gate for CI, audit before a release; certify without it.",
            show_default=False,
        ),
    ] = None,
    level: Annotated[
        Level | None,
        typer.Option(help="The level the exit is judged at; core without it.", show_default=False),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID", help="Check this requirement only; may be given again. Grants no level."
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the recorded baseline (DEF-2)."),
    ] = None,
    record_baseline: Annotated[
        bool,
        typer.Option(
            "--record-baseline",
            help="Record the default traces to --baseline, and stop there.",
        ),
    ] = False,
    known: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="File of the failures that are known and accepted for now."
        ),
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Write the certificate to PATH; - for standard output."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=2**53 - 1,
            show_default=False,
            help="Seed of everything that is generated; 0, or with audit any, without it.",
        ),
    ] = None,
    world_seed: Annotated[
        int,
        typer.Option(min=0, max=2**53 - 1, help="Seed of the world's figures and secret words."),
    ] = 0,
    python: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Interpreter of the engine's own environment (Python 3.10 or later);"
            " Counterproof need not be installed there.",
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Start the service at the address TARGET with this command, and end it."
            " {world} in it stands for a folder with the world to be ingested.",
            rich_help_panel="Services",
        ),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="TOML file that names the service's own paths and fields, and what it claims.",
            rich_help_panel="Services",
        ),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Send this header with each request; may be given again. Never written anywhere.",
            rich_help_panel="Services",
        ),
    ] = None,
    model_port: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=65535,
            metavar="PORT",
            help="Play the language model at this port, for a service started by hand.",
            show_default=False,
            rich_help_panel="Services",
        ),
    ] = None,
    remote: Annotated[
        bool,
        typer.Option(
            "--remote",
            help="The service may be on another machine.",
            rich_help_panel="Services",
        ),
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also list every check and counterproof.")
    ] = False,
    no_color: Annotated[
        bool, typer.Option("--no-color", help="No colour; NO_COLOR does the same.")
    ] = False,
) -> None:
    """Certify an engine: run every check on it, and on it sabotaged, and print the report.

    What is not given is taken from the table tool.counterproof of the current folder's
    pyproject.toml, where the engine is the one it names.
    """
    from counterproof.certify.request import Request, ServiceOptions
    from counterproof.cli import certifying

    service = ServiceOptions(
        start=start,
        mapping=None if mapping is None else str(mapping),
        headers=tuple(header or ()),
        model_port=model_port,
        remote=remote,
    )
    engine, project = _or_refuse(lambda: certifying.chosen(target))
    depth = profile.value if profile else project.profile or ProfileName.CERTIFY.value
    project_level = project.level or Level.CORE
    request = Request(
        target=engine,
        profile=depth,
        only=tuple(dict.fromkeys(only or ())),
        seed=certifying.seed_for(depth) if seed is None else seed,
        world_seed=world_seed,
        service=service if service != ServiceOptions() else None,
        python=project.python if python is None else python,
        baseline=project.baseline if baseline is None else str(baseline),
        known=project.known if known is None else str(known),
    )
    if record_baseline:
        if request.baseline is None:
            _refuse("--record-baseline needs --baseline DIR, the folder to record to")
        code = _or_refuse(lambda: certifying.record(request))
    else:
        options = certifying.Options(
            level or project_level,
            None if json is None else str(json),
            verbose,
            no_color,
            project_level,
        )
        code = _or_refuse(lambda: certifying.run(request, options))
    raise typer.Exit(code)


worlds = typer.Typer(
    help="The world an engine is certified over.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(worlds, name="world")


@worlds.callback()
def _worlds() -> None:
    pass


@worlds.command(epilog="Exit codes: 0 done; 2 usage; 130 interrupted")
def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Made where it is missing.")],
    world_seed: Annotated[
        int, typer.Option(min=0, max=2**53 - 1, help="Seed of the world's figures and words.")
    ] = 0,
) -> None:
    """Write the world to files, for a service to ingest: facts, passages, names, questions.

    Example: counterproof world export ./world && my-service ingest ./world
    """
    from counterproof.cli import exporting

    _or_refuse(lambda: exporting.export_world(folder, world_seed))


_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


_CODES = "Exit codes: 0 done; 2 usage; 130 interrupted"


@app.command(epilog=_CODES)
def requirements(
    json: _Json = False,
    markdown: Annotated[
        bool,
        typer.Option("--markdown", help="Print a page of Markdown: all there is to know of each."),
    ] = False,
) -> None:
    """List the installed requirements.

    Example: counterproof requirements --json
    """
    from counterproof.cli import catalogue

    _or_refuse(lambda: catalogue.list_requirements(as_json=json, as_markdown=markdown))


@app.command(epilog=_CODES)
def explain(
    requirement: Annotated[str, typer.Argument(metavar="ID", help="Such as RET-1.")],
    json: _Json = False,
) -> None:
    """Say what a requirement demands, how it is checked, and which sabotages prove the checks.

    Example: counterproof explain RET-1
    """
    from counterproof.cli import catalogue

    _or_refuse(lambda: catalogue.explain(requirement, as_json=json))


@app.command(name="engines", epilog=_CODES)
def list_engines(json: _Json = False) -> None:
    """List the engines that can be certified by name.

    Example: counterproof engines
    """
    from counterproof.cli import catalogue

    _or_refuse(lambda: catalogue.list_engines(as_json=json))


def _or_refuse(work: Any) -> Any:
    """What ``work`` returns; where it cannot be done, a sentence and the exit code that fits."""
    from counterproof.baseline import BaselineError
    from counterproof.catalogue import SuiteError
    from counterproof.certificate import CertificateWriteError
    from counterproof.certify.request import RequestError
    from counterproof.configuration import ConfigurationError
    from counterproof.engines import UnknownEngine
    from counterproof.subject import AdapterError, UnknownAdapter

    try:
        return work()
    except (
        RequestError, UnknownEngine, UnknownAdapter, BaselineError, SuiteError,
        CertificateWriteError, ConfigurationError,
    ) as error:  # fmt: skip
        _refuse(str(error))
    except AdapterError as error:
        _refuse(str(error), Exit.ERROR)
    except KeyboardInterrupt:
        typer.echo(INTERRUPTED, err=True)
        raise typer.Exit(Exit.INTERRUPTED) from None


def _refuse(message: str, code: Exit = Exit.USAGE) -> NoReturn:
    from counterproof.report.sanitise import clean

    typer.echo(f"error: {clean(message)}", err=True)
    raise typer.Exit(code)
