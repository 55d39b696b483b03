"""What a user asks for is checked before anything runs, and said in words they can act on."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from counterproof.baseline import Baseline, Identity
from counterproof.bench import Bench
from counterproof.certify.request import Request, RequestError
from counterproof.subject import AdapterError, UnknownAdapter
from counterproof.worker.link import Target
from counterproof.worlds import builtin_world

REFERENCE = "counterproof_reference.adapter:reference"
DIGEST = builtin_world(0).digest
UNTOUCHED = Path(__file__).parent / "nothing-is-ever-here"


@contextlib.contextmanager
def benched(**given: str | int | tuple[str, ...]) -> Iterator[Bench]:
    """The bench of a request for the reference engine, and its end."""
    bench = Request(**({"target": "reference", "profile": "gate"} | given)).bench()  # type: ignore[arg-type]  # each by its name
    try:
        yield bench
    finally:
        bench.close()


def record(folder: Path, *, engine: str = "reference", digest: str = DIGEST) -> str:
    """A baseline of nothing, of that engine and world."""
    identity = Identity(engine=engine, version="1", world="w", world_digest=digest, kit="1")
    Baseline.start(folder, identity)
    return str(folder)


class TestWhere:
    def test_an_installed_engine(self) -> None:
        """Its adapter, under our own interpreter, from the current folder."""
        assert Request("reference").where() == Target(REFERENCE, None, None)

    def test_an_adapter(self) -> None:
        """It is taken as it is; it is the worker that imports it."""
        assert Request("my_pkg.cert:my.engine").where().adapter == "my_pkg.cert:my.engine"

    @pytest.mark.parametrize("target", ["referenc", "my_pkg.cert", "my-pkg:engine", "", "a:b:c"])
    def test_an_unknown_engine(self, target: str) -> None:
        """The installed ones are told, and the form of any other."""
        with pytest.raises(RequestError, match=rf"no engine is called '{target}'; give one of .*"
                           r"\breference\b, or your adapter as module:attribute"):  # fmt: skip
            Request(target).where()

    def test_an_interpreter(self) -> None:
        """Its path is made absolute, and no link in it is followed: it names the environment."""
        given = os.path.relpath(sys.executable)
        found = Request("reference", python=given).where()
        assert isinstance(found, Target)
        assert found.python == str(Path(given).absolute())

    @pytest.mark.parametrize("python", ["nowhere/python", ".", __file__, ""])
    def test_no_interpreter(self, python: str) -> None:
        """Nothing, a folder, a file that is no program."""
        with pytest.raises(RequestError, match=r"^--python .*: there is no such program$"):
            Request("reference", python=python).where()


class TestSuite:
    def test_every_requirement(self) -> None:
        """Of the installed suites, unless it is limited."""
        assert {"DEF-1", "STA-1"} <= set(Request("reference").suite().requirements)

    def test_some_requirements(self) -> None:
        """In the catalogue's order, with their checks."""
        suite = Request("reference", only=("RET-1", "DEF-1")).suite()
        assert list(suite.requirements) == ["DEF-1", "RET-1"]
        assert {each.requirement for each in suite.checks} == {"DEF-1", "RET-1"}

    @pytest.mark.parametrize("only", [("RET-99",), ("RET-1", "RET-99"), ("ret-1",), ("",)])
    def test_an_unknown_requirement(self, only: tuple[str, ...]) -> None:
        """It is named, and where the known ones are listed."""
        with pytest.raises(RequestError, match=rf"^--only {only[-1]}: no installed suite holds"):
            Request("reference", only=only).suite()


class TestKnownFailures:
    def test_none(self) -> None:
        """Without a file nothing is known, and there is no digest of it."""
        found = Request("reference").known_failures(date(2026, 12, 31))
        assert (found.entries, found.digest) == ((), None)

    def test_a_file(self, tmp_path: Path) -> None:
        """Held against every installed requirement, whatever the run is limited to."""
        file = tmp_path / "known.toml"
        file.write_text(
            "[[known]]\nid = 'RET-1'\ncheck = 'every_query_is_the_defaults'\nmessage = 'm'\n"
            "behaviour = 'cooperative'\nreason = 'r'\nlink = 'https://x'\nexpires = 2026-12-31\n",
            encoding="utf-8",
        )
        request = Request("reference", only=("DEF-1",), known=str(file))
        found = request.known_failures(date(2026, 12, 31))
        assert [each.id for each in found.entries] == ["RET-1"]
        assert found.on == date(2026, 12, 31)

    def test_a_file_that_cannot_be_used(self, tmp_path: Path) -> None:
        """A usage error that names it."""
        request = Request("reference", known=str(tmp_path))
        with pytest.raises(RequestError, match=rf"^{tmp_path}: cannot be read "):
            request.known_failures(date(2026, 12, 31))


