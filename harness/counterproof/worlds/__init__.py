"""Worlds: the knowledge an engine is certified over, with its probes and what they must yield."""

from counterproof.worlds.builtin import another_world, builtin_world
from counterproof.worlds.spec import Probe, Slots, WorldError, WorldSpec

__all__ = ["Probe", "Slots", "WorldError", "WorldSpec", "another_world", "builtin_world"]
