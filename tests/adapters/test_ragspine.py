"""The adapter of rag-spine, in its worker, under this interpreter; skipped without rag-spine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from counterproof.mentions import quotes, states_any
from counterproof.model.behaviours import FAILING_ERROR, FAILING_TIMEOUT
from counterproof.sabotage import Sabotage
from counterproof.strategies import decision_case
from counterproof.subject import Subject
from counterproof.trace import History
from counterproof.worker.link import Link, Target
from counterproof.worlds import Probe, builtin_world

pytest.importorskip("ragspine")

WORLD = builtin_world(0)
FIGURES = {fact.value for fact in WORLD.facts}
TOLD = History.of(decision_case())


@pytest.fixture(scope="module")
def subject() -> Iterator[Subject]:
    """The engine as a subject."""
    made = Subject(Link(Target("counterproof.adapters.ragspine:ragspine")), WORLD)
    yield made
    made.close()


@pytest.mark.parametrize("probe", WORLD.probes, ids=lambda probe: probe.id)
def test_each_probe_yields_what_the_world_says(subject: Subject, probe: Probe) -> None:
    """Values, sources and refusals are the world's, on every channel and claim."""
    declared = subject.describe()
    assert probe.channel in declared.channels
    assert probe.claim is None or probe.claim in declared.claims
    trace = subject.default(probe)
    assert trace.failure is None
    assert trace.text.strip()
    cited = {doc for doc, _ in trace.cited}
    assert set(probe.values) <= states_any(trace.text, probe.values)
    assert not probe.sources or cited & set(probe.sources)
    assert not cited & set(probe.forbidden)
    if probe.refuses:
        assert not cited
        assert not states_any(trace.text, FIGURES)


@pytest.mark.parametrize("probe", WORLD.probes, ids=lambda probe: probe.id)
def test_sources_stand_in_the_world_as_they_are_cited(subject: Subject, probe: Probe) -> None:
    """Documents and locators are the world's own."""
    known = {(fact.doc, fact.locator) for fact in WORLD.facts}
    known |= {(passage.doc, passage.locator) for passage in WORLD.passages}
    assert set(subject.default(probe).cited) <= known


@pytest.mark.parametrize("probe", WORLD.probes, ids=lambda probe: probe.id)
def test_nothing_in_a_trace_is_volatile(subject: Subject, probe: Probe) -> None:
    """Another fresh engine gives the same bytes, and so does one that was asked before."""
    default = subject.default(probe)
    assert subject.ask(probe, fresh=True).bytes == default.bytes
    subject.ask(probe, TOLD)
    assert subject.ask(probe).bytes == default.bytes


def test_only_a_refusal_of_the_gate_is_told_as_refused(subject: Subject) -> None:
    """The engine says of nothing else that it refuses."""
    told = {p.id: a.refused for p in WORLD.probes if (a := subject.default(p).answer)}
    assert {name for name, refused in told.items() if refused} == {"out_of_scope"}
    assert set(told.values()) == {True, None}


def test_the_parser_reads_what_crosses_its_seam(subject: Subject) -> None:
    """A text altered there is the text the engine parses."""
    asks_for_more = {"on_parse": lambda scene, data: {"text": f"{data['text']} FY2024"}}
    probe = WORLD.probe("structured_hit")
    trace = subject.under(Sabotage("altered", asks_for_more)).ask(probe)
    multi = WORLD.probe("multi").values
    assert states_any(trace.text, multi) == set(multi)


@pytest.mark.parametrize("probe_id", ["narrative_hit", "composite"])
def test_the_retriever_searches_for_what_crosses_its_seam(subject: Subject, probe_id: str) -> None:
    """A query altered there is the query searched for, and its filters go along."""
    elsewhere = {"on_query": lambda scene, data: {**data, "query": "售后工程师 培训"}}
    probe = WORLD.probe(probe_id)
    trace = subject.under(Sabotage("altered", elsewhere)).ask(probe)
    assert trace.passages[0]["doc"] == "cn-hiring.md"
    assert subject.default(probe).passages[0]["doc"] != "cn-hiring.md"


def test_passages_added_at_the_seam_reach_model_and_sources(subject: Subject) -> None:
    """Even a restricted one: it stands behind the engine's own exit."""
    added = WORLD.restricted[0]

    def leak(scene: Any, data: Any) -> Any:
        return {"passages": [added.model_dump(), *data["passages"]]}

    probe = WORLD.probe("restricted")
    trace = subject.under(Sabotage("altered", {"on_passages": leak})).ask(probe)
    assert trace.cited[0] == (added.doc, added.locator)
    assert quotes(trace.text, added.text)
    assert added.doc not in {each["doc"] for each in subject.default(probe).passages}


def test_history_reaches_each_generation_call_of_the_engine(subject: Subject) -> None:
    """As the turns that follow the system message."""
    turns = [{"role": role, "content": text} for role, text in TOLD.turns]
    for probe in WORLD.probes:
        for call in subject.ask(probe, TOLD).generation_calls:
            assert list(call.messages[1:3]) == turns


@pytest.mark.parametrize("probe", WORLD.probes, ids=lambda probe: probe.id)
@pytest.mark.parametrize("behaviour", [FAILING_ERROR, FAILING_TIMEOUT], ids=str)
def test_a_failing_model_is_the_providers_error(
    subject: Subject, probe: Probe, behaviour: Any
) -> None:
    """The engine knows it, and answers."""
    trace = subject.ask(probe, behaviour=behaviour)
    assert trace.failure is None
    assert trace.text.strip()
