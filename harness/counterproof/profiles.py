"""How deep a run goes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Profile:
    """How much is drawn in a run.

    Args:
        name: as ``--profile`` takes it.
        examples: how many histories are drawn for each engine item, beside the explicit ones.
        sabotaged: how many for a counterproof whose witness landed and was not caught.
        shares: whether checks that draw alike share what is drawn for a probe, and its traces,
            which are held as long as the run.
    """

    name: str
    examples: int
    sabotaged: int
    shares: bool = False


PROFILES = {
    each.name: each
    for each in (
        Profile("gate", examples=10, sabotaged=5, shares=True),
        Profile("certify", examples=50, sabotaged=20),
        Profile("audit", examples=1000, sabotaged=100),
    )
}
"""``gate`` for CI, ``certify`` by default, ``audit`` before a release."""
