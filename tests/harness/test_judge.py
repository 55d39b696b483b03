"""Engine items on real engines: passed, failed, not observable, and an engine that is lost."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from counterproof.case import Case
from counterproof.certificate import Verdict
from counterproof.check import CannotJudge, DidNotAnswer, require
from counterproof.judge import EngineResult, run_engine_item
from counterproof.model.behaviours import COOPERATIVE, FUZZED
from counterproof.model.scripted import ScriptedModel
from counterproof.plan import EngineItem
from counterproof.subject import Subject
from counterproof.suite import Check, Histories
from counterproof.trace import Ask, History
from counterproof.worker import link
from harness.judging import BANG, DRAWN, FEW, NOTHING, PLAIN, SKY, WORLD, Engines, clause

SENT: dict[str, Any] = {"messages": [], "tools": None}


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    """The small engines."""
    made = Engines(tmp_path_factory.mktemp("vendor"))
    yield made
    made.close()


class TestEngineItem:
    @pytest.fixture
    def judged(self, engines: Engines) -> Callable[..., EngineResult]:
        """Runs a check on an engine, opened anew where it is given by name."""

        def judged(
            engine: str | Subject, made: Check, *witnesses: History, seed: int = 0
        ) -> EngineResult:
            subject = Subject(engines.link(engine), WORLD) if isinstance(engine, str) else engine
            case = Case(subject, SKY, twin=lambda: subject)
            item = EngineItem(made, SKY, COOPERATIVE)
            return run_engine_item(item, case, NOTHING, witnesses, FEW, seed)

        return judged

    def test_pass(self, judged: Callable[..., EngineResult]) -> None:
        """Every example held; examples and asks are counted, the default once."""
        found = judged("honest", clause())
        assert (found.outcome, found.reason, found.found) == (Verdict.PASS, None, None)
        assert FEW.sabotaged + 10 < found.examples <= FEW.examples + 1
        assert found.asks == found.examples + 1

    @pytest.mark.parametrize("most", [None, 0])
    def test_what_a_fuzzed_model_replies_is_drawn(self, engines: Engines, most: int | None) -> None:
        """With the histories, however few of those are drawn else; explicit ones come first."""
        subject = Subject(engines.link("honest"), WORLD)
        case = Case(subject, SKY, FUZZED, twin=lambda: subject)
        replies = []

        def looks(case: Case, history: History) -> None:
            (call,) = case.ask(history).calls
            replies.append(call.reply)
            require("unheard" not in str(call.reply), "never")

        histories = Histories(DRAWN.explicit, DRAWN.drawn, most=most)
        item = EngineItem(clause(looks, histories, behaviours=(FUZZED,)), SKY, FUZZED)
        found = run_engine_item(item, case, NOTHING, (), FEW, 0)
        assert (found.outcome, found.examples) == (Verdict.PASS, 1 + FEW.examples)
        assert (
            replies[0] == ScriptedModel(WORLD).reply(Ask("sky", "", PLAIN, FUZZED), SENT, 0).message
        )
        assert len({str(each) for each in replies}) > FEW.examples // 2

    def test_the_replies_of_a_fuzzed_model_are_shrunk(self, engines: Engines) -> None:
        """To the fewest and plainest that violate."""
        subject = Subject(engines.link("honest"), WORLD)
        case = Case(subject, SKY, FUZZED, twin=lambda: subject)

        def quiet(case: Case, history: History) -> None:
            trace = case.ask(history)
            calls = [
                each for call in trace.calls for each in (call.reply or {}).get("tool_calls", ())
            ]
            require(len(calls) < 2, "calls", trace)

        item = EngineItem(clause(quiet, behaviours=(FUZZED,)), SKY, FUZZED)
        found = run_engine_item(item, case, NOTHING, (), FEW, 0)
        assert found.trace is not None
        (call,) = found.trace.calls
        assert call.reply is not None
        assert len(call.reply["tool_calls"]) == 2
        assert found.trace.ask.history.turns == ()

    @pytest.mark.parametrize("explicit", [[], [PLAIN, BANG]])
    def test_a_counterexample_is_shrunk(
        self, judged: Callable[..., EngineResult], explicit: list[History]
    ) -> None:
        """Also where an explicit example failed first: the smaller one is reported."""
        found = judged("swayed", clause(histories=Histories(lambda _: explicit, DRAWN.drawn)))
        assert (found.outcome, found.reason) == (Verdict.FAIL, "says !")
        assert found.found is not None
        assert found.found.example == History.of([("user", "!")])
        assert found.trace is not None
        assert found.trace.ask.history == found.found.example
        assert found.trace.text == "!"

    def test_what_is_not_drawn_is_reported_as_it_stands(
        self, judged: Callable[..., EngineResult]
    ) -> None:
        """Where the explicit ones are all, the first that fails."""
        found = judged("swayed", clause(histories=Histories(lambda _: [PLAIN, BANG, PLAIN])))
        assert (found.outcome, found.examples) == (Verdict.FAIL, 2)
        assert found.found is not None
        assert found.found.example == BANG

    def test_each_example_begins_anew(self, judged: Callable[..., EngineResult]) -> None:
        """Its traces are its own; a long run keeps no more of them than a short one."""
        kept: list[int] = []

        def look(case: Case, history: History) -> None:
            kept.append(len(case.traces))
            case.ask(history)

        assert judged("honest", clause(look)).outcome is Verdict.PASS
        assert set(kept) == {0}

    def test_witnesses_are_examples_too(self, judged: Callable[..., EngineResult]) -> None:
        """Each once, after the check's own."""
        seen: list[History] = []
        made = clause(lambda _, history: seen.append(history), Histories(lambda _: [PLAIN]))
        assert judged("honest", made, BANG, PLAIN, BANG).outcome is Verdict.PASS
        assert seen == [PLAIN, BANG]

    def test_so_many_are_drawn_at_most(self, judged: Callable[..., EngineResult]) -> None:
        """Where a check's asks are dear."""
        made = clause(histories=dataclasses.replace(DRAWN, most=3))
        assert judged("honest", made).examples <= 1 + 3

    def test_the_seed_decides_what_is_drawn(self, judged: Callable[..., EngineResult]) -> None:
        """The same run draws the same."""
        runs: list[list[History]] = []
        for seed in (0, 0, 1):
            seen: list[History] = []

            def look(_: Case, history: History, seen: list[History] = seen) -> None:
                seen.append(history)

            judged("honest", clause(look), seed=seed)
            runs.append(seen)
        assert runs[0] == runs[1] != runs[2]

    def test_not_observable(self, judged: Callable[..., EngineResult]) -> None:
        """No example is run."""
        found = judged("swayed", clause(observable=lambda case: f"no {case.probe.id}"), BANG)
        assert found == EngineResult(Verdict.NOT_OBSERVABLE, "no sky")

    def test_a_failure_while_looking_what_can_be_observed(
        self, judged: Callable[..., EngineResult]
    ) -> None:
        """It is a violation, with the ask that showed it."""
        found = judged("raises", clause(observable=lambda case: str(case.ask(BANG))))
        assert (found.outcome, found.examples, found.asks) == (Verdict.FAIL, 1, 1)
        assert "I will not" in str(found.reason)
        assert found.trace is not None
        assert found.trace.ask.history == BANG

    def test_the_trace_a_violation_names(self, judged: Callable[..., EngineResult]) -> None:
        """It is shown rather than the last."""

        def names(case: Case, history: History) -> None:
            trace = case.ask(history)
            case.ask(PLAIN)
            require(trace.text != "!", "named", trace)

        found = judged("swayed", clause(names))
        assert found.trace is not None
        assert found.trace.ask.history == History.of([("user", "!")])

    def test_an_engine_that_raises(self, judged: Callable[..., EngineResult]) -> None:
        """The worker lives, so the counterexample is shrunk."""
        found = judged("raises", clause(), BANG)
        assert found.outcome is Verdict.FAIL
        assert found.found is not None
        assert isinstance(found.found.violation, DidNotAnswer)
        assert found.found.example == History.of([("user", "!")])

    @pytest.mark.parametrize("drawn", [False, True])
    @pytest.mark.parametrize(("engine", "kind"), [("exits", "exited"), ("hangs", "hung")])
    def test_a_lost_worker(
        self,
        engines: Engines,
        judged: Callable[..., EngineResult],
        monkeypatch: pytest.MonkeyPatch,
        engine: str,
        kind: str,
        drawn: bool,
    ) -> None:
        """The first example is kept, no other is waited for, and the run goes on."""
        monkeypatch.setattr(link, "ASK_SECONDS", 2.0)
        to = engines.link(engine)
        subject = Subject(to, WORLD)
        goes_on = clause(histories=Histories(lambda _: [PLAIN]))
        assert judged(subject, goes_on).outcome is Verdict.PASS
        starts, hangs = to.starts, to.hangs + (kind == "hung")
        found = judged(subject, clause(), *([] if drawn else [BANG]))
        assert (to.starts, to.hangs) == (starts, hangs)
        assert found.outcome is Verdict.FAIL
        assert found.found is not None
        assert found.trace is not None
        assert found.trace.failure is not None
        assert found.trace.failure.kind == kind
        assert found.trace.ask.history == found.found.example
        assert drawn or found.found.example == BANG
        assert any("!" in text for text in found.found.example.texts)
        assert judged(subject, goes_on).outcome is Verdict.PASS
        assert (to.starts, to.hangs) == (starts + 1, hangs)

    @pytest.mark.parametrize("error", [CannotJudge("no snapshot"), KeyError("x")])
    def test_what_a_check_cannot_judge_is_no_violation(
        self, judged: Callable[..., EngineResult], error: Exception
    ) -> None:
        """It comes through, for the bench to call an ERROR."""

        def breaks(case: Case, history: History) -> None:
            raise error

        with pytest.raises(type(error)):
            judged("honest", clause(breaks))
