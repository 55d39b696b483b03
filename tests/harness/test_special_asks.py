"""Asks that are no ordinary ones: an exit held open, other labels, turns of a session."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from counterproof.calibration import CalibrationError, calibrate
from counterproof.case import Case
from counterproof.check import DidNotAnswer
from counterproof.sabotage import Sabotage, landed
from counterproof.subject import Subject
from counterproof.trace import Ask, History
from counterproof.worker.link import Link, Target
from counterproof.worlds import builtin_world

WORLD = builtin_world(0)
SECRET = WORLD.secrets[0]
GUARDED = WORLD.probe("restricted")
CN = WORLD.probe("structured_hit_en")
PLAIN = Ask(GUARDED.id, GUARDED.question)
FIRST = Ask(CN.id, CN.question, session=())
FOLLOWED = Ask(CN.id, "What was the revenue?", session=(FIRST,))
SAID = History.of([("user", "quillfen?"), ("assistant", "quillfen.")])

ENGINES = """
import dataclasses
from counterproof import Answer, Session, adapter

def opener(make=None, picky=False):
    @adapter(name="talk", version="1", channels={"structured"}, claims={"session"},
             seams={"session"})
    def opened(world):
        if picky and any(not each.label.isascii() for each in world.passages):
            raise ValueError("no such label")
        if make is not None:
            world.session(make)
        return lambda question, **history: Answer(question)
    return opened

class Talk:
    def __init__(self):
        self.asked = []
    def ask(self, question, **history):
        if "!" in question: raise ValueError("I will not")
        self.asked.append(question)
        return Answer(" ".join(self.asked))

def make():
    talk = Talk()
    return Session(talk.ask, lambda: talk.asked)

def odd():
    return Session(Talk().ask, lambda: {1, 2})

