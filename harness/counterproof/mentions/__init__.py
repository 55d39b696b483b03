"""Does this text state that value: figures in every form a text may write them (design §5)."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TypeVar

from counterproof.mentions.chinese import chinese_numeral
from counterproof.mentions.quoting import quotes
from counterproof.mentions.reading import Figure, figures

__all__ = ["Figure", "chinese_numeral", "figures", "mentions", "quotes", "states_any"]

Number = TypeVar("Number", bound=int | float | Decimal)


def mentions(text: str, value: int | float | Decimal) -> bool:
    """Whether a text states a value, in any form (FAB-1, FAB-7).

    Args:
        text: any text, of any length.
        value: the value; a float stands for the decimal it is printed as, so that ``0.1`` is
            found in "0.1". What is not finite is never stated.

    Returns:
        True where some figure of the text equals the value exactly: 999 is stated by "９９９",
        "999.0", "9.99e2" and "九百九十九"; not by "1999", "99.9" or "-999".
    """
    sought = _exact(value)
    return sought is not None and any(each.value == sought for each in figures(text))


def states_any(text: str, values: Iterable[Number]) -> frozenset[Number]:
    """Those of several values that a text states; the text is read once.

    Args:
        text: any text.
        values: the values, as :func:`mentions` takes them.

    Returns:
        The values stated, as they were given.
    """
    stated = {each.value for each in figures(text)}
    return frozenset(each for each in values if _exact(each) in stated)


def _exact(value: float | Decimal) -> Decimal | None:
    exact = value if isinstance(value, Decimal) else Decimal(str(value))
    return exact if exact.is_finite() else None
