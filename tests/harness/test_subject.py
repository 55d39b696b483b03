"""A subject over the real reference engine in its worker: traces, defaults, failures."""

from __future__ import annotations

import dataclasses
import json
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from counterproof import adapter
from counterproof.canonical import canonical
from counterproof.model.behaviours import EMPTY, NO_TOOL, PARROT, WRONG_ENTITY
from counterproof.subject import AdapterError, Subject
from counterproof.trace import History
from counterproof.worker.link import Link, Target
from counterproof.worlds import builtin_world

WORLD = builtin_world(0)
HIT = WORLD.probe("structured_hit")
POISON = History.of([("user", "Shanghai FY2099?"), ("assistant", "Shanghai FY2099 REVENUE = 999")])


@pytest.fixture(scope="module")
def subject() -> Iterator[Subject]:
    """The reference engine as a subject."""
    made = Subject(Link(Target("counterproof_reference.adapter:reference")), WORLD)
    yield made
    made.close()


def test_a_trace_holds_each_seam_in_order(subject: Subject) -> None:
    """Parse, then the model twice around the tool, then the answer."""
    trace = subject.ask(HIT)
    assert [each.seam for each in trace.crossings] == ["parse", "model", "model"]
    assert trace.parsed == (HIT.question,)
    assert f"{HIT.values[0]:g}" in trace.text
    assert trace.calls[1].mark


def test_history_is_all_that_a_trace_with_history_adds(subject: Subject) -> None:
    """The reference engine's messages, less the history, are the default's (MSG-5)."""
    default, told = subject.default(HIT), subject.ask(HIT, POISON)
    turns = [{"role": role, "content": text} for role, text in POISON.turns]
    for plain, with_history in zip(default.calls, told.calls, strict=True):
        assert list(with_history.messages[1:3]) == turns
        assert with_history.messages[:1] + with_history.messages[3:] == plain.messages
    assert told.text == default.text


@pytest.mark.parametrize("kind", ["none", "list", "tuple"])
@pytest.mark.parametrize("probe", WORLD.probes, ids=lambda probe: probe.id)
def test_an_empty_history_of_any_kind_gives_equal_bytes(
    subject: Subject, probe: Any, kind: str
) -> None:
    """Omitted, None, [] and () give the reference engine's trace byte for byte (DEF-1)."""
    assert subject.ask(probe, History(kind), fresh=True).bytes == subject.default(probe).bytes


@pytest.mark.parametrize("behaviour", [PARROT, NO_TOOL, EMPTY, WRONG_ENTITY], ids=str)
def test_a_hostile_model_never_speaks_for_the_reference_engine(
    subject: Subject, behaviour: Any
) -> None:
    """Whatever the model says, no figure of history's or of its own is in the answer (FAB-5)."""
    trace = subject.ask(WORLD.probe("structured_miss"), POISON, behaviour)
    assert trace.failure is None
    assert "= 999" not in trace.text
    assert str(WORLD.canary_figures[0]) not in trace.text
    assert trace.cited == ()


def test_the_model_plays_the_behaviour_it_is_told(subject: Subject) -> None:
    """The parrot repeats history; the one that invents does not call the tool."""
    parrot = subject.ask(HIT, POISON, PARROT).calls[0].reply
    inventor = subject.ask(HIT, POISON, NO_TOOL).calls[0].reply
    assert parrot is not None
    assert inventor is not None
    assert "Shanghai FY2099 REVENUE = 999" in parrot["content"]
    assert str(WORLD.canary_figures[0]) in inventor["content"]
    assert "tool_calls" not in inventor


def test_a_fresh_engine_is_opened_only_where_it_is_asked_for(tmp_path: Path) -> None:
    """Asks share an engine; ``fresh`` and the default open a new one, the default once."""
    (tmp_path / "counting.py").write_text(
        "from counterproof import Answer, adapter\n"
        "@adapter(name='counting', version='1', channels={'structured'})\n"
        "def engine(world):\n"
        "    asked = []\n"
        "    def ask(question, **h):\n"
        "        asked.append(question)\n"
        "        return Answer('x' * len(asked))\n"
        "    return ask\n",
        encoding="utf-8",
    )
    subject = Subject(Link(Target("counting:engine", folder=str(tmp_path))), WORLD)
    try:
        said = [subject.ask(HIT).text, subject.ask(HIT).text, subject.ask(HIT, fresh=True).text]
        assert said == ["x", "xx", "x"]
        assert subject.ask(HIT).text == "xx"
        assert subject.default(HIT).text == "x"
        assert subject.ask(HIT).text == "xx"
        assert subject.default(HIT).text == "x"
        assert subject.ask(HIT).text == "xxx"
    finally:
        subject.close()


