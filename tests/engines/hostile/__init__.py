"""Engines that must never be certified: null ones, cheats, and those that attack the run."""

from __future__ import annotations

import importlib
import pkgutil

from engines.hostile.table import NULL

__all__ = ["NULL"]

for each in pkgutil.iter_modules(__path__, f"{__name__}."):
    if not each.name.endswith("broken_import"):
        importlib.import_module(each.name)  # declares its engines in the table
