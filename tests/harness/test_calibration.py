"""Calibration: each way an engine can yield something else, and each seam that stays silent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from counterproof.calibration import CalibrationError, calibrate
from counterproof.subject import AdapterError, Subject
from counterproof.worker import link
from counterproof.worker.link import Link, Target
from counterproof.worlds import Probe, WorldSpec
from counterproof.worlds.spec import FactSpec, NameSpec, PassageSpec

WORLD = WorldSpec(
    name="small",
    reference_date="2026-07-14",
    entities=(NameSpec(code="N", names=("North",)),),
    metrics=(NameSpec(code="R", names=("revenue",)),),
    facts=tuple(
        FactSpec(entity="N", metric="R", period=period, value=value, unit="t", doc=doc, locator="")
        for period, value, doc in (("FY2024", 1234567, "n.xlsx"), ("FY2023", 0.25, "o.xlsx"))
    ),
    passages=(PassageSpec(doc="sky.md", locator="p1", text="The sky is blue."),
              PassageSpec(doc="sea.md", locator="p1", text="The sea is green.")),
    probes=(
        Probe(id="figure", question="figure", channel="structured", kind="hit",
              values=(1234567.0, 0.25), sources=("n.xlsx", "o.xlsx")),
        Probe(id="lacking", question="lacking", channel="structured", kind="miss"),
        Probe(id="vague", question="vague", channel="structured", kind="clarification",
              claim="clarification"),
        Probe(id="closed", question="closed", channel="structured", kind="out-of-scope",
              claim="security-gate"),
        Probe(id="told", question="told", channel="narrative", kind="hit", sources=("sky.md",)),
        Probe(id="untold", question="untold", channel="narrative", kind="irrelevant"),
    ),
    canaries=("vomiku",),
    canary_figures=(77123,),
)  # fmt: skip
ENGINES = """
import time
from counterproof import Answer, Source, adapter

GOOD = {
    "figure": Answer("1,234,567 and 0.25", [Source("n.xlsx")]),
    "lacking": Answer("Not known.", refused=True),
    "vague": Answer("Which figure?", refused=False),
    "closed": Answer("I cannot speak of it."),
    "told": Answer("Blue.", [Source("sky.md", "p1"), Source("sea.md")]),
    "untold": Answer("1234567?", [Source("sea.md")], refused=False),
}

def fail(text):
    raise RuntimeError(text)

def hang():
    while True:
        time.sleep(60)

def opener(seams=(), cross=lambda world, question: None, **changed):
    @adapter(name="table", version="1", channels={"structured", "narrative"}, seams=seams)
    def opened(world):
        def ask(question, **history):
            cross(world, question)
            found = changed.get(question, GOOD[question])
            return found() if callable(found) else found
        return ask
    return opened

def retrieve(world, question):
    search = world.watch_retrieval(lambda query: [])
    question != "figure" or search(question)

def every(world, question):
    retrieve(world, question)
    world.watch_parse(str)(question)
    if question == "told":
        world.model.complete([{"role": "user", "content": question}])

