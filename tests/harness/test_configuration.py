"""What a project's pyproject.toml fixes of its certification."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from counterproof.certificate import Level
from counterproof.configuration import Configuration, ConfigurationError, configured

WHOLE = """
[tool.counterproof]
engine = "m:a"
profile = "gate"
level = "strict"
baseline = "kept"
known = "known.toml"
python = ".venv/bin/python"
"""


class TestConfigured:
    def test_every_setting(self, tmp_path: Path) -> None:
        """As it stands there."""
        (tmp_path / "pyproject.toml").write_text(WHOLE, encoding="utf-8")
        found = configured(tmp_path)
        assert found.level is Level.STRICT
        assert found.model_dump(mode="json") == {
            "engine": "m:a",
            "profile": "gate",
            "level": "strict",
            "baseline": "kept",
            "known": "known.toml",
            "python": ".venv/bin/python",
        }

    @pytest.mark.parametrize(
        ("text", "engine"),
        [
            ('tool = {counterproof = {engine = "引擎:a"}}', "引擎:a"),
            ('[tool.counterproof]\nlevel = "core"', None),
            ('[tool.other]\nengine = "m:a"', None),
            ('[project]\nname = "x"', None),
            ("", None),
        ],
    )
    def test_what_is_not_there_is_none(self, tmp_path: Path, text: str, engine: str | None) -> None:
        """The other settings are left to the command line."""
        (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
        found = configured(tmp_path)
        assert (found.engine, found.baseline, found.python) == (engine, None, None)

    def test_no_file(self, tmp_path: Path) -> None:
        """Nor a folder that could hold one."""
        (tmp_path / "file").touch()
        for folder in (tmp_path, tmp_path / "nowhere", tmp_path / "file"):
            assert configured(folder) == Configuration()

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (b"[tool.counterproof\n", r"^pyproject.toml cannot be read: "),
            (b'[tool.counterproof]\nengine = "\xff"', "pyproject.toml cannot be read: "),
            (
                b"[tool.counterproof]\nengine = 3",
                r" engine must be a string that is not empty, not 3",
            ),
            (b"[tool.counterproof]\nengine = ['a:b']", "engine must be a string"),
            (
                b"[tool.counterproof]\nengine = ''",
                "engine must be a string that is not empty, not ''",
            ),
            (b"[tool.counterproof]\nbaseline = true", "baseline must be a string"),
            (b"[tool.counterproof]\nknown = {a = 1}", "known must be a string"),
            (b"[tool.counterproof]\npython = 3.12", "python must be a string"),
            (
                b"[tool.counterproof]\nprofile = 'deep'",
                "profile must be 'gate', 'certify' or 'audit', not 'deep'",
            ),
            (
                b"[tool.counterproof]\nlevel = 'Core'",
                "level must be 'core', 'strict' or 'hardening', not 'Core'",
            ),
            (
                b"[tool.counterproof]\nengin = 'a:b'",
                "has no setting 'engin', but engine, profile, level, baseline, known, python$",
            ),
            (b"tool = 3", r"^pyproject.toml: \[tool.counterproof\] must be a table"),
            (b"[tool]\ncounterproof = 'a:b'", r"\[tool.counterproof\] must be a table"),
            (b"[[tool.counterproof]]\nengine = 'a:b'", "must be a table"),
        ],
    )
    def test_a_malformed_file(self, tmp_path: Path, text: bytes, words: str) -> None:
        """It is told what to mend, not shown where we stumbled."""
        (tmp_path / "pyproject.toml").write_bytes(text)
        with pytest.raises(ConfigurationError, match=words):
            configured(tmp_path)

    def test_a_file_that_may_not_be_read(self, tmp_path: Path) -> None:
        """It is not taken for none: what it fixes must not silently be left out."""
        (tmp_path / "pyproject.toml").mkdir()
        with pytest.raises(ConfigurationError, match="cannot be read: "):
            configured(tmp_path)


def test_the_documented_example(tmp_path: Path) -> None:
    """It is a table that can be used, and it shows every setting."""
    guide = (Path(__file__).parents[2] / "docs" / "adapter.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", guide, re.DOTALL)
    (tmp_path / "pyproject.toml").write_text(example, encoding="utf-8")
    assert None not in configured(tmp_path).model_dump().values()


class TestOf:
    def test_the_engine_it_names(self) -> None:
        """Given on the command line or not."""
        made = Configuration(engine="m:a", known="known.toml")
        assert made.of("m:a") is made

    def test_another_engine(self) -> None:
        """One engine's baseline and known failures are nothing to another."""
        assert Configuration(engine="m:a", known="known.toml").of("m:b") == Configuration()

    def test_no_engine(self) -> None:
        """Settings of whatever is certified there."""
        made = Configuration(profile="gate")
        assert made.of("m:b") is made
