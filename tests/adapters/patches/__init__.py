"""rag-spine, each time with one part of it replaced, and the row that must see it."""

from adapters.patches import default_path, evidence, intent, keeping, sending
from adapters.patches.table import PATCHES

__all__ = ["PATCHES", "default_path", "evidence", "intent", "keeping", "sending"]
