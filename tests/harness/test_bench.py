"""Everything a run stands on: set up, calibrated, asked item by item, and ended."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import psutil
import pytest

from counterproof.bench import Bench, Setting, material_of
from counterproof.calibration import CalibrationError
from counterproof.case import Case
from counterproof.catalogue import RequirementSpec
from counterproof.certificate import Verdict
from counterproof.check import CannotJudge, require
from counterproof.judge import CounterproofOutcome, EngineResult
from counterproof.plan import CounterproofItem, EngineItem
from counterproof.suite import Check, Counterproof, Histories, Suite
from counterproof.trace import History
from counterproof.worlds import WorldSpec, builtin_world
from harness.judging import BANG, DRAWN, FEW, PLAIN, WORLD, Engines, adds, bangs, breaking, clause

ROW = RequirementSpec.model_validate(
    {"id": "RET-1", "version": 1, "level": "core", "title": "t", "sentence": "s", "source": "r"}
)
Make = Callable[..., Bench]
ONLY_PLAIN = Histories(lambda _: [PLAIN])


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    """The small engines."""
    made = Engines(tmp_path_factory.mktemp("vendor"))
    yield made
    made.close()


@pytest.fixture
def bench(engines: Engines) -> Iterator[Make]:
    """Makes the bench of an engine, a check and its sabotages."""
    made: list[Bench] = []

    def bench(engine: str, one: Check, *broken: Counterproof, **given: Any) -> Bench:
        proofs = tuple(dataclasses.replace(each, trips=(one,)) for each in broken)
        suite = Suite({"RET-1": ROW}, (one,), proofs)
        made.append(Bench(Setting(engines.target(engine), WORLD, suite, FEW, 0, **given)))
        return made[-1]

    yield bench
    for each in made:
        each.close()


def found(bench: Bench) -> list[Any]:
    """The results, in the plan's order, of everything run in that order."""
    return [bench.run(each) for each in bench.plan.items]


def test_each_result_is_kept_under_its_items_id(bench: Make) -> None:
    """Engine items and counterproofs alike."""
    made = bench("honest", clause(), breaking("answer", adds))
    results = found(made)
    assert dict(zip(made.plan.ids, results, strict=True)) == made.results
    assert [each.outcome for each in results[:2]] == [Verdict.PASS, Verdict.PASS]
    assert CounterproofOutcome(True, True, "says b") == results[2]


@pytest.mark.parametrize("error", [CannotJudge("no snapshot"), KeyError("x")])
def test_what_the_kit_cannot_do_is_an_error(bench: Make, error: Exception) -> None:
    """Never a verdict on the engine."""

    def breaks(case: Case, history: History) -> None:
        raise error

    told = f"{type(error).__name__}: {error}"
    made = bench("honest", clause(breaks, ONLY_PLAIN))
    assert EngineResult(Verdict.ERROR, told) == made.run(made.plan.items[0])


def test_a_counterproof_that_cannot_be_run_is_a_crash(bench: Make) -> None:
    """Here, because its witness cannot be made."""

    def witness(_: Any) -> History:
        raise LookupError("no such word")

    broken = dataclasses.replace(breaking("answer", adds), witness=witness)
    made = bench("honest", clause(), broken)
    told = "LookupError: no such word"
    assert CounterproofOutcome(False, False, told, told) == made.run(made.plan.items[-1])


def test_a_counterproof_of_a_check_that_fails_is_not_run(bench: Make) -> None:
    """It could only repeat what is known; on one probe of two is enough."""

    def fails(case: Case, history: History) -> None:
        require(case.ask(history).cited, "nothing is cited")

    results = found(bench("honest", clause(fails, ONLY_PLAIN), breaking("answer", adds)))
    assert [each.outcome for each in results[:2]] == [Verdict.PASS, Verdict.FAIL]
    why = "not run: the engine itself fails this check"
    assert CounterproofOutcome(False, False, why) == results[2]


def test_a_counterproof_of_a_check_that_is_never_seen_is_not_run(bench: Make) -> None:
    """There is nothing to prove."""
    made = bench("honest", clause(observable=lambda _: "unseen"), breaking("answer", adds))
    why = "not run: the check cannot be observed on this engine"
    assert CounterproofOutcome(False, False, why) == found(made)[2]


def test_a_counterproof_of_a_check_seen_once_is_run(bench: Make) -> None:
    """On the probes where it is seen."""

    def observable(case: Case) -> str | None:
        return None if case.probe.kind == "miss" else "unseen"

    results = found(bench("honest", clause(observable=observable), breaking("answer", adds)))
    assert [each.outcome for each in results[:2]] == [Verdict.NOT_OBSERVABLE, Verdict.PASS]
    assert CounterproofOutcome(True, True, "says b") == results[2]


@pytest.mark.parametrize("before", [0, 1])
def test_a_counterproof_is_run_by_itself(bench: Make, before: int) -> None:
    """Where its check's own items have not all run, nothing is taken for granted."""

    def observable(case: Case) -> str | None:
        return None if case.probe.kind == "miss" else "unseen"

    made = bench("honest", clause(observable=observable), breaking("answer", adds))
    for item in made.plan.items[:before]:
        made.run(item)
    assert CounterproofOutcome(True, True, "says b") == made.run(made.plan.items[-1])


