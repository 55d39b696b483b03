"""The command line: ``python -m counterproof_reference ask "…"``."""

from __future__ import annotations

import dataclasses
import json
import os
import unicodedata
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from counterproof_reference.engine import EngineResult, HistoryError, answer_question
from counterproof_reference.facts import FactStore
from counterproof_reference.knowledge import Knowledge, load
from counterproof_reference.narrative import NarrativeRetriever
from counterproof_reference.passages import PassageIndex
from counterproof_reference.providers import (
    MockProvider,
    OpenAIProvider,
    Provider,
    ProviderError,
)
from counterproof_reference.sample import SAMPLE
from counterproof_reference.vocabulary import Vocabulary

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)


@app.callback()
def about() -> None:
    """A conversational RAG engine in which history is the model's context and nothing else."""


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="The question, in English or Chinese.")],
    history: Annotated[
        Path | None,
        typer.Option(help='Earlier turns: a JSON file, [["user", "…"], ["assistant", "…"]].'),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="A JSON file of names, facts and passages, instead of the sample."),
    ] = None,
    today: Annotated[
        str | None, typer.Option("--date", help="Reckon 'last year' from this date, YYYY-MM-DD.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Ask this model; without it a script plays the model.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="The model's OpenAI-compatible endpoint.")
    ] = None,
    api_key_env: Annotated[
        str, typer.Option(help="The environment variable that holds the endpoint's key.")
    ] = "OPENAI_API_KEY",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the whole result as JSON.")
    ] = False,
) -> None:
    """Answer one question."""
    turns = _turns(history)
    if base_url and not model:
        _refuse("--base-url needs --model")
    try:
        day = date.fromisoformat(today) if today else date.today()
    except ValueError:
        _refuse(f"--date: {today!r} is not a date, YYYY-MM-DD")
    with ExitStack() as open_things:
        try:
            knowledge = load(data) if data else SAMPLE
            vocabulary = knowledge.vocabulary()
            store = open_things.enter_context(FactStore(knowledge.facts, vocabulary))
        except ValueError as error:
            _refuse(f"--data: {error}")
        retriever = _retriever(knowledge, vocabulary, open_things)
        provider: Provider = MockProvider(vocabulary, day)
        if model:
            provider = _endpoint(model, base_url, api_key_env, open_things)
        try:
            result = answer_question(
                question,
                store,
                provider,
                reference_date=day,
                narrative_retriever=retriever,
                history=turns,
            )
        except HistoryError as error:
            _refuse(f"--history: {error}")
    typer.echo(_printable(_as_json(result) if as_json else result.text))


@app.command()
def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any.")] = 8000,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    data: Annotated[
        Path | None,
        typer.Option(help="A world's export, instead of the built-in world's."),
    ] = None,
    model: Annotated[str, typer.Option(help="The model's name at its endpoint.")] = "any",
    model_url: Annotated[
        str | None,
        typer.Option(
            envvar="OPENAI_BASE_URL",
            help="The model's OpenAI-compatible endpoint; without it a script plays the model.",
        ),
    ] = None,
    max_body: Annotated[int, typer.Option(min=1, help="Bytes a request may have.")] = 2**20,
    max_turns: Annotated[int, typer.Option(min=0, help="Turns a history may have.")] = 1_000,
    max_text: Annotated[int, typer.Option(min=1, help="Characters a text may have.")] = 100_000,
) -> None:
    """Serve the engine: POST /v1/ask, POST /v1/ask/stream, GET /health, GET /docs.

    Example: python -m counterproof_reference serve --port 8123
    """
    try:
        from counterproof_reference.service.limits import Limits
        from counterproof_reference.service.serving import opened
        from counterproof_reference.service.serving import serve as serve_
    except ImportError as error:
        _refuse(f"serving needs {error.name}, which is not installed: extra 'service'")
    stack = ExitStack()
    with stack:
        try:
            answer, _ = opened(data, model, model_url, stack)
        except (ValueError, ProviderError) as error:
            _refuse(f"--data: {error}" if isinstance(error, ValueError) else str(error))
        try:
            serve_(
                answer,
                host,
                port,
                Limits(body=max_body, turns=max_turns, text=max_text),
                lambda url: typer.echo(f"listening at {url}"),
                stack.close,
            )
        except OSError as error:
            _refuse(f"{host}:{port}: {error.strerror}")


def _turns(path: Path | None) -> Any:
    """The turns of a history file as they stand there; the engine judges them."""
    if path is None:
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        _refuse(f"--history: {path.name}: {error.strerror}")
    except (ValueError, RecursionError) as error:
        _refuse(f"--history: {path.name} is not JSON: {error}")


def _retriever(
    knowledge: Knowledge, vocabulary: Vocabulary, open_things: ExitStack
) -> NarrativeRetriever:
    index = open_things.enter_context(PassageIndex(knowledge.passages, vocabulary))
    return NarrativeRetriever(index.search, vocabulary)


def _endpoint(
    model: str, base_url: str | None, api_key_env: str, open_things: ExitStack
) -> OpenAIProvider:
    # An endpoint of one's own often wants no key, but the client insists on one.
    key = os.environ.get(api_key_env) or ("none" if base_url else None)
    if key is None:
        _refuse(f"--model: the environment variable {api_key_env} is not set")
    try:
        provider = OpenAIProvider(model, base_url=base_url, api_key=key)
    except ProviderError as error:
        _refuse(str(error))
    open_things.callback(provider.close)
    return provider


def _as_json(result: EngineResult) -> str:
    return json.dumps(dataclasses.asdict(result), ensure_ascii=False, indent=2)


def _printable(text: str) -> str:
    """Text a terminal shows as it is: what a model or a passage says must not steer it."""
    return "".join(
        each if each in "\n\t" or unicodedata.category(each) not in ("Cc", "Cs") else "\ufffd"
        for each in text
    )


def _refuse(why: str) -> NoReturn:
    typer.echo(_printable(f"error: {why}"), err=True)
    raise typer.Exit(2)


if __name__ == "__main__":
    app()
