"""Asks put at once: they overlap, each crossing finds its ask, and each ask has its own end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from counterproof.sabotage import Sabotage, Scene
from counterproof.subject import Subject
from counterproof.together import Together
from counterproof.trace import OMITTED, Ask, History, Trace
from counterproof.worker.at_once import ASK, Meeting, in_threads
from counterproof.worker.link import Link, Target
from counterproof.worlds import builtin_world

WORLD = builtin_world(0)
PROBE, OTHER = WORLD.probe("narrative_hit"), WORLD.probe("structured_hit")
ENGINES = """
import asyncio, os, threading
from concurrent.futures import ThreadPoolExecutor
from counterproof import Answer, adapter

def opener(make, concurrency="thread"):
    @adapter(name="scrap", version="1", channels={"narrative"}, seams={"model"},
             concurrency=concurrency)
    def opened(world):
        return make(world)
    return opened

def call(world, question, history):
    told = [each[-1] for each in history.get("history") or ()]
    if "raise" in told: raise ValueError("no")
    if "exit" in told: os._exit(3)
    messages = [{"role": "user", "content": each} for each in [*told, question]]
    got = world.model.complete(messages)
    return Answer(" ".join(told))

def plainly(world):
    return lambda question, **history: call(world, question, history)

def pooled(world):
    pool = ThreadPoolExecutor(3)
    return lambda question, **history: pool.submit(call, world, question, history).result()

def locked(world):
    lock = threading.Lock()
    def ask(question, **history):
        with lock: return call(world, question, history)
    return ask

def shared(world):
    now = {}
    def ask(question, **history):
        now["history"] = history
        world.model.complete([{"role": "user", "content": "ready?"}])
        return call(world, question, now["history"])
    return ask

def awaiting(world):
    now = {}
    async def ask(question, **history):
        now["history"] = history
        await asyncio.sleep(0)
        return call(world, question, now["history"])
    return ask

def to_thread(world):
    async def ask(question, **history):
        return await asyncio.to_thread(call, world, question, history)
    return ask

plain, pool, lock, mixed = map(opener, (plainly, pooled, locked, shared))
tasks, threaded = opener(awaiting, "async"), opener(to_thread, "async")
awaited_by_threads, none = opener(to_thread), opener(plainly, "none")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A vendor's folder with an engine for each manner of being asked at once."""
    made = tmp_path_factory.mktemp("vendor")
    (made / "many.py").write_text(ENGINES, encoding="utf-8")
    return str(made)


@contextmanager
def opened(folder: str, name: str) -> Iterator[Subject]:
    """One of the engines."""
    subject = Subject(Link(Target(f"many:{name}", folder=folder)), WORLD)
    try:
        yield subject
    finally:
        subject.close()


def asks(*words: str) -> list[Ask]:
    """One ask for each word, which is its history."""
    return [Ask(PROBE.id, PROBE.question, History.of([("user", each)])) for each in words]


def sent(trace: Trace) -> list[list[str]]:
    """The texts of each model call."""
    return [[str(each["content"]) for each in call.messages] for call in trace.calls]


SOUND = ("plain", "pool", "lock", "threaded", "awaited_by_threads")


class TestAskMany:
    """Several asks at once, on real engines."""

    @pytest.mark.parametrize("name", SOUND)
    def test_each_trace_holds_its_own_ask(self, folder: str, name: str) -> None:
        """Also where the engine's own threads have lost which ask they serve."""
        with opened(folder, name) as subject:
            traces = subject.ask_many(asks("alder", "birch", "cedar"))
        assert [each.text for each in traces] == ["alder", "birch", "cedar"]
        assert [sent(each) for each in traces] == [
            [[word, PROBE.question]] for word in ("alder", "birch", "cedar")
        ]

    @pytest.mark.parametrize("name", ["mixed", "tasks"])
    def test_asks_overlap(self, folder: str, name: str) -> None:
        """What is kept for one of them is found to be another's."""
        with opened(folder, name) as subject:
            traces = subject.ask_many(asks("alder", "birch"))
            told = [call for each in traces for call in sent(each)]
            assert ["birch", PROBE.question] in told
            assert ["alder", PROBE.question] not in told

    def test_one_that_fails_leaves_the_others(self, folder: str) -> None:
        with opened(folder, "plain") as subject:
            first, second = subject.ask_many(asks("raise", "birch"))
            assert (first.failure and first.failure.type, second.text) == ("ValueError", "birch")

    def test_a_worker_that_ends_ends_them_all_and_is_started_again(self, folder: str) -> None:
        with opened(folder, "plain") as subject:
            died = subject.ask_many(asks("exit", "birch"))
            assert [each.failure and each.failure.kind for each in died] == ["exited", "exited"]
            assert subject.ask(PROBE, History.of([("user", "alder")])).text == "alder"

    def test_only_where_the_adapter_declares_it(self, folder: str) -> None:
        with opened(folder, "none") as subject, pytest.raises(ValueError, match="no concurrency"):
            subject.ask_many(asks("alder", "birch"))

    def test_a_sabotage_knows_what_is_said_at_the_same_time(self, folder: str) -> None:
        heard = []

        def listen(scene: Scene, messages: list[Any]) -> list[Any]:
            heard.append((scene.said, scene.heard))
            return messages

        with opened(folder, "plain") as subject:
            under = subject.under(Sabotage("listens", {"on_messages": listen}))
            under.ask_many(asks("alder", "birch"))
            under.ask(PROBE)
        assert sorted(heard) == [
            ((), ("birch",)),
            (("alder",), ("birch",)),
            (("birch",), ("alder",)),
        ]


