"""What is installed: requirements, their checks and sabotages, and engines."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.table import Table

from counterproof import engines
from counterproof.catalogue import RequirementSpec
from counterproof.certify.request import RequestError
from counterproof.cli.catalogue_page import page
from counterproof.cli.output import Report, print_json, print_text
from counterproof.cli.told import checks_of, clause, deed
from counterproof.suite import Suite, installed


def list_requirements(*, as_json: bool, as_markdown: bool) -> None:
    """Print every installed requirement.

    Raises:
        RequestError: both formats are asked for.
    """
    if as_json and as_markdown:
        raise RequestError("give --json or --markdown, not both")
    suite = installed()
    if as_markdown:
        print_text(page(suite))
        return
    if as_json:
        print_json([_plain(suite, row) for row in suite.requirements.values()])
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("id", "level", "requirement", "checks", "sabotages", "seams"):
        numeric = heading in ("checks", "sabotages")
        table.add_column(heading, justify="right" if numeric else "left")
    for row in suite.requirements.values():
        checks = checks_of(suite, row.id)
        proofs = {each for check in checks for each in suite.by_check[check.id]}
        table.add_row(
            row.id, row.level.value, row.title, str(len(checks)), str(len(proofs)),
            ", ".join(sorted(row.seams)) or "-",
        )  # fmt: skip
    Report().print(table)


def explain(requirement: str, *, as_json: bool) -> None:
    """Print one requirement, its checks and its sabotages.

    Raises:
        RequestError: no installed suite holds it.
    """
    suite = installed()
    row = suite.requirements.get(requirement.upper())
    if row is None:
        raise RequestError(
            f"no installed suite holds {requirement}; `counterproof requirements` lists what is"
            " installed"
        )
    if as_json:
        print_json(_plain(suite, row))
        return
    console = Report(highlight=False)
    console.print(f"[bold]{row.id}[/bold]  {row.title}  [dim](version {row.version})[/dim]")
    console.print(f"\n{row.sentence}\n", soft_wrap=False)
    console.print(f"level   {row.level.value}\nsource  {row.source}")
    console.print(f"seams   {', '.join(['answer', *sorted(row.seams)])}")
    for each in suite.stating(row.id):
        elsewhere = "" if each.source == row.source else f" [dim]({escape(each.source)})[/dim]"
        console.print(f"states  {escape(each.says)}{elsewhere}")
    for check in checks_of(suite, row.id):
        console.print(f"\n[bold]{check.name}[/bold]\n  {clause(check)}")
        if len(check.behaviours) > 1:
            console.print(f"  model: {', '.join(map(str, check.behaviours))}")
        for broken in suite.by_check[check.id]:
            forged = " (forged)" if broken.sabotage.forged else ""
            console.print(f"  sabotage [bold]{broken.name}[/bold]{forged}: {deed(broken)}")


def list_engines(*, as_json: bool) -> None:
    """Print the engines that can be certified by name."""
    found = engines.installed()
    if as_json:
        print_json([{"name": each.name, "adapter": each.adapter} for each in found])
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("name")
    table.add_column("adapter")
    for each in found:
        table.add_row(each.name, each.adapter)
    console = Report(highlight=False)
    console.print(table)
    console.print("\nAny other engine: its adapter as module:attribute, such as my_pkg.cert:mine")


def _plain(suite: Suite, row: RequirementSpec) -> dict[str, Any]:
    return row.model_dump(mode="json") | {
        "seams": sorted(row.seams),
        "statements": [
            {"id": each.id, "says": each.says, "source": each.source}
            for each in suite.stating(row.id)
        ],
        "checks": [
            {
                "id": check.id,
                "clause": clause(check),
                "behaviours": [str(each) for each in check.behaviours],
                "sabotages": [
                    {"name": each.name, "does": deed(each), "forged": each.sabotage.forged}
                    for each in suite.by_check[check.id]
                ],
            }
            for check in checks_of(suite, row.id)
        ],
    }
