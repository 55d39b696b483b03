"""What a suite is made of: requirements, their checks, and the sabotages that prove the checks.

A suite's modules hold checks and sabotages as plain module attributes; :meth:`Suite.of` gathers
them. Nothing is registered globally.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from counterproof.catalogue import RequirementSpec, Statement, SuiteError
from counterproof.model.behaviours import COOPERATIVE, Behaviour
from counterproof.sabotage import Hook, Sabotage
from counterproof.strategies import Material
from counterproof.trace import OMITTED, History
from counterproof.worlds import Probe

if TYPE_CHECKING:
    from counterproof.case import Case

GROUP = "counterproof.suites"
"""The entry point group suites are found in."""


@dataclass(frozen=True)
class Histories:
    """The histories a check runs with.

    Args:
        explicit: those it always runs with, from the world's material.
        drawn: what further ones are drawn from; None where the explicit ones are all.
        most: at most so many are drawn, whatever the profile says; for asks that are dear.
    """

    explicit: Callable[[Material], Iterable[History]]
    drawn: Callable[[Material], st.SearchStrategy[History]] | None = None
    most: int | None = None


NO_HISTORY = Histories(lambda _: [OMITTED])
"""One ask, without a history."""

Predicate = Callable[["Case", History], None]
Selector = Callable[[Probe], bool]


@dataclass(frozen=True, eq=False)
class Check:
    """One clause of one requirement, as a predicate over traces; see :func:`check`."""

    requirement: str
    predicate: Predicate
    probes: Selector
    histories: Histories
    behaviours: tuple[Behaviour, ...]
    seams: frozenset[str]
    observable: Callable[[Case], str | None] | None
    needs_baseline: bool
    claims: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The clause it is named for."""
        return self.predicate.__name__

    @property
    def id(self) -> str:
        """``RET-1/only_the_question_is_retrieved_for``."""
        return f"{self.requirement}/{self.name}"

    @cached_property  # the plugin asks for it once per item and per file collected
    def file(self) -> Path:
        """The module file it stands in."""
        return Path(inspect.getfile(self.predicate)).resolve()


@dataclass(frozen=True, eq=False)
class Counterproof:
    """A sabotage, the checks it must trip, and the ask that shows it; see :func:`sabotage`."""

    sabotage: Sabotage
    trips: tuple[Check, ...]
    witness: Callable[[Material], History]
    probes: Selector
    crashes: bool

    @property
    def name(self) -> str:
        """The sabotage's name."""
        return self.sabotage.name


def check(
    requirement: str,
    *,
    probes: Selector,
    histories: Histories,
    behaviours: Sequence[Behaviour] = (COOPERATIVE,),
    seams: Iterable[str] = (),
    observable: Callable[[Case], str | None] | None = None,
    needs_baseline: bool = False,
    claims: Iterable[str] = (),
    needs: Iterable[str] = (),
) -> Callable[[Predicate], Check]:
    """Declare a function a check: it raises ``Violation`` where its clause does not hold.

    Args:
        requirement: id of the requirement it proves a clause of.
        probes: which of the world's probes it speaks of.
        histories: the histories it runs with.
        behaviours: what the scripted model does; one item is built for each.
        seams: seams it needs beyond its requirement's.
        observable: asked once per probe, before anything is judged: why the clause cannot be
            observed there (the engine hands out no route, say), or None.
        needs_baseline: whether it compares with a recorded baseline (DEF-2).
        claims: claims it is about, besides that of each probe.
        needs: what the kit must be able to do with the engine: give it an ``object`` of the
            caller's, have it in ``processes`` of different hash seeds, have it ``untold`` of any
            history, open it over other ``worlds``. A service may lack some of it.
    """

    def declare(predicate: Predicate) -> Check:
        return Check(
            requirement,
            predicate,
            probes,
            histories,
            tuple(behaviours),
            frozenset(seams),
            observable,
            needs_baseline,
            frozenset(claims),
            frozenset(needs),
        )

    return declare


def sabotage(
    *trips: Check,
    on: str,
    witness: Callable[[Material], History],
    probes: Selector = lambda _: True,
    forged: bool = False,
    crashes: bool = False,
) -> Callable[[Hook], Counterproof]:
    """Declare a function a sabotage, named for it with hyphens.

    Args:
        trips: the checks it must trip, each by itself.
        on: what it alters: ``ask``, ``parse``, ``query``, ``passages``, ``messages``,
            ``answer``, ``record``, ``state``, ``description`` or ``end`` (an answer or a failure,
            either way).
        witness: from the world's material, a history with which it shows.
        probes: which of the check's probes it shows on.
        forged: whether it can only edit what is reported, not what the engine does.
        crashes: whether an engine so broken may fail instead of answering.
    """

    def declare(hook: Hook) -> Counterproof:
        name = getattr(hook, "__name__", "sabotage").strip("_").replace("_", "-")
        made = Sabotage(name, {f"on_{on}": hook}, forged)
        return Counterproof(made, trips, witness, probes, crashes)

    return declare


