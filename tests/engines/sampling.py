"""Which of the corpus CI takes: a fixed share, for all of it takes the better part of an hour."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(targets: Iterable[Any], step: int) -> list[Any]:
    """Every one of these parameters, all but each ``step``-th marked exhaustive.

    Args:
        targets: the engines' addresses, say, in the order of their table.
        step: one in how many CI takes.
    """
    return [
        each if number % step == 0 else pytest.param(each, marks=pytest.mark.exhaustive)
        for number, each in enumerate(targets)
    ]
