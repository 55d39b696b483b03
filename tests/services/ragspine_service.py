"""rag-spine's own service over a world's export: ``python ragspine_service.py PORT WORLD``.

It is assembled as its command line assembles it, its Anthropic provider pointed at the model
server by the environment.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import uvicorn
from ragspine.agent.llm_provider import AnthropicProvider
from ragspine.common.glossary import normalize_entity, normalize_metric
from ragspine.retrieval.chunking.chunk_store import ChunkStore
from ragspine.retrieval.chunking.chunking import Chunk
from ragspine.service.api.app import create_app
from ragspine.service.config import ServiceConfig
from ragspine.storage.fact_store import Fact, SqliteFactStore


def read(world: Path, name: str) -> Any:
    """One file of the export."""
    return json.loads((world / name).read_text(encoding="utf-8"))


def codes(names: list[dict[str, Any]], normalize: Any) -> dict[str, str]:
    """The engine's own code of each name; the world's where it does not know the name."""
    return {
        each["code"]: next(
            filter(None, map(normalize, (each["code"], *each["names"]))), each["code"]
        )
        for each in names
    }


def store_facts(world: Path, file: Path) -> None:
    """The figures, in the engine's fact store."""
    told = read(world, "world.json")
    entities = codes(told["entities"], normalize_entity)
    metrics = codes(told["metrics"], normalize_metric)
    store = SqliteFactStore(str(file))
    store.init_schema()
    store.upsert_facts(
        [
            Fact.metric(
                entity=entities[each["entity"]],
                metric_code=metrics[each["metric"]],
                period_type="FY",
                period=each["period"].removeprefix("FY"),
                value=each["value"],
                unit=each["unit"],
                source_doc_id=each["doc"],
                source_locator=each["locator"],
            )
            for each in read(world, "facts.json")
        ],
        ingested_at=told["reference_date"],
    )
    store.close()


def store_passages(world: Path, file: Path) -> None:
    """The passages, in the engine's chunk store."""
    chunks = ChunkStore(str(file))
    chunks.init_schema()
    passages = read(world, "passages.json")
    for doc in dict.fromkeys(each["doc"] for each in passages):
        chunks.replace_doc_chunks(
            doc,
            [
                Chunk(
                    f"{doc}#{n}", doc, n, (world / each["file"]).read_text("utf-8").strip(),
                    each["locator"], n, n, sensitivity=each["label"],
                )
                for n, each in enumerate(passages)
                if each["doc"] == doc
            ],
        )  # fmt: skip
    chunks.close()


def main(port: int, world: Path) -> None:
    """Serve until told to end."""
    with tempfile.TemporaryDirectory(prefix="ragspine-") as folder:
        facts, chunks = Path(folder, "facts.db"), Path(folder, "chunks.db")
        store_facts(world, facts)
        store_passages(world, chunks)
        config = ServiceConfig(
            db_path=str(facts),
            chunk_db_path=str(chunks),
            reference_date=read(world, "world.json")["reference_date"],
        )
        provider = AnthropicProvider(max_retries=0)  # its address is in the environment
        app = create_app(config, provider=provider)
        uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
