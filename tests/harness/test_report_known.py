"""What a report says of known failures, of stale entries, and of how to list a failure."""

from __future__ import annotations

import io
import tomllib
from typing import Any

import pytest
from rich.console import Console

from counterproof.certificate import Certificate, CheckResult, Level, Verdict
from counterproof.report.terminal import render
from harness.samples import CORE, certificate, known, requirement, stale


def shown(what: Certificate, *, verbose: bool = False, color: bool = False) -> str:
    """The report's text, wide enough to wrap nothing."""
    out = io.StringIO()
    console = Console(
        file=out, width=400, force_terminal=color, color_system="truecolor" if color else None
    )
    render(what, console, verbose=verbose)
    return out.getvalue()


def core(*others: Any, level: Level = Level.CORE) -> Certificate:
    """A certificate of the core rows, the first of them known to fail, and of others."""
    failing = requirement(CORE[0], Verdict.KNOWN, level)
    return certificate([failing, *(requirement(each) for each in CORE[1:]), *others])


def failed(*messages: str, id: str = "RET-1", **given: Any) -> Any:  # noqa: A002  # as there
    """A violated requirement whose check ``clause`` says these on as many probes."""
    checks = [
        CheckResult(
            id=f"{id}/clause[engine-{number}]",
            outcome=Verdict.FAIL,
            examples=1,
            asks=1,
            reason=each,
            behaviour="parrot",
        )
        for number, each in enumerate(messages)
    ]
    return requirement(id, Verdict.FAIL, checks=checks, **given)


class TestKnown:
    def test_it_never_looks_like_conformance(self) -> None:
        """Exit 0, and neither the words nor the colour of an engine that conforms."""
        made = core()
        said = shown(made)
        assert made.outcome.exit == 0
        assert made.level is None
        assert "VERDICT no level (narrative, structured), 10 of 10 observed, known to fail" in said
        assert "EXIT    0, not conformant at core, which is not granted; no failure but" in said
        green, yellow = "\x1b[1;32m", "\x1b[1;33m"
        assert f"{yellow}no level" in shown(made, color=True)
        whole = certificate([requirement(each) for each in CORE])
        assert f"{green}core" in shown(whole, color=True)

    def test_it_is_told_with_its_reason(self) -> None:
        """Why it is accepted, where that is tracked, until when, and for which checks; once."""
        entries = [
            known(),
            known(message="found again"),
            known(behaviour="empty"),
            known(check="other", reason="another"),
        ]
        made = certificate([requirement(verdict=Verdict.KNOWN, known=entries)])
        said = [line.strip() for line in shown(made).splitlines()]
        place = said.index("known      the guard is being rewritten")
        assert said[place : place + 8] == [
            "known      the guard is being rewritten",
            "link     https://tracker.example/12",
            "until    2026-12-31",
            "by check clause (model parrot), clause (model empty)",
            "known      another",
            "link     https://tracker.example/12",
            "until    2026-12-31",
            "by check other (model parrot)",
        ]

    def test_the_list_is_named_in_the_header(self) -> None:
        """By its digest, where one was given."""
        assert "known      failures listed by the vendor, digest sha256:4e" in shown(core())
        assert "listed by the vendor" not in shown(certificate())


class TestStale:
    @pytest.mark.parametrize(
        ("because", "told"),
        [
            ("passes", "it passes now: remove the entry"),
            (
                "fails otherwise",
                "it fails otherwise now: mend what is new, or pin the entry to it; it is pinned"
                ' to "found"',
            ),
            (
                "expired",
                "expired on 2026-12-31: mend the engine, or decide anew and date the entry later",
            ),
        ],
    )
    def test_which_and_what_to_do(self, because: str, told: str) -> None:
        """In a line."""
        said = shown(certificate(stale=[stale(entry=3, because=because)]))
        assert "Stale entries of the known failures (1)" in said
        assert f"  entry 3   RET-1, check clause, model parrot: {told}\n" in said

    def test_none(self) -> None:
        assert "Stale" not in shown(certificate())


class TestToList:
    def entries(self, made: Certificate) -> list[dict[str, Any]]:
        """The entries of the report, as a file that holds what it shows would give them."""
        _, _, told = shown(made, verbose=True).partition("add reason, link and date\n")
        listed = tomllib.loads(told.partition("Counterproofs:")[0])["known"]
        assert isinstance(listed, list)
        return listed

    def test_each_failure_once(self) -> None:
        """Of all probes, ready to be pasted; reason, link and date are left to the vendor."""
        empty = {"reason": "", "link": "", "expires": ""}
        pin = {"id": "RET-1", "check": "clause", "behaviour": "parrot"}
        made = certificate([failed("it is not", "it is not", "nor this")])
        assert self.entries(made) == [
            {**pin, "message": "it is not", **empty},
            {**pin, "message": "nor this", **empty},
        ]

    @pytest.mark.parametrize(
        "message",
        ['"quoted" \\ back', "::error::x ##[error] ###", "a\x1b[31m\r\n\u202eb\U000e0041", "营收"],
    )
    def test_what_is_pasted_is_what_was_said(self, message: str) -> None:
        """Whatever it holds: what cannot be seen stands there as its escape."""
        (entry,) = self.entries(certificate([failed(message)]))
        assert entry["message"] == message

    def test_a_long_message_is_cut(self) -> None:
        """And pinned to its beginning."""
        (entry,) = self.entries(certificate([failed("x" * 5000)]))
        assert entry["message"] == "x" * 200 + "…"

    def test_on_request_only(self) -> None:
        """And not where nothing says what failed."""
        assert "[[known]]" not in shown(certificate([failed("it is not")]))
        assert "[[known]]" not in shown(certificate([failed()]), verbose=True)
