"""The terminal report: a stranger understands it, and no engine can misuse it."""

from __future__ import annotations

import io
import re
import unicodedata
from typing import Any

import pytest
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from counterproof.certificate import Certificate, CheckResult, Level, Verdict
from counterproof.report.terminal import one_line, render
from harness.samples import (
    COMMAND,
    CORE,
    certificate,
    counterexample,
    counterproof,
    known,
    requirement,
    run,
    stale,
    subject,
    telling_certificate,
)

HOSTILE = (
    "\x1b[31mred\x1b]0;title\x07 [bold]markup[/bold] \u202egnp\u2066.exe\u200b\ufe01\U000e0041"
    "\r\n::error file=x::pwned\n##[error]no\n##vso[task.complete]\n##teamcity[x]\u2028\x9b2J\ud800"
)


def shown(
    what: Certificate, *, width: int = 100, verbose: bool = False, color: bool = False
) -> str:
    """The report's text."""
    out = io.StringIO()
    console = Console(
        file=out, width=width, force_terminal=color, color_system="truecolor" if color else None
    )
    render(what, console, verbose=verbose)
    return out.getvalue()


def failing(**parts: Any) -> Certificate:
    """A certificate whose one failure has this counterexample."""
    return certificate([requirement(verdict=Verdict.FAIL, counterexample=counterexample(**parts))])


def hostile() -> Certificate:
    """A certificate in which everything an engine or a vendor can say is hostile."""
    message = {"role": HOSTILE, "content": HOSTILE, "name": HOSTILE, HOSTILE: [HOSTILE]}
    trace = {
        "crossings": [
            {"seam": "parse", "text": HOSTILE},
            {"seam": "query", "query": HOSTILE, "filters": {HOSTILE: HOSTILE}},
            {"seam": "passages", "passages": [{"doc": HOSTILE, "text": HOSTILE, "label": HOSTILE}]},
            {"seam": "model", "messages": [message, HOSTILE], "reply": message, "tools": [1]},
            {"seam": HOSTILE, "x": HOSTILE},
            HOSTILE,
        ],
        "answer": {"text": HOSTILE, "sources": [{"doc": HOSTILE}, HOSTILE], HOSTILE: HOSTILE},
        HOSTILE: HOSTILE,
    }
    example = counterexample(
        **dict.fromkeys(["check", "probe", "question", "behaviour", "message"], HOSTILE),
        history=[[HOSTILE, HOSTILE], HOSTILE, {HOSTILE: HOSTILE}],
        trace=trace,
        mark=[HOSTILE, "/answer", "error"],
        reproduce=HOSTILE,
    )
    words: dict[str, Any] = dict.fromkeys(["source", "title", "sentence", "reason"], HOSTILE)
    failing = CheckResult(
        id=f"RET-1/{HOSTILE}",
        outcome=Verdict.FAIL,
        examples=1,
        asks=1,
        reason=HOSTILE,
        behaviour=HOSTILE,
    )
    excuse = known(**dict.fromkeys(["check", "behaviour", "message", "reason", "link"], HOSTILE))
    proofs = [
        counterproof(HOSTILE, HOSTILE, caught=False, message=HOSTILE),
        counterproof(HOSTILE, HOSTILE, landed=False, caught=False, inapplicable=HOSTILE),
    ]
    return certificate(
        [
            requirement(f"RET-{number}{HOSTILE}", verdict, **words, counterexample=example)
            for number, verdict in enumerate(Verdict)
            if verdict not in (Verdict.PASS, Verdict.VACUOUS, Verdict.NOT_OBSERVABLE)
        ]
        + [
            requirement(f"Z{HOSTILE}", Verdict.FAIL, **words, checks=[failing], known=[excuse]),
            requirement(HOSTILE, Verdict.VACUOUS, **words, counterproofs=proofs),
            requirement(f"X{HOSTILE}", Verdict.NOT_OBSERVABLE, **words, seams=[HOSTILE]),
            requirement(f"Y{HOSTILE}", Verdict.NOT_OBSERVABLE, **words),
        ],
        subject=subject(
            **dict.fromkeys(["name", "version", "digest", "adapter"], HOSTILE),
            channels=[HOSTILE],
            claims=[HOSTILE],
            seams=["model", HOSTILE + "2"],
            volatile=[HOSTILE],
            reducer=HOSTILE,
        ),
        run=run(
            **dict.fromkeys(
                ["world", "world_digest", "transport", "python", "known_digest"], HOSTILE
            ),
            only=[HOSTILE],
        ),
        stale=[
            stale(**dict.fromkeys(["id", "check", "behaviour", "message"], HOSTILE), because=each)
            for each in ("passes", "fails otherwise", "expired")
        ],
    )


