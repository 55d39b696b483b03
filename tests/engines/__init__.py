"""Engines our own CI certifies: some that never may be, some with one flaw, some that must."""
