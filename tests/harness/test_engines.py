"""Which engine is meant: by name, by adapter, or by a project's pyproject.toml."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from counterproof import engines
from counterproof.engines import (
    BASELINES,
    Engine,
    UnknownEngine,
    adapter_of,
    configured,
    installed,
    shipped_baseline,
)

REFERENCE = "counterproof_reference.adapter:reference"


class TestInstalled:
    def test_the_reference_engine(self) -> None:
        """It comes with the kit."""
        assert Engine("reference", REFERENCE, "counterproof") in installed()

    def test_by_name(self) -> None:
        """Sorted, each once."""
        names = [each.name for each in installed()]
        assert names == sorted(set(names))


class TestAdapterOf:
    def test_a_name(self) -> None:
        """Its adapter."""
        assert adapter_of("reference") == REFERENCE

    @pytest.mark.parametrize("target", ["m:a", "my_pkg.cert:my_engine", "p.q.r:a.b", "模块:引擎"])
    def test_an_adapter(self, target: str) -> None:
        """Nothing is imported: the module need not be there."""
        assert target == adapter_of(target)

    @pytest.mark.parametrize(
        "target",
        ["nobody", "", ":", "m:", ":a", "m:a:b", "m.:a", ".m:a", "m:a.", "m a:b", "1m:a", "m:a\n",
         "m-n:a", "./m.py:a", "reference "],
    )  # fmt: skip
    def test_neither(self, target: str) -> None:
        """The known names are told."""
        with pytest.raises(UnknownEngine) as told:
            adapter_of(target)
        assert f"no engine is called {target!r}" in str(told.value)
        assert all(each.name in str(told.value) for each in installed())


class TestShippedBaseline:
    def test_the_reference_engines(self) -> None:
        """A folder that holds a baseline."""
        folder = shipped_baseline("reference")
        assert folder is not None
        assert (folder / "counterproof-baseline.json").is_file()

    def test_an_engine_without_one(self) -> None:
        """There is none, also for the reference engine by its adapter."""
        assert shipped_baseline("nobody") is None
        assert shipped_baseline(REFERENCE) is None

    def test_one_whose_folder_is_gone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A module that is no folder holds no baseline."""
        point = EntryPoint("mine", "counterproof_suites", BASELINES)
        monkeypatch.setattr(engines, "entry_points", lambda group: [point])
        monkeypatch.setattr(engines, "files", lambda package: Path(__file__))
        assert shipped_baseline("mine") is None


class TestConfigured:
    @pytest.mark.parametrize(
        ("text", "engine"),
        [
            ('[tool.counterproof]\nengine = "m:a"', "m:a"),
            ('tool = {counterproof = {engine = "引擎:a"}}', "引擎:a"),
            ('[tool.counterproof]\nlevel = "core"', None),
            ('[tool.other]\nengine = "m:a"', None),
            ('[project]\nname = "x"', None),
            ("", None),
        ],
    )
    def test_what_the_file_names(self, tmp_path: Path, text: str, engine: str | None) -> None:
        """Or None, where it names none."""
        (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
        assert engine == configured(tmp_path)

    def test_no_file(self, tmp_path: Path) -> None:
        """Nor a folder that could hold one."""
        assert configured(tmp_path) is None
        assert configured(tmp_path / "nowhere") is None

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (b"[tool.counterproof\n", "pyproject.toml cannot be read: "),
            (b'[tool.counterproof]\nengine = "\xff"', "pyproject.toml cannot be read: "),
            (b"[tool.counterproof]\nengine = 3", r"\[tool.counterproof\] engine must be a string"),
            (b"[tool.counterproof]\nengine = ['a:b']", "engine must be a string"),
            (b"tool = 3", r"\[tool.counterproof\] must be a table"),
            (b"[tool]\ncounterproof = 'a:b'", r"\[tool.counterproof\] must be a table"),
            (b"[[tool.counterproof]]\nengine = 'a:b'", "must be a table"),
        ],
    )
    def test_a_malformed_file(self, tmp_path: Path, text: bytes, words: str) -> None:
        """It is told what to mend, not shown where we stumbled."""
        (tmp_path / "pyproject.toml").write_bytes(text)
        with pytest.raises(UnknownEngine, match=words):
            configured(tmp_path)
