"""Adapters that ship with the kit, each for an engine one can install."""
