"""The pytest plugin, in a pytest of its own: what a vendor sees while developing."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from harness.scraps import surroundings, vendors_folder

SUITES = ("--pyargs", "counterproof_suites")
QUIET = ("-q", "--color=no", "-p", "no:cacheprovider")
ID = re.compile(r"::([A-Z]{3}-\d+/\w+\[[\w-]+\])$", re.M)

BACKWARDS = """
def pytest_collection_modifyitems(items):
    items.reverse()
"""

SHOWN = """
from counterproof.plugin import BENCH
def pytest_collection_finish(session):
    asked = session.config.stash[BENCH].setting
    print("asked for", asked.profile.name, asked.seed, asked.world.seed, asked.target.python)
"""

TAMPERED = """
from counterproof.certificate import Verdict
from counterproof.judge import CounterproofOutcome, EngineResult
from counterproof.plan import EngineItem
from counterproof.plugin import BENCH
found = {
    True: [EngineResult(Verdict.ERROR, "cannot judge"),
           EngineResult(Verdict.NOT_OBSERVABLE, "out of sight")],
    False: [CounterproofOutcome(True, False, "not caught"),
            CounterproofOutcome(True, False, "a crash", "it broke"),
            CounterproofOutcome(False, False, "no way to land")],
}
def pytest_collection_finish(session):
    bench = session.config.stash[BENCH]
    def run(item):
        kind = found[isinstance(item, EngineItem)]
        return kind.pop() if len(kind) > 1 else kind[0]
    bench.run = run
"""
"""Plugins a test adds: another order, what is asked for, and what no honest engine yields."""

OWN = """
def test_mine(): pass
def test_mine_that_fails(): assert 1 + 1 == 3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A vendor's folder."""
    return vendors_folder(tmp_path / "vendor")