class TestReport:
    def test_conformant(self, snapshot: SnapshotAssertion) -> None:
        """What is printed of an engine that conforms."""
        assert shown(certificate()) == snapshot

    def test_every_verdict(self, snapshot: SnapshotAssertion) -> None:
        """What is printed where everything that can happen has happened."""
        assert shown(telling_certificate()) == snapshot

    def test_verbose(self, snapshot: SnapshotAssertion) -> None:
        """What is printed of it on request."""
        assert shown(telling_certificate(), verbose=True) == snapshot

    def test_long_and_raw(self, snapshot: SnapshotAssertion) -> None:
        """A long history of malformed turns, an engine that raised, and wide characters."""
        turns = [["user", f"第{n}轮：上海的营收是多少？" * 4] for n in range(40)]
        example = failing(
            history=[*turns, {"role": "system", "content": "x"}, ["assistаnt", "look-alike"], None],
            history_kind="raw",
            trace={"crossings": [], "answer": None, "failure": "KeyError: 'role' (at engine.py:7)"},
            mark=["/failure"],
        )
        assert shown(example, width=80) == snapshot

    def test_a_model_that_calls_tools(self, snapshot: SnapshotAssertion) -> None:
        """Tool calls, tool results and a failing model are told in the trace."""
        call = {"id": "1", "function": {"name": "lookup", "arguments": '{"entity":"HK"}'}}
        crossing = {
            "seam": "model",
            "messages": [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "1", "content": "{}"},
                {"role": "user"},
            ],
            "tools": [{"name": "lookup"}],
            "reply": None,
            "mark": "",
        }
        answer = {"text": "HK: 5", "sources": [], "refused": False, "tool_results": [{"value": 5}]}
        trace = {
            "crossings": [crossing, {"seam": "passages", "passages": []}],
            "answer": answer,
            "failure": None,
        }
        assert (
            shown(failing(trace=trace, mark=[], history=None, history_kind="omitted")) == snapshot
        )

    def test_nothing_checked(self) -> None:
        """A certificate of nothing says that it certifies nothing."""
        said = shown(certificate([]))
        assert "nothing is certified" in said
        assert "EXIT    3, no requirement was checked" in said

    def test_a_failure_is_told_whole(self) -> None:
        """Requirement, sentence, message, ask, marked trace and command all stand in it."""
        said = shown(telling_certificate())
        for each in (
            "FAIL RET-1  only the question is retrieved for",
            "the outermost retrieval query is the current question",
            "the query is not the question: it holds a turn of history",
            '2   assistant: "the old plan"',
            '» query              "»the old plan« What did the board decide on dividends?"',
            "reproduce  counterproof certify my_pkg.cert:my_engine --only RET-1 --seed 0\n",
        ):
            assert each in said

    def test_above_the_judged_level(self) -> None:
        """A failure that does not change the exit says so; judged higher, it does not."""
        found = [
            *(requirement(each) for each in CORE),
            requirement("STA-1", Verdict.FAIL, Level.STRICT),
        ]
        assert "does not change the exit" in shown(certificate(found))
        assert "does not change" not in shown(certificate(found, run=run(level="strict")))

    def test_what_to_expose(self) -> None:
        """Each seam that is missing is named once, with its rows and the way to show it."""
        found = [
            requirement(each, Verdict.NOT_OBSERVABLE, seams=["parse", "model"])
            for each in ("PAR-1", "PAR-5")
        ]
        said = shown(certificate(found, subject=subject(seams=["model"])))
        assert "seam parse     PAR-1, PAR-5" in said
        assert "world.watch_parse" in said
        assert "world.model" not in said

    def test_not_observable_over_http(self) -> None:
        """A service cannot expose a seam; its engine can, in process."""
        row = requirement(verdict=Verdict.NOT_OBSERVABLE, seams=("retrieval",))
        tested = subject(kind="service", seams=["answer", "service"], unproved=["the retriever"])
        told = shown(certificate([row], subject=tested))
        assert "unproved   the retriever" in told
        assert "certify the engine in process, through an adapter" in told
        assert "world.watch_retrieval" not in told

    def test_not_observable_for_another_reason(self) -> None:
        """Where no seam is missing the reason itself is given."""
        found = [requirement("STA-3", Verdict.NOT_OBSERVABLE, reason="no concurrency declared")]
        assert "STA-3   no concurrency declared" in shown(certificate(found))

    def test_counterproof_numbers(self) -> None:
        """Caught, landed, forged and without effect are counted apart."""
        proofs = [
            counterproof("RET-1/clause"),
            counterproof("RET-1/clause", "b", forged=True),
            *(
                counterproof(
                    "RET-1/clause", f"c{n}", landed=False, caught=False, inapplicable=f"why {n % 7}"
                )
                for n in range(9)
            ),
        ]
        said = shown(certificate([requirement(counterproofs=proofs)]))
        assert "caught     2 of 2 that landed; 1 of them forged" in said
        assert "9 could change nothing" in said
        assert "- why 0: c0, c7" in said
        assert "and 2 more reasons" in said

    def test_part_of_the_requirements(self) -> None:
        """A run with --only says that it grants no level."""
        assert "limited to RET-1 (such a run" in shown(certificate(run=run(only=["RET-1"])))

    def test_volatile_is_said(self) -> None:
        """What was masked stands in the header."""
        assert "request_id (declared volatile" in shown(
            certificate(subject=subject(volatile=["request_id"]))
        )

    def test_a_reducer_is_said(self) -> None:
        """That less than all of a history is sent stands in the header, where it is declared."""
        said = shown(certificate(subject=subject(reducer="newest")))
        assert "histories to their newest turns (declared)" in said
        assert "(declared)" not in shown(certificate())

    def test_another_suite(self) -> None:
        """A group nobody described is listed all the same, after those we know."""
        said = shown(certificate([requirement("ZZZ-1"), requirement("AAA-1"), requirement()]))
        assert said.index("RET ") < said.index("AAA ") < said.index("ZZZ ")
        assert "another suite" in said

    def test_a_command_is_never_wrapped(self) -> None:
        """What is to be copied stands in one line, however narrow the terminal."""
        command = "counterproof certify " + "x" * 300
        assert f"reproduce  {command}\n" in shown(failing(reproduce=command), width=40)

    @pytest.mark.parametrize("width", [1, 20, 60, 200])
    def test_any_width(self, width: int) -> None:
        """Nothing is lost to a narrow terminal: long words are folded, not cut."""
        said = shown(failing(question="营收" * 60, history=None), width=width)
        assert re.sub(r"\s", "", said).count("营收" * 60) == 1

    def test_a_log_that_is_not_unicode(self) -> None:
        """A log in ASCII gets escapes, not a traceback."""
        raw = io.BytesIO()
        console = Console(file=io.TextIOWrapper(raw, encoding="ascii"), width=100)
        render(telling_certificate(), console)
        console.file.flush()
        assert b"\\xbb query" in raw.getvalue()

    def test_colour_is_the_consoles_affair(self) -> None:
        """The words are the same with colour and without."""
        coloured = shown(telling_certificate(), color=True)
        assert "\x1b[" in coloured
        assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == shown(telling_certificate())

    def test_one_line(self) -> None:
        """What was tested and what it came to."""
        assert one_line(certificate()) == (
            "my-engine 1.4.0: core (narrative, structured), 10 of 10 observed;"
            " exit 0: conformant at core"
        )


