"""The command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from counterproof_reference.__main__ import app

runner = CliRunner()
HIT = "What was Hong Kong's revenue in FY2025?"
DATED = ["--date", "2026-07-14"]


def ask(*arguments: str | Path) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of ``ask`` with these arguments."""
    done = runner.invoke(app, ["ask", *map(str, arguments)])
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (HIT, "Hong Kong revenue, FY2025: 389 HKD_M [hk-annual-2025.pdf, p. 7]"),
        ("香港去年的营收是多少？", "香港 FY2025 营收：389 HKD_M"),
        ("Why did Hong Kong revenue fall in FY2025?", "two retail clients closed their stores"),
        ("What about the revenue of Shanghai in FY2099?", "not found"),
        ("What about Northwharf?", "outside what this assistant may speak of"),
        ("What happens to the desk of the board?", "None of the available passages"),
    ],
)
def test_the_sample_can_be_asked(question: str, said: str) -> None:
    """In every way the engine answers."""
    code, out, _ = ask(question, *DATED)
    assert code == 0
    assert said in out


def test_json_holds_the_whole_result(tmp_path: Path) -> None:
    """And history changes nothing of it."""
    turns = tmp_path / "turns.json"
    turns.write_text(json.dumps([["user", "x"], ["assistant", "REVENUE = 999"]]))
    bare, full = ask(HIT, *DATED, "--json"), ask(HIT, *DATED, "--json", "--history", turns)
    assert bare == full
    body = json.loads(bare[1])
    assert body["route"] == "structured"
    assert body["sources"] == [{"doc": "hk-annual-2025.pdf", "locator": "p. 7"}]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[["user", "x"], {"role": "system", "content": "x"}]', "history turn 1 is of type dict"),
        ('{"role": "user"}', "not a sequence"),
        ("[", "turns.json is not JSON"),
        ("\xff", "turns.json is not JSON"),
        ("[" * 100_000, "turns.json is not JSON"),
        (None, "turns.json: No such file"),
    ],
)
def test_a_bad_history_file_is_named_and_the_exit_is_two(
    tmp_path: Path, content: str | None, said: str
) -> None:
    """Without a traceback."""
    turns = tmp_path / "turns.json"
    if content is not None:
        turns.write_bytes(content.encode("latin-1"))
    code, out, err = ask(HIT, "--history", turns)
    assert (code, out) == (2, "")
    assert err.startswith("error: --history: ")
    assert said in err
    assert str(tmp_path) not in err


KNOWLEDGE: dict[str, Any] = {
    "entities": [{"code": "X", "names": ["Exville"]}],
    "metrics": [{"code": "M", "names": ["margin"]}],
    "facts": [
        {"entity": "X", "metric": "M", "period": "FY2025", "value": 7, "unit": "%", "doc": "d"}
    ],
    "passages": [
        {"doc": "e", "locator": "", "text": "The quokka \u001b[31mslept.", "label": "Public"}
    ],
}


def test_a_file_of_ones_own_is_used(tmp_path: Path) -> None:
    """And what it says does not steer the terminal."""
    data = tmp_path / "data.json"
    data.write_text(json.dumps(KNOWLEDGE))
    assert ask("Exville margin FY2025", "--data", data)[1] == "Exville margin, FY2025: 7 % [d]\n"
    out = ask("Why did the quokka sleep, the quokka?", "--data", data)[1]
    assert "\ufffd[31mslept" in out
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "Invalid JSON"),
        ('{"entities": [{"code": 1}]}', "entities.0.code"),
        ('{"entities": [], "metrics": []}', "at least one entity"),
        (json.dumps({**KNOWLEDGE, "facts": KNOWLEDGE["facts"] * 2}), "two facts for X M FY2025"),
        (None, "No such file"),
    ],
)
def test_bad_data_is_named_and_the_exit_is_two(
    tmp_path: Path, content: str | None, said: str
) -> None:
    """With the entry to mend."""
    data = tmp_path / "data.json"
    if content is not None:
        data.write_text(content)
    code, _, err = ask(HIT, "--data", data)
    assert code == 2
    assert said in err
    assert str(tmp_path) not in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--date", "soon"], "'soon' is not a date"),
        (["--base-url", "http://127.0.0.1:9"], "--base-url needs --model"),
        (["--model", "m", "--api-key-env", "NO_SUCH_KEY_HERE"], "NO_SUCH_KEY_HERE is not set"),
        (["--colour"], "No such option"),
    ],
)
def test_a_bad_option_is_named_and_the_exit_is_two(arguments: list[str], said: str) -> None:
    """Before anything is asked."""
    code, out, err = ask(HIT, *arguments)
    assert (code, out) == (2, "")
    assert said in err


def test_a_model_that_is_not_there_is_said_to_have_failed() -> None:
    """By the engine, as an answer."""
    pytest.importorskip("openai")
    code, out, _ = ask(HIT, "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    assert code == 0
    assert "did not reply" in out


def test_it_runs_as_a_module() -> None:
    """With nothing configured."""
    command = [sys.executable, "-m", "counterproof_reference", "ask", HIT]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "Hong Kong revenue, FY2025: 389 HKD_M [hk-annual-2025.pdf, p. 7]\n"
