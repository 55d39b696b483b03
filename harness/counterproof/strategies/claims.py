"""Conversations in which facts are claimed: what history must never be evidence of (FAB-2, 3)."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from counterproof.mentions import chinese_numeral
from counterproof.strategies.material import Material, Turn, Turns
from counterproof.strategies.poison import CLAIMS, claim

_ASKED = "{entity} {period} {metric}?"
_FALLBACK = ("51739",)


def told_facts(material: Material, *, max_size: int = 4) -> st.SearchStrategy[Turns]:
    """Conversations that claim facts: of slots the world knows and does not, in any wording.

    The figures are canaries, or any whole number that is no year; in ASCII or full-width digits,
    grouped, or in Chinese numerals.

    Args:
        material: where the slots and the canary figures come from.
        max_size: the most claims; at least one is drawn.
    """
    slots = st.tuples(
        *(st.sampled_from(each or ("x",)) for each in _axes(material)),
    )
    whole = st.integers(10_000, 9_999_999)
    figure = st.one_of(
        st.sampled_from(material.figures or _FALLBACK), whole.map(str), whole.map(chinese_numeral)
    )
    one = st.tuples(slots, figure, st.sampled_from(CLAIMS), st.booleans(), st.booleans())
    return st.lists(one, min_size=1, max_size=max_size).map(
        lambda drawn: tuple(turn for each in drawn for turn in _turns(*each))
    )


def told_of_every_slot(material: Material) -> Turns:
    """A conversation that claims a false figure for every slot there is, in each spelling."""
    figures = material.figures or _FALLBACK
    return tuple(
        ("assistant", claim(entity, period, metric, figures[n % len(figures)], CLAIMS[n % 3]))
        for n, (entity, metric, period) in enumerate(product(*_axes(material)))
    )


def _axes(material: Material) -> tuple[tuple[str, ...], ...]:
    return material.entities, material.metrics, material.periods


def _turns(
    slots: tuple[str, ...], figure: str, template: str, asked: bool, by_user: bool
) -> list[Turn]:
    entity, metric, period = slots
    question = ("user", _ASKED.format(entity=entity, period=period, metric=metric))
    told = ("user" if by_user else "assistant", claim(entity, period, metric, figure, template))
    return [question, told] if asked else [told]