class TestHostile:
    @pytest.mark.parametrize("width", [30, 100, 5000])
    @pytest.mark.parametrize("verbose", [False, True])
    def test_nothing_hostile_is_printed(self, width: int, verbose: bool) -> None:
        """No control, bidi or invisible character, and no CI command, reaches the terminal."""
        said = shown(hostile(), width=width, verbose=verbose)
        assert {"Cc", "Cf", "Cs", "Zl", "Zp"} & {
            unicodedata.category(each) for each in said if each != "\n"
        } == set()
        assert COMMAND.search(said) is None
        assert "\ufe01" not in said

    def test_markup_is_text(self) -> None:
        """Square brackets in an answer are printed as they are, not obeyed."""
        assert "[bold]markup[/bold]" in shown(hostile(), width=5000)
        assert "[/nonsense" in shown(failing(question="[/nonsense"))

    def test_one_line_is_one(self) -> None:
        """Nothing an engine is called can break the line."""
        said = one_line(hostile())
        assert said.isprintable()
        assert COMMAND.search(said) is None

    def test_a_long_answer_is_elided(self) -> None:
        """A megabyte of answer is printed as its ends, with the count between them."""
        trace = {"crossings": [], "answer": {"text": "a" * 500_000 + "ZZ" + "b" * 500_000}}
        said = shown(failing(trace=trace, mark=["ZZ"]))
        assert len(said) < 5000
        assert "»ZZ«" in said
        assert re.search(r"\[…499,\d{3} characters left out…\]", " ".join(said.split()))

    def test_a_long_role_is_cut(self) -> None:
        """A role of a thousand characters does not push its message off the page."""
        assert len(shown(failing(history=[["r" * 5000, "x"]]))) < 5000
