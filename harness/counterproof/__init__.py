"""Counterproof: certify that conversation history stays generation-only context.

Names are imported on first use, so that the worker inside an engine's own environment, and a
pytest that only has the plugin installed, load nothing they do not need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterproof.contract import (
        Answer,
        Fact,
        ModelError,
        ModelTimeout,
        Name,
        Passage,
        ProbeView,
        Session,
        Source,
        World,
        adapter,
    )

__all__ = [
    "Answer",
    "Fact",
    "ModelError",
    "ModelTimeout",
    "Name",
    "Passage",
    "ProbeView",
    "Session",
    "Source",
    "World",
    "adapter",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from counterproof import contract

        return getattr(contract, name)
    raise AttributeError(f"module 'counterproof' has no attribute {name!r}")
