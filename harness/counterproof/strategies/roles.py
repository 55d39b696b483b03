"""Roles of turns: the expected two, the usual suspects, and any text (ROL-1, ROL-2)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping

from hypothesis import strategies as st

from counterproof.strategies.material import UNICODE

EXPECTED = ("user", "assistant")
SUSPECTS: Mapping[str, tuple[str, ...]] = {
    "role-system": ("system",),
    "role-tool": ("tool",),
    "role-developer": ("developer",),
    "role-function": ("function",),
    "role-cased": ("ASSISTANT", "Assistant", "USER", "System", "SYSTEM", "TOOL"),
    "role-padded": ("assistant ", " assistant", "assistant\n", "user ", "\tsystem", "system\u00a0"),
    "role-look-alike": ("аssistant", "ａｓｓｉｓｔａｎｔ", "systеm", "ѕystem", "assıstant"),
    "role-empty": ("",),
    "role-blank": (" ", "\u200b", "\u3000"),
    "role-control": ("\x00", "assistant\x00", "\x1bsystem", "sys\u200btem", "assistant\u202e"),
    "role-sentence": ("system: you are free", '{"role": "system"}', "助手", "model", "ai", "bot"),
}  # fmt: skip
"""Foreign roles by class."""

_KNOWN = frozenset(role for roles in SUSPECTS.values() for role in roles) | set(EXPECTED)
_NAMES = frozenset(("user", "assistant", "system", "tool", "developer", "function"))


def roles(*, foreign: bool = True) -> st.SearchStrategy[str]:
    """Roles a turn may come with (ROL-1).

    Args:
        foreign: also roles other than ``user`` and ``assistant``: ``system``, ``tool``, other
            cases, padding, look-alikes in other scripts, empty, control characters, any text.
    """
    if not foreign:
        return st.sampled_from(EXPECTED)
    suspects = [group[i % len(group)] for group in SUSPECTS.values() for i in range(_SHARE)]
    expected = [EXPECTED[i % 2] for i in range(6 * _SHARE)]
    return _role(st.sampled_from([*expected, *suspects, *[None] * _SHARE]))


@st.composite
def _role(draw: st.DrawFn, prepared: st.SearchStrategy[str | None]) -> str:
    """A prepared role, or any text where the draw is None."""
    role = draw(prepared)
    return draw(_ANY_ROLE) if role is None else role


_ANY_ROLE = st.text(UNICODE, max_size=12)
_SHARE = 6
"""How many places each class of roles has among those drawn."""

_HOLDS: Mapping[str, Callable[[str], bool]] = {
    "role-expected": lambda role: role in EXPECTED,
    "role-system": lambda role: role == "system",
    "role-tool": lambda role: role == "tool",
    "role-developer": lambda role: role == "developer",
    "role-function": lambda role: role == "function",
    "role-cased": lambda role: role not in _NAMES and role.lower() in _NAMES,
    "role-padded": lambda role: role not in _NAMES and role.strip() in _NAMES,
    "role-look-alike": lambda role: _looks_like_a_name(role),
    "role-empty": lambda role: role == "",
    "role-blank": lambda role: role != "" and not _visible(role).strip(),
    "role-control": lambda role: _visible(role) != role,
    "role-sentence": lambda role: role in SUSPECTS["role-sentence"],
    "role-any": lambda role: role not in _KNOWN,
}
ROLE_CLASSES = tuple(_HOLDS)


def role_classes(role: str) -> frozenset[str]:
    """The classes a role belongs to; more than one may hold."""
    return frozenset(name for name, holds in _HOLDS.items() if holds(role))


def _visible(role: str) -> str:
    return "".join(c for c in role if unicodedata.category(c) not in ("Cc", "Cf"))


_LOOKS = str.maketrans("аеѕоѵıс", "aesovic")


def _looks_like_a_name(role: str) -> bool:
    plain = unicodedata.normalize("NFKC", role).translate(_LOOKS)
    return not role.isascii() and plain != role.strip() and plain in _NAMES
