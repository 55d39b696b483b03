"""A small world, small engines over it in workers of their own, and small checks of them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from counterproof.case import Case
from counterproof.check import require
from counterproof.profiles import Profile
from counterproof.strategies import Material
from counterproof.suite import Check, Counterproof, Histories, check, sabotage
from counterproof.trace import History
from counterproof.worker.link import Link, Target
from counterproof.worlds import Probe, WorldSpec
from counterproof.worlds.spec import PassageSpec

WORLD = WorldSpec(
    name="small",
    reference_date="2026-07-14",
    entities=(),
    metrics=(),
    facts=(),
    passages=(PassageSpec(doc="sky.md", locator="p1", text="The sky is blue."),),
    probes=(
        Probe(id="sky", question="What is the sky?", channel="narrative", kind="hit",
              sources=("sky.md",)),
        Probe(id="sea", question="What is the sea?", channel="narrative", kind="miss"),
    ),
    canaries=("vomiku",),
    canary_figures=(77123,),
)  # fmt: skip
SKY, SEA = WORLD.probes
ENGINES = """
import os, time
from counterproof import Answer, Source, adapter

def opener(quirk=lambda text, answer: answer, shown=False, seams=("model", "retrieval")):
    @adapter(name="scrap", version="1", channels={"narrative"}, seams=seams)
    def opened(world):
        def search(query):
            return [each for each in world.passages if "sky" in query]
        watched = world.watch_retrieval(search)
        def ask(question, history=()):
            hits = watched(question)
            if shown: hits = search(question)
            world.model.complete([{"role": "user", "content": question}])
            text = hits[0].text if hits else "Not known."
            answer = Answer(text, [Source(each.doc, each.locator) for each in hits])
            for role, told in history or ():
                answer = quirk(told, answer)
            return answer
        return ask
    return opened

def on_bang(act):
    return lambda text, answer: act(text, answer) if "!" in text else answer

def fail(text, answer): raise ValueError("I will not")
def leave(text, answer): os._exit(3)
def hang(text, answer):
    while True: time.sleep(60)

honest, two_faced = opener(), opener(shown=True)
swayed = opener(on_bang(lambda text, answer: Answer(text)))
raises, exits, hangs = opener(on_bang(fail)), opener(on_bang(leave)), opener(on_bang(hang))
silent = opener(seams=("parse",))
"""
FEW = Profile("few", examples=40, sabotaged=20)
NOTHING = Material()
BANG = History.of([("user", "well"), ("assistant", "a!b"), ("user", "so")])
PLAIN = History.of([("user", "a"), ("assistant", "b")])
TURNS = st.lists(st.tuples(st.just("user"), st.text("ab!", max_size=5)), max_size=4)
DRAWN = Histories(lambda _: [PLAIN], lambda _: TURNS.map(History.of))


class Engines:
    """The engines in a vendor's folder, each in a worker that is kept until the end.

    Args:
        folder: where they are written to.
    """

    def __init__(self, folder: Path) -> None:
        (folder / "scraps.py").write_text(ENGINES, encoding="utf-8")
        self._folder = str(folder)
        self._links: dict[tuple[str, int], Link] = {}

    def target(self, name: str) -> Target:
        """Where an engine is."""
        return Target(f"scraps:{name}", folder=self._folder)

    def link(self, name: str, number: int = 0) -> Link:
        """The link to an engine; a second worker under another number."""
        return self._links.setdefault((name, number), Link(self.target(name)))

    def close(self) -> None:
        """End every worker."""
        for each in self._links.values():
            each.close()


def says(case: Case, history: History) -> None:
    """The answer is the default's."""
    trace = case.ask(history)
    require(trace.text == case.default().text, f"says {trace.text}", trace)


def clause(predicate: Any = says, histories: Histories = DRAWN, **given: Any) -> Check:
    """A check of that predicate."""
    return check("RET-1", probes=lambda _: True, histories=histories, **given)(predicate)


def breaking(on: str, hook: Any, witness: History = PLAIN, **given: Any) -> Counterproof:
    """A sabotage."""
    hook.__name__ = "breaks"
    return sabotage(on=on, witness=lambda _: witness, **given)(hook)


def adds(scene: Any, answer: dict[str, Any]) -> dict[str, Any]:
    """Says history's last word, where there is one."""
    return {**answer, "text": scene.said[-1]} if scene.said else answer


def bangs(scene: Any, asked: Any) -> Any:
    """Has the engine told what it cannot bear, where there is a history."""
    return dataclasses.replace(asked, history=BANG) if asked.history else asked


def more(scene: Any, messages: list[Any]) -> list[Any]:
    """Sends the model history, too."""
    return [*({"role": "user", "content": each} for each in scene.said), *messages]
