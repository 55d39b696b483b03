"""Every figure a text states, in one pass."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import pairwise

from counterproof.mentions import chinese
from counterproof.mentions.folding import STYLED_DIGITS, SUPERSCRIPTS, Folded, fold

_PLAIN = r"[0-9]++(?:\.[0-9]++)?+"
_GROUPED = (
    r"(?:[1-9][0-9]{0,2}(?P<separator>[,'_])[0-9]{3}(?![0-9])(?:(?P=separator)[0-9]{3}(?![0-9]))*+"
    r"|(?<![A-Za-z_])[1-9][0-9]{0,2}(?:[ ][0-9]{3}(?![0-9]))++)(?:\.[0-9]++)?+"
)
_CARET = r"[ ]?(?:\^|\*\*)[ ]?[{(]?"
_RAISED = rf"[⁺⁻]?[{SUPERSCRIPTS}]{{1,4}}"
_FIGURE = re.compile(
    rf"""
    (?=[-+−.0-9{STYLED_DIGITS}{chinese.FIRST}])(?:
    (?P<chain>[0-9]++(?:\.[0-9]++){{2,}}+)
    |(?P<sign>(?:(?<![\w)\]%])|(?<=[为為是达達至到约約]))[-+−][$¥€£]?)?
     (?:10(?:{_CARET}(?P<caret>[-+−]?[0-9]{{1,4}})(?![0-9])[)}}]?|(?P<raised>{_RAISED}))
     |(?P<number>{_GROUPED}|{_PLAIN}|(?<![0-9A-Za-z_.])\.[0-9]++)
      (?:[eE](?P<exponent>[-+−]?[0-9]{{1,4}})(?![0-9A-Za-z_])
       |[ ]?(?:[×xX*·⋅∙✕]|\\times)[ ]?10
        (?:{_CARET}(?P<times_caret>[-+−]?[0-9]{{1,4}})(?![0-9])[)}}]?|(?P<times_raised>{_RAISED}))
       |(?P<scaled>{chinese.MULTIPLIER}(?:{_PLAIN}{chinese.MULTIPLIER}){{0,3}}+)
        (?P<tail>(?<=[万萬])[0-9]{{3,4}}(?![0-9.,年]))?
      )?
     )
    |(?P<styled>[{STYLED_DIGITS}]++)
    |(?P<chinese>{chinese.NUMERAL})
    )
    """,
    re.VERBOSE,
)
_COMPONENT = re.compile(rf"(?P<count>{_PLAIN})(?P<units>{chinese.MULTIPLIER})")
_UNITS = re.compile(rf"(?P<units>{chinese.MULTIPLIER})")
_DOT_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True)
class Figure:
    """A figure a text states.

    Args:
        value: what it is worth, exactly; a percentage is the number before its sign.
        start: where it begins in the text, in characters.
        end: where it ends, exclusive.
        text: the text between the two.
        in_word: whether it stands inside a word: a letter of a cased script or an underscore
            touches it (FY2025, 3a), or it is a lone Chinese numeral or unit among Chinese
            characters, which may be part of a word (一般, 百万).
    """

    value: Decimal
    start: int
    end: int
    text: str
    in_word: bool


def figures(text: str) -> tuple[Figure, ...]:
    """Every figure a text states (design §5; FAB-1, FAB-7).

    Read are digits of every script, also styled or split by invisible characters; thousands
    separators, decimals, signs, scientific notation; Chinese numerals, common and formal, and
    digits with Chinese units. Roman numerals are not. A figure is read as long as it can be, so
    that 1999 does not state 999. Digits before a Chinese unit state two: 1320百万 is 1.32e9, and
    1320 of a unit of a million. The work is proportional to the text's length.

    Args:
        text: any text, of any length.

    Returns:
        The figures, in order of where they start, the longer first.
    """
    folded = fold(text)
    found = []
    for match in _FIGURE.finditer(folded.text):
        for start, end, value in _readings(match):
            first, last = folded.span(start, end)
            word = _in_word(folded, start, end, match.lastgroup == "chinese")
            found.append(Figure(value, first, last, text[first:last], word))
    return tuple(found)


def _readings(match: re.Match[str]) -> Iterator[tuple[int, int, Decimal]]:
    """What one match states: start and end in the folded text, and the value."""
    start, end = match.span()
    if match["chain"] is not None:
        yield from _chain(match["chain"], start)
    elif match["styled"] is not None:
        yield start, end, Decimal("".join(str(unicodedata.digit(c)) for c in match["styled"]))
    elif match["chinese"] is not None:
        yield start, end, chinese.numeral_value(match["chinese"])
    else:
        sign = "-" if match["sign"] and match["sign"][0] in "-−" else ""
        digits = re.sub(r"[^0-9.]", "", match["number"] or "1")
        if match["scaled"] is None:
            yield start, end, Decimal(f"{sign}{digits}E{_power(match)}")
        else:
            yield from _scaled(match, sign, digits)


def _scaled(match: re.Match[str], sign: str, digits: str) -> Iterator[tuple[int, int, Decimal]]:
    """Digits with Chinese units: their sum where the units fall (3亿2000万), else each alone.

    One alone is also the figure without its unit: "1320百万" may be 1320 of the unit million.
    """
    start, middle, end = match.start(), match.start("scaled"), match.end("scaled")
    units = _UNITS.match(match.string, middle)
    assert units is not None
    parts = [(start, units.end(), digits, units["units"])]
    parts += [
        (part.start(), part.end(), part["count"], part["units"])
        for part in _COMPONENT.finditer(match.string, units.end(), end)
    ]
    powers = [chinese.exponent(part[3]) for part in parts]
    values = [
        Decimal(f"{sign}{count}E{power}")
        for (_, _, count, _), power in zip(parts, powers, strict=True)
    ]
    tail = match["tail"]
    falling = all(left > right for left, right in pairwise(powers))
    if falling and (tail or len(parts) > 1):
        exact = Context(prec=len(match.group()) + 40)
        total = Decimal(f"{sign}{tail or 0}")
        for value in values:
            total = exact.add(total, value)
        yield start, match.end(), total
        return
    for (first, last, count, unit), value in zip(parts, values, strict=True):
        yield first, last, value
        yield first, last - len(unit), Decimal(f"{sign}{count}")
    if tail:
        yield end, match.end(), Decimal(tail)


def _chain(chain: str, start: int) -> Iterator[tuple[int, int, Decimal]]:
    """Numbers joined by dots: one figure where they are thousands, else each its own."""
    if _DOT_GROUPED.fullmatch(chain):
        yield start, start + len(chain), Decimal(chain.replace(".", ""))
        return
    for part in chain.split("."):
        yield start, start + len(part), Decimal(part)
        start += len(part) + 1


def _power(match: re.Match[str]) -> int:
    """The power of ten written after a number, 0 where there is none."""
    for group in ("exponent", "caret", "times_caret"):
        if match[group] is not None:
            return int(match[group].replace("−", "-"))
    raised = match["raised"] or match["times_raised"]
    if raised is None:
        return 0
    power = int("".join(str(unicodedata.digit(c)) for c in raised if c not in "⁺⁻"))
    return -power if raised[0] == "⁻" else power


def _in_word(folded: Folded, start: int, end: int, is_chinese: bool) -> bool:
    text = folded.text
    beside = text[max(0, start - 1) : start] + text[end : end + 1]
    if is_chinese:
        return chinese.implicit(text[start:end]) and _HAN.search(beside) is not None
    return any(char == "_" or char.isupper() or char.islower() for char in beside)
