"""Where history stands in a message list, and which turn stands in which message."""

from __future__ import annotations

from typing import Any

import pytest

from counterproof.case import Case
from counterproof.contract import Answer
from counterproof.trace import Ask, Crossing, History, Trace
from counterproof_suites.engine.block import (
    Block,
    blocks,
    crossing_of,
    folded,
    in_the_words_own_order,
    matched,
    texts_of,
)

SYSTEM = {"role": "system", "content": "Be brief."}
SECOND = {"role": "developer", "content": "Be kind."}
QUESTION = {"role": "user", "content": "How much?"}
CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]}
RESULT = {"role": "tool", "content": "3"}
ONE = {"role": "user", "content": "one"}
TWO = {"role": "assistant", "content": "two"}
TOOLS = [{"type": "function"}]
PARSE = Crossing("parse", {"text": "How much?"})


def call(*messages: Any, tools: Any = TOOLS) -> Crossing:
    """A model call; without tools it generates nothing that shows."""
    return Crossing("model", {"messages": messages, "tools": tools, "reply": None, "mark": ""})


def trace(*crossings: Crossing, volatile: str = "") -> Trace:
    """A trace of these crossings."""
    asked = Ask("probe", "How much?")
    return Trace(asked, crossings, Answer("3"), volatile=frozenset(filter(None, [volatile])))


def seen(default: Trace, told: Trace) -> list[Block]:
    """The blocks of a trace beside that default."""

    class Known(Case):
        def __init__(self) -> None:
            """No engine is needed."""

        def default(self) -> Trace:
            return default

    return blocks(Known(), told)


class TestPlace:
    @pytest.mark.parametrize(
        ("default", "sent", "held", "first", "in_place"),
        [
            ([SYSTEM, QUESTION], [SYSTEM, ONE, TWO, QUESTION], [ONE, TWO], 1, True),
            ([SYSTEM, QUESTION], [SYSTEM, QUESTION], [], 1, True),
            ([QUESTION], [ONE, QUESTION], [ONE], 0, True),
            (
                [SYSTEM, SECOND, QUESTION],
                [SYSTEM, SECOND, ONE, QUESTION],
                [ONE],
                2,
                True,
            ),
            ([SYSTEM, SECOND], [SYSTEM, SECOND, ONE], [ONE], 2, True),
            (
                [SYSTEM, QUESTION, CALL, RESULT],
                [SYSTEM, ONE, TWO, QUESTION, CALL, RESULT],
                [ONE, TWO],
                1,
                True,
            ),
            (
                [SYSTEM, QUESTION, SYSTEM, QUESTION],
                [SYSTEM, ONE, QUESTION, SYSTEM, QUESTION],
                [ONE],
                1,
                True,
            ),
            ([SYSTEM, QUESTION], [ONE, SYSTEM, QUESTION], [SYSTEM], 1, False),
            ([SYSTEM, QUESTION], [SYSTEM, QUESTION, ONE], [QUESTION], 1, False),
            ([SYSTEM, SECOND, QUESTION], [SYSTEM, ONE, SECOND, QUESTION], [SECOND], 2, False),
            ([SYSTEM, QUESTION, CALL], [SYSTEM, QUESTION, ONE, CALL], [QUESTION], 1, False),
            ([SYSTEM, QUESTION], [SYSTEM, ONE, {**QUESTION, "content": "?"}], [ONE], 1, False),
            ([SYSTEM, QUESTION], [SYSTEM, ONE, {**QUESTION, "name": "x"}], [ONE], 1, False),
            ([SYSTEM, QUESTION], [{**SYSTEM, "content": "!"}, QUESTION], [], 1, False),
            ([SYSTEM, QUESTION, CALL], [SYSTEM, QUESTION], [], 1, False),
            ([SYSTEM, QUESTION], [], [], 1, False),
            ([SYSTEM, *[QUESTION] * 5], [SYSTEM, ONE, TWO, QUESTION], [], 1, False),
        ],
    )
    def test_between_the_leading_system_messages_and_the_next(
        self, default: Any, sent: Any, held: Any, first: int, in_place: bool
    ) -> None:
        """What stands there, and whether all else is the default's."""
        (block,) = seen(trace(call(*default)), trace(call(*sent)))
        assert (list(block.messages), block.first, block.in_place) == (held, first, in_place)

    def test_of_each_call_that_the_default_makes_too(self) -> None:
        """In order; each with the crossing it stands in, other seams counted."""
        loop = [SYSTEM, ONE, QUESTION, CALL, RESULT]
        told = trace(PARSE, call(SYSTEM, ONE, QUESTION), PARSE, call(*loop), call(SYSTEM))
        found = seen(trace(call(SYSTEM, QUESTION), call(SYSTEM, QUESTION, CALL, RESULT)), told)
        assert [each.mark() for each in found] == [
            ("/crossings/1/messages",),
            ("/crossings/3/messages",),
        ]
        assert [each.messages for each in found] == [(ONE,), (ONE,)]

    def test_calls_that_generate_nothing_are_none(self) -> None:
        """Another prompt, such as a judge's, holds no history; it is counted all the same."""
        judge = call(QUESTION, tools=None)
        found = seen(trace(judge, call(QUESTION)), trace(judge, call(ONE, QUESTION)))
        assert [(each.messages, each.crossing) for each in found] == [((ONE,), 1)]
        assert seen(trace(judge), trace(judge)) == []

    def test_two_equal_calls_are_told_apart(self) -> None:
        """Each by itself, not by what it holds."""
        told = trace(call(QUESTION), PARSE, call(QUESTION))
        assert [crossing_of(told, each) for each in told.calls] == [0, 2]

    def test_what_is_volatile_is_masked(self) -> None:
        """A clock in a tool's result is no difference; a figure is."""
        sent = {**RESULT, "content": '{"at": 2, "v": 3}'}
        default = {**RESULT, "content": '{"at": 1, "v": 3}'}
        for volatile, in_place in (("at", True), ("", False)):
            told = trace(call(ONE, QUESTION, sent), volatile=volatile)
            (block,) = seen(trace(call(QUESTION, default)), told)
            assert block.in_place is in_place


