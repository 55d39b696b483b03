"""Which classes of poison a history holds, so that a strategy's reach can be tested."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from itertools import pairwise

from counterproof.strategies.histories import MANY, TEXT_CLASSES
from counterproof.strategies.material import Material, Turns
from counterproof.strategies.roles import EXPECTED, ROLE_CLASSES, role_classes

_SHAPES: Mapping[str, Callable[[Turns], bool]] = {
    "no-turns": lambda turns: not turns,
    "one-turn": lambda turns: len(turns) == 1,
    "few-turns": lambda turns: 1 < len(turns) < MANY,
    "many-turns": lambda turns: len(turns) >= MANY,
    "alternating": lambda turns: (
        len(turns) > 1 and all(role == EXPECTED[i % 2] for i, (role, _) in enumerate(turns))
    ),
    "same-role-twice": lambda turns: any(a[0] == b[0] for a, b in _pairs(turns)),
    "same-turn-twice": lambda turns: any(a == b for a, b in _pairs(turns)),
    "leading-system": lambda turns: bool(turns) and turns[0][0] == "system",
    "trailing-user": lambda turns: bool(turns) and turns[-1][0] == "user",
    "any-text": lambda turns: any(_wild(text) for _, text in turns),
}
CLASSES: tuple[str, ...] = (*_SHAPES, *ROLE_CLASSES, *TEXT_CLASSES)
"""Every class a history may hold: of its shape, of its roles, of its texts."""


def classify(history: Turns, material: Material) -> frozenset[str]:
    """The classes a history holds.

    Args:
        history: ``(role, text)`` turns.
        material: what its texts are made of.

    Returns:
        Names out of :data:`CLASSES`.
    """
    found = {name for name, holds in _SHAPES.items() if holds(history)}
    for role in {role for role, _ in history}:
        found |= role_classes(role)
    for text in {text for _, text in history}:
        found |= {name for name, each in TEXT_CLASSES.items() if each.holds(text, material)}
    return frozenset(found)


def _pairs(turns: Turns) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    return list(pairwise(turns))


_COMMON_SCRIPTS = ("LATIN", "CJK", "HANGUL", "HIRAGANA", "KATAKANA", "FULLWIDTH", "CYRILLIC")


def _wild(text: str) -> bool:
    """Whether a text has a letter of a script no prepared text is written in."""
    return any(
        char.isalpha() and not unicodedata.name(char, "").startswith((*_COMMON_SCRIPTS, "MATH"))
        for char in text
    )