def run(folder: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", *QUIET, *arguments],
        cwd=folder,
        env=surroundings(**env),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def checked(folder: Path, engine: str, only: str, *more: str, **env: str) -> tuple[int, str]:
    """The exit code and output of pytest over the suites, for an engine and a requirement."""
    options = (f"--counterproof-engine={engine}", f"--counterproof-only={only}", *more)
    done = run(folder, *SUITES, *options, **env)
    return done.returncode, done.stdout + done.stderr


class TestWithoutAnEngine:
    def test_nothing_is_imported(self, tmp_path: Path) -> None:
        """A pytest that only has the plugin installed loads nothing it does not need."""
        (tmp_path / "test_own.py").write_text(
            "import sys\n"
            "def test_modules():\n"
            "    ours = {each for each in sys.modules if each.startswith('counterproof')}\n"
            "    assert ours == {'counterproof', 'counterproof.plugin'}\n"
            "    assert not {'hypothesis', 'pydantic', 'rich', 'syrupy'} & set(sys.modules)\n",
            encoding="utf-8",
        )
        alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        done = run(tmp_path, "-p", "counterproof.plugin", **alone)
        assert done.returncode == 0, done.stdout

    def test_installing_it_is_enough(self, tmp_path: Path) -> None:
        """And its options all have our prefix."""
        shown = run(tmp_path, "--help").stdout
        ours = shown.partition("certify conversational RAG engines:")[2].partition("\n\n")[0]
        named = re.findall(r"^ +(-[\w-]+)", ours, re.M)
        assert "--counterproof-engine" in named
        assert [each for each in named if not each.startswith("--counterproof-")] == []

    def test_the_suites_hold_no_tests(self, tmp_path: Path) -> None:
        assert run(tmp_path, *SUITES).returncode == pytest.ExitCode.NO_TESTS_COLLECTED


class TestWithAnEngine:
    def test_the_reference_engine_passes(self, folder: Path) -> None:
        """In random order too, where counterproofs run before what they prove."""
        code, said = checked(folder, "reference", "FAB-1", "-p", "randomly")
        assert (code, re.findall("FAILED|ERROR|skipped", said)) == (0, []), said

    def test_order_does_not_matter(self, folder: Path) -> None:
        """Backwards, every counterproof runs before the check it proves."""
        (folder / "backwards.py").write_text(BACKWARDS, encoding="utf-8")
        away = ("-p", "no:randomly", "-vv")
        ahead = checked(folder, "scrap:plain", "DEF-1", *away)
        back = checked(folder, "scrap:plain", "DEF-1", *away, "-p", "backwards", PYTHONPATH=".")
        outcome = re.compile(r"::(\S+) PASSED")
        assert (ahead[0], back[0]) == (0, 0), back[1]
        assert len(outcome.findall(ahead[1])) > 3
        assert outcome.findall(ahead[1]) == outcome.findall(back[1])[::-1]

    def test_a_flawed_engine_fails_with_the_sentence_and_the_ask(self, folder: Path) -> None:
        """And without a traceback; a counterproof of a failed check says that it is not needed."""
        code, said = checked(folder, "scrap:leaky", "RET-1", "-rs", "-p", "no:randomly")
        assert code == pytest.ExitCode.TESTS_FAILED
        assert "RET-1 only_the_question_is_retrieved_for: the retrieval query is not the" in said
        assert "ask      Why did the channel tunnel flood?" in said
        assert re.search(r"^history  list \[\('user', '.*'\)\]$", said, re.M)
        assert re.search(r"^answer   None of the available passages answers that", said, re.M)
        assert "not run: the engine itself fails this check" in said
        assert "Traceback" not in said
        assert not re.search(r"^\S+\.py:\d+: ", said, re.M)

    @pytest.mark.parametrize(
        ("engine", "only", "said"),
        [
            ("nope", "DEF-1", "no engine is called 'nope'"),
            ("scrap:nope", "DEF-1", "scrap:nope: the module scrap has no nope"),
            ("broken:x", "DEF-1", "broken:x cannot be loaded: ValueError: not today"),
            ("scrap:deaf", "DEF-1", "the seam parse is declared, and stayed silent"),
            ("reference", "NOPE-1", "--only NOPE-1: no installed suite holds"),
        ],
    )
    def test_what_cannot_be_is_a_usage_error_in_one_line(
        self, folder: Path, engine: str, only: str, said: str
    ) -> None:
        """Not a failed test."""
        code, shown = checked(folder, engine, only)
        assert code == pytest.ExitCode.USAGE_ERROR
        (line,) = [each for each in shown.splitlines() if "counterproof: " in each]
        assert said in line
        assert "Traceback" not in shown
        assert "plugin.py" not in shown

    def test_what_proves_nothing_fails(self, folder: Path) -> None:
        """A counterproof that is not caught, one that crashes, a check that cannot judge."""
        (folder / "tampered.py").write_text(TAMPERED, encoding="utf-8")
        tampered = ("-rs", "-p", "no:randomly", "-p", "tampered")
        code, said = checked(folder, "scrap:plain", "DEF-1", *tampered, PYTHONPATH=".")
        assert code == pytest.ExitCode.TESTS_FAILED
        assert "DEF-1 an_empty_history_is_no_history: cannot judge" in said
        assert "DEF-1 an_empty_history_is_no_history: not caught" in said
        assert "history: under this sabotage the run broke: it broke" in said
        assert "not observable: out of sight" in said
        assert "inapplicable: no way to land" in said
        assert said.splitlines()[-1].startswith("7 failed, 2 skipped")
        assert "Traceback" not in said

    def test_options_reach_the_run(self, folder: Path) -> None:
        """Each of them."""
        (folder / "shown.py").write_text(SHOWN, encoding="utf-8")
        words = f"profile=certify seed=3 world-seed=5 python={sys.executable}"
        options = [f"--counterproof-{each}" for each in words.split()]
        more = ("-s", "--collect-only", "-p", "shown", *options)
        _, said = checked(folder, "scrap:plain", "DEF-1", *more, PYTHONPATH=".")
        assert f"asked for certify 3 5 {sys.executable}" in said

    def test_ids_are_stable_and_hold_no_path(self, folder: Path, tmp_path: Path) -> None:
        """From another folder, and with another seed, the same; each runs by itself."""
        quiet = ("--collect-only", "-p", "no:randomly")
        _, here = checked(folder, "reference", "DEF-1", *quiet)
        _, there = checked(tmp_path, "reference", "DEF-1", *quiet, "--counterproof-seed=7")
        ids = ID.findall(here)
        assert len(ids) > 10
        assert ids == ID.findall(there)
        assert len(ids) == len([each for each in here.splitlines() if "::" in each])
        suite = find_spec("counterproof_suites.engine.default_path")
        assert suite is not None
        done = run(folder, f"{suite.origin}::{ids[0]}", "--counterproof-engine=reference")
        assert done.stdout.splitlines()[-1].startswith("1 passed"), done.stdout

    def test_tests_of_the_vendors_own_run_beside(self, folder: Path) -> None:
        """As if nothing were there."""
        (folder / "test_own.py").write_text(OWN, encoding="utf-8")
        code, said = checked(folder, "scrap:plain", "DEF-1", "test_own.py", "-vv")
        assert code == pytest.ExitCode.TESTS_FAILED
        assert re.search(r"^test_own.py::test_mine PASSED", said, re.M)
        assert re.search(r"^E +assert \(1 \+ 1\) == 3$", said, re.M)
        assert len(re.findall(r"::DEF-1/\S+ PASSED", said)) > 3
        assert " 1 failed, " in said.splitlines()[-1]
