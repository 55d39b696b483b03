"""Conversations, descriptions, and a process that is never told a history."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from counterproof.calibration import CalibrationError, calibrate
from counterproof.case import Case
from counterproof.check import DidNotAnswer
from counterproof.sabotage import Sabotage, Scene, landed
from counterproof.subject import AdapterError, Subject
from counterproof.trace import OMITTED, Ask, History
from counterproof.worker.link import Link, Target
from counterproof.worlds import builtin_world

WORLD = builtin_world(0)
PROBE, OTHER = WORLD.probe("narrative_hit"), WORLD.probe("narrative_miss")
ENGINE = """
from counterproof import Answer, adapter

told, held = [], []

def opener(expose=lambda world, ask: world.expose(ask)):
    @adapter(name="scrap", version="1", channels={"narrative"}, seams={"signature"})
    def opened(world):
        asked = []
        def ask(question, *, history=None):
            asked.append(question)
            told.extend(history or ())
            if ("user", "fail") in told: raise ValueError("no")
            if history and history[0][1] == "append": history.append(("user", "more"))
            if history and history[0][1] == "hold": held.append(history)
            if len(asked) == 3: [each.append(("user", "later")) for each in held]
            return Answer(f"{len(asked)} of {len(told)} after {len(history or ())}")
        expose(world, ask)
        return ask
    return opened