@dataclass(frozen=True)
class Suite:
    """Requirements, checks and counterproofs that hold together.

    Args:
        requirements: by id, in the catalogue's order.
        checks: every check, in the order of its modules.
        counterproofs: every sabotage.
        statements: what the requirements' source says, and which of them hold it.
    """

    requirements: Mapping[str, RequirementSpec]
    checks: tuple[Check, ...]
    counterproofs: tuple[Counterproof, ...] = field(default=())
    statements: tuple[Statement, ...] = ()

    @classmethod
    def of(
        cls,
        requirements: Iterable[RequirementSpec],
        *modules: ModuleType,
        statements: Iterable[Statement] = (),
    ) -> Suite:
        """The suite of these requirements, with the checks and sabotages of these modules.

        Args:
            requirements: in the catalogue's order.
            modules: what holds its checks and sabotages.
            statements: the table of what the requirements' source says.

        Raises:
            SuiteError: it does not hold together; see :meth:`problems`.
        """
        held = [each for module in modules for each in vars(module).values()]
        rows = list(requirements)
        suite = cls(
            {each.id: each for each in rows},
            tuple(dict.fromkeys(each for each in held if isinstance(each, Check))),
            tuple(dict.fromkeys(each for each in held if isinstance(each, Counterproof))),
            tuple(statements),
        )
        twice = Counter(each.id for each in rows)
        doubled = [f"{each}: two requirements have this id" for each, n in twice.items() if n > 1]
        if problems := doubled + suite.problems():
            raise SuiteError("; ".join(problems))
        return suite

    def problems(self) -> list[str]:
        """What does not hold together, one sentence each: the build gate (design §3)."""
        proven = {each.id for c in self.counterproofs for each in c.trips}
        checked = {each.requirement for each in self.checks}
        twice = Counter(each.id for each in self.checks)
        planted = Counter((c.name, each.id) for c in self.counterproofs for each in c.trips)
        stated = Counter(each.id for each in self.statements)
        return [
            *(f"{each}: a requirement without a check" for each in self.requirements
              if each not in checked),
            *(f"{each.id}: a check of no requirement" for each in self.checks
              if each.requirement not in self.requirements),
            *(f"{each.id}: a check without a sabotage" for each in self.checks
              if each.id not in proven),
            *(f"{c.name}: trips {each.id}, which is no check of the suite"
              for c in self.counterproofs for each in c.trips if each not in self.checks),
            *(f"{c.name}: a sabotage that trips no check" for c in self.counterproofs
              if not c.trips),
            *(f"{each}: two checks have this id" for each, n in twice.items() if n > 1),
            *(f"{check}: two sabotages called {name}" for (name, check), n in planted.items()
              if n > 1),
            *(f"{each}: two statements have this id" for each, n in stated.items() if n > 1),
            *(f"{s.id}: a statement without a requirement that holds it, or will"
              for s in self.statements if not s.rows + s.awaits),
            *(f"{s.id}: names {row}, which is no requirement of the suite"
              for s in self.statements for row in s.rows if row not in self.requirements),
            *(f"{s.id}: awaits {row}, which the suite holds: it belongs to its rows"
              for s in self.statements for row in s.awaits if row in self.requirements),
        ]  # fmt: skip

    @cached_property
    def by_check(self) -> dict[str, tuple[Counterproof, ...]]:
        """The counterproofs of each check, by its id."""
        return {
            each.id: tuple(c for c in self.counterproofs if each in c.trips) for each in self.checks
        }

    def stating(self, requirement: str) -> tuple[Statement, ...]:
        """The statements that a requirement holds, by its id."""
        return tuple(each for each in self.statements if requirement in each.rows)

    def limited(self, ids: Iterable[str]) -> Suite:
        """The suite of these requirements only.

        Raises:
            KeyError: an id that is in no installed suite.
        """
        wanted = set(ids)
        for each in sorted(wanted - set(self.requirements)):
            raise KeyError(each)
        checks = tuple(each for each in self.checks if each.requirement in wanted)
        return Suite(
            {key: each for key, each in self.requirements.items() if key in wanted},
            checks,
            tuple(c for c in self.counterproofs if set(c.trips) & set(checks)),
        )


def installed() -> Suite:
    """Every installed suite, as one.

    Raises:
        SuiteError: two suites hold a requirement of the same id.
    """
    suites: list[Suite] = [each.load() for each in entry_points(group=GROUP)]
    ids = Counter(key for each in suites for key in each.requirements)
    for key, count in ids.items():
        if count > 1:
            raise SuiteError(f"{key}: two installed suites hold this requirement")
    return Suite(
        {key: row for each in suites for key, row in each.requirements.items()},
        tuple(c for each in suites for c in each.checks),
        tuple(c for each in suites for c in each.counterproofs),
        tuple(s for each in suites for s in each.statements),
    )
