"""Engines that must never be certified: null ones, cheats, and those that attack the run."""

from engines.hostile import breaking, forging, lookups, null, spying
from engines.hostile.table import NULL

__all__ = ["NULL", "breaking", "forging", "lookups", "null", "spying"]
