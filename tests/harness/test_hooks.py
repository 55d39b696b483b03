"""A hook of the kit's that fails is the kit's error and names itself, never the engine's fault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from counterproof.case import Case
from counterproof.judge import run_counterproof_item
from counterproof.model.scripted import ScriptedModel
from counterproof.plan import CounterproofItem
from counterproof.sabotage import Sabotage
from counterproof.subject import HookFailed, Subject
from counterproof.worker import crossings
from counterproof.worker.link import BadCrossing
from harness.judging import FEW, NOTHING, PLAIN, SKY, WORLD, Engines, breaking, clause


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    """The small engines."""
    made = Engines(tmp_path_factory.mktemp("vendor"))
    yield made
    made.close()


def stumbles(_: Any, value: Any) -> Any:
    """As a hook does that counts on a member that is not there."""
    return value["no such member"]


def no_json(_: Any, crossing: Any) -> Any:
    """A query that no message can hold."""
    return {**crossing, "filters": {"only": {1, 2}}}


def empties(_: Any, crossing: Any) -> Any:
    """What is no crossing of that seam."""
    return {}


@pytest.mark.parametrize(
    ("on", "hook"),
    [("query", stumbles), ("messages", lambda _, sent: sent["role"]), ("passages", empties),
     ("query", no_json), ("answer", stumbles), ("ask", stumbles)],
)  # fmt: skip
def test_a_sabotage_that_fails_names_itself(engines: Engines, on: str, hook: Any) -> None:
    """By name and hook; the engine is asked again as if nothing had been."""
    subject = Subject(engines.link("honest"), WORLD)
    broken = subject.under(Sabotage("stumbles", {f"on_{on}": hook}))
    with pytest.raises(HookFailed, match=f"the sabotage stumbles failed on_{on}: "):
        broken.ask(SKY, PLAIN)
    assert subject.ask(SKY, PLAIN, fresh=True).failure is None


def test_a_model_that_fails_names_itself(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the scripted model cannot do is no message the worker sent."""
    monkeypatch.setattr(ScriptedModel, "_play", lambda _, call: call.tools["x"])
    with pytest.raises(HookFailed, match=r"the scripted model, cooperative, failed .*TypeError"):
        Subject(engines.link("honest"), WORLD).ask(SKY, PLAIN)


def test_such_a_counterproof_is_an_error(engines: Engines) -> None:
    """Neither caught nor a failure of the engine's."""
    check, broken = clause(), breaking("query", stumbles)
    subject = Subject(engines.link("honest", 1), WORLD)
    clean = Subject(engines.link("honest"), WORLD)
    found = run_counterproof_item(
        CounterproofItem(check, broken, (SKY,)),
        lambda probe, behaviour: Case(
            subject.under(broken.sabotage), probe, behaviour, twin=lambda: subject
        ),
        lambda probe, behaviour: Case(clean, probe, behaviour, twin=lambda: clean),
        NOTHING,
        FEW,
        0,
    )
    assert not found.caught
    assert "the sabotage breaks failed on_query: KeyError" in str(found.crashed)


PASSAGE = {"doc": "a.md", "locator": None, "text": "A.", "label": None}
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"properties": {}}}}


@pytest.mark.parametrize(
    ("seam", "data"),
    [
        ("parse", {"text": "A?"}),
        ("query", {"query": "A?", "filters": {"limit": 3}}),
        ("passages", {"passages": [PASSAGE]}),
        ("model", {"messages": [{"role": "user"}], "tools": None}),
        ("model", {"messages": [], "tools": [TOOL, {"name": "look"}], "suggested": None}),
    ],
)
def test_what_crosses_a_seam_may(seam: str, data: Any) -> None:
    crossings.verify(seam, data)


@pytest.mark.parametrize(
    ("seam", "data", "words"),
    [
        ("verdict", {"verdict": "PASS"}, "no seam 'verdict'"),
        ("parse", ["A?"], "no object"),
        ("parse", {}, "text at the seam parse"),
        ("parse", {"text": ["A?"]}, "text at the seam parse"),
        ("query", {"query": "A?"}, "filters at the seam query"),
        ("passages", {"passages": [3]}, "passages at the seam passages"),
        ("passages", {"passages": [{**PASSAGE, "text": None}]}, "passages at the seam passages"),
        ("model", {"messages": "A?", "tools": None}, "messages at the seam model"),
        ("model", {"messages": ["A?"], "tools": None}, "messages at the seam model"),
        ("model", {"messages": []}, "tools at the seam model"),
        ("model", {"messages": [], "tools": [3]}, "tools at the seam model"),
        ("model", {"messages": [], "tools": [{"function": "look"}]}, "tools at the seam model"),
        (
            "model",
            {"messages": [], "tools": [{"function": {"parameters": {"properties": [1]}}}]},
            "tools at the seam model",
        ),
    ],
)
def test_what_does_not_is_the_workers_fault(seam: str, data: Any, words: str) -> None:
    with pytest.raises(BadCrossing, match=words):
        crossings.verify(seam, data)
