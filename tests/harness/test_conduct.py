"""The run itself: what was planned is what runs, and nothing of the caller's has a part in it."""

from __future__ import annotations

import dataclasses
import inspect
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import configuration

from counterproof.bench import Bench
from counterproof.certificate import Verdict, read
from counterproof.certify.conduct import conduct
from counterproof.certify.request import Request
from counterproof.certify.verdicts import verdicts
from counterproof.plan import EngineItem, Plan
from harness.scraps import contents, counterproof, surroundings, vendors_folder

CONFIGURED = {
    "conftest.py": "raise SystemExit('a conftest was loaded')\n",
    "pytest.ini": "[pytest]\naddopts = --no-such-option\nrequired_plugins = no-such-plugin\n",
    "pyproject.toml": "[tool.pytest.ini_options]\nminversion = '999'\n",
    "setup.cfg": "[tool:pytest]\naddopts = --no-such-option\n",
    "tox.ini": "[pytest]\naddopts = --no-such-option\n",
}

ONLY = ("--profile", "gate", "--only", "FAB-1")


class Told:
    """A progress that remembers.

    Args:
        ask: called before each item; what it says is remembered too.
    """

    def __init__(self, ask: Callable[[], str] = str) -> None:
        self.total = 0
        self.items: list[tuple[str, int]] = []
        self.heard: set[str] = set()
        self._ask = ask

    def start(self, total: int) -> None:
        self.total = total

    def item(self, name: str, done: int) -> None:
        self.items.append((name, done))
        self.heard.add(self._ask())


@pytest.fixture
def bench(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Bench]:
    """A bench with a quick requirement, or those of the parameter, on a quick engine."""
    monkeypatch.chdir(vendors_folder(tmp_path / "vendor"))
    only = getattr(request, "param", ("DEF-1",))
    made = Request("scrap:plain", profile="gate", only=only).bench()
    yield made
    made.close()


@pytest.mark.parametrize("bench", [("DEF-1", "FAB-1")], indirect=True)
def test_the_manifest_is_what_runs(bench: Bench) -> None:
    """Every item once, in the plan's order, each announced before it runs."""
    told = Told()
    assert len({each.check.file for each in bench.plan.items}) == 2
    conduct(bench, told)
    assert len(bench.plan.ids) > 5
    assert tuple(bench.results) == bench.plan.ids
    assert told.items == [(name, number) for number, name in enumerate(bench.plan.ids)]
    assert told.total == len(bench.plan.ids)


def test_an_item_that_does_not_run_is_an_error(bench: Bench) -> None:
    """Though every other passes."""
    conduct(bench, Told())
    for left_out in (bench.plan.ids[0], bench.plan.ids[-1]):
        results = {name: each for name, each in bench.results.items() if name != left_out}
        (row,) = verdicts(bench.setting.suite, bench.plan, results, ["run"])
        assert row.verdict is Verdict.ERROR
        assert row.reason is not None
        assert left_out in row.reason
        assert "it was planned and did not run" in row.reason


def test_a_check_that_cannot_be_collected_is_an_error(
    bench: Bench, capfd: pytest.CaptureFixture[str]
) -> None:
    """A suite whose file is not where its check says: nothing of it passes."""
    check = bench.plan.items[0].check
    lost = dataclasses.replace(check, predicate=_moved(check.predicate, "/nowhere/at_all.py"))
    engine = [each for each in bench.plan.items if isinstance(each, EngineItem)]
    items = tuple(dataclasses.replace(each, check=lost) for each in engine)
    bench.plan = Plan(items, {})
    suite = dataclasses.replace(bench.setting.suite, checks=(lost,), counterproofs=())
    conduct(bench, Told())
    (row,) = verdicts(suite, bench.plan, bench.results, ["run"])
    assert row.verdict is Verdict.ERROR
    assert [each.reason for each in row.checks] == ["it was planned and did not run"] * len(items)
    assert "not found: /nowhere/at_all.py" in capfd.readouterr().err