class TestBench:
    def test_an_unknown_profile(self) -> None:
        """The known ones are told."""
        with pytest.raises(RequestError, match=r"^--profile deep: give one of gate, certify, aud"):
            Request("reference", profile="deep").bench()

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({"target": "nobody"}, "no engine is called"),
            ({"only": ("RET-99",)}, "--only RET-99"),
            ({"python": str(UNTOUCHED)}, "--python"),
        ],
    )
    def test_what_cannot_be_is_refused(self, given: dict[str, str], words: str) -> None:
        """Before a worker is started."""
        with pytest.raises(RequestError, match=words), benched(**given):
            pass

    def test_an_adapter_that_is_nowhere(self) -> None:
        """Whether a module is there is found by the worker alone."""
        with pytest.raises(UnknownAdapter, match="no module nowhere"), benched(target="nowhere:x"):
            pass

    def test_the_world_of_the_seed(self) -> None:
        """An auditor picks it."""
        assert Request("reference", world_seed=7).world == builtin_world(7)
        assert Request("reference").world == builtin_world(0)

    def test_answers_learnt_by_heart(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """They fit one world; over a second one, of other figures, they are an adapter error."""
        answers = {
            each.question: (
                " ".join(f"{value:g}" for value in each.values) or "Not known.",
                list(each.sources[:1]),
            )
            for each in builtin_world(0).probes
        }
        (tmp_path / "by_heart.py").write_text(
            "from counterproof import Answer, Source, adapter\n"
            f"answers = {answers!r}\n"
            "@adapter(name='parrot', version='1', channels={'structured'})\n"
            "def engine(world):\n"
            "    def ask(question, **history):\n"
            "        text, docs = answers[question]\n"
            "        return Answer(text, [Source(doc) for doc in docs])\n"
            "    return ask\n",
            encoding="utf-8",
        )
        monkeypatch.chdir(tmp_path)
        with (
            pytest.raises(AdapterError, match=r"over a second world \(as with --world-seed \d+\)"),
            benched(target="by_heart:engine"),
        ):
            pass


class TestBaseline:
    def test_the_one_that_ships(self) -> None:
        """It is used for the engine's name, over the world it was recorded over."""
        with benched(only=("DEF-2",)) as bench:
            assert bench.baseline is not None
            assert bench.baseline.identity.engine == "reference"
            assert not bench.plan.left

    @pytest.mark.parametrize("given", [{"world_seed": 1}, {"target": REFERENCE}])
    def test_the_one_that_ships_for_something_else(self, given: dict[str, str]) -> None:
        """Over another world, or for an adapter given by its path, there is silently none."""
        with benched(only=("DEF-2",), **given) as bench:
            assert bench.baseline is None
            assert [each.observable for each in bench.plan.left.values()] == [True]

    def test_one_that_is_given(self, tmp_path: Path) -> None:
        """It goes before the one that ships."""
        with benched(only=("DEF-2",), baseline=record(tmp_path)) as bench:
            assert bench.baseline is not None
            assert bench.baseline.folder == tmp_path

    def test_none_is_looked_for(self, tmp_path: Path) -> None:
        """Where one is to be recorded, whatever the folder holds."""
        folder = record(tmp_path, engine="theirs")
        bench = Request("reference", baseline=folder, only=("DEF-2",)).bench(baseline=False)
        bench.close()
        assert bench.baseline is None

    def test_one_that_is_not_there(self, tmp_path: Path) -> None:
        """What was asked for is not silently left out, though one ships."""
        with (
            pytest.raises(RequestError, match="no baseline is recorded there"),
            benched(baseline=str(tmp_path)),
        ):
            pass

    def test_one_of_another_engine(self, tmp_path: Path) -> None:
        """It is refused."""
        folder = record(tmp_path, engine="theirs")
        with pytest.raises(RequestError, match="baseline of 'theirs'"), benched(baseline=folder):
            pass

    def test_one_of_another_world(self, tmp_path: Path) -> None:
        """It is refused."""
        folder = record(tmp_path)
        with (
            pytest.raises(RequestError, match="recorded over another world"),
            benched(baseline=folder, world_seed=1),
        ):
            pass
