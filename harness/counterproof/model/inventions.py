"""Figures the scripted model makes up, in every digit form a guard must read (FAB-7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from counterproof.mentions import chinese_numeral
from counterproof.worlds import WorldSpec

_HAN = "零一二三四五六七八九"
_WIDE = str.maketrans("0123456789", "０１２３４５６７８９")


_FORMS: Mapping[str, Callable[[int], str]] = {
    "fabricating-grouped": lambda value: f"{value:,}.00",
    "fabricating-full-width": lambda value: str(value).translate(_WIDE),
    "fabricating-scientific": lambda value: (
        f"{value / 10 ** (len(str(value)) - 1):.15g}e{len(str(value)) - 1}"
    ),
    "fabricating-chinese": chinese_numeral,
    "fabricating-chinese-digits": lambda value: "".join(_HAN[int(each)] for each in str(value)),
}


def invented(world: WorldSpec, behaviour: str) -> str:
    """The figure a behaviour makes up, as it writes it.

    Args:
        world: whose first canary figure it is: it stands nowhere else in the world.
        behaviour: the behaviour's name; what is not a form of ``fabricating`` writes digits.
    """
    return _FORMS.get(behaviour, str)(world.canary_figures[0])