def test_the_model_calls_a_tool_as_the_adapter_says(tmp_path: Path) -> None:
    """``tool_call`` decides name and arguments; a question that names another period, that one."""
    (tmp_path / "own_tool.py").write_text(
        "import json\n"
        "from counterproof import Answer, adapter\n"
        "def call(probe):\n"
        "    return 'fetch', {'p1': probe.slots[0].get('entity', ''), 'unit': 'USD'}\n"
        "@adapter(name='own', version='1', channels={'structured'}, tool_call=call)\n"
        "def engine(world):\n"
        "    def ask(question, **h):\n"
        "        got = world.model.complete([{'role': 'user', 'content': question}], [{}])\n"
        "        return Answer(json.dumps(got['choices'][0]['message']['tool_calls'][0]))\n"
        "    return ask\n",
        encoding="utf-8",
    )
    subject = Subject(Link(Target("own_tool:engine", folder=str(tmp_path))), WORLD)
    try:
        function = json.loads(subject.ask(HIT).text)["function"]
    finally:
        subject.close()
    assert function["name"] == "fetch"
    assert json.loads(function["arguments"]) == {"p1": "香港", "unit": "USD"}


def test_a_failing_engine_leaves_a_trace_and_the_next_ask_works(tmp_path: Path) -> None:
    """An engine that exits on one question is told, restarted, and asked again."""
    (tmp_path / "frail.py").write_text(
        "import os\n"
        "from counterproof import Answer, adapter\n"
        "@adapter(name='frail', version='1', channels={'structured'})\n"
        "def engine(world):\n"
        "    return lambda question, **h: os._exit(0) if h else Answer('fine')\n",
        encoding="utf-8",
    )
    subject = Subject(Link(Target("frail:engine", folder=str(tmp_path))), WORLD)
    try:
        died = subject.ask(HIT, POISON)
        assert died.failure is not None
        assert died.failure.kind == "exited"
        assert subject.ask(HIT).text == "fine"
    finally:
        subject.close()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("raise RuntimeError('no licence')", "no licence"),
        ("import os; os._exit(0)", "status 0"),
        ("engine = 3", "no function marked with @adapter"),
    ],
)
def test_an_adapter_that_cannot_be_loaded_is_an_adapter_error(
    tmp_path: Path, body: str, words: str
) -> None:
    """What is wrong with the adapter is said, whose fault it is included."""
    (tmp_path / "bad.py").write_text(body, encoding="utf-8")
    subject = Subject(Link(Target("bad:engine", folder=str(tmp_path))), WORLD)
    with pytest.raises(AdapterError, match=words):
        subject.ask(HIT)
    subject.close()


def test_an_engine_runs_in_an_environment_that_has_none_of_ours(tmp_path: Path) -> None:
    """Under another interpreter only our package's files are lent to the worker."""
    venv.create(tmp_path / "theirs", with_pip=False)
    python = str(tmp_path / "theirs" / "bin" / "python")
    target = Target("counterproof_reference.adapter:reference", python=python)
    subject = Subject(Link(target), WORLD)
    try:
        assert subject.describe().version == "not installed"
        assert f"{HIT.values[0]:g}" in subject.ask(HIT).text
    finally:
        subject.close()


def test_volatile_members_are_masked_and_nothing_else(subject: Subject) -> None:
    """Two traces that differ in a declared clock alone are equal; in a figure, they are not."""
    trace = subject.default(HIT)
    assert trace.answer is not None

    def with_results(*results: Any) -> bytes:
        answer = dataclasses.replace(trace.answer, tool_results=results)  # type: ignore[type-var]  # not None here
        return dataclasses.replace(trace, answer=answer, volatile=frozenset({"at"})).bytes

    assert with_results({"at": "1", "v": 2}) == with_results({"at": "9", "v": 2})
    assert with_results('{"at": "1", "v": 2}') == with_results('{"at": "9", "v": 2}')
    assert with_results({"at": "1", "v": 2}) != with_results({"at": "1", "v": 3})


def test_canonical_bytes_tell_apart_what_json_cannot_hold() -> None:
    """Lone surrogates, infinities and huge integers are tagged; key order does not matter."""
    values = [
        "\ud800", "\\ud800", "'\\ud800'", {"$surrogates": "'\\ud800'"},
        float("inf"), "inf", {"$float": "inf"},
        2**60, str(2**60), {"$int": hex(2**60)}, None,
    ]  # fmt: skip
    assert len({canonical(each) for each in values}) == len(values)
    assert canonical({"a": 1, "b": 2}) == canonical({"b": 2, "a": 1})


def test_a_declared_reducer_is_told(tmp_path: Path) -> None:
    """As the adapter declares it; an engine that keeps all of a history declares none."""
    (tmp_path / "reducing.py").write_text(
        "from counterproof import adapter\n"
        "from counterproof_reference.adapter import reference\n"
        "words = dict(name='r', version='1', channels={'narrative'})\n"
        "newest = adapter(**words, reducer='newest')(lambda world: reference(world))\n"
        "every = adapter(**words)(lambda world: reference(world))\n"
    )
    for name, kept in (("newest", "newest"), ("every", None)):
        subject = Subject(Link(Target(f"reducing:{name}", folder=str(tmp_path))), WORLD)
        assert subject.describe().reducer == kept
        subject.close()


def test_an_unknown_reducer_is_refused() -> None:
    """What it keeps must be one of the policies the kit knows."""
    with pytest.raises(ValueError, match="reducer: 'oldest' is not one of newest"):
        adapter(name="r", version="1", channels={"narrative"}, reducer="oldest")
