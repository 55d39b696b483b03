"""The build gate of a suite, and what suites are declared with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from counterproof import suite
from counterproof.case import Case
from counterproof.catalogue import (
    RequirementSpec,
    Statement,
    SuiteError,
    read_requirements,
    read_statements,
)
from counterproof.certificate import Level
from counterproof.model.behaviours import COOPERATIVE, PARROT
from counterproof.suite import (
    GROUP,
    NO_HISTORY,
    Check,
    Counterproof,
    Suite,
    check,
    installed,
    sabotage,
)
from counterproof.trace import OMITTED, History

ROW = {
    "id": "RET-1",
    "version": 1,
    "level": "core",
    "title": "Only the question",
    "sentence": "The query is the question.",
    "source": "a decision record",
}


SAID: dict[str, Any] = {
    "id": "the-query",
    "says": "It is the question.",
    "source": "a decision record",
    "rows": ["RET-1"],
}


def rows(*ids: str) -> list[RequirementSpec]:
    """Requirements of these ids."""
    return [RequirementSpec.model_validate(ROW | {"id": each}) for each in ids]


def clause(name: str, requirement: str = "RET-1", **given: Any) -> Check:
    """A check of that name."""

    def holds(case: Case, history: History) -> None:
        """Always."""

    holds.__name__ = name
    return check(requirement, probes=lambda _: True, histories=NO_HISTORY, **given)(holds)


def breaking(*trips: Check, name: str = "breaks") -> Counterproof:
    """A sabotage of that name."""

    def hook(scene: Any, value: Any) -> Any:
        return value

    hook.__name__ = name
    return sabotage(*trips, on="query", witness=lambda _: OMITTED)(hook)


def module(*held: Any) -> ModuleType:
    """A module that holds these."""
    made = ModuleType("held")
    for number, each in enumerate(held):
        setattr(made, f"name_{number}", each)
    return made


ONE, TWO = clause("one"), clause("two", "RET-3")
WHOLE = (ONE, TWO, breaking(ONE), breaking(TWO))


class TestGate:
    def test_a_suite_that_holds_together(self) -> None:
        """It has no problem, and keeps the order of its modules, each thing once."""
        made = Suite.of(rows("RET-1", "RET-3"), module(*WHOLE), module(ONE, 3, "else"))
        assert made.problems() == []
        assert list(made.requirements) == ["RET-1", "RET-3"]
        assert made.checks == (ONE, TWO)
        assert WHOLE[2:] == made.counterproofs

    @pytest.mark.parametrize(
        ("ids", "held", "problem"),
        [
            (("RET-1", "RET-3", "RET-5"), WHOLE, "RET-5: a requirement without a check"),
            (("RET-1",), WHOLE, "RET-3/two: a check of no requirement"),
            (("RET-1", "RET-3"), WHOLE[:3], "RET-3/two: a check without a sabotage"),
            (
                ("RET-1", "RET-3"),
                (*WHOLE, breaking(ONE, clause("three"), name="more")),
                "more: trips RET-1/three, which is no check of the suite",
            ),
            (
                ("RET-1", "RET-3"),
                (*WHOLE, breaking(clause("one"), name="stale")),
                "stale: trips RET-1/one, which is no check of the suite",
            ),
            (
                ("RET-1", "RET-3"),
                (*WHOLE, breaking(name="idle")),
                "idle: a sabotage that trips no check",
            ),
            (
                ("RET-1", "RET-3"),
                (*WHOLE, clause("one")),
                "RET-1/one: two checks have this id",
            ),
            (
                ("RET-1", "RET-3"),
                (*WHOLE, breaking(ONE)),
                "RET-1/one: two sabotages called breaks",
            ),
            (
                ("RET-1", "RET-3", "RET-1"),
                WHOLE,
                "RET-1: two requirements have this id",
            ),
        ],
        ids=lambda each: each if isinstance(each, str) else "",
    )
    def test_each_fault_fails_the_build(
        self, ids: Iterable[str], held: Iterable[Any], problem: str
    ) -> None:
        """The one fault, and nothing else, is named."""
        with pytest.raises(SuiteError) as told:
            Suite.of(rows(*ids), module(*held))
        assert problem == str(told.value)

    def test_every_fault_is_named(self) -> None:
        """Not the first alone."""
        with pytest.raises(SuiteError) as told:
            Suite.of(rows("RET-1", "RET-5"), module(ONE))
        assert str(told.value).split("; ") == [
            "RET-5: a requirement without a check",
            "RET-1/one: a check without a sabotage",
        ]

    def test_the_counterproofs_of_a_check(self) -> None:
        """Each that trips it, and no other."""
        both, lone = breaking(ONE, TWO, name="both"), breaking(TWO, name="lone")
        made = Suite.of(rows("RET-1", "RET-3"), module(ONE, TWO, both, lone))
        assert {"RET-1/one": (both,), "RET-3/two": (both, lone)} == made.by_check


def statement(**given: Any) -> Statement:
    """A statement that RET-1 holds, with these members changed."""
    return Statement.model_validate(SAID | given)


class TestStatements:
    def test_of_a_requirement(self) -> None:
        """Those that it holds, in the table's order; a suite keeps them all."""
        both, lone = statement(rows=["RET-1", "RET-3"]), statement(id="lone", awaits=["SVC-1"])
        made = Suite.of(rows("RET-1", "RET-3"), module(*WHOLE), statements=[both, lone])
        assert made.statements == (both, lone)
        assert made.stating("RET-1") == (both, lone)
        assert made.stating("RET-3") == (both,)

    @pytest.mark.parametrize(
        ("statements", "problem"),
        [
            ([{}, {}], "the-query: two statements have this id"),
            ([{"rows": []}], "the-query: a statement without a requirement that holds it, or will"),
            ([{"rows": ["RET-7"]}], "the-query: names RET-7, which is no requirement of the suite"),
            (
                [{"awaits": ["RET-3"]}],
                "the-query: awaits RET-3, which the suite holds: it belongs to its rows",
            ),
        ],
    )
    def test_what_does_not_hold_together(
        self, statements: list[dict[str, Any]], problem: str
    ) -> None:
        """The statement is named, and its row."""
        with pytest.raises(SuiteError) as told:
            Suite.of(
                rows("RET-1", "RET-3"),
                module(*WHOLE),
                statements=[statement(**each) for each in statements],
            )
        assert problem == str(told.value)


