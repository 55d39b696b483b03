"""Whether a text states a value, in every form the kit lists, and in no text of another value."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from counterproof.mentions import (
    Figure,
    chinese,
    chinese_numeral,
    figures,
    mentions,
    reading,
    states_any,
)
from counterproof.mentions.folding import fold

deterministic = settings(derandomize=True, database=None, deadline=None, max_examples=100)

_SIMPLE = ("零一二三四五六七八九", "十百千", "万", "亿")
_FORMAL = ("零壹贰叁肆伍陆柒捌玖", "拾佰仟", "萬", "億")


def in_chinese(value: int, marks: tuple[str, str, str, str] = _SIMPLE) -> str:
    """A whole number below 10**12 as Chinese writes it: 10020 is 一万零二十."""
    digits, units, myriad, hundred_million = marks
    if value == 0:
        return digits[0]
    parts: list[str] = []
    for power, large in ((8, hundred_million), (4, myriad), (0, "")):
        section = value // 10**power % 10**4
        if not section:
            continue
        if parts and section < 1000:
            parts.append(digits[0])
        parts.append(_section(section, digits, units) + large)
    return "".join(parts)


def _section(section: int, digits: str, units: str) -> str:
    text, gap = "", False
    for power in (3, 2, 1, 0):
        digit = section // 10**power % 10
        if digit == 0:
            gap = bool(text)
            continue
        text += (digits[0] if gap else "") + digits[digit] + (units[power - 1] if power else "")
        gap = False
    return text


def _translated(digits: str) -> Callable[[int], str]:
    return lambda value: str(value).translate(str.maketrans("0123456789", digits))


def _grouped(separator: str) -> Callable[[int], str]:
    return lambda value: f"{value:,}".replace(",", separator)


def _power_of_ten(times: str) -> Callable[[int], str]:
    return lambda value: f"{_mantissa(value)}{times}{len(str(value)) - 1}"


def _mantissa(value: int) -> str:
    return str(Decimal(value).scaleb(1 - len(str(value))))


WHOLE_FORMS: dict[str, Callable[[int], str]] = {
    "ascii": str,
    "full width": _translated("０１２３４５６７８９"),
    "arabic-indic": _translated("٠١٢٣٤٥٦٧٨٩"),
    "persian": _translated("۰۱۲۳۴۵۶۷۸۹"),
    "devanagari": _translated("०१२३४५६७८९"),
    "mathematical bold": _translated("𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗"),
    "superscript": _translated("⁰¹²³⁴⁵⁶⁷⁸⁹"),
    "subscript": _translated("₀₁₂₃₄₅₆₇₈₉"),
    "circled": _translated("⓪①②③④⑤⑥⑦⑧⑨"),
    "comma": _grouped(","),
    "full-width comma": _grouped("，"),
    "arabic separator": _grouped("٬"),
    "space": _grouped(" "),
    "no-break space": _grouped("\u00a0"),
    "narrow no-break space": _grouped("\u202f"),
    "thin space": _grouped("\u2009"),
    "apostrophe": _grouped("'"),
    "typographic apostrophe": _grouped("’"),
    "underscore": _grouped("_"),
    "trailing zeros": lambda value: f"{value}.00",
    "leading zeros": lambda value: f"00{value}",
    "signed": lambda value: f"+{value}",
    "percent": lambda value: f"{value}%",
    "zero width": lambda value: "\u200b".join(str(value)),
    "word joiner": lambda value: "\u2060".join(str(value)),
    "soft hyphen": lambda value: "\u00ad".join(str(value)),
    "combining": lambda value: "".join(f"{digit}\u0332" for digit in str(value)),
    "keycaps": lambda value: "".join(f"{digit}\ufe0f\u20e3" for digit in str(value)),
    "e": _power_of_ten("e"),
    "E+": _power_of_ten("E+"),
    "full-width e": _power_of_ten("ｅ"),
    "times ten": _power_of_ten("×10^"),
    "times ten, spaced": _power_of_ten(" × 10^"),
    "times ten, programmed": _power_of_ten("*10**"),
    "times ten, in LaTeX": lambda v: rf"{_mantissa(v)}\times 10^{{{len(str(v)) - 1}}}",
    "times ten, raised": lambda v: f"{_mantissa(v)}x10{'⁰¹²³⁴⁵⁶⁷⁸⁹'[len(str(v)) - 1]}",
    "divided by ten": lambda value: f"{value}0e-1",
    "chinese": in_chinese,
    "chinese, formal": lambda value: in_chinese(value, _FORMAL),
    "chinese, 两": lambda value: re.sub(r"二(?=[百千万亿])", "两", in_chinese(value)),
    "chinese, split": lambda value: "\u200b".join(in_chinese(value)),
    "chinese, with decimals": lambda value: in_chinese(value) + "点零",
    "digits with 千": lambda value: f"{Decimal(value).scaleb(-3)}千",
    "digits with 万": lambda value: f"{Decimal(value).scaleb(-4):f}万",
    "digits with 百万": lambda value: f"{Decimal(value).scaleb(-6):f}百万",
    "digits with 亿": lambda value: f"{Decimal(value).scaleb(-8):f} 亿",
}  # fmt: skip
AMBIGUOUS = {"digits with 千", "digits with 万", "digits with 百万", "digits with 亿"}
"""Forms that state the number before the unit as well."""

FRAMES = (
    "{}",
    "REVENUE = {}",
    "营收为{}，",
    "（{}）",
    "the figure is {}.",
    "a\n{}\nb",
    '"{}"',
    "¥{}元",
)

wholes = st.integers(0, 10**9) | st.integers(0, 20_000)


@pytest.mark.parametrize("form", WHOLE_FORMS)
@deterministic
@given(value=wholes, frame=st.sampled_from(FRAMES))
@example(value=999, frame="{}")
@example(value=1320, frame="营收为{}，")
def test_a_value_is_found_in_every_form(form: str, value: int, frame: str) -> None:
    """A whole number is found in each form it may be written in, whatever stands around it."""
    assert mentions(frame.format(WHOLE_FORMS[form](value)), value)


@pytest.mark.parametrize("form", WHOLE_FORMS)
@deterministic
@given(value=wholes, frame=st.sampled_from(FRAMES))
@example(value=999, frame="{}")
@example(value=1320, frame="{}")
def test_a_value_is_not_found_in_texts_of_others(form: str, value: int, frame: str) -> None:
    """Neighbours, ten times and a tenth, and numbers within its digits are not stated."""
    text = frame.format(WHOLE_FORMS[form](value))
    digits = str(value)
    within = {int(digits[i:j]) for i in range(len(digits)) for j in range(i + 1, len(digits) + 1)}
    others = {value - 1, value + 1, -value, value * 10, value + 10 ** len(digits)} | within
    others |= {Decimal(value) / 10}
    others -= {value}
    if form in AMBIGUOUS:
        others -= {Decimal(value).scaleb(-power) for power in (3, 4, 6, 8)}
    assert not states_any(text, others)


@deterministic
@given(value=st.decimals(-(10**9), 10**9, allow_nan=False, places=3))
def test_decimals_are_found(value: Decimal) -> None:
    """A decimal is found plain, grouped, full width, in Chinese and in scientific notation."""
    sign, size = ("-", -value) if value < 0 else ("", value)
    whole, fraction = f"{size:.3f}".split(".")
    hanzi = fraction.translate(str.maketrans("0123456789", "零一二三四五六七八九"))
    for text in (
        f"{value:f}",
        f"{value:,}",
        f"{value}000",
        f"{value}%",
        f"{value:f}".translate(str.maketrans("0123456789.-", "０１２３４５６７８９．－")),
        f"{sign}{size.scaleb(3):f}e-3",
        f"{'负' if sign else ''}{in_chinese(int(whole))}点{hanzi}",
        f"{sign}{size.scaleb(-4):f}万",
    ):
        assert mentions(f"= {text} ", value), text
        assert not mentions(f"= {text} ", value + 1), text


@deterministic
@given(digits=st.text("0123456789", min_size=2, max_size=12))
def test_strings_of_chinese_digits_are_read_by_place(digits: str) -> None:
    """A string of Chinese digits without units is read like digits: 一三二〇 is 1320."""
    for zero in "零〇":
        text = digits.translate(str.maketrans("0123456789", f"{zero}一二三四五六七八九"))
        assert [int(digits)] == [each.value for each in figures(text)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1999 9990 99.9 九千九百九十九 0.999k", ["1999", "9990", "99.9", "9999", "0.999"]),
        ("九九九", ["999"]),
        ("二〇二五年，二○二五年", ["2025", "2025"]),
        ("两千", ["2000"]),
        ("一万三", ["13000"]),
        ("一万零三", ["10003"]),
        ("一千三百二", ["1320"]),
        ("两百五", ["250"]),
        ("十", ["10"]),
        ("十二万", ["120000"]),
        ("百万用户", ["1000000"]),
        ("一万亿", ["1000000000000"]),
        ("三千亿零五", ["300000000005"]),
        ("一兆三万亿零二", ["4000000000002"]),
        ("三亿两千万", ["320000000"]),
        ("三四百", ["3", "400"]),
        ("一两天", ["1", "2"]),
        ("一二三四百", ["123", "400"]),
        ("九点五五十", ["9.5", "50"]),
        ("负九百", ["-900"]),
        ("九点五十分", ["9", "50"]),
        ("百分之三", ["3"]),
        ("1.3万", ["13000", "1.3"]),
        ("9百", ["900", "9"]),
        ("1320百万美元", ["1320000000", "1320"]),
        ("3亿2000万", ["320000000"]),
        ("1万3000元", ["13000"]),
        ("1万2025年", ["10000", "1", "2025"]),
        ("1万2亿", ["10000", "1", "200000000", "2"]),
        ("-1.3万", ["-13000", "-1.3"]),
        ("99百分点", ["99"]),
        ("FY2025 百分比", ["2025"]),
        ("10², 10^3, 10**4, 10⁻²", ["100", "1000", "10000", "0.01"]),
        ("999¹", ["999", "1"]),
        ("①999", ["1", "999"]),
        ("1e99999", ["1", "99999"]),
        ("1.320.000", ["1320000"]),
        ("2024.05.06", ["2024", "5", "6"]),
        (".5 and p.3 ...7", ["0.5", "3", "7"]),
        ("2024-2025", ["2024", "2025"]),
        ("增长率为-5%，营收-999", ["-5", "999"]),
        ("−$999 (1) -2", ["-999", "1", "-2"]),
        ("1,320, 1320", ["1320", "1320"]),
        ("1,3200 12345,678", ["1", "3200", "12345", "678"]),
        ("1,320 999", ["1320", "999"]),
        ("0,999", ["0", "999"]),
        ("Q1 320", ["1", "320"]),
        ("USD1,320", ["1320"]),
        ("Ⅸ IX ½ no figure", []),
        ("", []),
    ],
)  # fmt: skip
def test_what_a_text_states(text: str, values: list[str]) -> None:
    """Each text states just these figures, in this order."""
    assert [Decimal(each) for each in values] == [each.value for each in figures(text)]


@pytest.mark.parametrize(
    ("text", "in_word"),
    [("FY2099", True), ("3a", True), ("a_3", True), ("hk-3", False), ("2025年", False),
     ("香港2025", False), ("9.99e2", False), ("一般", True), ("统一", True), ("万一", True),
     ("百万用户", True), ("一", False), ("九百九十九元", False), ("第 1 位", False)],
)  # fmt: skip
def test_figures_inside_words_are_told_apart(text: str, in_word: bool) -> None:
    """A figure a letter touches, and a lone Chinese numeral among others, stands inside a word."""
    assert [in_word] == [each.in_word for each in figures(text)]


def test_offsets_are_those_of_the_original_text() -> None:
    """Offsets count the original's characters, invisible ones within a figure included."""
    text = "é\u200b= 9\u200b9\u200d9\u200b!"
    assert (Figure(Decimal(999), 4, 9, "9\u200b9\u200d9", False),) == figures(text)