engine = opener()
mute = opener(lambda world, ask: None)
odd = opener(lambda world, ask: world.expose(dict))
"""


@pytest.fixture
def subjects(tmp_path: Path) -> Iterator[dict[str, Subject]]:
    """Two processes of each engine."""
    (tmp_path / "scrap.py").write_text(ENGINE, encoding="utf-8")
    made = {
        name: Subject(Link(Target(f"scrap:{name.partition('-')[0]}", folder=str(tmp_path))), WORLD)
        for name in ("engine", "engine-untold", "mute", "odd")
    }
    yield made
    for each in made.values():
        each.close()


@pytest.fixture
def case(subjects: dict[str, Subject]) -> Case:
    """A case of the engine."""
    return Case(
        subjects["engine"],
        PROBE,
        twin=lambda: subjects["engine"],
        untold=lambda: subjects["engine-untold"],
        refusal="I do not know.",
    )


class TestConverse:
    """A conversation in which each answer is fed back."""

    def test_each_question_is_asked_after_all_before_it(self, case: Case) -> None:
        first, second, third = case.converse([PROBE, OTHER, PROBE])
        assert first.ask.history == OMITTED
        assert second.ask == Ask(
            OTHER.id,
            OTHER.question,
            History.of([("user", PROBE.question), ("assistant", first.text)]),
        )
        assert third.ask.history.turns[2:] == (
            ("user", OTHER.question),
            ("assistant", second.text),
        )
        assert case.traces == [first, second, third]

    def test_after_what_was_said_before(self, case: Case) -> None:
        first, second = case.converse([PROBE, PROBE], History.of([("user", "Well?")], "tuple"))
        assert first.ask.history == History.of([("user", "Well?")], "tuple")
        assert second.ask.history.turns[0] == ("user", "Well?")
        assert len(second.ask.history.turns) == 3

    def test_it_ends_with_the_first_question_that_fails(self, case: Case) -> None:
        with pytest.raises(DidNotAnswer):
            list(case.converse([PROBE, PROBE], History.of([("user", "fail")])))
        assert len(case.traces) == 1


class TestUntold:
    """The same questions in a process that is never told a history."""

    def test_first_again_and_fresh(self, case: Case) -> None:
        case.ask(History.of([("user", "a")]))
        assert case.ask(fresh=True).text == "1 of 1 after 0"
        assert [each.text for each in case.untold()] == [
            "1 of 0 after 0",
            "2 of 0 after 0",
            "1 of 0 after 0",
        ]

    def test_they_are_asked_once(self, case: Case, subjects: dict[str, Subject]) -> None:
        assert case.untold() == case.untold()
        assert subjects["engine-untold"].asks == 3
        assert case.asks == 3


class TestOf:
    """Another probe of the same case."""

    def test_its_traces_count_as_the_cases_own(self, case: Case) -> None:
        other = case.of(OTHER)
        assert (other.probe, other.refusal) == (OTHER, None)
        assert (case.probe, case.refusal) == (PROBE, "I do not know.")
        assert case.traces == [other.ask()]

    def test_a_worker_lost_is_lost_to_both(self, case: Case, subjects: dict[str, Subject]) -> None:
        subjects["engine"].close()
        subjects["engine"]._link = Link(Target("nothing:at_all"))
        other = case.of(OTHER)
        with pytest.raises(AdapterError):
            other.ask()
        other._ended.append(DidNotAnswer("gone"))
        with pytest.raises(DidNotAnswer, match="gone"):
            case.ask()

    def test_the_probe_itself_is_the_case_itself(self, case: Case) -> None:
        assert case.of(PROBE) is case


class TestWords:
    """Words that stand nowhere else."""

    def test_they_are_other_ones_each_time(self, case: Case) -> None:
        words = [*case.words(2, "a"), *case.words(2, "a"), *case.words(1, "b")]
        assert len(set(words)) == 5
        assert all(each.isalpha() and len(each) == 12 for each in words)

    def test_the_same_again_in_another_run(self, case: Case, subjects: dict[str, Subject]) -> None:
        again = Case(subjects["engine"], PROBE, twin=lambda: subjects["engine"])
        assert case.words(2, "a") == again.words(2, "a")

    def test_others_under_a_sabotage(self, case: Case, subjects: dict[str, Subject]) -> None:
        under = subjects["engine"].under(Sabotage("idle", {"on_ask": lambda _, ask: ask}))
        broken = Case(under, PROBE, twin=lambda: under)
        assert not set(case.words(2, "a")) & set(broken.words(2, "a"))


def required(_: Scene, described: dict[str, Any]) -> dict[str, Any]:
    """The last parameter of the signature loses its default."""
    described["signature"]["parameters"][-1]["has_default"] = False
    return described


class TestDescription:
    """What an engine lets be described."""

    def test_the_signature_is_a_crossing_of_no_ask(
        self, case: Case, subjects: dict[str, Subject]
    ) -> None:
        trace = case.description()
        (crossing,) = trace.crossings
        assert (crossing.seam, trace.answer, trace.failure) == ("signature", None, None)
        assert crossing.data["history"] == "history"
        assert [each["name"] for each in crossing.data["parameters"]] == ["question", "history"]
        assert subjects["engine"].asks == 0

    def test_a_sabotage_of_it_lands(self, case: Case, subjects: dict[str, Subject]) -> None:
        under = subjects["engine"].under(Sabotage("needs", {"on_description": required}))
        trace = under.description(PROBE)
        assert not trace.crossings[0].data["parameters"][-1]["has_default"]
        assert trace.crossings[0].altered
        assert landed(case.description(), trace)

    def test_an_engine_that_exposes_nothing_is_silent(self, subjects: dict[str, Subject]) -> None:
        assert subjects["mute"].description(PROBE).crossings == ()

    def test_what_cannot_be_described_is_an_adapter_error(
        self, subjects: dict[str, Subject]
    ) -> None:
        with pytest.raises(AdapterError, match="cannot be described: ValueError: no signature"):
            subjects["odd"].description(PROBE)

    def test_a_declared_signature_that_stays_silent_fails_calibration(
        self, subjects: dict[str, Subject]
    ) -> None:
        with pytest.raises(CalibrationError, match="the seam signature is declared, and stayed"):
            calibrate(subjects["mute"], [OTHER])
        calibrate(subjects["engine"], [OTHER])


class TestState:
    """What the worker tells of the caller's history objects."""

    def test_a_change_is_told_and_only_then(self, case: Case) -> None:
        kept, changed = (case.ask(History.of([("user", each)])) for each in ("a", "append"))
        assert (kept.history_kept, kept.history_left) == (True, None)
        assert (changed.history_kept, changed.history_left) == (
            False,
            "[('user', 'append'), ('user', 'more')]",
        )
        after = case.ask()
        assert (after.history_kept, after.earlier_kept) == (True, False)

    def test_a_change_is_told_however_many_asks_without_one_lie_between(self, case: Case) -> None:
        case.ask(History.of([("user", "hold")]))
        assert [case.ask().earlier_kept for _ in range(2)] == [True, False]

    def test_it_is_told_of_an_ask_that_failed(self, case: Case) -> None:
        trace = case.ask(History.of([("user", "fail")]), may_refuse=True)
        assert trace.failure is not None
        assert trace.history_kept

    def test_a_sabotage_of_it_lands(self, case: Case, subjects: dict[str, Subject]) -> None:
        under = subjects["engine"].under(
            Sabotage("writes", {"on_state": lambda _, state: {**state, "history_kept": False}})
        )
        trace = under.ask(PROBE)
        assert not trace.history_kept
        assert landed(case.ask(), trace)


def test_a_sabotage_hears_the_last_conversation(subjects: dict[str, Subject]) -> None:
    """Of the asks before, the last that had a history; none before the first."""
    heard = []

    def listen(scene: Scene, asked: Ask) -> Ask:
        heard.append(scene.heard)
        return asked

    under = subjects["engine"].under(Sabotage("listens", {"on_ask": listen}))
    for history in (OMITTED, History.of([("user", "a")]), OMITTED, History.of([("user", "b")])):
        under.ask(PROBE, history)
    under.ask(PROBE, fresh=True)
    assert heard == [(), (), ("a",), ("a",), ("b",)]
