"""What a report is made of: sanitised text, marks, the rows of a trace."""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterproof.report.marking import Marks
from counterproof.report.sanitise import clean, clean_command, elided, role, windows
from counterproof.report.trace_view import rows
from harness.samples import (
    COMMAND,
    counterexample,
)


class TestSanitise:
    @pytest.mark.parametrize(
        ("text", "safe"),
        [
            ("plain text, 中文, é", "plain text, 中文, é"),
            ("a\nb\r\t", "a\\nb\\r\\t"),
            ("\x1b[0m\x9b", "\\x1b[0m\\x9b"),
            ("\u202eabc\u2066", "\\u202eabc\\u2066"),
            ("\U000e0041", "\\U000e0041"),
            ("\u3164\ufe0f\U000e0101", "\\u3164\\ufe0f\\U000e0101"),
            ("::error::x", ":\\:error:\\:x"),
            ("##[group]x ##vso[y]", "#\\#[group]x #\\#vso[y]"),
            ("###[x]", "##\\#[x]"),
            ("## heading", "## heading"),
            ("a: b", "a: b"),
        ],
    )
    def test_clean(self, text: str, safe: str) -> None:
        """Each danger has its visible form; the rest stays."""
        assert clean(text) == safe

    @settings(deadline=None)
    @given(st.text(st.characters() | st.sampled_from(":#[e\x1b\n"), max_size=40))
    def test_clean_is_safe_for_any_text(self, text: str) -> None:
        """Whatever the text, the result is one line nothing obeys."""
        safe = clean(text)
        assert "::" not in safe
        assert COMMAND.search(safe) is None
        assert not {"Cc", "Cf", "Cs"} & set(map(unicodedata.category, safe))

    def test_a_command_keeps_its_colons(self) -> None:
        """A pytest id can be copied; control characters and log commands cannot."""
        assert clean_command("pytest a.py::b \x1b ##[x]") == "pytest a.py::b \\x1b #\\#[x]"

    @pytest.mark.parametrize(
        ("given", "told"),
        [
            ("assistant", "assistant"),
            ("assistant ", '"assistant "'),
            ("assistаnt", '"assist\\u0430nt"'),
            ("", '""'),
            ("x" * 30, '"' + "x" * 24 + '..."'),
        ],
    )
    def test_roles_can_be_told_apart(self, given: str, told: str) -> None:
        """A look-alike, a blank and an empty role do not look like the real one."""
        assert role(given) == told

    def test_elided_says_how_much(self) -> None:
        """Both ends stay, and the count is right."""
        short = elided("a" * 100 + "b" * 100, 30)
        assert short == "a" * 20 + " […170 characters left out…] " + "b" * 10
        assert elided("a" * 30, 30) == "a" * 30

    @given(
        st.integers(0, 3000),
        st.integers(3, 500),
        st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 50)), max_size=5),
    )
    def test_windows_are_apart_and_in_order(
        self, length: int, limit: int, spans: list[tuple[int, int]]
    ) -> None:
        """Windows cover both ends, never overlap, and the first spans begin in one of them."""
        inside = sorted((at, min(length, at + size)) for at, size in spans if at < length)
        kept = windows(length, limit, inside)
        assert (kept[0][0], kept[-1][1]) == (0, length)
        assert all(left[1] < right[0] for left, right in pairwise(kept))
        for start, _ in inside[:3]:
            assert any(left <= start < right for left, right in kept)


class TestMarks:
    TRACE: dict[str, Any] = {"answer": {"text": "a b a", "x/y": [1, 2]}}  # noqa: RUF012  # only read

    @pytest.mark.parametrize(
        ("mark", "pointers", "excerpts"),
        [
            (("/answer/text", "b"), ("/answer/text",), ("b",)),
            (("/answer/x~1y/1",), ("/answer/x~1y/1",), ()),
            (("/answer/x~1y/2", "/nowhere", ""), (), ("/answer/x~1y/2", "/nowhere")),
        ],
    )
    def test_pointers_lead_somewhere(
        self, mark: tuple[str, ...], pointers: tuple[str, ...], excerpts: tuple[str, ...]
    ) -> None:
        """A mark is a pointer where it leads into the trace, and an excerpt elsewhere."""
        assert Marks.of(mark, self.TRACE) == Marks(pointers, excerpts)

    @pytest.mark.parametrize(
        ("pointer", "path", "hit"),
        [
            ("/a/1", "/a/1", True),
            ("/a", "/a/1", True),
            ("/a/1/b", "/a/1", True),
            ("/a/1", "/a/10", False),
            ("/a/1", "/a/2", False),
        ],
    )
    def test_a_row_is_hit_from_above_and_from_below(
        self, pointer: str, path: str, hit: bool
    ) -> None:
        """A pointer marks the row it leads to, into, or that lies beneath it."""
        assert Marks((pointer,), ()).hit(path, "") is hit

    def test_excerpts_are_set_apart(self) -> None:
        """Every occurrence is marked, and overlapping excerpts become one."""
        assert Marks((), ("a",)).shown("a b a", 99).plain == "»a« b »a«"
        assert Marks((), ("abc", "cd")).shown("xabcdx", 99).plain == "x»abcd«x"

    def test_a_dangerous_excerpt_stays_harmless(self) -> None:
        """Marking half a command does not put it together again."""
        assert Marks((), (":error",)).shown("::error::x", 99).plain == ":»:error«:\\:x"


class TestTraceRows:
    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(
                        ["crossings", "answer", "seam", "messages", "role", "passages", "sources",
                         "text", "query", "reply", "failure", "x"]
                    ),
                    inner | st.sampled_from(["model", "query", "parse", "passages"]),
                    max_size=5,
                )
            ),
            max_leaves=20,
        )
    )  # fmt: skip
    def test_any_shape_is_told(self, trace: Any) -> None:
        """A trace of a shape nobody foresaw is told as JSON, never a traceback."""
        found = list(rows(trace))
        assert all(isinstance(row.text, str) for row in found)
        assert found or trace in ({}, {"crossings": []}) or isinstance(trace, dict)

    def test_every_path_leads_to_its_part(self) -> None:
        """Each row's pointer leads into the trace, so that a mark finds it."""
        trace = counterexample().trace
        paths = tuple(row.path for row in rows(trace))
        assert Marks.of(paths, trace).pointers == paths

    def test_an_exit_and_a_session_are_told(self) -> None:
        """What left by the one, what the other remembers, and what was asked of it before."""
        passage = {"doc": "a.md", "locator": "p1", "text": "Open.", "label": "Public"}
        exit_ = {"seam": "exit", "name": "link", "given": [passage, passage]}
        trace = {
            "crossings": [
                {**exit_, "released": [passage]},
                {**exit_, "released": []},
                {"seam": "session", "remembered": {"entity": "HK"}, "takes_history": True},
            ],
            "asked_before": ["Why?"],
        }
        assert [(row.path, row.label, row.text) for row in rows(trace)] == [
            ("/crossings/0/name", "exit", "link lets out 1 passage"),
            ("/crossings/0/released/0", "  passage", 'a.md p1 [Public] "Open."'),
            ("/crossings/1/name", "exit", "link lets out 0 passages"),
            ("/crossings/1/released", "  passages", "(none)"),
            ("/crossings/2/remembered", "remembered", '{"entity": "HK"}'),
            ("/asked_before", "asked_before", '["Why?"]'),
        ]
