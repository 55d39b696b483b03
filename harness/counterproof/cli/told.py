"""What a check and a sabotage say of themselves, for whoever lists them."""

from __future__ import annotations

import inspect
from typing import Any

from counterproof.suite import Check, Counterproof, Suite


def checks_of(suite: Suite, requirement: str) -> list[Check]:
    """The checks of a requirement, by its id."""
    return [each for each in suite.checks if each.requirement == requirement]


def clause(check: Check) -> str:
    """The clause a check proves: the first paragraph of its docstring."""
    return _said(check.predicate)


def deed(each: Counterproof) -> str:
    """What a sabotage does: the first paragraph of its docstring."""
    return _said(next(iter(each.sabotage.hooks.values())))


def _said(documented: Any) -> str:
    return (inspect.getdoc(documented) or "").partition("\n\n")[0].replace("\n", " ")
