"""Known failures and a project's settings, as their users meet them: the program in a folder."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from counterproof.certificate import Verdict, read
from harness.scraps import QUICK, contents, counterproof, vendors_folder

LEAKY = ("certify", "scrap:leaky", "--profile", "gate", "--only", "RET-1")
SETTINGS = """
[tool.counterproof]
engine = "scrap:leaky"
profile = "gate"
level = "strict"
known = "known.toml"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A vendor's folder."""
    return vendors_folder(tmp_path / "vendor")


def mend(folder: Path) -> None:
    """Let the leaky engine search for the question alone."""
    scrap = folder / "scrap.py"
    text = scrap.read_text(encoding="utf-8")
    assert "turns[:] = history or ()" in text
    scrap.write_text(text.replace("turns[:] = history or ()", "turns[:] = ()"), encoding="utf-8")


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the report of a failing run gives to be listed, completed as a vendor would."""
    folder = vendors_folder(tmp_path_factory.mktemp("failing") / "vendor")
    done = counterproof(folder, *LEAKY, "--verbose")
    assert done.returncode == 1
    text = done.stdout.partition("add reason, link and date\n")[2].partition("Counterp")[0]
    assert text.count("[[known]]") >= 2
    return (
        text.replace('reason = ""', 'reason = "the index is being replaced"')
        .replace('link = ""', 'link = "https://tracker.example/12"')
        .replace('expires = ""', "expires = 9999-12-31")
    )


def certificate_of(folder: Path, *arguments: str) -> tuple[int, Any]:
    """A run, and its certificate as a document."""
    done = counterproof(folder, *arguments, "--json", "made.json")
    assert read(folder / "made.json").outcome.exit == done.returncode
    return done.returncode, json.loads((folder / "made.json").read_text(encoding="utf-8"))


class TestKnown:
    def test_from_a_failure_to_a_stale_entry(self, folder: Path, entries: str) -> None:
        """Violated; listed and so known; mended, and the list is out of date."""
        (folder / "known.toml").write_text(entries, encoding="utf-8")
        code, known = certificate_of(folder, *LEAKY, "--known", "known.toml")
        (row,) = known["requirements"]
        assert (code, row["verdict"], known["counts"]["known"]) == (4, Verdict.KNOWN, 1)
        assert row["reason"] == "known: the index is being replaced"
        assert {each["link"] for each in row["known"]} == {"https://tracker.example/12"}
        assert row["counterexample"]["reproduce"].endswith("--known known.toml --only RET-1")
        assert known["run"]["known_digest"]
        assert known["level"] is None
        mend(folder)
        code, mended = certificate_of(folder, *LEAKY, "--known", "known.toml")
        stale = mended["outcome"]["stale"]
        assert (code, mended["requirements"][0]["verdict"]) == (1, Verdict.PASS)
        assert {each["because"] for each in stale} == {"passes"}
        assert len(stale) == entries.count("[[known]]")
        assert mended["run"]["known_digest"] == known["run"]["known_digest"]

    def test_an_entry_whose_day_is_over(self, folder: Path, entries: str) -> None:
        """It excuses nothing, and is named; where its requirement did not run it is left alone."""
        expired = entries.replace("9999-12-31", "2000-01-01")
        (folder / "known.toml").write_text(expired, encoding="utf-8")
        done = counterproof(folder, *LEAKY, "--known", "known.toml")
        assert done.returncode == 1
        assert "FAIL RET-1" in done.stdout
        assert re.search(r"entry 1 +RET-1, .*expired on 2000-01-01", " ".join(done.stdout.split()))
        plain = counterproof(folder, "certify", "scrap:plain", *QUICK, "--known", "known.toml")
        assert (plain.returncode, "Stale" in plain.stdout) == (4, False)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (None, "known.toml: cannot be read (No such file or directory)"),
            ("[[known]]\nid = 'RET-77'", "known.toml: entry 1 (RET-77): check is missing: give"),
            ("[[known", "known.toml: is not TOML: "),
        ],
    )
    def test_a_file_that_does_not_serve(self, folder: Path, text: str | None, said: str) -> None:
        """Is a usage error in a line, before anything runs."""
        if text is not None:
            (folder / "known.toml").write_text(text, encoding="utf-8")
        before = contents(folder)
        done = counterproof(folder, *LEAKY, "--known", "known.toml", "--json", "made.json")
        *_, last = done.stderr.splitlines()
        assert (done.returncode, done.stdout) == (2, "")
        assert last.startswith(f"error: {said}")
        assert contents(folder) == before


class TestSettings:
    """What ``[tool.counterproof]`` fixes, from a folder that holds nothing else."""

    def configured(
        self, folder: Path, *arguments: str, settings: str = SETTINGS
    ) -> subprocess.CompletedProcess[str]:
        """A run in the folder, with these settings in its pyproject.toml."""
        (folder / "pyproject.toml").write_text(settings, encoding="utf-8")
        return counterproof(folder, "certify", *arguments)

    def test_they_stand_in_for_options(self, folder: Path, entries: str) -> None:
        """Engine, profile, level and known failures; the command to reproduce spells them out."""
        (folder / "known.toml").write_text(entries, encoding="utf-8")
        done = self.configured(folder, "--only", "RET-1")
        shown = " ".join(done.stdout.split())
        assert done.returncode == 4, done.stderr
        assert "profile gate, judged at strict" in shown
        assert "known to fail: RET-1" in shown
        assert (
            "reproduce counterproof certify scrap:leaky --profile gate --level strict"
            " --known known.toml --only RET-1" in shown
        )

    def test_the_command_line_wins(self, folder: Path, entries: str) -> None:
        """And the command to reproduce says so where it must."""
        (folder / "other.toml").write_text(entries, encoding="utf-8")
        done = self.configured(folder, *LEAKY[1:], "--level", "core", "--known", "other.toml")
        shown = " ".join(done.stdout.split())
        assert "judged at core" in shown
        assert "--profile gate --level core --known other.toml --only RET-1" in shown

    def test_another_engine_has_none_of_them(self, folder: Path) -> None:
        """One engine's known failures are nothing to another; its file is not looked for."""
        done = self.configured(folder, "scrap:plain", *QUICK)
        assert done.returncode == 4, done.stderr
        assert "judged at core" in " ".join(done.stdout.split())

    def test_without_an_engine_they_are_anybodys(self, folder: Path) -> None:
        """Such as how deep."""
        settings = "[tool.counterproof]\nprofile = 'gate'\nlevel = 'hardening'\n"
        done = self.configured(folder, "scrap:plain", "--only", "DEF-1", settings=settings)
        assert "profile gate, judged at hardening" in " ".join(done.stdout.split())

    def test_a_baseline_is_recorded_where_they_say(self, folder: Path) -> None:
        """And compared with from then on."""
        settings = '[tool.counterproof]\nengine = "scrap:plain"\nbaseline = "kept"\n'
        done = self.configured(folder, "--record-baseline", settings=settings)
        assert done.returncode == 0, done.stderr
        assert "to kept/" in done.stdout
        again = counterproof(folder, "certify", "--profile", "gate", "--only", "DEF-2")
        assert "DEF 1 of 1 pass" in " ".join(again.stdout.split())

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("python = 'nowhere'", "--python nowhere: there is no such program"),
            ("profil = 'gate'", r"pyproject.toml: \[tool.counterproof\] has no setting 'profil', "),
            ("level = 3", r"pyproject.toml: \[tool.counterproof\] level must be 'core', 'strict' "),
        ],
    )
    def test_what_does_not_serve(self, folder: Path, line: str, said: str) -> None:
        """Is a usage error, also where the engine is given."""
        done = self.configured(folder, "scrap:plain", settings=f"[tool.counterproof]\n{line}\n")
        assert (done.returncode, done.stdout) == (2, "")
        assert re.match(f"error: {said}", done.stderr.splitlines()[-1])
