"""rag-spine, each time with one part of it replaced, and the row that must see it."""

from adapters.patches import default_path, evidence, intent, keeping, roles, sending
from adapters.patches.table import MISSED, PATCHES

__all__ = ["MISSED", "PATCHES", "default_path", "evidence", "intent", "keeping", "roles", "sending"]
