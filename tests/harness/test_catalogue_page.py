"""The page of Markdown that a suite gives."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from counterproof.case import Case
from counterproof.catalogue import RequirementSpec, Statement
from counterproof.cli.catalogue_page import page
from counterproof.model.behaviours import EMPTY, PARROT
from counterproof.suite import NO_HISTORY, Suite, check, sabotage
from counterproof.trace import OMITTED, History

ROW = RequirementSpec.model_validate(
    {
        "id": "ZZZ-1",
        "version": 3,
        "level": "strict",
        "title": "A *title*",
        "sentence": "Neither [a](b) nor <c> is markup; [] and ``**d**`` stay.",
        "source": "a_record_ of _ours",
        "seams": ["parse", "model"],
    }
)


@check(
    "ZZZ-1",
    probes=lambda _: True,
    histories=NO_HISTORY,
    behaviours=[PARROT, EMPTY],
    seams=["exits"],
    claims=["session"],
    needs_baseline=True,
)
def it_holds(case: Case, history: History) -> None:
    """That it
    holds.

    More that nobody needs.
    """  # noqa: D205  # a sentence may go on in the next line


@sabotage(it_holds, on="answer", witness=lambda _: OMITTED, forged=True)
def is_broken(scene: Any, value: Any) -> Any:
    """It does not hold."""
    return value


HELD = ModuleType("held")
HELD.__dict__.update(one=it_holds, two=is_broken)
STATEMENT = Statement(id="s", says="a | b", source="c", rows=("ZZZ-1",), awaits=("ZZZ-2",))


def test_a_requirement_with_all_that_is_known_of_it() -> None:
    """Its sentence, its checks with what they need, their sabotages; no text is read as markup."""
    assert page(Suite.of([ROW], HELD)).partition("## ZZZ: ")[2] == (
        "requirements of another suite\n"
        "\n"
        "### ZZZ-1\n"
        "\n"
        "**A \\*title\\*.** Neither \\[a](b) nor \\<c> is markup; [] and ``**d**`` stay.\n"
        "\n"
        "Level strict, version 3, seams model, parse. Source: a_record\\_ of \\_ours.\n"
        "\n"
        "- `it_holds`: That it holds. (model: parrot, empty; seams besides: exits;"
        " claims: session; against a recorded baseline)\n"
        "  - sabotage `is-broken`, *forged*: It does not hold.\n"
    )


def test_the_overview_links_each_requirement_at_its_level() -> None:
    """One line a group."""
    assert "| ZZZ | requirements of another suite |  | [ZZZ-1](#zzz-1) |  |\n" in page(
        Suite.of([ROW], HELD)
    )


def test_the_statements_name_their_requirements() -> None:
    """Those that are there by a link, those awaited by their ids; without statements no table."""
    assert "## What the sources say" not in page(Suite.of([ROW], HELD))
    assert page(Suite.of([ROW], HELD, statements=[STATEMENT])).endswith(
        "| a \\| b | [ZZZ-1](#zzz-1), ZZZ-2 (not in the catalogue yet) | c |\n"
    )
