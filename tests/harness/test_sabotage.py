"""Sabotages happen to the engine itself, and are told to have landed only where they did."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from counterproof.sabotage import Sabotage, Scene, landed
from counterproof.subject import Subject
from counterproof.trace import Ask, Failure, History
from counterproof.worker.link import Link, Target
from counterproof.worlds import builtin_world

WORLD = builtin_world(0)
HIRING = next(each.text for each in WORLD.passages if each.doc == "cn-hiring.md")
POISON = History.of([("user", "香港 FY2024 的营收？"), ("assistant", HIRING)])
REFERENCE = "counterproof_reference.adapter:reference"


def _from_history(scene: Scene, asked: Ask) -> Ask:
    return dataclasses.replace(asked, question=scene.ask.question.replace("FY2025", "FY2024"))


def _parse(scene: Scene, data: dict[str, Any]) -> dict[str, Any]:
    return {"text": data["text"].replace("FY2024", "FY2023")}


def _query(scene: Scene, data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "query": " ".join(scene.said)} if scene.said else data


def _passages(scene: Scene, data: dict[str, Any]) -> dict[str, Any]:
    leak = WORLD.restricted[0]
    return {"passages": [{**leak.model_dump(), "label": "PUBLIC"}, *data["passages"]]}


def _messages(scene: Scene, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    messages.append({"role": "user", "content": "and once more"})
    return messages


def _answer(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "text": answer["text"] + "!"}


CASES = {
    "structured_hit": Sabotage("period-from-history", {"on_ask": _from_history}),
    "multi": Sabotage("parser-misled", {"on_parse": _parse}),
    "narrative_hit": Sabotage("history-in-query", {"on_query": _query}),
    "restricted": Sabotage("leaky-retriever", {"on_passages": _passages}),
    "structured_hit_en": Sabotage("after-the-question", {"on_messages": _messages}),
    "structured_miss": Sabotage("answer-edited", {"on_answer": _answer}, forged=True),
}


@pytest.fixture(scope="module")
def clean() -> Iterator[Subject]:
    """The reference engine as it is."""
    subject = Subject(Link(Target(REFERENCE)), WORLD)
    yield subject
    subject.close()


@pytest.mark.parametrize("probe_id", CASES)
def test_a_sabotage_of_each_hook_lands_on_the_reference_engine(
    clean: Subject, probe_id: str
) -> None:
    """What it alters changes what the engine does, and is marked where it was altered."""
    probe, sabotage = WORLD.probe(probe_id), CASES[probe_id]
    subject = Subject(Link(Target(REFERENCE)), WORLD, sabotage)
    try:
        told = subject.ask(probe, POISON)
    finally:
        subject.close()
    assert told.failure is None
    assert told.altered == set(sabotage.hooks)
    assert landed(clean.ask(probe, POISON), told)


def test_a_leaky_retriever_releases_the_restricted_passage() -> None:
    """Mislabelled public at the seam, it passes every exit: the counterproof of RES-1."""
    subject = Subject(Link(Target(REFERENCE)), WORLD, CASES["restricted"])
    try:
        trace = subject.ask(WORLD.probe("restricted"))
    finally:
        subject.close()
    assert WORLD.restricted[0].doc in {doc for doc, _ in trace.cited}


def test_a_sabotage_that_alters_nothing_has_not_landed(clean: Subject) -> None:
    """Without history, history in the query is no alteration."""
    probe = WORLD.probe("narrative_hit")
    subject = Subject(Link(Target(REFERENCE)), WORLD, CASES["narrative_hit"])
    try:
        told = subject.ask(probe)
    finally:
        subject.close()
    assert told.altered == frozenset()
    assert not landed(clean.ask(probe), told)


def test_a_query_that_is_only_reported_does_not_land(tmp_path: Path) -> None:
    """An engine that reports one query and uses another is not credited with the alteration."""
    (tmp_path / "two_faced.py").write_text(
        "from counterproof import Answer, adapter\n"
        "@adapter(name='two-faced', version='1', channels={'narrative'}, seams={'retrieval'})\n"
        "def engine(world):\n"
        "    shown = world.watch_retrieval(lambda query, **f: [])\n"
        "    def ask(question, **history):\n"
        "        shown(question)\n"
        "        return Answer('the same whatever is shown')\n"
        "    return ask\n",
        encoding="utf-8",
    )
    target = Target("two_faced:engine", folder=str(tmp_path))
    probe = WORLD.probe("narrative_hit")
    traces = []
    for sabotage in (None, CASES["narrative_hit"]):
        subject = Subject(Link(target), WORLD, sabotage)
        try:
            traces.append(subject.ask(probe, POISON))
        finally:
            subject.close()
    assert traces[1].queries != traces[0].queries
    assert not landed(*traces)


def _raises(scene: Scene, end: Any) -> Any:
    return Failure("raised", "IndexError", "no choice")


def _excuses(scene: Scene, end: Any) -> Any:
    assert isinstance(end, Failure)
    given = {"route": None, "refused": None, "plain": None, "tool_results": None}
    return {**given, "text": f"Sorry: {end.message}", "sources": []}


def test_a_sabotage_may_end_an_answer_in_a_failure(clean: Subject) -> None:
    """Which lands; nothing is left of the answer."""
    probe = WORLD.probe("structured_hit")
    subject = clean.under(Sabotage("raises", {"on_end": _raises}, forged=True))
    told = subject.ask(probe)
    assert (told.answer, str(told.failure)) == (None, "IndexError: no choice")
    assert landed(clean.ask(probe), told)


def test_a_sabotage_may_end_a_failure_in_an_answer(tmp_path: Path) -> None:
    """An engine that raises is made to answer."""
    (tmp_path / "raising.py").write_text(
        "from counterproof import Answer, adapter\n"
        "@adapter(name='raising', version='1', channels={'narrative'}, errors={'Gone'})\n"
        "def engine(world):\n"
        "    def ask(question, **history):\n"
        "        raise ValueError('no')\n"
        "    return ask\n",
        encoding="utf-8",
    )
    sabotage = Sabotage("excuses", {"on_end": _excuses}, forged=True)
    subject = Subject(Link(Target("raising:engine", folder=str(tmp_path))), WORLD, sabotage)
    try:
        assert subject.describe().errors == {"Gone"}
        told = subject.ask(WORLD.probe("narrative_hit"))
    finally:
        subject.close()
    assert (told.text, told.failure) == ("Sorry: no", None)


@pytest.mark.parametrize("hooks", [{}, {"on_everything": _answer}])
def test_a_sabotage_without_a_hook_is_refused(hooks: Any) -> None:
    """One that could never land is an error where it is made."""
    with pytest.raises(ValueError, match="hooks are of"):
        Sabotage("none", hooks)
