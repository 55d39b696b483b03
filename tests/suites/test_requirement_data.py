"""The build gate over all that names a requirement: data, documentation, code and corpora."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from counterproof.certify.levels import MUST_OBSERVE
from counterproof.cli.catalogue_page import page
from counterproof.report.words import GROUPS
from counterproof.suite import installed
from engines.flawed import FLAWS
from engines.hostile import OF_ROWS

ROOT = Path(__file__).parents[2]
SUITE = installed()
AWAITED = {row for each in SUITE.statements for row in each.awaits}
HELD = dict.fromkeys(key.partition("-")[0] for key in SUITE.requirements)
NAMED = re.compile(rf"\b(?:{'|'.join(HELD)})-\d+\b")
"""An id of a group that a suite is installed for, anywhere in a text."""
SOURCES = sorted(
    file
    for folder in ("docs", "harness", "suites", "reference_engine", "tests")
    for kind in ("*.md", "*.py", "*.toml")
    for file in (ROOT / folder).rglob(kind)
    if not file.is_relative_to(ROOT / "tests" / "harness")  # its samples have ids of their own
) + sorted(ROOT.glob("*.md"))


def unknown(ids: Iterable[str]) -> set[str]:
    """The ids that are neither in the catalogue nor awaited."""
    return set(ids) - set(SUITE.requirements) - AWAITED


def test_the_installed_suites_hold_together() -> None:
    """As one too: requirement, check, sabotage and statement each have their counterpart."""
    assert SUITE.problems() == []


def test_the_documented_page_is_the_generated_one() -> None:
    """After any change of data, checks or sabotages: `counterproof requirements --markdown`."""
    assert (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8") == page(SUITE)


def test_all_is_told() -> None:
    """Each check and each sabotage says in a sentence what it is; the page is made of them."""
    told: list[Any] = [each.predicate for each in SUITE.checks]
    told += [hook for each in SUITE.counterproofs for hook in each.sabotage.hooks.values()]
    assert [each.__name__ for each in told if not (each.__doc__ or "").strip()] == []


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_id_that_is_written_is_one_of_the_catalogue(file: Path) -> None:
    """In guides, findings, docstrings, and the tables of engines and patches."""
    assert unknown(NAMED.findall(file.read_text(encoding="utf-8"))) == set()


def test_every_id_that_is_computed_is_one_of_the_catalogue() -> None:
    """In the tables the corpora fill as they are imported, and in what a level needs."""
    assert len(FLAWS) > 100
    assert unknown(FLAWS.values()) == set()
    assert unknown(row for rows in OF_ROWS.values() for row in rows) == set()
    assert unknown(row for each in MUST_OBSERVE for row in each.any_of) == set()


def test_every_group_has_a_name() -> None:
    """A reader is told what a group is about."""
    assert {key.partition("-")[0] for key in SUITE.requirements} <= set(GROUPS)