all_seams = ("model", "parse", "retrieval")
good = opener()
"""


@pytest.fixture
def calibrated(tmp_path: Path) -> Iterator[Callable[[str], dict[str, str]]]:
    """Calibrates an engine, given as an expression; gives what was recorded."""
    subjects: list[Subject] = []

    def calibrated(engine: str) -> dict[str, str]:
        (tmp_path / "table.py").write_text(f"{ENGINES}\nengine = {engine}\n", encoding="utf-8")
        subjects.append(Subject(Link(Target("table:engine", folder=str(tmp_path))), WORLD))
        return calibrate(subjects[-1], WORLD.probes).refusals

    yield calibrated
    for each in subjects:
        each.close()


def test_the_refusals_are_recorded(calibrated: Callable[[str], dict[str, str]]) -> None:
    """Of what must be refused, or asked back about; an answered probe has none."""
    assert calibrated("good") == {
        "lacking": "Not known.",
        "vague": "Which figure?",
        "closed": "I cannot speak of it.",
    }


def test_seams_that_report_are_not_silent(calibrated: Callable[[str], dict[str, str]]) -> None:
    """On one probe is enough."""
    assert len(calibrated("opener(all_seams, every)")) == 3


@pytest.mark.parametrize(
    ("engine", "fault"),
    [
        ('opener(told=Answer(" \\n"))', "probe told: the answer is empty"),
        ('opener(lacking=Answer(""))', "probe lacking: the answer is empty"),
        (
            'opener(figure=Answer("1234567  and\\nmore", [Source("n.xlsx")]))',
            'probe figure: 0.25 is not stated; the answer is "1234567 and more"',
        ),
        (
            'opener(figure=Answer("0.25", [Source("n.xlsx")]))',
            'probe figure: 1234567 is not stated; the answer is "0.25"',
        ),
        (
            'opener(told=Answer("Blue.", [Source("sea.md"), Source("n.xlsx")]))',
            "probe told: sky.md is not cited, but ['n.xlsx', 'sea.md']",
        ),
        (
            'opener(figure=Answer("1234567 and 0.25"))',
            "probe figure: n.xlsx or o.xlsx is not cited, but nothing",
        ),
        (
            'opener(lacking=Answer("No.", [Source("sky.md")]))',
            "probe lacking: nothing answers it, and ['sky.md'] is cited; the answer is \"No.\"",
        ),
        (
            'opener(closed=Answer("1,234,567."))',
            'probe closed: nothing answers it, and 1234567 is stated; the answer is "1,234,567."',
        ),
        (
            'opener(vague=Answer("0.25?"))',
            'probe vague: nothing answers it, and 0.25 is stated; the answer is "0.25?"',
        ),
        (
            'opener(lacking=Answer("No.", refused=False))',
            'probe lacking: nothing answers it, and refused is False; the answer is "No."',
        ),
        (
            'opener(closed=Answer("No.", refused=False))',
            'probe closed: nothing answers it, and refused is False; the answer is "No."',
        ),
        (
            'opener(untold=lambda: fail("no index"))',
            "probe untold: no answer: RuntimeError: no index (at table.py:15 in fail)",
        ),
        (
            'opener(lacking=Answer("x" * 200, refused=False))',
            "probe lacking: nothing answers it, and refused is False;"
            f' the answer is "{"x" * 119}…"',
        ),
    ],
)
def test_each_fault_is_told(
    calibrated: Callable[[str], dict[str, str]], engine: str, fault: str
) -> None:
    """With its probe, what was wrong, and what the engine said."""
    with pytest.raises(CalibrationError) as told:
        calibrated(engine)
    assert fault == str(told.value)


def test_a_fault_hides_that_seams_are_silent(
    calibrated: Callable[[str], dict[str, str]],
) -> None:
    """An engine that does not answer need not have come by there."""
    with pytest.raises(CalibrationError) as told:
        calibrated('opener(all_seams, told=Answer(""))')
    assert str(told.value) == "probe told: the answer is empty"


def test_an_engine_that_hangs_is_waited_for_once(
    calibrated: Callable[[str], dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it does on further probes is not asked."""
    monkeypatch.setattr(link, "ASK_SECONDS", 1.0)
    with pytest.raises(CalibrationError) as told:
        calibrated('opener(lacking=hang, vague=hang, closed=Answer(""))')
    assert str(told.value) == ("probe lacking: no answer: no answer in time; the worker was ended")


def test_an_engine_that_raises_is_asked_on(calibrated: Callable[[str], dict[str, str]]) -> None:
    """Each probe it fails on is told."""
    with pytest.raises(CalibrationError) as told:
        calibrated('opener(figure=lambda: fail("no"), told=Answer(""))')
    assert str(told.value) == (
        "probe figure: no answer: RuntimeError: no (at table.py:15 in fail);"
        " probe told: the answer is empty"
    )


def test_several_faults_are_told_together(calibrated: Callable[[str], dict[str, str]]) -> None:
    """Three of them, and that there are more."""
    empty = ", ".join(f'{each.id}=Answer("")' for each in WORLD.probes)
    with pytest.raises(CalibrationError) as told:
        calibrated(f"opener(all_seams, {empty})")
    assert str(told.value) == (
        "probe figure: the answer is empty; probe lacking: the answer is empty;"
        " probe vague: the answer is empty …"
    )


@pytest.mark.parametrize(
    ("seams", "cross", "silent"),
    [
        ('{"model"}', "retrieve", ["model", "model"]),
        ('{"exits"}', "retrieve", ["exits", "exit"]),
        ('{"parse", "retrieval"}', "retrieve", ["parse", "parse"]),
        ('{"retrieval"}', "lambda w, q: w.watch_parse(str)(q)", ["retrieval", "query, passages"]),
        (
            "all_seams",
            "lambda w, q: None",
            ["model", "model", "parse", "parse", "retrieval", "query, passages"],
        ),
    ],
)
def test_each_silent_seam_is_told(
    calibrated: Callable[[str], dict[str, str]], seams: str, cross: str, silent: list[str]
) -> None:
    """A seam that is declared and never reports, with what did not cross it."""
    with pytest.raises(CalibrationError) as told:
        calibrated(f"opener({seams}, {cross})")
    assert str(told.value) == "; ".join(
        f"the seam {seam} is declared, and stayed silent on every probe (nothing crossed:"
        f" {missing}); wrap it as the guide shows, or do not declare it"
        for seam, missing in zip(silent[::2], silent[1::2], strict=True)
    )


def test_a_calibration_error_is_the_adapters() -> None:
    """Never a violation: the run ends with exit 3."""
    assert issubclass(CalibrationError, AdapterError)
