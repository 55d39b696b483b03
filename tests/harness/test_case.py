"""What a check is given: asks, the default, the same elsewhere, and an end that repeats itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from counterproof.case import Case
from counterproof.check import DidNotAnswer
from counterproof.contract import Answer
from counterproof.model.behaviours import COOPERATIVE, PARROT, Behaviour
from counterproof.subject import Subject
from counterproof.trace import OMITTED, Ask, History, Trace
from counterproof.worker.link import Link, Target
from counterproof.worlds import builtin_world

WORLD = builtin_world(0)
PROBE = WORLD.probe("narrative_hit")
ENGINE = """
import os
from counterproof import Answer, adapter

@adapter(name="scrap", version="1", channels={"narrative"}, seams={"model"})
def engine(world):
    asked = []
    def ask(question, **history):
        asked.append(question)
        told = [each[-1] for each in history.get("history") or ()]
        if "raise" in told: raise ValueError("no")
        if "exit" in told: os._exit(3)
        if "text" in told: return "no Answer"
        if "model" in told: return Answer(world.model.complete(
            [*({"role": r, "content": t} for r, t in history["history"]),
             {"role": "user", "content": question}])["choices"][0]["message"]["content"])
        return Answer(f"{question} {len(asked)} {os.environ['PYTHONHASHSEED']}")
    return ask
"""


def told(word: str) -> History:
    """A history that makes the engine behave so."""
    return History.of([("user", word)])


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Subject, Subject]]:
    """The engine, and the same with another hash seed."""
    folder = tmp_path_factory.mktemp("vendor")
    (folder / "scrap.py").write_text(ENGINE, encoding="utf-8")
    target = Target("scrap:engine", folder=str(folder))
    made = Subject(Link(target), WORLD), Subject(Link(target, hash_seed=7), WORLD)
    yield made
    for each in made:
        each.close()


@pytest.fixture
def case(subjects: tuple[Subject, Subject]) -> Case:
    """A case of the engine, which has recorded a refusal for the probe."""
    return Case(subjects[0], PROBE, twin=lambda: subjects[1], refusal="I do not know.")


def said(trace: Trace) -> list[str]:
    """How many asks the engine had had, and its hash seed."""
    assert trace.text.startswith(PROBE.question)
    return trace.text.removeprefix(PROBE.question).split()


def test_an_ask_puts_the_probes_question(case: Case) -> None:
    """With the history it is given, and to the behaviour of the case."""
    trace = case.ask(told("x"))
    assert Ask(PROBE.id, PROBE.question, told("x"), COOPERATIVE) == trace.ask
    assert case.ask().ask.history == OMITTED
    assert case.world is WORLD
    assert case.declared.name == "scrap"


def test_the_model_plays_the_cases_behaviour(subjects: tuple[Subject, Subject]) -> None:
    """In every ask, the default included."""
    case = Case(subjects[0], PROBE, PARROT, twin=lambda: subjects[1])
    turns = History.of([("user", "model"), ("assistant", "Polly says so.")])
    assert "Polly says so." in case.ask(turns).text
    assert [case.default().ask.behaviour, case.elsewhere().ask.behaviour] == [PARROT, PARROT]


def test_asks_share_an_engine_unless_one_is_asked_for(case: Case) -> None:
    """``fresh`` opens it anew."""
    asked = [said(case.ask(fresh=True)), said(case.ask()), said(case.ask(told("x"), fresh=True))]
    assert asked == [["1", "0"], ["2", "0"], ["1", "0"]]


def test_the_default_is_asked_once_on_a_fresh_engine(case: Case) -> None:
    """Then it is remembered, and noted each time."""
    case.ask()
    first = case.default()
    before = case.asks
    assert said(first) == ["1", "0"]
    assert case.default() is first
    assert before == case.asks
    assert case.traces[-2:] == [first, first]


def test_the_defaults_are_those_of_every_probe_it_claims(case: Case) -> None:
    """Each asked once; they are no traces of the example that runs."""
    found = case.defaults()
    claimed = [p.id for p in WORLD.probes if p.channel == "narrative" and p.claim is None]
    assert [each.ask.probe for each in found] == claimed
    assert case.traces == []
    before = case.asks
    assert case.defaults() == found
    assert case.default() in found
    assert before == case.asks


def test_elsewhere_is_a_fresh_engine_in_another_process(case: Case) -> None:
    """Its hash seed is another; its asks are the case's."""
    assert [said(case.elsewhere()), said(case.elsewhere(told("x")))] == [["1", "7"], ["1", "7"]]
    assert case.asks == 2
    assert case.traces[-1].ask.history == told("x")


def test_asks_are_counted_from_where_the_case_began(
    case: Case, subjects: tuple[Subject, Subject]
) -> None:
    """Those of other cases of the engine are not its own."""
    case.ask()
    other = Case(subjects[0], PROBE, twin=lambda: subjects[1])
    other.ask()
    assert (case.asks, other.asks) == (2, 1)
    assert len(other.traces) == 1


@pytest.mark.parametrize("word", ["raise", "text", "exit"])
def test_an_engine_that_does_not_answer_violates(case: Case, word: str) -> None:
    """The trace is told, and where in it; it is kept, too."""
    with pytest.raises(DidNotAnswer, match="gave no answer, though it answers by def") as raised:
        case.ask(told(word))
    assert raised.value.trace is case.traces[-1]
    assert raised.value.trace.failure is not None
    assert str(raised.value.trace.failure) in raised.value.message
    assert raised.value.mark == ("/failure",)


