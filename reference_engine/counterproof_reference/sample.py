"""A small company's knowledge, for trying the engine on the command line."""

from __future__ import annotations

from counterproof_reference.facts import Fact
from counterproof_reference.knowledge import Knowledge
from counterproof_reference.passages import Passage
from counterproof_reference.vocabulary import Term

SAMPLE = Knowledge(
    entities=(
        Term("HK", ("Hong Kong", "香港")),
        Term("SG", ("Singapore", "新加坡")),
        Term("SH", ("Shanghai", "上海")),
    ),
    metrics=(
        Term("REVENUE", ("revenue", "营收", "营业收入")),
        Term("HEADCOUNT", ("headcount", "员工数")),
    ),
    facts=(
        Fact("HK", "REVENUE", "FY2024", 412.5, "HKD_M", "hk-annual-2024.pdf", "p. 7"),
        Fact("HK", "REVENUE", "FY2025", 389.0, "HKD_M", "hk-annual-2025.pdf", "p. 7"),
        Fact("HK", "HEADCOUNT", "FY2025", 214, "people", "hk-annual-2025.pdf", "p. 21"),
        Fact("SG", "REVENUE", "FY2025", 158.2, "SGD_M", "sg-annual-2025.pdf", "p. 5"),
    ),
    passages=(
        Passage(
            "hk-review-2025.md",
            "section 2",
            "Hong Kong revenue fell in FY2025 because two retail clients closed their stores and "
            "one contract was renewed at a lower price.",
            "Public",
        ),
        Passage(
            "hk-review-2025.md",
            "第三节",
            "香港营收下降的原因：两家零售客户关店，另有一份合同降价续签。",
            "Internal",
        ),
        Passage(
            "sg-review-2025.md",
            "section 1",
            "Singapore hired four engineers to prepare the move of its data centre.",
            "Public",
        ),
        Passage(
            "board-minutes.md",
            "item 4",
            "The board will close the Hong Kong retail desk if revenue falls again.",
            "RESTRICTED",
        ),
    ),
    out_of_scope=("Northwharf", "北埠"),
)
"""Facts and passages of an invented company; one passage is restricted, so it is never shown."""
