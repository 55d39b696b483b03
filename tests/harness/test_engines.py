"""Which engine is meant: by name, or by its adapter."""

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