def test_an_engine_may_refuse_where_it_is_let(case: Case) -> None:
    """By raising; the trace tells it."""
    trace = case.ask(told("raise"), may_refuse=True)
    assert trace.failure is not None
    assert trace.failure.type == "ValueError"
    assert case.ended is None
    assert case.ask().failure is None


@pytest.mark.parametrize("word", ["text", "exit"])
def test_no_other_failure_is_a_refusal(case: Case, word: str) -> None:
    """Neither what is no Answer nor a death is one."""
    with pytest.raises(DidNotAnswer):
        case.ask(told(word), may_refuse=True)


def test_an_engine_that_only_raised_is_asked_again(case: Case) -> None:
    """No worker was lost."""
    with pytest.raises(DidNotAnswer):
        case.ask(told("raise"))
    assert case.ended is None
    assert case.ask().failure is None


def test_a_lost_worker_ends_the_case(case: Case, subjects: tuple[Subject, Subject]) -> None:
    """Each further ask repeats the failure without being put; another case goes on."""
    with pytest.raises(DidNotAnswer) as first:
        case.ask(told("exit"))
    asks: Any = [
        case.ask,
        case.default,
        case.elsewhere,
        lambda: case.ask(told("x"), fresh=True, may_refuse=True),
    ]
    for ask in asks:
        with pytest.raises(DidNotAnswer) as again:
            ask()
        assert again.value is first.value
    assert case.ended is first.value
    assert len(case.traces) == 1
    assert case.asks == 1
    assert Case(subjects[0], PROBE, twin=lambda: subjects[1]).ask().failure is None


class TestKept:
    """Histories many checks ask with: one trace of each serves them all."""

    @pytest.fixture
    def make(self, subjects: tuple[Subject, Subject]) -> Any:
        """Makes cases that share what they keep."""
        memo: dict[Any, Trace] = {}

        def make(probe: str = PROBE.id, behaviour: Behaviour = COOPERATIVE) -> Case:
            return Case(
                subjects[0],
                WORLD.probe(probe),
                behaviour,
                twin=lambda: subjects[1],
                kept={told("x"), told("raise"), told("exit")},
                memo=memo,
            )

        return make

    def test_is_asked_once(self, make: Any) -> None:
        """By whichever case comes first; each notes it."""
        first = make()
        trace = first.ask(told("x"))
        second = make()
        assert second.ask(told("x")) is trace
        assert (first.asks, second.asks) == (1, 0)
        assert first.traces == second.traces == [trace]

    def test_of_one_probe_and_behaviour(self, make: Any) -> None:
        """Another is another ask."""
        trace = make().ask(told("x"))
        for other in (make(probe="narrative_miss"), make(behaviour=PARROT)):
            assert other.ask(told("x")) is not trace

    @pytest.mark.parametrize("given", [{"fresh": True}, {"anew": True}])
    def test_is_asked_again_where_that_is_meant(self, make: Any, given: Any) -> None:
        """On a fresh engine, or anew."""
        case = make()
        assert case.ask(told("x"), **given) is not case.ask(told("x"))
        assert case.ask(told("x"), **given) is not case.ask(told("x"))

    @pytest.mark.parametrize("history", [OMITTED, told("y"), History("raw", (["user"],))])
    def test_no_other_is_kept(self, make: Any, history: History) -> None:
        """Nor what cannot be looked up."""
        case = make()
        assert case.ask(history, may_refuse=True) is not case.ask(history, may_refuse=True)

    def test_a_failure_is_kept_too(self, make: Any) -> None:
        """It may be a refusal for one check and a violation for another."""
        assert make().ask(told("raise"), may_refuse=True).failure is not None
        with pytest.raises(DidNotAnswer):
            make().ask(told("raise"))

    def test_a_lost_worker_is_lost_once(self, make: Any) -> None:
        """It ends each case that asks for it, and no other worker."""
        asks = []
        for case in (make() for _ in range(2)):
            with pytest.raises(DidNotAnswer):
                case.ask(told("exit"))
            assert case.ended is not None
            with pytest.raises(DidNotAnswer):
                case.ask(told("x"))
            asks.append(case.asks)
        assert asks == [1, 0]


@pytest.mark.parametrize(
    ("answer", "refuses"),
    [
        (Answer("It is 3.", refused=True), True),
        (Answer("I do not know.", refused=False), False),
        (Answer("I do not know."), True),
        (Answer("I do not know. "), False),
        (Answer(""), False),
        (None, False),
    ],
)
def test_a_refusal_is_what_says_so_or_was_recorded(
    case: Case, answer: Answer | None, refuses: bool
) -> None:
    """What the engine itself says counts first."""
    assert case.refuses(Trace(Ask(PROBE.id, PROBE.question), (), answer)) is refuses


def test_without_a_recorded_refusal_only_the_engines_word_counts(
    subjects: tuple[Subject, Subject],
) -> None:
    """An empty text is none."""
    case = Case(subjects[0], PROBE, twin=lambda: subjects[1])
    asked = Ask(PROBE.id, PROBE.question)
    assert not case.refuses(Trace(asked, (), Answer("")))
    assert case.refuses(Trace(asked, (), Answer("", refused=True)))
