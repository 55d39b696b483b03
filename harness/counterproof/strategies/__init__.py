"""Generated histories and model replies (design §5): functions that give Hypothesis strategies.

A turn is a pair of role and text, a history a tuple of turns. What texts are made of comes from
a :class:`Material`; :func:`classify` names what a history holds, and every name in
:data:`CLASSES` is within the strategies' reach.
"""

from __future__ import annotations

from counterproof.strategies.claims import told_facts, told_of_every_slot
from counterproof.strategies.classes import CLASSES, classify
from counterproof.strategies.examples import (
    bare_1320,
    decision_case,
    examples,
    leading_system,
    long_history,
)
from counterproof.strategies.histories import histories, texts, turns
from counterproof.strategies.material import Material, Turn, Turns
from counterproof.strategies.replies import (
    REPLY_CLASSES,
    Message,
    classify_replies,
    fuzzed_replies,
)
from counterproof.strategies.roles import roles

__all__ = [
    "CLASSES",
    "REPLY_CLASSES",
    "Material",
    "Message",
    "Turn",
    "Turns",
    "bare_1320",
    "classify",
    "classify_replies",
    "decision_case",
    "examples",
    "fuzzed_replies",
    "histories",
    "leading_system",
    "long_history",
    "roles",
    "texts",
    "told_facts",
    "told_of_every_slot",
    "turns",
]
