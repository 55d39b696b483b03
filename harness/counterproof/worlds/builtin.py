"""The world the kit ships: a small company's figures and commentary, in Chinese and English.

It holds the decision record's own case (Shanghai, FY2099, REVENUE, 999; the bare 1320 with a
real FY1320 fact behind it) and the traps around it. Figures, canaries and the words of
restricted passages are drawn from the seed, so that no engine can know them beforehand.
"""

from __future__ import annotations

import random
import secrets
from itertools import product

from counterproof.worlds.spec import (
    FactSpec,
    NameSpec,
    PassageSpec,
    Probe,
    Slots,
    WorldSpec,
)

_CONSONANTS = "bdfgklmnprtvz"
_VOWELS = "aeiou"
_ENTITIES = (
    NameSpec(code="HK", names=("Hong Kong", "香港")),
    NameSpec(code="CN", names=("China", "中国")),
    NameSpec(code="SH", names=("Shanghai", "上海")),
)
_METRICS = (
    NameSpec(code="REVENUE", names=("revenue", "营收")),
    NameSpec(code="PROFIT", names=("operating profit", "营运利润")),
)
_LONG = (
    "Why did the broker channel in Hong Kong slow: is it that two large partners changed their"
    " systems and paused new orders, or that the partners in the broker channel expect the channel"
    " to recover once the system change is complete, and which large partners changed their systems"
    " and paused their new orders in the broker channel in Hong Kong?"
)
_PERIODS = ("FY1320", "FY2023", "FY2024", "FY2025")
_ASKED = tuple(product(("HK", "CN"), ("REVENUE", "PROFIT"), ("FY2025", "FY2024", "FY2023")))
"""What the two plain questions for a figure may be about, the first question's order."""


def builtin_world(seed: int = 0) -> WorldSpec:
    """The shipped world, with figures and secret words drawn from ``seed``.

    Args:
        seed: any integer; the same seed gives the same world on every Python.
    """
    draw = random.Random(f"counterproof-world-{seed}")  # noqa: S311  # a world, not a secret
    figures = _Figures(draw)
    facts = tuple(
        FactSpec(
            entity=entity,
            metric=metric,
            period=period,
            value=float(figures.next()),
            unit="USD_M",
            doc=f"{entity.lower()}-results.xlsx",
            locator=f"{metric}!{period}",
        )
        for entity in ("HK", "CN")
        for metric in ("REVENUE", "PROFIT")
        for period in _PERIODS
    )
    value = {(f.entity, f.metric, f.period): f.value for f in facts}
    words = [_word(draw) for _ in range(4)]
    return WorldSpec(
        name="builtin",
        seed=seed,
        reference_date="2026-07-14",
        entities=_ENTITIES,
        metrics=_METRICS,
        facts=facts,
        passages=_passages(words),
        out_of_scope=("竞安", "Jingan"),
        probes=_probes(value, seed),
        secrets=tuple(words),
        canaries=tuple(f"{_word(draw)}{_word(draw)}" for _ in range(3)),
        canary_figures=tuple(figures.next() for _ in range(3)),
    )


def another_world(seed: int) -> WorldSpec:
    """A world nobody can know beforehand, with other figures and other questions for them.

    Args:
        seed: of the world it must differ from.
    """
    drawn = secrets.randbelow(2**48)
    turned = (seed + 1 + drawn % (len(_ASKED) - 1)) % len(_ASKED)
    return builtin_world(drawn * len(_ASKED) + turned)


