"""The reference engine in disguise, each time with one flaw, and the row that must see it."""

from __future__ import annotations

import importlib
import pkgutil

from engines.flawed.table import FLAWS

__all__ = ["FLAWS"]

for each in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(each.name)  # declares its engines in the table
