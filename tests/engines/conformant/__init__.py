"""Engines that differ where they may: each must pass, or a check is over-strict."""

from __future__ import annotations

import importlib
import pkgutil

from engines.conformant.table import DECLARED

__all__ = ["CONFORMANT"]

for each in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(each.name)  # declares its engines in the table
CONFORMANT: tuple[str, ...] = tuple(DECLARED)
"""Adapters whose certification must pass."""
