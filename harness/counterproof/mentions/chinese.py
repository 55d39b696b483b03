"""Chinese numerals: how they are written, and what they are worth."""

from __future__ import annotations

from decimal import Decimal

_DIGITS = {
    digit: value
    for value, digits in enumerate(
        (
            "零〇",
            "一壹壱",
            "二两兩贰貳弐",
            "三叁叄",
            "四肆",
            "五伍",
            "六陆陸",
            "七柒",
            "八捌",
            "九玖",
        )
    )
    for digit in digits
}
_SMALL = {"十": 1, "拾": 1, "百": 2, "佰": 2, "千": 3, "仟": 3}
_LARGE = {"万": 4, "萬": 4, "亿": 8, "億": 8, "兆": 12}
_UNITS = _SMALL | _LARGE

_WRITTEN = "零一二三四五六七八九"

_ZERO = "[零〇]"
_DIGIT = "[" + "".join(char for char, value in _DIGITS.items() if value) + "]"
_IN_STRING = "[" + "".join(char for char in _DIGITS if char not in "两兩") + "]"
_UNIT = "[" + "".join(_UNITS) + "]"
_SECTION = (
    f"(?:{_DIGIT}[千仟]{_ZERO}{{0,2}})?(?:{_DIGIT}[百佰]{_ZERO}{{0,2}})?"
    f"(?:{_DIGIT}?[十拾]{_ZERO}{{0,2}})?{_DIGIT}?"
)
_COUNT = f"(?:(?:(?={_DIGIT}|[十拾]){_SECTION})|[百佰千仟])"
_MYRIADS = f"(?:{_COUNT}[万萬]{_ZERO}{{0,2}})?"
_STRUCTURED = (
    f"(?={_DIGIT}|[十拾]|[百佰千仟][万萬亿億兆])"
    f"(?:{_MYRIADS}{_COUNT}?兆{_ZERO}{{0,2}})?"
    f"(?:(?:{_MYRIADS}{_COUNT}|{_COUNT}[万萬])[亿億]{_ZERO}{{0,2}})?"
    f"{_MYRIADS}{_SECTION}"
)
NUMERAL = (
    f"[负負]?(?:{_IN_STRING}(?:{_IN_STRING}|○)+(?!{_UNIT})|{_STRUCTURED}|{_ZERO})"
    f"(?:[点點]{_IN_STRING}+(?!{_UNIT}))?"
)
"""A pattern for one Chinese numeral, as long as it can be read; bounded, whatever stands there."""
FIRST = "".join([*_DIGITS, *_SMALL, "负負"])
"""The characters a numeral may begin with."""
MULTIPLIER = "(?:[ ]?[十拾百佰千仟]?(?:[万萬]?[亿億兆]|[万萬])|[百佰千仟](?!分))"
"""A pattern for the unit after a figure in digits, as in 1.3万."""


def exponent(units: str) -> int:
    """The power of ten a run of units stands for: 万 is 4, 百万 is 6."""
    return sum(_UNITS[unit] for unit in units.strip())


def numeral_value(numeral: str) -> Decimal:
    """What a numeral matched by :data:`NUMERAL` is worth.

    Args:
        numeral: the numeral, such as 九百九十九, 一三二〇, 一万三, 负三点五.
    """
    unsigned = numeral.lstrip("负負").replace("點", "点").replace("○", "〇")
    whole, _, fraction = unsigned.partition("点")
    digits = "".join(str(_DIGITS[char]) for char in fraction)
    count = (
        str(_structured(whole))
        if any(char in _UNITS for char in whole)
        else "".join(str(_DIGITS[char]) for char in whole)
    )
    sign = "-" if len(unsigned) < len(numeral) else ""
    return Decimal(f"{sign}{count}.{digits}" if digits else f"{sign}{count}")


def chinese_numeral(value: int) -> str:
    """A figure in Chinese numerals, as it is read aloud: 五万七千八百一十二.

    Args:
        value: from 0 to 99,999,999.
    """
    if value >= 10_000:
        rest = value % 10_000
        gap = "零" if 0 < rest < 1_000 else ""
        return f"{chinese_numeral(value // 10_000)}万{gap}{chinese_numeral(rest) if rest else ''}"
    written = ""
    for power, unit in ((1_000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, below = value // power % 10, value % power
        if digit:
            written += _WRITTEN[digit] + unit
        elif written and below * 10 >= power:
            written += "零"
    return written or "零"


def implicit(numeral: str) -> bool:
    """Whether a numeral may as well be part of a word: one character, or units alone (百万)."""
    return len(numeral) == 1 or all(char in _UNITS for char in numeral)


def _structured(whole: str) -> int:
    """The value of a numeral with units; 一万三 is 13000, 一万零三 is 10003."""
    done = myriads = section = digit = 0
    power = 0
    for char in whole:
        if char in _DIGITS:
            digit = _DIGITS[char]
            power = power if digit else 0
        elif char in _SMALL:
            power = _SMALL[char]
            section += (digit or 1) * 10**power
            digit = 0
        else:
            power = _LARGE[char]
            if power == 4:
                myriads += (section + digit) * 10**power
            else:
                done += (myriads + section + digit) * 10**power
                myriads = 0
            section = digit = 0
    tail = digit * 10 ** (power - 1) if power >= 2 else digit
    return done + myriads + section + tail