def _moved(predicate: Any, file: str) -> Any:
    """The same function, as if it were written in another file."""
    code = predicate.__code__.replace(co_filename=file)
    made = type(predicate)(code, predicate.__globals__, predicate.__name__)
    assert inspect.getfile(made) == file
    return made


def test_a_module_of_a_suite_is_no_module_of_tests(bench: Bench, tmp_path: Path) -> None:
    """What is called ``test_…`` in it is not run, and what lies beside it is not read."""
    suite, ran = tmp_path / "suite.py", tmp_path / "ran"
    suite.write_text(f"def test_it(): open({str(ran)!r}, 'w')\n", encoding="utf-8")
    for name, text in CONFIGURED.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    item = bench.plan.items[0]
    moved = dataclasses.replace(item.check, predicate=_moved(item.check.predicate, str(suite)))
    bench.plan = Plan((dataclasses.replace(item, check=moved),), {})
    conduct(bench, Told())
    assert tuple(bench.results) == bench.plan.ids
    assert not ran.exists()


def test_nothing_to_run_runs_nothing(bench: Bench) -> None:
    """Rather than whatever pytest finds in the current folder."""
    bench.plan = Plan((), {})
    told = Told()
    conduct(bench, told)
    assert (bench.results, told.items, told.total) == ({}, [], 0)


@pytest.fixture
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """Says where Hypothesis stores; a folder that a variable names."""
    monkeypatch.setenv("HYPOTHESIS_STORAGE_DIRECTORY", str(tmp_path / "storage"))
    configuration.set_hypothesis_home_dir(None)
    where: Any = configuration.storage_directory
    yield lambda: str(getattr(where("x"), "path", where("x")))  # a path itself, in older ones
    configuration.set_hypothesis_home_dir(None)


def test_the_surroundings_are_as_before(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, storage: Callable[[], str]
) -> None:
    """Variables and Hypothesis's storage are put back; they had no effect meanwhile."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", raising=False)
    before = dict(os.environ)
    assert storage() == str(tmp_path / "storage" / "x")
    told = Told(storage)
    conduct(bench, told)
    (meanwhile,) = told.heard
    assert not meanwhile.startswith(str(tmp_path))
    assert not Path(meanwhile).parent.exists()
    assert tuple(bench.results) == bench.plan.ids
    assert dict(os.environ) == before
    assert storage() == str(tmp_path / "storage" / "x")
    assert not (tmp_path / "storage").exists()


HOSTILE = {
    "PYTEST_ADDOPTS": "--collect-only --no-such-option",
    "PYTEST_PLUGINS": "no_such_plugin",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "",
    "CI": "true",
    "HYPOTHESIS_PROFILE": "no-such-profile",
    "HYPOTHESIS_STORAGE_DIRECTORY": "storage",
    "HYPOTHESIS_DATABASE_FILE": "examples",
    "HYPOTHESIS_MAX_EXAMPLES": "1",
    "HYPOTHESIS_VERBOSITY_LEVEL": "debug",
    "PYTHONHASHSEED": "12345",
}


def test_the_vendors_surroundings_have_no_effect(tmp_path: Path) -> None:
    """The certificate is the same, and nothing but it and Python's own of the adapter is left."""
    quiet, hostile = vendors_folder(tmp_path / "quiet"), vendors_folder(tmp_path / "hostile")
    for name, text in CONFIGURED.items():
        (hostile / name).write_text(text, encoding="utf-8")
    before = set(contents(hostile))
    options = ("certify", "scrap:plain", *ONLY, "--json", "c.json")
    expected = counterproof(quiet, *options)
    done = counterproof(hostile, *options, env=surroundings(**HOSTILE))
    assert (expected.returncode, done.returncode) == (4, 4), done.stderr
    assert done.stderr == expected.stderr
    assert read(quiet / "c.json").footer == read(hostile / "c.json").footer
    left = {str(each.relative_to(hostile)) for each in hostile.rglob("*") if each.is_file()}
    ours = {each for each in left - before if not each.startswith("__pycache__/scrap.")}
    assert ours == {"c.json"}
    assert {each.name for each in hostile.iterdir() if each.is_dir()} <= {"__pycache__"}
