"""32 conversations at once against the reference service, beside a bare FastAPI route.

Run it with ``python benchmarks/service_load.py``; it needs the extra ``service``. It prints ratios:
absolute figures say more about a machine than about the service. It ends with 1 where a word of
one conversation is in the answer of another.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

import httpx
import psutil

from counterproof.worker.model_server import ModelServer

QUESTIONS = (
    "为什么香港的续约率下降？",
    "Why did the broker channel in Hong Kong slow?",
    "香港 FY2025 的营收是多少？",
    "What was Shanghai's REVENUE in FY2099?",
)
_WORD = re.compile(r"canary[a-z]+")
_ECHO = """
import sys, uvicorn
from fastapi import FastAPI
app = FastAPI()
@app.post("/v1/ask")
def ask(body: dict) -> dict:
    return body
@app.get("/health")
def health() -> dict:
    return {}
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", access_log=False)
"""


def word(number: int) -> str:
    """The word of a conversation, of letters alone."""
    return "canary" + "".join(chr(ord("a") + int(digit)) for digit in f"{number:04d}")


def reply(messages: Sequence[Any], tools: Any) -> dict[str, Any]:
    """A model that repeats every conversation's word it is shown."""
    seen = sorted({each for message in messages for each in _WORD.findall(str(message))})
    message = {"role": "assistant", "content": f"Heard: {' '.join(seen) or 'nothing'}."}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


async def converse(
    client: httpx.AsyncClient, number: int, turns: int, times: list[float]
) -> list[str]:
    """One conversation: what of others' was in its answers."""
    own, mixed = word(number), []
    history = [["user", f"Remember {own}."], ["assistant", f"{own}: remembered."]]
    for turn in range(turns):
        body = {"question": QUESTIONS[(number + turn) % len(QUESTIONS)], "history": history}
        started = time.perf_counter()
        response = await client.post("/v1/ask", json=body)
        times.append(time.perf_counter() - started)
        answer = str(response.json().get("answer", ""))
        mixed += [each for each in _WORD.findall(answer) if each != own]
    return mixed


async def load(url: str, conversations: int, turns: int) -> tuple[float, float, list[str]]:
    """Asks per second, 99th percentile in seconds, and what was mixed."""
    times: list[float] = []
    limits = httpx.Limits(max_connections=conversations)
    async with httpx.AsyncClient(
        base_url=url, trust_env=False, timeout=60, limits=limits
    ) as client:
        await converse(client, 0, 4, [])
        started = time.perf_counter()
        mixed = await asyncio.gather(
            *(converse(client, number, turns, times) for number in range(conversations))
        )
        whole = time.perf_counter() - started
    ordered = sorted(times)
    worst = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return len(times) / whole, worst, [each for found in mixed for each in found]


def started(command: list[str], url: str) -> subprocess.Popen[bytes]:
    """A server that answers."""
    process = subprocess.Popen(command)  # noqa: S603  # our own
    with httpx.Client(trust_env=False) as client:
        while True:
            try:
                if client.get(f"{url}/health").status_code == 200:
                    return process
            except httpx.HTTPError:
                time.sleep(0.05)


def main() -> int:
    """Measure both, print the ratios."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--conversations", type=int, default=32)
    options.add_argument("--turns", type=int, default=20)
    options.add_argument("--port", type=int, default=8471)
    given = options.parse_args()
    model = ModelServer(reply)
    urls = [f"http://127.0.0.1:{given.port + n}" for n in (0, 1)]
    serve = [sys.executable, "-m", "counterproof_reference", "serve", "--port", str(given.port)]
    servers = [
        started([*serve, "--model-url", f"{model.url}/v1"], urls[0]),
        started([sys.executable, "-c", _ECHO, str(given.port + 1)], urls[1]),
    ]
    try:
        memory = psutil.Process(servers[0].pid).memory_info
        asyncio.run(load(urls[0], given.conversations, 5))
        before = memory().rss
        rate, worst, mixed = asyncio.run(load(urls[0], given.conversations, given.turns))
        after = memory().rss
        bare, bare_worst, _ = asyncio.run(load(urls[1], given.conversations, given.turns))
    finally:
        for each in servers:
            each.terminate()
            each.wait()
        model.close()
    asks = given.conversations * given.turns
    print(f"{given.conversations} conversations at once, {asks} asks")
    print(f"asks per second   {rate:8.1f}   bare route {bare:8.1f}   ratio {rate / bare:.3f}")
    print(
        f"99th percentile   {worst * 1000:6.1f} ms   bare route {bare_worst * 1000:6.1f} ms"
        f"   ratio {worst / bare_worst:.1f}"
    )
    print(f"memory after / before {asks} asks   {after / before:.3f}")
    print(f"words of other conversations in an answer   {len(mixed)}")
    return 1 if mixed else 0


if __name__ == "__main__":
    sys.exit(main())
