"""The same engine, seed and world give the same certificate, wherever and whenever it is run.

Hypothesis draws constants from modules outside any site-packages, so the promise is kept, and
tested, for the kit as it is installed: what a wheel holds, in the site-packages of two virtual
environments. It is copied there from where it is installed now (under tox, from the wheel), and
the dependencies are taken from the running environment, so that neither an index nor a build
is needed.
"""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
import venv
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from counterproof.certificate import Certificate, read
from counterproof.worlds import builtin_world
from harness.scraps import counterproof, surroundings, vendors_folder

PACKAGES = ("counterproof", "counterproof_suites", "counterproof_reference")
THREE = ("DEF-1", "RET-1", "FAB-1")
pytestmark = pytest.mark.slow
WHERE = f"import {', '.join(PACKAGES)} as last; print(last.__file__)"
MAIN = "from counterproof.cli import main; main()"


def installed(folder: Path) -> Path:
    """The interpreter of a virtual environment with the kit in its site-packages."""
    venv.create(folder, symlinks=True)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    for name in PACKAGES:
        spec = find_spec(name)
        assert spec is not None
        assert spec.submodule_search_locations
        there = next(iter(spec.submodule_search_locations))
        shutil.copytree(there, site / name, ignore=shutil.ignore_patterns("__pycache__"))
    kit = distribution("counterproof")
    described = site / f"counterproof-{kit.version}.dist-info"
    described.mkdir()
    for each in ("METADATA", "entry_points.txt"):
        (described / each).write_text(kit.read_text(each) or "", encoding="utf-8")
    ours = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "dependencies.pth").write_text("\n".join(sorted(ours)), encoding="utf-8")
    python = folder / "bin" / "python"
    told = subprocess.run(
        [python, "-c", WHERE], env=surroundings(), capture_output=True, check=True
    )
    assert told.stdout.decode().startswith(str(site))
    return python


def certificate(python: Path, folder: Path, hash_seed: str) -> Certificate:
    """The certificate of the reference engine, made by a kit in a folder."""
    folder.mkdir()
    options = ["--profile", "gate", "--json", "c.json"]
    options += [word for each in THREE for word in ("--only", each)]
    done = subprocess.run(
        [python, "-c", MAIN, "certify", "reference", *options],
        cwd=folder,
        env=surroundings(PYTHONHASHSEED=hash_seed),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 4, done.stderr
    return read(folder / "c.json")


def without_times(made: Certificate) -> dict[str, Any]:
    """A certificate less what tells when it was made."""
    plain = made.plain()
    del plain["run"]["started"], plain["run"]["seconds"]
    return plain


def test_installed_twice_it_certifies_the_same(tmp_path: Path) -> None:
    """In two environments, folders and orders of hashing: one certificate, but for its times."""
    first = certificate(installed(tmp_path / "one"), tmp_path / "here", "1")
    longer = tmp_path / "another environment" / "further away"
    second = certificate(installed(longer), tmp_path / "there", "2")
    assert first.run.started != second.run.started
    assert [each.verdict.value for each in first.requirements] == ["PASS"] * len(THREE)
    assert without_times(first) == without_times(second)
    assert str(tmp_path) not in str(first.plain())


def noted(folder: Path, *options: str) -> tuple[list[str], Certificate]:
    """The asks that reached an engine, in order, and the certificate."""
    vendors_folder(folder)
    only = ("--profile", "gate", "--only", "MSG-1")
    done = counterproof(folder, "certify", "scrap:noted", *only, "--json", "c.json", *options)
    assert done.returncode == 4, done.stderr
    made = read(folder / "c.json")
    assert made.run.world_seed is not None
    # The second world of the calibration asks for other figures, drawn anew in each run.
    own = tuple(each.question for each in builtin_world(made.run.world_seed).probes)
    lines = (folder / "noted.txt").read_text(encoding="utf-8").splitlines()
    return [each for each in lines if each.startswith(own)], made


def test_only_another_seed_asks_otherwise(tmp_path: Path) -> None:
    """The same seeds put the same asks in the same order; other ones other asks."""
    asks, first = noted(tmp_path / "first")
    again, second = noted(tmp_path / "again", "--seed", "0", "--world-seed", "0")
    assert len(asks) > 100
    assert asks == again
    assert without_times(first) == without_times(second)

    drawn, third = noted(tmp_path / "seed", "--seed", "1")
    assert set(asks) != set(drawn)
    assert (first.run.seed, third.run.seed) == (0, 1)
    assert first.run.world_digest == third.run.world_digest
    assert first.footer != third.footer

    elsewhere, fourth = noted(tmp_path / "world", "--world-seed", "1")
    assert set(asks) != set(elsewhere)
    assert (first.run.world_seed, fourth.run.world_seed) == (0, 1)
    assert first.run.world_digest != fourth.run.world_digest
    assert first.run.seed == fourth.run.seed
