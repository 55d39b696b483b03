"""Small engines in a vendor's folder, and the installed program run over them."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil

PROGRAM = str(Path(sys.executable).with_name("counterproof"))
QUICK = ("--profile", "gate", "--only", "DEF-1")
SEEDS = ("--seed", "0", "--world-seed", "0")

SCRAP = """
import os, subprocess, sys, time
from counterproof import Answer, adapter
from counterproof_reference.adapter import reference

value = 3

class Between:
    def __init__(self, world, turns=()): self._world, self._turns = world, turns
    def __getattr__(self, name): return getattr(self._world, name)

class Deaf(Between):
    def watch_parse(self, parse): return parse

class Leaky(Between):
    def watch_retrieval(self, search):
        watched = self._world.watch_retrieval(search)
        return lambda query, **filters: watched(
            " ".join([query, *(text for _, text in self._turns)]), **filters)

def structured(opener):
    declare = adapter(
        name=opener.__name__, version="1", channels={"structured"}, seams={"model", "parse"})
    return declare(opener)

@structured
def plain(world): return reference(world)

@structured
def deaf(world): return reference(Deaf(world))

@structured
def number(world): return 7

@adapter(name="leaky", version="1", channels={"narrative"}, seams={"model", "retrieval"})
def leaky(world):
    turns = []
    inner = reference(Leaky(world, turns))
    def ask(question, history=()):
        turns[:] = history or ()
        return inner(question)
    return ask

@structured
def noted(world):
    inner = reference(world)
    def ask(question, **history):
        with open("noted.txt", "a", encoding="utf-8", errors="backslashreplace") as notes:
            notes.write(f"{question} {history!r}\\n")
        return inner(question, **history)
    return ask

def stuck(when):
    @adapter(name="stuck", version="1", channels={"structured"}, seams={"model", "parse"})
    def opened(world):
        inner = reference(world)
        def ask(question, **history):
            if when(history):
                child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
                with open("ready", "w") as ready: ready.write(str(child.pid))
                time.sleep(600)
            return inner(question, **history)
        return ask
    return opened

stuck_at_once, stuck_with_history = stuck(lambda history: True), stuck(bool)
"""
"""Adapters: conformant, silent at a seam, of no engine, leaking, taking notes, never answering."""


def vendors_folder(folder: Path) -> Path:
    """A folder made to hold the adapters as ``scrap``, and one that cannot be imported."""
    folder.mkdir(exist_ok=True)
    (folder / "scrap.py").write_text(SCRAP, encoding="utf-8")
    (folder / "broken.py").write_text("raise ValueError('not today')\n", encoding="utf-8")
    return folder


def surroundings(**more: str) -> dict[str, str]:
    """The environment without what changes how Python, a terminal or a test runner behaves."""
    away = (
        *("PYTEST", "HYPOTHESIS", "NO_COLOR", "FORCE_COLOR", "CI", "GITHUB_", "PY_COLORS"),
        *("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"),  # as most users run it
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(away)}
    return {**kept, "COLUMNS": "100", "TERM": "xterm", **more}


def counterproof(
    folder: Path, *arguments: str, env: Mapping[str, str] | None = None, **more: Any
) -> subprocess.CompletedProcess[str]:
    """Run the program in a folder, to its end."""
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.run(
        [PROGRAM, *arguments],
        cwd=folder,
        env=surroundings() if env is None else dict(env),
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        timeout=300,
        check=False,
        **(streams | more),
    )


def on_a_terminal(
    folder: Path, *arguments: str, env: Mapping[str, str], stdout: int | None = None
) -> tuple[int, str]:
    """Run the program on a terminal; its exit code, and all that the terminal was sent.

    Args:
        folder: where.
        arguments: its arguments.
        env: its environment.
        stdout: where standard output goes instead.
    """
    ours, theirs = pty.openpty()
    with contextlib.ExitStack() as ends:
        ends.callback(os.close, ours)
        process = subprocess.Popen(
            [PROGRAM, *arguments],
            cwd=folder,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=theirs if stdout is None else stdout,
            stderr=theirs,
        )
        ends.callback(process.wait)
        ends.callback(process.kill)
        os.close(theirs)
        sent = b""
        with contextlib.suppress(OSError):  # its last end is closed
            while select.select([ours], [], [], 120)[0] and (part := os.read(ours, 1 << 16)):
                sent += part
        return process.wait(60), sent.decode()


def left_on_screen(sent: str) -> str:
    """What a terminal shows in the end of what it was sent, as far as progress bars go."""
    lines, row = [""], 0
    for count, act, text in re.findall(r"\x1b\[([?\d;]*)([A-Za-z])|([\r\n]|[^\x1b\r\n]+)", sent):
        if act == "A":
            row -= int(count or 1)
        elif act == "K":
            lines[row] = ""
        elif text == "\n":
            row += 1
            lines += [""] * (row == len(lines))
        elif text != "\r":
            lines[row] += text
    return "\n".join(lines).strip()


def contents(folder: Path) -> dict[str, bytes]:
    """Every file under a folder by its path in it, but for Python's own of what is imported."""
    return {
        str(each.relative_to(folder)): each.read_bytes()
        for each in sorted(folder.rglob("*"))
        if each.is_file() and each.parent.name != "__pycache__"
    }


def processes_in(folder: Path) -> Iterator[psutil.Process]:
    """The processes whose working directory is a folder: a worker, and whatever it started."""
    for each in psutil.process_iter(["cwd"]):
        if each.info["cwd"] == str(folder.resolve()):
            yield each
