"""Sample certificates, and the parts they are made of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from counterproof.certificate import (
    Certificate,
    CheckResult,
    Counterexample,
    CounterproofResult,
    Counts,
    Kit,
    Known,
    Level,
    Requirement,
    Run,
    Stale,
    Subject,
    Verdict,
)
from counterproof.certify.levels import conclude

CORE = ("DEF-1", "FAB-4", "FAB-6", "MSG-1", "MSG-2", "PAR-2", "RET-1", "RET-3", "ROL-1", "ROL-2")
"""Rows that together grant ``core`` to an engine of both channels."""

COMMAND = re.compile(r"^\s*::|##\w*\[", re.MULTILINE)
"""A command that a CI service would read in a log."""


def subject(**given: Any) -> Subject:
    """An engine of both channels, seen at every seam."""
    return Subject.model_validate(
        {
            "kind": "engine",
            "name": "my-engine",
            "version": "1.4.0",
            "digest": "sha256:0a1b",
            "digest_is": "measured",
            "adapter": "my_pkg.cert:my_engine",
            "channels": ["narrative", "structured"],
            "claims": [],
            "seams": ["model", "parse", "retrieval"],
        }
        | given
    )


def run(**given: Any) -> Run:
    """A run of the certify profile, judged at core."""
    return Run.model_validate(
        {
            "profile": "certify",
            "level": "core",
            "seed": 0,
            "world": "builtin",
            "world_seed": 7,
            "world_digest": "sha256:77",
            "transport": "worker",
            "started": datetime(2026, 7, 14, 12, tzinfo=UTC),
            "seconds": 12.25,
            "python": "3.12.1",
            "packages": {"hypothesis": "6.130.0"},
        }
        | given
    )


def counterproof(
    check: str, sabotage: str = "history-in-query", **given: Any
) -> CounterproofResult:
    """A sabotage that landed and was caught."""
    return CounterproofResult.model_validate(
        {"sabotage": sabotage, "check": check, "landed": True, "caught": True} | given
    )


def counterexample(**given: Any) -> Counterexample:
    """A query that holds history, as a shrunk failure tells it."""
    return Counterexample.model_validate(
        {
            "check": "RET-1/only_the_question_is_retrieved_for",
            "probe": "narrative_hit",
            "question": "What did the board decide on dividends?",
            "history": [["user", "0"], ["assistant", "the old plan"]],
            "history_kind": "list",
            "behaviour": "cooperative",
            "trace": {
                "crossings": [
                    {"seam": "parse", "text": "What did the board decide on dividends?"},
                    {
                        "seam": "query",
                        "query": "the old plan What did the board decide on dividends?",
                        "filters": {"limit": 3},
                    },
                    {
                        "seam": "passages",
                        "passages": [
                            {
                                "doc": "minutes",
                                "locator": "p. 2",
                                "text": "The board keeps the dividend.",
                                "label": "Public",
                            }
                        ],
                    },
                    {
                        "seam": "model",
                        "messages": [
                            {"role": "system", "content": "Answer from the passages."},
                            {"role": "user", "content": "What did the board decide on dividends?"},
                        ],
                        "tools": None,
                        "reply": {"role": "assistant", "content": "It keeps the dividend. [m1]"},
                        "mark": "[m1]",
                    },
                ],
                "answer": {
                    "text": "It keeps the dividend. [m1]",
                    "sources": [{"doc": "minutes", "locator": "p. 2"}],
                    "route": "narrative",
                    "refused": None,
                    "plain": None,
                    "tool_results": None,
                },
                "failure": None,
            },
            "mark": ["/crossings/1/query", "the old plan"],
            "message": "the query is not the question: it holds a turn of history",
            "reproduce": "counterproof certify my_pkg.cert:my_engine --only RET-1 --seed 0",
        }
        | given
    )


def known(**given: Any) -> Known:
    """An entry that knows of a failure."""
    return Known.model_validate(
        {
            "check": "clause",
            "behaviour": "parrot",
            "message": "found",
            "reason": "the guard is being rewritten",
            "link": "https://tracker.example/12",
            "expires": "2026-12-31",
        }
        | given
    )


def stale(**given: Any) -> Stale:
    """An entry of a failure that does not show any more."""
    return Stale.model_validate(
        {
            "entry": 1,
            "id": "RET-1",
            "check": "clause",
            "behaviour": "parrot",
            "message": "found",
            "expires": "2026-12-31",
            "because": "passes",
        }
        | given
    )


def requirement(
    id: str = "RET-1",  # noqa: A002  # the certificate's own word
    verdict: Verdict = Verdict.PASS,
    level: Level = Level.CORE,
    **given: Any,
) -> Requirement:
    """A requirement with the evidence its verdict needs."""
    check = f"{id}/clause"
    made: dict[str, Any] = {
        "id": id,
        "version": 1,
        "level": level,
        "source": "ADR",
        "title": f"title of {id}",
        "sentence": f"what {id} says must hold",
        "verdict": verdict,
        "reason": None if verdict is Verdict.PASS else f"reason of {id}",
    }
    if verdict is Verdict.KNOWN:
        made["checks"] = [
            CheckResult(
                id=check, outcome=verdict, examples=3, asks=6, reason="found", behaviour="parrot"
            )
        ]
        made["known"] = [known()]
    if verdict is Verdict.PASS:
        made["checks"] = [CheckResult(id=check, outcome=verdict, examples=100, asks=200)]
        made["counterproofs"] = [counterproof(check)]
    return Requirement.model_validate(made | given)


def certificate(
    requirements: Sequence[Requirement] | None = None,
    *,
    catalogue: Sequence[str] | None = None,
    **parts: Any,
) -> Certificate:
    """A certificate of these requirements, concluded as a run would conclude it."""
    rows = [requirement(each) for each in CORE] if requirements is None else list(requirements)
    tested: Subject = parts.pop("subject", None) or subject()
    rotten: Sequence[Stale] = parts.pop("stale", ())
    digest = "sha256:4e" if rotten or any(row.known for row in rows) else None
    ran: Run = parts.pop("run", None) or run(known_digest=digest)
    level, outcome = conclude(
        rows,
        tested,
        ran.level,
        [row.id for row in rows] if catalogue is None else catalogue,
        only=bool(ran.only),
        stale=rotten,
    )
    return Certificate.model_validate(
        {
            "kit": Kit(version="0.1.0", requirements_digest="sha256:ab"),
            "subject": tested,
            "run": ran,
            "level": level,
            "outcome": outcome,
            "counts": Counts.of(rows),
            "requirements": rows,
        }
        | parts
    )


def telling_certificate() -> Certificate:
    """A certificate with every verdict, as a report must be able to tell it."""
    return certificate(
        [
            *(requirement(each) for each in CORE if each not in ("RET-1", "MSG-2")),
            requirement(
                "RET-1",
                Verdict.FAIL,
                title="only the question is retrieved for",
                sentence="the outermost retrieval query is the current question",
                counterexample=counterexample(),
                reason=None,
            ),
            requirement(
                "MSG-2",
                Verdict.VACUOUS,
                counterproofs=[
                    counterproof("MSG-2/clause", "question-spliced", caught=False),
                    counterproof(
                        "MSG-2/other",
                        "question-repeated",
                        landed=False,
                        caught=False,
                        inapplicable="the engine sends one message",
                    ),
                ],
            ),
            requirement("RES-1", Verdict.NOT_APPLICABLE, reason="the claim restricted is not made"),
            requirement("RES-2", Verdict.NOT_APPLICABLE, reason="the claim restricted is not made"),
            requirement("RES-3", Verdict.NOT_OBSERVABLE, Level.STRICT, seams=["exits"]),
            requirement("STA-1", Verdict.FAIL, Level.STRICT, reason="the worker hung on an ask"),
            requirement("FAB-7", Verdict.KNOWN, Level.STRICT, reason="known: issue 12"),
            requirement("FAB-9", Verdict.ERROR, Level.STRICT, reason="a counterproof crashed"),
        ]
    )