def _told(place: list[Any], name: str) -> Any:
    """Serves crossings by noting whose they are."""

    def cross(seam: str, data: Any) -> None:
        place.append((name, seam, data))

    return cross


class TestTogether:
    """Which ask a crossing belongs to."""

    served: list[Any]

    @pytest.fixture
    def together(self) -> Together:
        """Three asks: two with words of their own, one without a history."""
        self.served = []
        put = [*asks("alder", 'b"irch'), Ask(OTHER.id, OTHER.question, OMITTED)]
        serving = [_told(self.served, str(number)) for number in range(3)]
        return Together(serving, _told(self.served, "nobody"), put)

    def test_the_worker_numbers_it(self, together: Together) -> None:
        together.cross("parse", {"text": "alder", "ask": 2})
        assert self.served == [("2", "parse", {"text": "alder"})]

    @pytest.mark.parametrize("number", [None, 7, -1, "1"])
    def test_else_its_words_tell(self, together: Together, number: Any) -> None:
        """Also a quotation mark is one of the words, as JSON writes it."""
        together.cross("query", {"query": 'on b"irch', "ask": number})
        assert self.served == [("1", "query", {"query": 'on b"irch'})]

    @pytest.mark.parametrize(
        ("messages", "number"), [(['b"irch', "alder"], "0"), (["alder", 'b"irch'], "1")]
    )
    def test_of_two_the_later_words_do(
        self, together: Together, messages: list[str], number: str
    ) -> None:
        together.cross("model", {"messages": messages, "ask": None})
        assert self.served[0][0] == number

    def test_what_says_nothing_of_any_is_nobodys(self, together: Together) -> None:
        together.cross("parse", {"text": "What?", "ask": None})
        assert self.served == [("nobody", "parse", {"text": "What?"})]

    def test_what_is_no_object_is_nobodys_to_refuse(self, together: Together) -> None:
        together.cross("parse", ["no object"])
        assert self.served == [("nobody", "parse", ["no object"])]

    def test_words_that_two_asks_share_tell_nothing(self) -> None:
        served: list[Any] = []
        both = asks("alder", "alder")
        serving = [_told(served, str(number)) for number in range(2)]
        Together(serving, _told(served, "nobody"), both).cross("parse", {"text": "alder"})
        assert served[0][0] == "nobody"


class TestMeeting:
    """Where asks wait for each other."""

    def test_each_round_begins_when_all_have_come(self) -> None:
        meeting, order, lock = Meeting(3), [], threading.Lock()

        def ask() -> dict[str, Any]:
            for step in ("first", "second"):
                with lock:
                    order.append(step)
                meeting.wait()
            return {"ask": ASK.get()}

        assert in_threads([ask] * 3, meeting) == [{"ask": 0}, {"ask": 1}, {"ask": 2}]
        assert order == ["first"] * 3 + ["second"] * 3

    def test_nobody_waits_for_an_ask_that_has_ended(self) -> None:
        """Whether it ends before the other comes, or while the other waits."""
        for first in (True, False):
            meeting = Meeting(2)

            def ends(meeting: Meeting = meeting, first: bool = first) -> dict[str, Any]:
                while not (first or meeting._waiting):
                    pass
                return {}

            def waits(meeting: Meeting = meeting, first: bool = first) -> dict[str, Any]:
                while first and meeting._running == 2:
                    pass
                meeting.wait()
                return {"over": meeting._over}

            assert in_threads([ends, waits], meeting)[1] == {"over": False}

    def test_nor_for_ever_for_one_that_waits_for_it_in_turn(self) -> None:
        """One of two never comes while the other holds the lock; they go on all the same."""
        meeting, lock = Meeting(2), threading.Lock()

        def ask() -> dict[str, Any]:
            with lock:
                meeting.wait()
            return {"done": True}

        assert in_threads([ask, ask], meeting) == [{"done": True}] * 2
        assert meeting._over
