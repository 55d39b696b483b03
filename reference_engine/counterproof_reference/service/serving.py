"""Opens the engine over its knowledge and serves it with uvicorn."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import uvicorn

from counterproof_reference.engine import answer_question
from counterproof_reference.exported import DEFAULT, Exported, read
from counterproof_reference.facts import FactStore
from counterproof_reference.judging import ModelJudge
from counterproof_reference.narrative import NarrativeRetriever
from counterproof_reference.passages import PassageIndex
from counterproof_reference.providers import MockProvider, OpenAIProvider, Provider
from counterproof_reference.service.app import Answering, create_app
from counterproof_reference.service.limits import Limits

REPLY_SECONDS = 8.0
"""How long the model is waited for."""


def opened(
    data: Path | None, model: str, model_url: str | None, stack: ExitStack
) -> tuple[Answering, Exported]:
    """The engine over an exported world.

    Args:
        data: the folder of the export; None for the one that ships.
        model: the model's name at its endpoint.
        model_url: the endpoint; None for a script that stands in for a model.
        stack: closes what was opened.

    Raises:
        KnowledgeError: the folder holds no export.
        ProviderError: the client is not installed.
    """
    known = read(data or DEFAULT)
    knowledge = known.knowledge
    vocabulary = knowledge.vocabulary()
    store = stack.enter_context(FactStore(knowledge.facts, vocabulary))
    index = stack.enter_context(PassageIndex(knowledge.passages, vocabulary))
    provider: Provider = MockProvider(vocabulary, known.reference_date)
    if model_url:
        key = os.environ.get("OPENAI_API_KEY") or "none"
        endpoint = OpenAIProvider(
            model, base_url=model_url, api_key=key, timeout=REPLY_SECONDS, max_retries=0
        )
        stack.callback(endpoint.close)
        provider = endpoint
    answer = partial(
        answer_question,
        store=store,
        provider=provider,
        reference_date=known.reference_date,
        narrative_retriever=NarrativeRetriever(
            index.search, vocabulary, judge=ModelJudge(provider) if model_url else None
        ),
    )
    return answer, known


def _listening(host: str, port: int) -> socket.socket:
    """A socket that says that it is TCP: else asyncio leaves it to wait for acknowledgements."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(128)
    except OSError:
        made.close()
        raise
    return made


def serve(
    answer: Answering,
    host: str,
    port: int,
    limits: Limits,
    ready: Callable[[str], None],
    close: Callable[[], None],
) -> None:
    """Serve until interrupted or told to end.

    Args:
        answer: the engine.
        host: the address to listen at.
        port: the port; 0 for any.
        limits: what a request may hold.
        ready: told the address once it can be called.
        close: called at the end.

    Raises:
        OSError: the port is taken.
    """
    listening = _listening(host, port)
    shown = f"[{host}]" if ":" in host else host
    ready(f"http://{shown}:{listening.getsockname()[1]}")
    config = uvicorn.Config(
        create_app(answer, limits, close), log_level="warning", access_log=False, lifespan="on"
    )
    with listening:
        uvicorn.Server(config).run(sockets=[listening])