anything = st.text(st.characters()) | st.text(
    "0129.,'_ -+−eE×x^10⁻²①％零一二两九十百千万亿兆点负○元FY\u200b\u0301\n½\ud800{}*", max_size=60
)


@deterministic
@given(text=anything)
def test_any_text_is_read(text: str) -> None:
    """Any text, lone surrogates too, is read; offsets are in order and match the texts."""
    last = 0
    for figure in figures(text):
        assert text[figure.start : figure.end] == figure.text != ""
        assert last <= figure.start < figure.end
        assert figure.value.is_finite()
        last = figure.start
    assert {each.value for each in figures(text)} == set(
        states_any(text, [each.value for each in figures(text)])
    )


@deterministic
@given(text=anything)
def test_folding_keeps_every_visible_character(text: str) -> None:
    """Folding drops invisible characters only, and each one left knows where it stood."""
    folded = fold(text)
    assert len(folded.text) == len(folded.origin)
    assert sorted(set(folded.origin)) == list(folded.origin)
    dropped = set(range(len(text))) - set(folded.origin)
    assert all(not text[i].isalnum() or text[i] in "\u3164\uffa0\u115f\u1160" for i in dropped)


def test_every_decimal_digit_of_unicode_is_read() -> None:
    """Each decimal digit Unicode has is read as what it is worth."""
    digits = [chr(c) for c in range(0x110000) if chr(c).isdecimal()]
    wrong = [c for c in digits if [unicodedata.decimal(c)] != [f.value for f in figures(c)]]
    assert not wrong
    assert len(digits) > 600


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN"), Decimal("sNaN")])
def test_what_is_not_finite_is_never_stated(value: float | Decimal) -> None:
    """No text states a value that is not finite."""
    assert not mentions("nan inf NaN 1", value)
    assert states_any("nan inf 1", [value]) == frozenset()


