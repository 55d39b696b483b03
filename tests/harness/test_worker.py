"""The worker and the link to it, on real processes."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from counterproof.model.scripted import ScriptedModel
from counterproof.trace import Ask, History
from counterproof.worker.link import Link, Target, WorkerDied
from counterproof.worker.values import tagged
from counterproof.worlds import builtin_world

WORLD = builtin_world(0)

ENGINES = """
import os, sys, time
from counterproof import Answer, adapter

def engine(behave):
    @adapter(name="scrap", version="1", channels={"structured"})
    def opened(world):
        def ask(question, **history):
            return behave(question, **history)
        return ask
    return opened

def leave(question, **history): os._exit(0)
def hang(question, **history):
    while True: time.sleep(60)
def stop(question, **history): raise SystemExit(0)
def flood(question, **history):
    for _ in range(2000): print("x" * 1000, flush=True)
    return Answer("done")
def kinds(question, **history): return Answer(repr(history.get("history", "omitted")))
def append(question, history=None):
    history.append(("user", "more"))
    return Answer("done")
def text(question, **history): return "just text"
def huge(question, **history): return Answer("x" * 40_000_000)
def swell(question, **history): return Answer("x", tool_results=["x" * 40_000_000])
def tell(question, **history):
    return Answer(" ".join(sorted(k for k in os.environ if "PYTEST" in k) + sys.argv[1:]))

async def wait(question, **history):
    import asyncio
    await asyncio.sleep(0)
    return Answer("awaited")
def orphan(question, **history):
    import subprocess
    child = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    with open("orphan", "w") as told: told.write(f"{child.pid}")
    return Answer("done")
def spin(question, **history):
    import subprocess
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with open("ready", "w") as ready: ready.write(f"{child.pid}")
    while True: pass

leaves, hangs, stops, floods, kind, appends, texts, huges, swells = map(
    engine, (leave, hang, stop, flood, kinds, append, text, huge, swell))
tells, asyncs, spins, orphans = map(engine, (tell, wait, spin, orphan))
"""


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A vendor's folder holding one engine for each misbehaviour."""
    (tmp_path / "scrap.py").write_text(ENGINES, encoding="utf-8")
    return str(tmp_path)


@pytest.fixture
def links() -> Iterator[list[Link]]:
    """Links that are ended after the test."""
    made: list[Link] = []
    yield made
    for link in made:
        link.close()


def opened(links: list[Link], adapter: str, folder: str | None = None) -> Link:
    """A link whose worker has loaded and opened the adapter."""
    link = Link(Target(adapter, folder=folder))
    links.append(link)
    link.start()
    assert link.request({"op": "load"}, seconds=60)["op"] == "loaded"
    assert link.request({"op": "open", "world": WORLD.wire()}, seconds=60)["op"] == "opened"
    return link


def ask(link: Link, question: str, kind: str = "omitted", turns: Any = ()) -> dict[str, Any]:
    """Put one question, with the scripted model behind the seams."""
    model = ScriptedModel(WORLD)
    probe = next((p.id for p in WORLD.probes if p.question == question), WORLD.probes[0].id)
    asked = Ask(probe, question, History(kind, tuple(turns)))
    calls = 0

    def cross(seam: str, data: dict[str, Any]) -> Any:
        nonlocal calls
        if seam == "model":
            calls += 1
            return model.reply(asked, data, calls - 1).wire
        if seam == "passages":
            return {"passages": list(range(len(data["passages"])))}
        return data

    return link.request(
        {"op": "ask", "question": question, "kind": kind, "turns": list(turns)}, cross, seconds=5
    )


@pytest.mark.parametrize("probe", WORLD.probes, ids=lambda probe: probe.id)
def test_the_reference_engine_yields_what_the_world_says(links: list[Link], probe: Any) -> None:
    """Through the worker, each probe states its figures and cites its sources, and no other."""
    link = opened(links, "counterproof_reference.adapter:reference")
    answer = ask(link, probe.question)["answer"]
    cited = {source["doc"] for source in answer["sources"]}
    assert all(f"{value:g}" in answer["text"].replace(",", "") for value in probe.values)
    assert bool(cited & set(probe.sources)) == bool(probe.sources)
    assert not cited & set(probe.forbidden)
    assert not (probe.refuses and cited)


def test_omitted_none_and_empty_are_three_calls(links: list[Link], folder: str) -> None:
    """The worker builds the kind of history that the ask names (DEF-1)."""
    link = opened(links, "scrap:kind", folder)
    said = [ask(link, "q", kind)["answer"]["text"] for kind in ("omitted", "none", "list", "tuple")]
    assert said == ["'omitted'", "None", "[]", "()"]


def test_other_sequences_and_raw_histories_are_built(links: list[Link], folder: str) -> None:
    """A sequence that is neither list nor tuple (DEF-5), and anything at all (ROL-4)."""
    link = opened(links, "scrap:kind", folder)
    assert "OtherSequence" in ask(link, "q", "sequence", [["user", "x"]])["answer"]["text"]
    raw = ask(link, "q", "raw", tagged([("user", "x"), ["user", "y"], {"role": "tool"}, None, 3]))
    assert raw["answer"]["text"] == "[('user', 'x'), ['user', 'y'], {'role': 'tool'}, None, 3]"