def test_what_a_sabotage_breaks_stays_broken_apart(bench: Make) -> None:
    """The engine as it is lives in another worker."""
    one = clause(histories=ONLY_PLAIN)
    made = bench("exits", one, breaking("ask", bangs), breaking("answer", adds))
    *engine, crashing, catching = made.plan.items
    assert isinstance(crashing, CounterproofItem)
    crashed: Any = made.run(crashing)
    assert "status 3" in crashed.crashed
    assert [made.run(each).outcome for each in engine] == [Verdict.PASS, Verdict.PASS]  # type: ignore[union-attr]  # engine items
    assert CounterproofOutcome(True, True, "says b") == made.run(catching)


def test_witnesses_are_examples_on_the_engine_too(bench: Make) -> None:
    """What a sabotage shows by, the engine must bear."""
    made = bench("swayed", clause(histories=ONLY_PLAIN), breaking("answer", adds, BANG))
    result: Any = made.run(made.plan.items[0])
    assert (result.outcome, result.found.example) == (Verdict.FAIL, BANG)


def test_a_case_has_the_recorded_refusal_and_a_twin(bench: Make) -> None:
    """Each probe its own; the twin is another process, and sabotaged where its case is."""
    told: list[tuple[str, str | None, str]] = []

    def look(case: Case, history: History) -> None:
        told.append((case.probe.id, case.refusal, case.elsewhere(history).text))
        require(case.elsewhere(history).text == case.default().text, "elsewhere it is another")

    results = found(bench("honest", clause(look, ONLY_PLAIN), breaking("answer", adds)))
    assert told == [
        ("sky", None, "The sky is blue."),
        ("sea", "Not known.", "Not known."),
        ("sky", None, "b"),
    ]
    assert CounterproofOutcome(True, True, "elsewhere it is another") == results[2]


def workers() -> set[int]:
    """The processes that are ours."""
    return {each.pid for each in psutil.Process().children(recursive=True)}


def test_the_end_of_a_bench_ends_its_workers(bench: Make) -> None:
    """All of them: clean, sabotaged, and both twins."""

    def look(case: Case, history: History) -> None:
        require(case.elsewhere(history).text == case.ask(history).text, "no")
        require(case.ask(history).text == case.default().text, "says another")

    before = workers()
    made = bench("honest", clause(look, ONLY_PLAIN), breaking("answer", adds))
    found(made)
    assert len(workers() - before) == 4
    made.close()
    assert workers() == before


@pytest.mark.parametrize(
    ("engine", "given", "words"),
    [
        ("silent", {}, "the seam parse is declared, and stayed silent"),
        (
            "honest",
            {"rehearsal": builtin_world(5)},
            r"over a second world \(as with --world-seed 5\) .*: probe narrative_hit:",
        ),
    ],
)
def test_an_engine_that_is_not_calibrated_leaves_no_worker(
    bench: Make, engine: str, given: dict[str, WorldSpec], words: str
) -> None:
    """What is wrong is said, and no process stays."""
    before = workers()
    with pytest.raises(CalibrationError, match=words):
        bench(engine, clause(), **given)
    assert workers() == before


def test_a_world_learnt_anew_is_no_fault(bench: Make) -> None:
    """An engine that answers from the world it is given is calibrated over a second one, too."""
    made = bench("honest", clause(histories=ONLY_PLAIN), rehearsal=WORLD)
    assert isinstance(made.plan.items[0], EngineItem)


def test_what_histories_are_made_of() -> None:
    """The world's names, poison and documents; what is restricted apart from what is not."""
    world = builtin_world(0)
    made = material_of(world)
    assert {"香港", "Shanghai"} <= set(made.entities)
    assert made.periods == ("FY1320", "FY2023", "FY2024", "FY2025", "FY2099")
    assert made.figures == tuple(str(each) for each in world.canary_figures)
    assert made.canaries == world.canaries
    assert set(made.restricted) | set(made.passages) == {each.text for each in world.passages}
    assert not set(made.restricted) & set(made.passages)
    assert {"merger-terms.md", "hk-results.xlsx"} <= set(made.documents)
    assert len(set(made.documents)) == len(made.documents)


def test_checks_that_draw_alike_share_the_histories_and_the_asks(engines: Engines) -> None:
    """Two checks of one strategy are given the same; each history is put to a probe once."""
    seen: dict[str, list[History]] = {"first": [], "second": []}

    def first(case: Case, history: History) -> None:
        seen["first"].append(history)
        case.ask(history)

    def second(case: Case, history: History) -> None:
        seen["second"].append(history)
        case.ask(history)

    checks = tuple(clause(each, DRAWN) for each in (first, second))
    proofs = (dataclasses.replace(breaking("answer", adds), trips=checks),)
    suite = Suite({"RET-1": ROW}, checks, proofs)
    profile = dataclasses.replace(FEW, shares=True)
    made = Bench(Setting(engines.target("honest"), WORLD, suite, profile, 0))
    try:
        results = [made.run(each) for each in made.plan.items if isinstance(each, EngineItem)]
    finally:
        made.close()
    assert seen["first"] == seen["second"]
    half = len(results) // 2
    assert all(isinstance(each, EngineResult) and each.asks for each in results[:half])
    again = sum(each.asks for each in results[half:] if isinstance(each, EngineResult))
    assert again == sum(not each.turns for each in seen["second"]), "one without turns is its own"