class TestFolded:
    @pytest.mark.parametrize(
        ("text", "same"),
        [
            ("ＦＹ２０２５", "fy2025"),
            ("  two\n\twords ", "TWO words"),
            ("Straße", "STRASSE"),
            ("Société", "Socie\u0301te\u0301"),
            ("\u3000香港\u00a0", "香港"),
            ([{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}], "a b"),
            (None, ""),
            ("", " \n"),
        ],
    )
    def test_what_msg_4_is_about_is_no_difference(self, text: object, same: str) -> None:
        """Width, case, white space and form; parts of a text, and none."""
        assert folded(text) == folded(same)

    @pytest.mark.parametrize(("one", "other"), [("None", None), ("1320", "132"), ("[]", [])])
    def test_everything_else_is(self, one: object, other: object) -> None:
        """A text that only looks like nothing is one."""
        assert folded(one) != folded(other)


def pairs(turns: list[str], contents: list[Any]) -> list[tuple[int, int]]:
    """Which of these turns stands in which of these messages."""
    history = History.of([("user", each) for each in turns])
    messages = tuple({"role": "user", "content": each} for each in contents)
    return matched(history, Block(messages, 1, True, 0))


class TestMatched:
    @pytest.mark.parametrize(
        ("turns", "contents", "expected"),
        [
            (["a", "b", "c"], ["a", "b", "c"], [(0, 0), (1, 1), (2, 2)]),
            (["a ", "Ｂ"], ["A", "b\n"], [(0, 0), (1, 1)]),
            (["a"], [], []),
            ([], ["a"], []),
            ([], [], []),
            (["a"], ["z", "a", "z"], [(0, 1)]),
            (["None"], [None], []),
            (["ab"], [[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]], [(0, 0)]),
        ],
    )
    def test_turns_as_they_were_given(self, turns: Any, contents: Any, expected: Any) -> None:
        """One message each; what is no turn's has none."""
        assert expected == pairs(turns, contents)

    @pytest.mark.parametrize(
        ("turns", "contents", "expected"),
        [
            (["a", "b", "c"], ["a\nb\nc"], [(0, 0), (1, 0), (2, 0)]),
            (["hi", "yes"], ["user: hi", "assistant: yes"], [(0, 0), (1, 1)]),
            (["one", "two", "three"], ["one", "two three"], [(0, 0), (1, 1), (2, 1)]),
            (["aa", "a"], ["aaa"], [(0, 0), (1, 0)]),
            (["aa", "a"], ["aa!"], [(0, 0)]),
            (["", "b", "c"], ["b c"], [(1, 0), (2, 0)]),
            (["hi", "hi there"], ["> hi", "> hi there"], [(0, 0), (1, 1)]),
        ],
    )
    def test_merged_turns(self, turns: Any, contents: Any, expected: Any) -> None:
        """A message holds several, one after the other; none of them twice."""
        assert expected == pairs(turns, contents)

    @pytest.mark.parametrize(
        ("turns", "contents", "expected"),
        [
            (["a", "b", "c"], ["a", "c"], [(0, 0), (2, 1)]),
            (["a", "b", "c"], ["c"], [(2, 0)]),
            (["a", "b", "a"], ["a", "a"], [(0, 0), (2, 1)]),
            (["a", "b", "a"], ["b", "a"], [(1, 0), (2, 1)]),
            (["a", "a", "b"], ["a", "b"], [(1, 0), (2, 1)]),  # the newest
        ],
    )
    def test_dropped_turns(self, turns: Any, contents: Any, expected: Any) -> None:
        """They have no message, and the others their own."""
        assert expected == pairs(turns, contents)

    @pytest.mark.parametrize(
        ("turns", "contents", "expected"),
        [
            (["a", "b", "c"], ["c", "b", "a"], [2, 1, 0]),
            (["a", "b", "c"], ["c", "a", "b"], [2, 0, 1]),
            (["a", "b"], ["b", "a"], [1, 0]),
            (["hi", "hi there"], ["hi there", "hi"], [1, 0]),
            (["a", "b", "a", "c"], ["a", "a", "b", "c"], [0, 2, 1, 3]),
            (["early", "later"], ["> later", "> early"], [1, 0]),
        ],
    )
    def test_reordered_turns(self, turns: Any, contents: Any, expected: list[int]) -> None:
        """They are told in the messages' order, which is not the turns'."""
        found = pairs(turns, contents)
        assert expected == [turn for turn, _ in found]
        assert [place for _, place in found] == list(range(len(contents)))
        assert expected != sorted(expected)

    @pytest.mark.parametrize(
        ("turns", "contents", "expected"),
        [
            (["%", "a 100%", "b"], ["", "a 100", "b"], [(1, 1), (2, 2)]),
            (["a <b>", "b", "<b>"], ["a &lt;b&gt;", "b", "&lt;b&gt;"], [(0, 0), (1, 1), (2, 2)]),
            (["a long text", "b"], ["a long", "b"], [(0, 0), (1, 1)]),
            (["gone", "b"], ["(a separator)", "b"], [(1, 1)]),
            (["old", "% b", "kept", "newest"], ["% b", "kep", "newest"], [(1, 0), (2, 1), (3, 2)]),
            (["one", "%", "two"], ["one", "100% two"], [(0, 0), (1, 1), (2, 1)]),
            (["one", "two", "%"], ["one 100%", "two", "%"], [(0, 0), (1, 1), (2, 2)]),
        ],
    )
    def test_altered_turns(self, turns: Any, contents: Any, expected: Any) -> None:
        """Stand in their own places, and no short text is found in another by chance."""
        assert expected == pairs(turns, contents)

    @pytest.mark.parametrize(
        ("turns", "contents", "expected"),
        [
            (["first", "second", "third"], ["third\nsecond\nfirst"], [2, 1, 0]),
            (["first", "second", "third"], ["first second", "third"], [0, 1, 2]),
            (["first", "second"], ["first", "second"], [0, 1]),
            (["a", "b"], ["b a"], []),
            (["yes", "yes indeed", "first"], ["first", "yes indeed"], [2, 1]),
            (["again", "again", "first"], ["first again"], [2]),
            (["first", "second"], ["first", "first second"], [1]),
        ],
    )
    def test_the_words_own_order(self, turns: Any, contents: Any, expected: Any) -> None:
        """In whatever messages they stand; a text that cannot be told from others is left out."""
        block = Block(tuple({"content": each} for each in contents), 0, True, 0)
        history = History.of([("user", each) for each in turns])
        assert expected == in_the_words_own_order(history, block)

    @pytest.mark.parametrize(
        ("turns", "contents", "expected"),
        [
            (["a", "a"], ["a", "a"], [(0, 0), (1, 1)]),
            (["a", "a"], ["a"], [(1, 0)]),
            (["a", "a"], ["a", "a", "a"], [(0, 0), (1, 1)]),
            (["a", "b", "a"], ["a", "b", "a"], [(0, 0), (1, 1), (2, 2)]),
            (["a", "b", "a", "b"], ["z", "a", "b", "a", "b"], [(0, 1), (1, 2), (2, 3), (3, 4)]),
            (["a", "a"], ["a a"], [(0, 0), (1, 0)]),
        ],
    )
    def test_turns_of_the_same_text(self, turns: Any, contents: Any, expected: Any) -> None:
        """Each stands in one message at most, and in order where there is one."""
        assert expected == pairs(turns, contents)

    @pytest.mark.parametrize(
        ("turns", "contents", "expected"),
        [
            (["", "a", " "], ["", "a", ""], [(0, 0), (1, 1), (2, 2)]),
            (["", "a", " "], ["a"], [(1, 0)]),
            (["", "a"], ["a", ""], [(1, 0)]),
            (["", ""], ["(empty)", "(empty)"], []),
            ([""], [None], [(0, 0)]),
        ],
    )
    def test_turns_without_text(self, turns: Any, contents: Any, expected: Any) -> None:
        """They have no place to be found in, unless nothing was changed at all."""
        assert expected == pairs(turns, contents)


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ("a", ["a"]),
        (None, []),
        (
            [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}],
            ["a", "b"],
        ),
        ([], []),
    ],
)
def test_the_texts_of_a_content(content: Any, texts: list[str]) -> None:
    """A content is a text, a list of parts, or None."""
    assert texts == texts_of(content)