class TestLimited:
    def test_to_some_requirements(self) -> None:
        """Rows, checks and counterproofs of these only; what also trips others stays."""
        both = breaking(ONE, TWO, name="both")
        made = Suite.of(rows("RET-1", "RET-3"), module(*WHOLE, both)).limited(["RET-3"])
        assert list(made.requirements) == ["RET-3"]
        assert made.checks == (TWO,)
        assert (WHOLE[3], both) == made.counterproofs

    def test_an_unknown_id(self) -> None:
        """It is refused by its name."""
        with pytest.raises(KeyError, match="RET-9"):
            Suite.of(rows("RET-1", "RET-3"), module(*WHOLE)).limited(["RET-1", "RET-9"])


def table(**given: Any) -> str:
    """A TOML table of a requirement, with these members changed; None leaves one out."""
    members = {k: v for k, v in (ROW | given).items() if v is not None}
    return "[[requirement]]\n" + "".join(
        f"{key} = {value if not isinstance(value, str) else repr(value)}\n"
        for key, value in members.items()
    )


class TestReadRequirements:
    @pytest.fixture
    def written(self, tmp_path: Path) -> Callable[[str], Path]:
        """Writes a file of requirements."""

        def write(text: str) -> Path:
            file = tmp_path / "requirements.toml"
            file.write_text(text, encoding="utf-8")
            return file

        return write

    def test_in_the_files_order(self, written: Callable[[str], Path]) -> None:
        """Each with its members."""
        text = table(id="RET-9", seams=["model"], level="strict") + table()
        first, second = read_requirements(written(text))
        assert (first.id, first.level, set(first.seams)) == ("RET-9", Level.STRICT, {"model"})
        assert (second.id, second.level, second.seams) == ("RET-1", Level.CORE, frozenset())

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (table() + table(id="RET-2", level="gold"), "RET-2: level: Input should be 'core'"),
            (table() + table(id=None), "entry 2: id: Field required"),
            (table(id="ret1"), "ret1: id: String should match pattern"),
            (table(version=0), "RET-1: version: Input should be greater than or equal to 1"),
            (table(sentence=""), "RET-1: sentence: String should have at least 1 character"),
            (table(source=None), "RET-1: source: Field required"),
            (table(source=" "), "RET-1: source: String should have at least 1 character"),
            (table(titel="x"), "RET-1: titel: Extra inputs are not permitted"),
            (table(seams=["model", 3]), "RET-1: seams.1: Input should be a valid string"),
            ("requirement = ['RET-1']", "requirement: each is a table of its own"),
            ("[requirement]\nid = 'RET-1'", "requirement: each is a table of its own"),
            ("id =", "Invalid value"),
        ],
    )
    def test_a_bad_entry(self, written: Callable[[str], Path], text: str, words: str) -> None:
        """The entry and the field are named."""
        with pytest.raises(SuiteError) as told:
            read_requirements(written(text))
        assert str(told.value).startswith(words)