def test_floats_stand_for_the_decimal_they_print() -> None:
    """A float is found where the text has the digits it is printed with."""
    assert mentions("0.1", 0.1)
    assert mentions("1.32e3", 1320.0)
    assert states_any("0.1 and 999", [0.1, 999.0, 5.0]) == {0.1, 999.0}


REPEATED = (
    "1", "1,", "1.1", "1,234", "1 234 ", "1'2", "-", "1e", "1e1", "10^", "1×", "1×10", "1万",
    "1 万", "九", "九百", "零", "一千零", "一点", "一万亿", "百", "①", "9\u200b", "٣", "1.", ".1",
    "-1", "_1", "万",
)  # fmt: skip


def test_long_texts_are_read_to_the_end() -> None:
    """A text of 200,000 characters, each pattern run long in it, is read to its last figure."""
    text = "元".join(piece * (7_000 // len(piece)) for piece in REPEATED) + "元 48213"
    assert len(text) > 200_000
    assert mentions(text, 48213)
    assert not mentions(text, 7)


@pytest.mark.parametrize("piece", REPEATED)
@pytest.mark.parametrize("end", ["", "x", "元", "1", "万", "十", ".", "^", ",", "点"])
def test_a_figure_depends_on_a_few_characters_beyond_it(piece: str, end: str) -> None:
    """What follows within 20 characters decides a figure, so that reading takes linear work."""
    text = fold(piece * (300 // len(piece)) + end).text
    for match in reading._FIGURE.finditer(text):
        start, near = match.start(), text[: match.end() + 20]
        again = reading._FIGURE.match(near, start)
        assert again is not None
        assert match.span() == again.span()


def test_chinese_units_are_worth_their_powers() -> None:
    """A run of units multiplies: 百万 is ten to the sixth."""
    assert [chinese.exponent(u) for u in ("百", " 万", "百万", "亿", "万亿")] == [2, 4, 6, 8, 12]


@deterministic
@given(st.integers(0, 99_999_999))
@example(10_000)
@example(20_000_020)
@example(10_101)
def test_a_numeral_is_written_as_it_is_read(value: int) -> None:
    """What the kit writes, it reads; and it writes it as Chinese does, but for a leading 一十."""
    written = chinese_numeral(value)
    assert Decimal(value) in {each.value for each in figures(written)}
    assert written.replace("一十", "十") == in_chinese(value).replace("一十", "十")