def test_an_asynchronous_engine_is_awaited(links: list[Link], folder: str) -> None:
    """An ask may be a coroutine function."""
    assert ask(opened(links, "scrap:asyncs", folder), "q")["answer"]["text"] == "awaited"


def test_a_changed_history_object_is_reported(links: list[Link], folder: str) -> None:
    """An engine that appends to the caller's list is seen to (STA-2)."""
    assert ask(opened(links, "scrap:appends", folder), "q", "list")["history_kept"] is False


@pytest.mark.parametrize(
    ("engine", "kind", "words"),
    [("leaves", "exited", "status 0"), ("hangs", "hung", "no answer in time")],
)
def test_a_worker_that_dies_is_told_and_restarted(
    links: list[Link], folder: str, engine: str, kind: str, words: str
) -> None:
    """Death, also with status 0, and a hang each get their name; another start works."""
    link = opened(links, f"scrap:{engine}", folder)
    with pytest.raises(WorkerDied, match=words) as died:
        ask(link, "q")
    assert died.value.kind == kind
    assert not link.running
    link.start()
    assert link.request({"op": "load"}, seconds=60)["name"] == "scrap"


@pytest.mark.parametrize(
    ("engine", "type_", "words"),
    [
        ("stops", "SystemExit", "0"),
        ("texts", "TypeError", "ask\\(\\) returned str"),
        ("huges", "ValueError", "40000000 characters"),
        ("swells", "WireError", "40000"),
    ],
)
def test_what_an_engine_raises_is_data(
    links: list[Link], folder: str, engine: str, type_: str, words: str
) -> None:
    """An exception of any kind, or an answer of the wrong kind, is a reply; the worker lives."""
    link = opened(links, f"scrap:{engine}", folder)
    reply = ask(link, "q")
    assert (reply["op"], reply["type"]) == ("failed", type_)
    assert re.search(words, reply["message"])
    assert link.running


def test_a_flood_of_output_does_no_harm(links: list[Link], folder: str) -> None:
    """What an engine prints is drained."""
    assert ask(opened(links, "scrap:floods", folder), "q")["answer"]["text"] == "done"


def test_nothing_tells_the_engine_that_it_is_checked(links: list[Link], folder: str) -> None:
    """No variable of the test runner and no argument reaches the worker."""
    assert "PYTEST_CURRENT_TEST" in os.environ
    assert ask(opened(links, "scrap:tells", folder), "q")["answer"]["text"] == ""


def test_no_process_is_left(links: list[Link], folder: str) -> None:
    """Closing the link ends the worker, whatever it is doing."""
    link = opened(links, "scrap:kind", folder)
    mine = {child.pid for child in psutil.Process().children(recursive=True)}
    assert mine
    link.close()
    assert not {child.pid for child in psutil.Process().children(recursive=True)} & mine


def test_an_unknown_adapter_is_said_to_be_unknown(links: list[Link], folder: str) -> None:
    """A module that is not there is no error of the engine's."""
    link = Link(Target("nowhere:engine", folder=folder))
    links.append(link)
    link.start()
    reply = link.request({"op": "load"}, seconds=60)
    assert (reply["op"], reply["kind"]) == ("failed", "unknown")


PARENT = """
from counterproof.worker.link import Link, Target
from counterproof.worlds import builtin_world

link = Link(Target("scrap:spins"))
link.start()
link.request({"op": "load"}, seconds=60)
link.request({"op": "open", "world": builtin_world(0).wire()}, seconds=60)
link.request({"op": "ask", "question": "q", "kind": "omitted", "turns": []}, None, 300)
"""


def test_a_killed_parent_leaves_no_process(folder: str) -> None:
    """Killed outright, the deciding process takes a busy worker and its children along."""
    fifo = str(Path(folder) / "ready")
    os.mkfifo(fifo)
    ready = os.open(fifo, os.O_RDWR)
    parent = subprocess.Popen([sys.executable, "-c", PARENT], cwd=folder)
    try:
        assert select.select([ready], [], [], 60)[0], "the engine was never asked"
        child = int(os.read(ready, 64))
        left = psutil.Process(parent.pid).children(recursive=True)
        assert child in {each.pid for each in left}
        assert len(left) == 2
    finally:
        parent.kill()
        parent.wait()
        os.close(ready)
    alive = psutil.wait_procs(left, timeout=30)[1]
    for each in alive:
        each.kill()
    assert alive == []


def test_a_process_left_behind_does_not_hold_up_the_link(
    links: list[Link], folder: str, tmp_path: Path
) -> None:
    """A child in a session of its own keeps the engine's output open; the link ends all the same.

    Nor does its reader go on to read from whatever gets the same descriptor next.
    """
    link = opened(links, "scrap:orphans", folder)
    link.request({"op": "ask", "question": "?", "kind": "omitted", "turns": ()})
    orphan = int((Path(folder) / "orphan").read_text())
    before = {each.name for each in threading.enumerate()}
    assert psutil.pid_exists(orphan)
    link.close()
    try:
        assert psutil.pid_exists(orphan)
        left = {each.name for each in threading.enumerate() if type(each).__name__ == "_Tail"}
        assert not left & before
    finally:
        os.kill(orphan, signal.SIGKILL)
