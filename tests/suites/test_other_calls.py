"""Which model calls are plainly no generation calls (MSG-6)."""

from __future__ import annotations

from typing import Any

import pytest

from counterproof.case import Case
from counterproof.contract import Answer
from counterproof.trace import Ask, Crossing, Trace
from counterproof.worlds import builtin_world
from counterproof_suites.engine.other_calls import _others

WORLD = builtin_world(0)
QUESTION = "How much?"
MARK = "qwertyuiopas"
TOOLS = [{"type": "function"}]
PASSAGE = WORLD.passages[0].text
QUERY = Crossing("query", {"query": QUESTION, "filters": {}})
JUDGE = f"Which is best for {QUESTION}"
WRITER = {"role": "system", "content": "Answer."}
STRICT = {"role": "system", "content": "Answer if you are sure."}


def call(*messages: Any, mark: str = "", tools: Any = None) -> Crossing:
    """A model call; a text is a user message."""
    sent = [{"role": "user", "content": m} if isinstance(m, str) else m for m in messages]
    return Crossing("model", {"messages": sent, "tools": tools, "reply": None, "mark": mark})


WRITES = call(WRITER, f"From {PASSAGE}: {QUESTION}", mark=MARK)


def trace(*crossings: Crossing, answer: str = MARK) -> Trace:
    """A trace of these crossings."""
    return Trace(Ask("probe", QUESTION), crossings, Answer(answer))


def others(told: Trace, *defaults: Trace) -> list[int]:
    """Which of a trace's calls are found, beside these defaults."""

    class Known(Case):
        world = WORLD

        def __init__(self) -> None:
            """No engine is needed."""

        def defaults(self) -> list[Trace]:
            return list(defaults)

    found = {id(each) for each in _others(Known(), told)}
    return [n for n, each in enumerate(told.calls) if id(each) in found]


@pytest.mark.parametrize(
    ("crossings", "expected"),
    [
        pytest.param([WRITES], [], id="the answer alone"),
        pytest.param([call(JUDGE), WRITES], [0], id="a judge before the answer"),
        pytest.param([call(WRITER, JUDGE), WRITES], [0], id="a judge under the same orders"),
        pytest.param([call("In English:"), QUERY], [0], id="a rewriter before a search"),
        pytest.param([QUERY, call("In English:")], [], id="nothing follows"),
        pytest.param([WRITES, call("A title, please.")], [1], id="after the answer"),
        pytest.param([call("Look up.", tools=TOOLS), call("Sure?")], [], id="after a lookup"),
        pytest.param([call("Draft"), call("Draft"), call("Draft")], [], id="the same again"),
        pytest.param(
            [call(WRITER, f"From other words: {QUESTION}"), WRITES], [0], id="other words"
        ),
    ],
)
def test_within_one_trace(crossings: list[Crossing], expected: list[int]) -> None:
    """By what follows a call, and by how it is put."""
    assert expected == others(trace(*crossings))


def test_a_rejected_answer_is_no_other_call() -> None:
    """In the words of a call that writes the answer elsewhere, though its reply never shows."""
    again = call(STRICT, f"Once more: {QUESTION}")
    rejected = call(WRITER, f"From {WORLD.passages[1].text}: {QUESTION}")
    told = trace(rejected, again, answer="Not known.")
    assert others(told) == [0]
    assert others(told, trace(WRITES)) == []


def test_a_judge_that_nothing_follows_is_known_from_elsewhere() -> None:
    """Where it finds nothing to be of use, no answer is written."""
    told = trace(call(JUDGE), answer="Not known.")
    assert others(told) == []
    assert others(told, trace(call(JUDGE), WRITES)) == [0]