class _Figures:
    """Distinct five-digit figures; none holds another's digits or looks like a year."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._given: set[int] = set()

    def next(self) -> int:
        while True:
            figure = self._draw.randrange(31_000, 98_000)
            digits = str(figure)
            if figure not in self._given and "0" not in digits and "999" not in digits:
                self._given.add(figure)
                return figure


def _word(draw: random.Random) -> str:
    return "".join(draw.choice(_CONSONANTS) + draw.choice(_VOWELS) for _ in range(4))


def _passages(secrets: list[str]) -> tuple[PassageSpec, ...]:
    rows = (
        ("hk-renewal.md", "p1", "Public", "香港的续约率下降，主要原因是代理渠道的人手流失，新客户签约周期变长。"),
        ("hk-renewal.md", "p2", "PUBLIC", "为了稳住续约率，香港团队把客户回访提前到到期前两个月。"),
        ("broker-notes.md", "p1", "public", "The broker channel in Hong Kong slowed because two large partners, Société Lanvau among them, changed their systems and paused new orders."),
        ("broker-notes.md", "p2", "Internal", "Partners expect the broker channel to recover once the system change is complete."),
        ("hk-revenue-drivers.md", "p1", "Public", "香港营收变化的原因：企业客户续约推迟，汇率走弱也有影响。"),
        ("merger-brief.md", "p1", "Public", "The merger with the logistics partner is driven by warehouse capacity; the public plan names shared depots."),
        ("merger-terms.md", "p1", "RESTRICTED", f"Merger terms with the logistics partner: codename {secrets[0]}, the walk-away condition is {secrets[1]} and stays with the board."),
        ("layoff-plan.md", "p1", "Restricted", f"并购整合的裁员方案代号{secrets[2]}，名单由{secrets[3]}小组保管，不得外传。"),
        ("integration-faq.md", "p1", "public", "并购整合的公开安排：仓库共用，客服电话不变，合同照旧。"),
        ("cn-hiring.md", "p1", "Public", "中国团队今年的招聘重点是售后工程师，培训在三个城市进行。"),
    )  # fmt: skip
    return tuple(
        PassageSpec(doc=doc, locator=locator, label=label, text=text)
        for doc, locator, label, text in rows
    )


def _plain_hits(value: dict[tuple[str, str, str], float], seed: int) -> tuple[Probe, Probe]:
    """The plain questions for a figure: what each is about turns with the seed."""
    chinese = {each.code: each.names[1] for each in (*_ENTITIES, *_METRICS)}
    english = {each.code: each.names[0] for each in (*_ENTITIES, *_METRICS)}
    entity, metric, period = _ASKED[seed % len(_ASKED)]
    other, measure, year = _ASKED[(_ASKED.index(("CN", "PROFIT", "FY2024")) + seed) % len(_ASKED)]

    def probe(id_: str, question: str, names: dict[str, str], asked: tuple[str, str, str]) -> Probe:
        slots = Slots(entity=names[asked[0]], metric=names[asked[1]], period=asked[2])
        return Probe(
            id=id_,
            question=question,
            channel="structured",
            kind="hit",
            slots=(slots,),
            values=(value[asked],),
            sources=(f"{asked[0].lower()}-results.xlsx",),
        )

    return (
        probe(
            "structured_hit",
            f"{chinese[entity]} {period} 的{chinese[metric]}是多少？",
            chinese,
            (entity, metric, period),
        ),
        probe(
            "structured_hit_en",
            f"What was {english[other]}'s {english[measure]} in {year}?",
            english,
            (other, measure, year),
        ),
    )


def _probes(value: dict[tuple[str, str, str], float], seed: int) -> tuple[Probe, ...]:
    def asks(entity: str, metric: str, *periods: str) -> tuple[Slots, ...]:
        return tuple(Slots(entity=entity, metric=metric, period=each) for each in periods)

    hk = "hk-results.xlsx"
    return (
        *_plain_hits(value, seed),
        Probe(id="structured_miss", question="What was Shanghai's REVENUE in FY2099?",
              channel="structured", kind="miss", slots=asks("Shanghai", "REVENUE", "FY2099")),
        Probe(id="structured_miss_zh", question="中国 FY2099 的营运利润是多少？",
              channel="structured", kind="miss", slots=asks("中国", "营运利润", "FY2099")),
        Probe(id="narrative_hit", question="为什么香港的续约率下降？", channel="narrative",
              kind="hit", sources=("hk-renewal.md",)),
        Probe(id="narrative_hit_en", question="Why did the broker channel in Hong Kong slow?",
              channel="narrative", kind="hit", sources=("broker-notes.md",)),
        Probe(id="narrative_short", question="续约率为什么降？", channel="narrative",
              kind="hit", sources=("hk-renewal.md",)),
        Probe(id="narrative_long", question=_LONG, channel="narrative", kind="hit",
              sources=("broker-notes.md",)),
        Probe(id="narrative_miss", question="Why do volcanoes erupt under glaciers?",
              channel="narrative", kind="miss"),
        Probe(id="narrative_irrelevant", question="Why did the channel tunnel flood?",
              channel="narrative", kind="irrelevant"),
        Probe(id="multi", question="香港 FY2024 和 FY2025 的营收分别是多少？",
              channel="structured", kind="hit", claim="multi",
              slots=asks("香港", "营收", "FY2024", "FY2025"), sources=(hk,),
              values=(value["HK", "REVENUE", "FY2024"], value["HK", "REVENUE", "FY2025"])),
        Probe(id="composite", question="香港 FY2025 的营收是多少，变化的原因是什么？",
              channel="structured", kind="hit", claim="composite",
              slots=asks("香港", "营收", "FY2025"),
              values=(value["HK", "REVENUE", "FY2025"],), sources=("hk-revenue-drivers.md",)),
        Probe(id="clarification", question="香港 FY2025 是多少？", channel="structured",
              kind="clarification", claim="clarification",
              slots=(Slots(entity="香港", period="FY2025"),)),
        Probe(id="out_of_scope", question="竞安 FY2025 的营收是多少？", channel="structured",
              kind="out-of-scope", claim="security-gate", slots=asks("竞安", "营收", "FY2025")),
        Probe(id="restricted", question="Why is the merger with the logistics partner planned?",
              channel="narrative", kind="hit", claim="restricted", sources=("merger-brief.md",),
              forbidden=("merger-terms.md", "layoff-plan.md")),
        Probe(id="restricted_zh", question="为什么并购整合要共用仓库？", channel="narrative",
              kind="hit", claim="restricted", sources=("integration-faq.md",),
              forbidden=("merger-terms.md", "layoff-plan.md")),
    )  # fmt: skip
