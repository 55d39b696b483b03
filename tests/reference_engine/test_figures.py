"""Figures in text."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterproof_reference.figures import admitted, stated


class TestStated:
    @pytest.mark.parametrize(
        "text",
        [
            "999",
            "９９９",
            "9\u200b9\u200b9",
            "九百九十九",
            "九九九",
            "玖佰玖拾玖",
            "nine hundred and ninety-nine",
            "nine nine nine",
            "999.0",
            "9.99e2",
            "٩٩٩",
            "𝟗𝟗𝟗",
            "⑨⑨⑨",
            "9️⃣9️⃣9️⃣",
            "约999家",
            "RM999x",
            "0999",
            "-999",
            "Nine Hundred Ninety Nine",
        ],
    )
    def test_a_figure_is_read_however_it_is_written(self, text: str) -> None:
        """Digits of any script and width, Chinese numerals, words."""
        assert {999} == stated(text)

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("12,345", 12345),
            ("12，345", 12345),
            ("12 345", 12345),
            ("12'345", 12345),
            ("1.7万", 17000),
            ("17 亿", 1700000000),
            ("1.7 million", 1700000),
            ("两千零三", 2003),
            ("一万二千三百四十五", 12345),
            ("九百二", 920),
            ("九百零二", 902),
            ("三万一", 31000),
            ("十", 10),
            ("十七", 17),
            ("三亿五千万", 350000000),
            ("twelve thousand three hundred", 12300),
            ("二", 2),
            ("一百", 100),
        ],
    )
    def test_separators_and_multipliers_are_understood(self, text: str, value: int) -> None:
        """As one figure."""
        assert {value} == stated(text)

    @pytest.mark.parametrize(
        "text", ["", "一般", "零售", "百货", "one of them", "none", "often", "伍"]
    )
    def test_words_that_hold_a_numeral_are_no_figures(self, text: str) -> None:
        """A lone 一 or 百 is mostly a part of a word."""
        assert stated(text) == frozenset()

    def test_several_figures_are_several(self) -> None:
        """In one text."""
        assert stated("from 84,994 to 57812.5 (FY2025)") == {
            Decimal(84994),
            Decimal("57812.5"),
            Decimal(2025),
        }

    def test_long_figures_are_not_rounded(self) -> None:
        """Two that differ in their last digit differ."""
        assert stated("1" * 60 + "2") != stated("1" * 60 + "3")
        assert stated("1" * 6000) == {Decimal("1" * 6000)}

    @given(st.integers(min_value=0, max_value=10**15))
    def test_every_grouping_is_the_same_figure(self, value: int) -> None:
        """Plain, grouped, full-width."""
        wide = str(value).translate({ord(str(d)): chr(0xFF10 + d) for d in range(10)})
        assert {Decimal(value)} == stated(str(value)) == stated(f"{value:,}") == stated(wide)

    @given(st.text())
    def test_any_text_can_be_read_and_vouches_for_itself(self, text: str) -> None:
        """What a passage says may be repeated."""
        assert stated(text) <= admitted(text)


def test_an_ambiguous_passage_admits_each_reading() -> None:
    """A list without spaces may be one figure or two."""
    assert {12, 345, 12345} <= admitted("共有12，345")