class TestReadStatements:
    def test_in_the_files_order(self, tmp_path: Path) -> None:
        """Each with its members; what awaits its rows may have none."""
        file = tmp_path / "statements.toml"
        file.write_text(
            "[[statement]]\nid = 'b'\nsays = 'x'\nsource = 'y'\nrows = ['RET-1', 'RET-3']\n"
            "[[statement]]\nid = 'a'\nsays = 'x'\nsource = 'y'\nawaits = ['SVC-1']\n",
            encoding="utf-8",
        )
        held = [(each.id, each.rows, each.awaits) for each in read_statements(file)]
        assert held == [("b", ("RET-1", "RET-3"), ()), ("a", (), ("SVC-1",))]

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("says = 'x'\nsource = 'y'", "entry 1: id: Field required"),
            ("id = 'A b'\nsays = 'x'\nsource = 'y'", "A b: id: String should match pattern"),
            ("id = 'a'\nsays = ' '\nsource = 'y'", "a: says: String should have at least 1 char"),
            ("id = 'a'\nsays = 'x'", "a: source: Field required"),
            ("id = 'a'\nsays = 'x'\nsource = 'y'\nrows = ['ret1']", "a: rows.0: String should"),
            ("id = 'a'\nsays = 'x'\nsource = 'y'\nrow = ['RET-1']", "a: row: Extra inputs are"),
        ],
    )
    def test_a_bad_entry(self, tmp_path: Path, text: str, words: str) -> None:
        """The entry and the field are named."""
        file = tmp_path / "statements.toml"
        file.write_text(f"[[statement]]\n{text}\n", encoding="utf-8")
        with pytest.raises(SuiteError) as told:
            read_statements(file)
        assert str(told.value).startswith(words)


class TestInstalled:
    def test_the_kits_own_suite_is_found(self) -> None:
        """By its entry point, with checks and counterproofs."""
        found = installed()
        assert {"DEF-1", "RET-1", "STA-1"} <= set(found.requirements)
        assert {each.requirement for each in found.checks} == set(found.requirements)
        assert found.counterproofs
        assert found.statements

    def test_two_suites_of_one_requirement(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """No verdict could tell which is meant."""
        points = [EntryPoint(name, "counterproof_suites.engine:SUITE", GROUP) for name in "ab"]
        monkeypatch.setattr(suite, "entry_points", lambda group: points)
        with pytest.raises(SuiteError, match=r"DEF-1: two installed suites"):
            installed()


class TestDeclarations:
    def test_a_check_is_named_for_its_clause(self) -> None:
        """Name, id and file come from the function; the model cooperates unless told."""

        @check("RET-1", probes=lambda _: True, histories=NO_HISTORY, seams=("model",))
        def only_this_holds(case: Case, history: History) -> None:
            """Always."""

        assert only_this_holds.name == "only_this_holds"
        assert only_this_holds.id == "RET-1/only_this_holds"
        assert Path(__file__).resolve() == only_this_holds.file
        assert only_this_holds.behaviours == (COOPERATIVE,)
        assert {"model"} == only_this_holds.seams
        assert not only_this_holds.needs_baseline

    def test_a_check_keeps_what_it_is_told(self) -> None:
        """Behaviours in order, the baseline it needs, when it can be observed."""

        def never(_: Case) -> str:
            return "never"

        made = clause("c", behaviours=[PARROT, COOPERATIVE], observable=never, needs_baseline=True)
        assert made.behaviours == (PARROT, COOPERATIVE)
        assert made.observable is never
        assert made.needs_baseline

    def test_a_sabotage_is_named_with_hyphens(self) -> None:
        """A private function's underscore is no part of it."""

        @sabotage(ONE, TWO, on="query", witness=lambda _: History("list"), forged=True)
        def _history_in_query(scene: Any, value: Any) -> Any:
            return value

        assert _history_in_query.name == "history-in-query"
        assert _history_in_query.trips == (ONE, TWO)
        assert list(_history_in_query.sabotage.hooks) == ["on_query"]
        assert _history_in_query.sabotage.forged
        assert not _history_in_query.crashes

    def test_a_sabotage_of_an_unknown_seam(self) -> None:
        """It is refused where it is declared."""
        with pytest.raises(ValueError, match=r"hooks are of on_ask, .* not \['on_everything'\]"):
            sabotage(ONE, on="everything", witness=lambda _: OMITTED)(lambda scene, value: value)
