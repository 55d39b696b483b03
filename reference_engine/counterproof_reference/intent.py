"""What a question asks for, read from the question alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from itertools import product

from counterproof_reference.text import content_runs, fold
from counterproof_reference.vocabulary import Vocabulary

_WHY = re.compile(
    r"\bwhy\b|\bhow come\b|\breasons?\b|\bcauses?d?\b|\bexplain|\bdr(?:ove|ives?|iven|ivers?)\b"
    r"|\bled to\b|\bbecause\b|为什么|为何|为啥|原因|缘由|因为什么|归因|何以"
)
_TELLING = re.compile(
    r"\bdescribe|\boutlook\b|\bpolic(?:y|ies)\b|\bstrateg|\bsays?\b|\bsaid\b|\bmentions?\b"
    r"|\bcomment|\brisks?\b|\bplans?\b|介绍|说明|政策|战略|展望|怎么看|怎么说|风险|计划|描述"
)
_QUANTITY = re.compile(r"\bhow (?:much|many|high|low)\b|\bhow large\b|多少|几何|是几")
_FILLER_WORDS = """
    amount and data figure figures latest level number numbers result results total value values
    year years
"""
_FILLER = frozenset(_FILLER_WORDS.split())
_FILLER_RUN = re.compile(
    "数字|数据|数值|结果|金额|情况|去年|今年|前年|明年|年|呢|并|还|又|再|嗯|好|则|而"
)

_EXPLICIT = re.compile(
    r"(?<![a-z0-9])fy\s*[-_']?\s*(?P<fy>\d{4}|\d{2})(?!\d)"
    r"|(?<!\d)(?P<cn>\d{4})\s*(?:年|财年|財年|会计年)"
    r"|\b(?:fiscal|financial)\s+(?:year\s+)?(?P<fiscal>\d{4})(?!\d)"
    r"|\byear\s+(?P<year>\d{4})(?!\d)"
    r"|(?P<han>[〇零一二三四五六七八九]{4})\s*年"
)
_RELATIVE = re.compile(
    r"(?P<y2>前年|\b(?:the\s+)?year before last\b)"
    r"|(?P<y1>去年|上一?年(?!度?报)|上一?(?:个)?财年|\b(?:last|previous|prior)\s+(?:fiscal\s+|financial\s+)?year\b)"
    r"|(?P<y0>今年|本年|本财年|\b(?:this|current)\s+(?:fiscal\s+|financial\s+)?year\b)"
    r"|(?P<n1>明年|来年|\bnext\s+(?:fiscal\s+|financial\s+)?year\b)"
)
_BACK = {"y2": 2, "y1": 1, "y0": 0, "n1": -1}
_HAN_DIGITS = str.maketrans("〇零一二三四五六七八九", "00123456789")


@dataclass(frozen=True)
class Slot:
    """What one figure is about, in the store's own codes.

    Args:
        entity: code of an entity.
        metric: code of a metric.
        period: a fiscal year, such as ``FY2025``.
    """

    entity: str
    metric: str
    period: str


@dataclass(frozen=True)
class Intent:
    """What a question asks for.

    Args:
        entities: codes of the entities it names, in its order.
        metrics: codes of the metrics it names, in its order.
        periods: the fiscal years it names, in its order.
        numeric: whether it asks for figures.
        narrative: whether it asks for an explanation.
    """

    entities: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    periods: tuple[str, ...] = ()
    numeric: bool = False
    narrative: bool = False

    def slots(self, home: str, period: str) -> tuple[Slot, ...]:
        """Every figure asked for, one slot each.

        Args:
            home: the entity assumed where none is named.
            period: the fiscal year assumed where none is named.
        """
        entities, periods = self.entities or (home,), self.periods or (period,)
        return tuple(
            Slot(entity, metric, each)
            for entity, metric, each in product(entities, self.metrics, periods)
        )


IntentParser = Callable[[str, date], Intent]
"""Reads a question, given the date relative periods are reckoned from."""


def parser(vocabulary: Vocabulary) -> IntentParser:
    """The engine's own parser: rules, no model, and no memory of earlier questions (PAR-1).

    Args:
        vocabulary: the names it knows.
    """

    def parse(question: str, reference_date: date) -> Intent:
        entities = vocabulary.entities_in(question)
        metrics = vocabulary.metrics_in(question)
        periods = periods_in(question, reference_date)
        folded = fold(question)
        why, quantity = bool(_WHY.search(folded)), bool(_QUANTITY.search(folded))
        telling = bool(_TELLING.search(folded))
        if metrics:
            numeric = why or quantity or bool(periods) or not telling
        else:
            named = bool(entities or periods)
            bare = not _content_beside_slots(question, vocabulary)
            numeric = not (why or telling) and ((named or quantity) if bare else named and quantity)
        return Intent(entities, metrics, periods, numeric, why or telling or not numeric)

    return parse


def periods_in(text: str, reference_date: date | None = None) -> tuple[str, ...]:
    """The fiscal years a text names, in its order.

    A number counts only where the text says that it is a year: a bare ``1320`` is a figure
    (PAR-3).

    Args:
        text: raw text.
        reference_date: reckons relative years, such as ``last year``; without it they are left
            out.
    """
    folded = fold(text)
    found = [(m.start(), _explicit(m)) for m in _EXPLICIT.finditer(folded)]
    if reference_date is not None:
        for match in _RELATIVE.finditer(folded):
            year = reference_date.year - _BACK[match.lastgroup or "y0"]
            found.append((match.start(), f"FY{year:04d}"))
    return tuple(dict.fromkeys(period for _, period in sorted(found)))


def read_period(argument: str, reference_date: date) -> str | None:
    """The fiscal year a tool argument names; a bare year counts, for it stands in a year's place.

    Args:
        argument: the argument's text.
        reference_date: reckons relative years.
    """
    bare = fold(argument).strip()
    if re.fullmatch(r"[0-9]{4}", bare):
        return f"FY{bare}"
    found = periods_in(argument, reference_date)
    return found[0] if len(found) == 1 else None


def assumed_period(reference_date: date) -> str:
    """The fiscal year assumed where a question names none: the last one that is over."""
    return f"FY{reference_date.year - 1:04d}"


def _explicit(match: re.Match[str]) -> str:
    digits = match.group(match.lastgroup or 0).translate(_HAN_DIGITS)
    year = int(digits)
    return f"FY{2000 + year if len(digits) == 2 else year:04d}"


def _content_beside_slots(question: str, vocabulary: Vocabulary) -> list[str]:
    """What a question says besides naming entities and years and asking for a number."""
    rest, _ = vocabulary.without_names(question)
    rest = _FILLER_RUN.sub(" ", _RELATIVE.sub(" ", _QUANTITY.sub(" ", _EXPLICIT.sub(" ", rest))))
    return [run for run in content_runs(rest) if run not in _FILLER]