talks, picky, none = opener(make), opener(make, True), opener()
no_session, odd_memory = opener(lambda: "talk"), opener(odd)
"""


@pytest.fixture(scope="module")
def reference() -> Iterator[Subject]:
    """The reference engine."""
    made = Subject(Link(Target("counterproof_reference.adapter:reference")), WORLD)
    yield made
    made.close()


@pytest.fixture
def engines(tmp_path: Path) -> Iterator[Any]:
    """Opens an engine of the table above."""
    (tmp_path / "talk.py").write_text(ENGINES, encoding="utf-8")
    made: list[Subject] = []

    def opened(name: str) -> Subject:
        made.append(Subject(Link(Target(f"talk:{name}", folder=str(tmp_path))), WORLD))
        return made[-1]

    yield opened
    for each in made:
        each.close()


def sent(trace: Any) -> str:
    return str([call.messages for call in trace.calls])


class TestOpenedExits:
    @pytest.mark.parametrize(("name", "other"), [("link", "rerank"), ("rerank", "link")])
    def test_one_lets_the_restricted_passages_out(
        self, reference: Subject, name: str, other: str
    ) -> None:
        """Through that exit and no other; the engine really gets them."""
        trace = reference.put(dataclasses.replace(PLAIN, opened=frozenset({name})))
        assert SECRET in str(trace.released(name))
        assert SECRET not in str(trace.released(other))
        assert SECRET in sent(trace)

    def test_none_is_open_in_an_ordinary_ask(self, reference: Subject) -> None:
        trace = reference.put(PLAIN)
        assert SECRET not in str(trace.released())
        assert len(trace.released("link")) == len(trace.released("rerank")) > 0
        assert SECRET not in sent(trace)

    def test_a_sabotage_may_open_one(self, reference: Subject) -> None:
        """It is seen to have altered, and to have landed."""
        opens = Sabotage(
            "link-open",
            {"on_ask": lambda _, ask: dataclasses.replace(ask, opened=frozenset({"link"}))},
        )
        clean = reference.put(PLAIN)
        trace = reference.under(opens).put(PLAIN)
        assert trace.altered == {"on_ask"}
        assert trace.ask == PLAIN
        assert landed(clean, trace)


class TestLabels:
    def test_the_engine_is_opened_over_passages_of_that_label(self, reference: Subject) -> None:
        """For this ask alone."""
        public = reference.put(dataclasses.replace(PLAIN, label="public"))
        assert SECRET in sent(public)
        assert SECRET not in sent(reference.put(PLAIN))
        assert SECRET not in sent(reference.put(dataclasses.replace(PLAIN, label="PUBLIС")))

    def test_the_world_it_is_asked_over_is_the_same_but_for_them(self) -> None:
        other = WORLD.relabelled("x")
        assert {each.label for each in other.passages if each not in WORLD.passages} == {"x"}
        assert [each.text for each in other.passages] == [each.text for each in WORLD.passages]

    def test_an_engine_that_will_not_be_opened_over_it_fails_the_ask_and_no_other(
        self, engines: Any
    ) -> None:
        subject = engines("picky")
        trace = subject.put(dataclasses.replace(PLAIN, label="ＰＵＢＬＩＣ"))
        assert trace.failure is not None
        assert (trace.failure.kind, trace.failure.message) == ("raised", "no such label")
        assert subject.put(PLAIN).text == GUARDED.question


class TestSessions:
    def test_turns_are_put_to_one_session_in_order(self, engines: Any) -> None:
        """Each ask of one opens another session; an ask of none is put beside it."""
        subject = engines("talks")
        turns = tuple(Ask(CN.id, each, session=()) for each in "ab")
        beside = Ask(CN.id, "x")
        trace = subject.put(Ask(CN.id, "c", session=(turns[0], beside, turns[1])))
        assert trace.text == "a b c"
        assert trace.remembered == ["a", "b", "c"]
        assert subject.put(Ask(CN.id, "d", session=())).text == "d"
        assert subject.put(beside).remembered is None

    def test_the_state_of_the_session_is_the_last_crossing(self, reference: Subject) -> None:
        trace = reference.put(FIRST)
        assert trace.crossings[-1].seam == "session"
        assert trace.remembered == {"entity": "CN", "period": "FY2024"}
        assert trace.plain()["crossings"][-1]["remembered"] == trace.remembered

    def test_a_follow_up_is_answered_from_the_turn_before(self, reference: Subject) -> None:
        value = next(
            each.value
            for each in WORLD.facts
            if (each.entity, each.metric, each.period) == ("CN", "REVENUE", "FY2024")
        )
        assert f"{value:g}" in reference.put(FOLLOWED).text

    def test_a_turn_may_have_a_history(self, reference: Subject) -> None:
        """The model gets it as in any ask."""
        told = reference.put(dataclasses.replace(FOLLOWED, history=SAID))
        assert "quillfen" in sent(told)
        assert told.answer == reference.put(FOLLOWED).answer

    def test_an_earlier_turn_that_fails_fails_the_ask(self, engines: Any) -> None:
        bad = Ask(CN.id, "no!", session=())
        trace = engines("talks").put(Ask(CN.id, "c", session=(bad,)))
        assert "I will not" in str(trace.failure)

    def test_a_sabotage_acts_on_earlier_turns_too(self, reference: Subject) -> None:
        def searched(scene: Any, crossing: Any) -> Any:
            return {**crossing, "query": "nothing"}

        first = Ask(GUARDED.id, GUARDED.question, session=())
        broken = reference.under(Sabotage("blind", {"on_query": searched}))
        assert broken.put(Ask(CN.id, CN.question, session=(first,))).altered == {"on_query"}

    @pytest.mark.parametrize(
        ("engine", "fault"),
        [
            ("none", "TypeError: the adapter opens no session"),
            ("no_session", "TypeError: world.session: make() returned str, not Session"),
            ("odd_memory", "TypeError: Object of type set is not JSON serializable"),
        ],
    )
    def test_a_session_that_is_none_is_told(self, engines: Any, engine: str, fault: str) -> None:
        subject = engines(engine)
        trace = subject.put(Ask(CN.id, "a", session=()))
        assert fault in str(trace.failure)
        told = WORLD.probe("structured_hit").model_copy(update={"values": (), "sources": ()})
        with pytest.raises(CalibrationError, match="the first turn of a session: TypeError"):
            calibrate(subject, [told])


class TestCases:
    def case(self, subject: Subject, **given: Any) -> Case:
        return Case(subject, CN, twin=lambda: subject, **given)

    def test_a_kept_ask_is_put_once(self, reference: Subject) -> None:
        """Where the run keeps traces, and every history of the ask is one that is kept."""
        memo: dict[Any, Any] = {}
        case = self.case(reference, kept=frozenset({SAID}), memo=memo)
        told = dataclasses.replace(FOLLOWED, session=(dataclasses.replace(FIRST, history=SAID),))
        before = reference.asks
        assert case.put(told) is case.put(told)
        assert reference.asks == before + 2
        assert case.put(told, anew=True) is not case.put(told)
        other = dataclasses.replace(told, history=History.of([("user", "x")]))
        assert case.put(other) is not case.put(other)
        assert self.case(reference).put(told) is not case.put(told)

    def test_an_ask_that_fails_is_a_violation_unless_it_may(self, engines: Any) -> None:
        case = self.case(engines("talks"))
        bad = Ask(CN.id, "no!", session=())
        assert case.put(bad, may_refuse=True).failure is not None
        with pytest.raises(DidNotAnswer):
            case.put(bad)
        assert len(case.traces) == 2

    def test_the_probes_question_as_an_ask(self, reference: Subject) -> None:
        case = self.case(reference)
        assert case.asked() == Ask(CN.id, CN.question)
        assert case.asked().ordinary
        assert not case.asked(label="x").ordinary
        assert not case.asked(opened=frozenset({"link"})).ordinary
        assert not FIRST.ordinary
