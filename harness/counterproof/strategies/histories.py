"""Turns and histories, drawn with few choices each: the engine's time is the dearer one."""

from __future__ import annotations

from itertools import cycle, islice, product

from hypothesis import strategies as st

from counterproof.strategies.material import UNICODE, Material, Turn, Turns
from counterproof.strategies.oddities import ODDITIES
from counterproof.strategies.poison import CLAIMS, POISON, claim
from counterproof.strategies.roles import EXPECTED, roles
from counterproof.strategies.structure import STRUCTURE

MANY = 60
"""Turns from which on a history counts as long."""
TEXT_CLASSES = {**POISON, **STRUCTURE, **ODDITIES}

_SIZES = (0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 6, 8)
"""How many turns beyond the fewest a short history has, as often as it has them."""
_LONG_ONES = 3
_SHARE = 24
"""How many places each class of texts has among those drawn."""


def texts(material: Material, *, longest: int | None = None) -> st.SearchStrategy[str]:
    """Texts a turn may hold: false claims, canaries, imitated structure, oddities, any text.

    Unicode scalar values only, so that every text can be sent as UTF-8.

    Args:
        material: what they are made of.
        longest: leave out prepared texts longer than this, in characters; by default none.
    """
    prepared: list[str | None] = []
    for name, each in TEXT_CLASSES.items():
        built = [t for t in each.build(material) if longest is None or len(t) <= longest]
        if built and name != "claim":
            prepared += islice(cycle(built), max(_SHARE, len(built)))
    claims = _claims(material)
    free = [None] * ((len(prepared) + len(claims)) // 7)
    return _text(st.sampled_from([*claims, *prepared, *free]))


@st.composite
def _text(draw: st.DrawFn, prepared: st.SearchStrategy[str | None]) -> str:
    """A prepared text, or any text where the draw is None."""
    text = draw(prepared)
    return draw(_ANY_TEXT) if text is None else text


_ANY_TEXT = st.text(UNICODE)


def _claims(material: Material) -> list[str]:
    """False claims of every slot, evenly thinned to a share that leaves room for the rest."""
    every = list(
        product(material.entities, material.periods, material.metrics, material.figures, CLAIMS)
    )
    step = max(1, len(every) // (8 * _SHARE)) | 1
    return [claim(*parts) for parts in every[::step]]


def turns(
    material: Material, foreign_roles: bool = True, *, longest: int | None = None
) -> st.SearchStrategy[Turn]:
    """Turns: a role and a text, drawn apart.

    Args:
        material: what the texts are made of.
        foreign_roles: also roles other than ``user`` and ``assistant`` (ROL-1).
        longest: as in :func:`texts`.
    """
    return st.tuples(roles(foreign=foreign_roles), texts(material, longest=longest))


def histories(
    material: Material, *, min_size: int = 0, max_size: int = 200, foreign_roles: bool = True
) -> st.SearchStrategy[Turns]:
    """Histories: mostly short, half of them user and assistant by turns; about one in ten long.

    A long history repeats a few turns, so that it costs little to draw.

    Args:
        material: what the texts are made of.
        min_size: the fewest turns.
        max_size: the most turns; long histories are drawn from 60 on.
        foreign_roles: also roles other than ``user`` and ``assistant``.

    Raises:
        ValueError: ``min_size`` is negative or above ``max_size``.
    """
    if not 0 <= min_size <= max_size:
        raise ValueError(f"min_size={min_size}, max_size={max_size}: no history has such a size")
    short = [min(min_size + more, max_size) for more in _SIZES] if min_size < MANY else []
    plans: list[tuple[int, str]] = [(n, kind) for n in short for kind in ("any", "conversation")]
    if max_size >= MANY:
        plans += [(max(min_size, MANY), "long")] * _LONG_ONES
    return _history(
        st.sampled_from(plans),
        turns(material, foreign_roles),
        texts(material),
        st.lists(turns(material, foreign_roles, longest=400), min_size=1, max_size=4),
        max_size,
    )


@st.composite
def _history(
    draw: st.DrawFn,
    plans: st.SearchStrategy[tuple[int, str]],
    turn: st.SearchStrategy[Turn],
    text: st.SearchStrategy[str],
    base: st.SearchStrategy[list[Turn]],
    most: int,
) -> Turns:
    size, kind = draw(plans)
    if kind == "long":
        return tuple(islice(cycle(draw(base)), draw(st.integers(size, most))))
    if kind == "conversation":
        return tuple((EXPECTED[index % 2], draw(text)) for index in range(size))
    return tuple(draw(turn) for _ in range(size))
