"""Which figures a text states, however it writes them: what the fabrication guard compares."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal

_DIGITS = {each: value for value, each in enumerate("〇一二三四五六七八九")}
_DIGITS |= {each: value for value, each in enumerate("零壹贰叁肆伍陆柒捌玖")}
_DIGITS |= {"貳": 2, "參": 3, "陸": 6, "两": 2, "兩": 2}
_POWERS = {"十": 1, "百": 2, "千": 3, "万": 4, "亿": 8}
_POWERS |= {"拾": 1, "佰": 2, "仟": 3, "萬": 4, "億": 8}
_ALONE_NO_FIGURE = frozenset(_DIGITS) - frozenset("二三四五六七八九") | frozenset(_POWERS) - {"十"}
"""Characters that are mostly part of a word where they stand alone, as in 零售, 百货, 一般."""

_UNITS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORD_VALUES = {word: value for value, word in enumerate(_UNITS.split())}
_WORD_VALUES |= {word: 10 * value for value, word in enumerate(_TENS.split(), start=2)}
_WORD_POWERS = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}

_NUMBER = re.compile(
    r"(?P<digits>(?<![\d.])\d{1,3}(?:[,'’_ ]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:e(?P<exponent>[+-]?\d{1,3})(?!\d))?"
    rf"(?P<han>\s?[{''.join(_POWERS)}]+)?(?P<word>[\s-]?(?:{'|'.join(_WORD_POWERS)})\b)?"
)
_HAN_RUN = re.compile(f"[{''.join(_DIGITS)}{''.join(_POWERS)}]+")
_ONE_WORD = "|".join(sorted({*_WORD_VALUES, *_WORD_POWERS}, key=len, reverse=True))
_WORD_RUN = re.compile(rf"\b(?:{_ONE_WORD})(?:(?:\s+and\s+|[\s-]+)(?:{_ONE_WORD}))*\b")


def stated(text: str) -> frozenset[Decimal]:
    """Every figure a text states.

    Read are digits of any script, full-width and enclosed ones too, with or without separators,
    exponents or multipliers; Chinese numerals, formal ones too; English number words. Signs are
    left aside (FAB-7).

    Args:
        text: any text.
    """
    return frozenset(_read(text, lenient=False))


def admitted(text: str) -> frozenset[Decimal]:
    """Every figure a text can be read to hold, ambiguous readings included.

    Args:
        text: the text that vouches for figures.
    """
    return frozenset(_read(text, lenient=True))


def _read(text: str, *, lenient: bool) -> Iterator[Decimal]:
    plain = _plain(text)
    for match in _NUMBER.finditer(plain):
        yield _number(match)
        if lenient:
            yield from map(Decimal, re.findall(r"\d+", match["digits"]))
            yield Decimal(re.sub(r"[,'’_ ]", "", match["digits"]))
    rest = _NUMBER.sub(" ", plain)
    for run in _HAN_RUN.findall(rest):
        if lenient or len(run) > 1 or run not in _ALONE_NO_FIGURE:
            yield _han_value(run)
    for run in _WORD_RUN.findall(rest):
        words = [word for word in re.split(r"[\s-]+", run) if word != "and"]
        if lenient or words != ["one"]:
            yield _words_value(words)


def _plain(text: str) -> str:
    """Text with every digit an ASCII one, and nothing invisible between two of them."""
    if text.isascii():
        return text.casefold()
    kept = []
    for each in unicodedata.normalize("NFKC", text):
        if unicodedata.category(each) in ("Cf", "Mn", "Me"):
            continue
        digit = unicodedata.decimal(each, None)
        kept.append(each if digit is None else str(digit))
    return "".join(kept).casefold()


def _number(match: re.Match[str]) -> Decimal:
    power = int(match["exponent"] or 0)
    power += sum(_POWERS[each] for each in (match["han"] or "").strip())
    if match["word"]:
        power += _WORD_POWERS[match["word"].strip(" -\t\n")]
    # Through text, for arithmetic on decimals would round a long figure.
    return Decimal(f"{re.sub(r'[^0-9.]', '', match['digits'])}e{power}")


def _han_value(run: str) -> Decimal:
    if not any(each in _POWERS for each in run):
        return Decimal("".join(str(_DIGITS[each]) for each in run))
    total = section = number = 0
    for each in run:
        if each in _DIGITS:
            number = number * 10 + _DIGITS[each]
        elif _POWERS[each] < 4:
            section += (number or 1) * int(10 ** _POWERS[each])
            number = 0
        elif _POWERS[each] == 4:
            total += (section + number or 1) * 10**4
            section = number = 0
        else:
            total = (total + section + number or 1) * 10**8
            section = number = 0
    if number < 10 and _POWERS.get(run[-2:-1], 0) > 1:
        number *= int(10 ** (_POWERS[run[-2]] - 1))  # 九百二 is 920, and 九百零二 is 902
    return Decimal(total + section + number)


def _words_value(words: list[str]) -> Decimal:
    if len(words) > 1 and all(_WORD_VALUES.get(word, 10) < 10 for word in words):
        return Decimal("".join(str(_WORD_VALUES[word]) for word in words))
    total = section = 0
    for word in words:
        if word in _WORD_VALUES:
            section += _WORD_VALUES[word]
        elif word == "hundred":
            section = (section or 1) * 100
        else:
            total += (section or 1) * int(10 ** _WORD_POWERS[word])
            section = 0
    return Decimal(total + section)
