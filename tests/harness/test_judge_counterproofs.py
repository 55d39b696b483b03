"""Counterproofs on real engines: landed, crashed, caught, in this order."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from counterproof.case import Case
from counterproof.check import require
from counterproof.judge import CounterproofOutcome, MakeCase, run_counterproof_item
from counterproof.plan import CounterproofItem
from counterproof.subject import Subject
from counterproof.suite import Check, Counterproof, Histories
from counterproof.trace import History
from counterproof.worlds import Probe
from harness.judging import (
    BANG,
    DRAWN,
    FEW,
    NOTHING,
    PLAIN,
    SEA,
    SKY,
    WORLD,
    Engines,
    adds,
    bangs,
    breaking,
    clause,
    more,
    says,
)

LANDED_UNCAUGHT = "it landed, and the check did not catch it"


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    """The small engines."""
    made = Engines(tmp_path_factory.mktemp("vendor"))
    yield made
    made.close()


def cases(subject: Subject) -> MakeCase:
    """Makes cases of an engine."""
    return lambda probe, behaviour: Case(subject, probe, behaviour, twin=lambda: subject)


class TestCounterproofItem:
    @pytest.fixture
    def tried(self, engines: Engines) -> Callable[..., CounterproofOutcome]:
        """Runs a check on a sabotaged engine."""

        def tried(
            engine: str, made: Check, broken: Counterproof, *probes: Probe
        ) -> CounterproofOutcome:
            clean = Subject(engines.link(engine), WORLD)
            sabotaged = Subject(engines.link(engine, 1), WORLD).under(broken.sabotage)
            item = CounterproofItem(made, broken, probes or (SKY,))
            return run_counterproof_item(item, cases(sabotaged), cases(clean), NOTHING, FEW, 0)

        return tried

    @pytest.mark.parametrize("on", ["answer", "messages", "query", "ask"])
    def test_landed_and_caught(self, tried: Callable[..., CounterproofOutcome], on: str) -> None:
        """At the answer, before the model, upstream of what the engine does, and in the ask."""
        hooks: Any = {
            "answer": adds,
            "messages": more,
            "query": lambda scene, data: {**data, "query": " ".join(scene.said) or data["query"]},
            "ask": lambda scene, asked: (
                dataclasses.replace(asked, question=SEA.question) if asked.history else asked
            ),
        }

        def same(case: Case, history: History) -> None:
            require(case.ask(history).bytes == case.default().bytes, "it is another")

        assert CounterproofOutcome(True, True, "it is another") == tried(
            "honest", clause(same), breaking(on, hooks[on])
        )

    def test_landed_and_not_caught(self, tried: Callable[..., CounterproofOutcome]) -> None:
        """Nor by any explicit or drawn example: the check proves nothing here."""
        seen: list[History] = []

        def sees_nothing(case: Case, history: History) -> None:
            seen.append(history)
            case.ask(history)

        explicit = Histories(lambda _: [BANG], DRAWN.drawn)
        made = clause(sees_nothing, explicit)
        found = tried("honest", made, breaking("messages", more))
        assert CounterproofOutcome(True, False, LANDED_UNCAUGHT) == found
        assert seen[:2] == [PLAIN, BANG]
        assert 2 + FEW.sabotaged // 2 < len(seen) <= 2 + FEW.sabotaged

    @pytest.mark.parametrize("probes", [(SKY,), (SKY, SEA), (SEA, SKY)])
    def test_caught_by_a_further_example(
        self, tried: Callable[..., CounterproofOutcome], probes: tuple[Probe, ...]
    ) -> None:
        """The witness lands; what it does not show, one that is drawn there does, unshrunk."""
        long: list[History] = []

        def in_the_sky(scene: Any, answer: dict[str, Any]) -> dict[str, Any]:
            return adds(scene, answer) if scene.probe is SKY else answer

        def long_ones(case: Case, history: History) -> None:
            if len(history.turns) > 2:
                long.append(history)
                says(case, history)
            case.ask(history)

        found = tried("honest", clause(long_ones), breaking("answer", in_the_sky), *probes)
        assert (found.landed, found.caught, found.crashed) == (True, True, None)
        assert found.message == f"says {long[-1].texts[-1]}"
        assert len(set(long)) == 1

    def test_one_example_does_not_catch_for_another(
        self, tried: Callable[..., CounterproofOutcome]
    ) -> None:
        """It lands on one, and another, on which nothing is altered, is violated: no catch."""

        def only_plain(scene: Any, messages: list[Any]) -> list[Any]:
            return more(scene, messages) if scene.ask.history == PLAIN else messages

        def all_but_plain(case: Case, history: History) -> None:
            case.ask(history)
            require(history == PLAIN, "never")

        found = tried("honest", clause(all_but_plain), breaking("messages", only_plain))
        assert CounterproofOutcome(True, False, LANDED_UNCAUGHT) == found

    def test_the_witness_is_enough(self, tried: Callable[..., CounterproofOutcome]) -> None:
        """Caught by it, nothing further is run."""
        seen: list[History] = []

        def look(case: Case, history: History) -> None:
            seen.append(history)
            says(case, history)

        assert tried("honest", clause(look), breaking("answer", adds)).caught
        assert seen == [PLAIN]

    @pytest.mark.parametrize(
        ("engine", "on", "hook", "why"),
        [
            ("silent", "parse", lambda scene, data: {"text": "!"},
             "nothing to alter: the engine does not come by there"),
            ("honest", "answer", lambda scene, answer: answer,
             "nothing to alter: the engine does not come by there"),
            ("two_faced", "query", lambda scene, data: {**data, "query": "the sea"},
             "altered, but nothing after it changed: the engine does not use what crosses there"),
            ("honest", "query", lambda scene, data: {**data, "query": "sky?"},
             "altered, but nothing after it changed: the engine does not use what crosses there"),
        ],
    )  # fmt: skip
    def test_not_landed(
        self, tried: Callable[..., CounterproofOutcome], engine: str, on: str, hook: Any, why: str
    ) -> None:
        """The reason is told; a violation there is no catch."""

        def never_holds(case: Case, history: History) -> None:
            require(not case.ask(history), "never")

        broken = breaking(on, hook)
        assert CounterproofOutcome(False, False, why) == tried(engine, clause(never_holds), broken)

    def test_a_query_that_is_used_lands(self, tried: Callable[..., CounterproofOutcome]) -> None:
        """The two-faced engine's twin, which searches for what it reports."""
        broken = breaking("query", lambda scene, data: {**data, "query": "the sea"})
        assert tried("honest", clause(), broken).landed
        assert not tried("two_faced", clause(), broken).landed

    def test_an_ask_of_another_probe_is_compared_with_its_like(
        self, tried: Callable[..., CounterproofOutcome]
    ) -> None:
        """What is altered there, to no effect, does not land because the probes differ."""

        def never_holds(case: Case, history: History) -> None:
            require(not case.of(SEA).ask(history), "never")

        broken = breaking("query", lambda scene, data: {**data, "query": "sea?"})
        assert not tried("honest", clause(never_holds), broken, SKY).landed

    def test_no_probe_shows_it(self, tried: Callable[..., CounterproofOutcome]) -> None:
        """Nothing is run."""
        item = CounterproofItem(clause(), breaking("answer", adds), ())
        none: Any = None
        found = run_counterproof_item(item, none, none, NOTHING, FEW, 0)
        why = "no probe that the engine claims shows it"
        assert CounterproofOutcome(False, False, why) == found

    def test_it_shows_on_another_probe(self, tried: Callable[..., CounterproofOutcome]) -> None:
        """Each probe where it may show is tried."""

        def in_the_sea(scene: Any, answer: dict[str, Any]) -> dict[str, Any]:
            return adds(scene, answer) if scene.probe is SEA else answer

        found = tried("honest", clause(), breaking("answer", in_the_sea), SKY, SEA)
        assert CounterproofOutcome(True, True, "says b") == found
        assert not tried("honest", clause(), breaking("answer", in_the_sea)).landed

    def test_what_cannot_be_observed_is_not_run(
        self, tried: Callable[..., CounterproofOutcome]
    ) -> None:
        """On the engine as it is, that is: a sabotage does not hide what it breaks."""
        made = clause(
            observable=lambda case: None if case.ask(PLAIN).text == "Not known." else "no"
        )
        assert not tried("honest", made, breaking("answer", adds)).landed
        assert tried("honest", made, breaking("answer", adds), SEA).caught

    @pytest.mark.parametrize(("engine", "words"), [("raises", "I will not"), ("exits", "status 3")])
    def test_a_crash_is_no_catch(
        self, tried: Callable[..., CounterproofOutcome], engine: str, words: str
    ) -> None:
        """An engine that fails under the sabotage, and not without it."""
        found = tried(engine, clause(), breaking("ask", bangs))
        assert (found.landed, found.caught) == (True, False)
        assert words in str(found.crashed)

    def test_a_crash_that_the_check_does_not_mind(
        self, tried: Callable[..., CounterproofOutcome]
    ) -> None:
        """Is one all the same."""

        def lenient(case: Case, history: History) -> None:
            trace = case.ask(history, may_refuse=True)
            require(trace.failure is None, "it failed")

        found = tried("raises", clause(lenient), breaking("ask", bangs))
        assert (found.landed, found.caught, found.message) == (True, False, LANDED_UNCAUGHT)
        assert "I will not" in str(found.crashed)

    @pytest.mark.parametrize("engine", ["raises", "exits"])
    def test_a_crash_that_is_expected(
        self, tried: Callable[..., CounterproofOutcome], engine: str
    ) -> None:
        """The sabotage says that an engine so broken may fail."""
        found = tried(engine, clause(), breaking("ask", bangs, crashes=True))
        assert (found.landed, found.caught, found.crashed) == (True, True, None)
        assert "gave no answer" in found.message

    def test_a_failure_of_the_engine_itself_is_no_crash(
        self, tried: Callable[..., CounterproofOutcome]
    ) -> None:
        """It fails the same way without the sabotage."""

        def only_the_question(case: Case, history: History) -> None:
            calls = case.ask(history, may_refuse=True).calls
            require(all(len(each.messages) == 1 for each in calls), "history is sent")

        found = tried("raises", clause(only_the_question), breaking("messages", more, BANG))
        assert CounterproofOutcome(True, True, "history is sent") == found

    def test_a_failure_of_the_engine_itself_is_no_catch(
        self, tried: Callable[..., CounterproofOutcome]
    ) -> None:
        """That the engine does not answer is not what the sabotage broke."""
        found = tried("raises", clause(), breaking("messages", more, BANG))
        assert (found.landed, found.caught) == (True, False)
        assert "gave no answer" in str(found.crashed)

    def test_an_engine_that_dies_as_it_is(self, tried: Callable[..., CounterproofOutcome]) -> None:
        """What it does under the sabotage is compared with that."""

        def dies(case: Case, history: History) -> None:
            require(not case.ask(history).text, "it answers")

        heals = breaking("ask", lambda _, asked: dataclasses.replace(asked, history=PLAIN), BANG)
        assert CounterproofOutcome(True, True, "it answers") == tried("exits", clause(dies), heals)

    @pytest.mark.parametrize("asks", [True, False])
    def test_a_check_that_fails_itself(
        self, tried: Callable[..., CounterproofOutcome], asks: bool
    ) -> None:
        """Before or after the sabotage landed, it is never a kill."""

        def breaks(case: Case, history: History) -> None:
            if asks:
                case.ask(history)
            raise KeyError("x")

        found = tried("honest", clause(breaks), breaking("answer", adds))
        assert (found.landed, found.caught) == (asks, False)
        assert found.crashed == "the check itself failed: KeyError: 'x'"

    def test_a_crash_goes_before_a_catch(self, tried: Callable[..., CounterproofOutcome]) -> None:
        """A violation beside a crash decides nothing."""

        def both(case: Case, history: History) -> None:
            trace = case.ask(history, may_refuse=True)
            require(not history or trace.failure is None, "and violated")

        found = tried("raises", clause(both), breaking("ask", bangs))
        assert not found.caught
        assert found.crashed is not None
