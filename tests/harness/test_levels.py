"""Which level is granted, what the exit code is, and why."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterproof.certificate import Level, Requirement, Stale, Subject, Verdict
from counterproof.certify.exits import Exit
from counterproof.certify.levels import (
    MUST_OBSERVE,
    conclude,
    exit_code,
    granted,
    installed,
    verdict_line,
)
from harness.samples import CORE, requirement, stale, subject

CATALOGUE = (*CORE, "RES-1", "PAR-4", "SES-1", "FAB-7", "STA-1", "RES-3", "RES-6", "SES-2")
TABLE = installed(CATALOGUE)
WITHOUT_FAULT = [Verdict.PASS, Verdict.NOT_APPLICABLE, Verdict.NOT_OBSERVABLE]


@st.composite
def rows(draw: st.DrawFn, verdicts: Sequence[Verdict] = tuple(Verdict)) -> list[Requirement]:
    """Requirements of some of the catalogue's ids, of any level and verdict."""
    common = st.sampled_from([*verdicts, *[Verdict.PASS] * 8])
    ids = draw(st.lists(st.sampled_from(CATALOGUE), unique=True) | st.just(list(CATALOGUE)))
    return [
        requirement(
            each,
            draw(common),
            Level.CORE if each in CORE else draw(st.sampled_from(list(Level))),
        )
        for each in ids
    ]


SUBJECTS = st.builds(
    lambda kind, channels, claims, seams: subject(
        kind=kind, channels=channels, claims=claims, seams=seams
    ),
    st.sampled_from(["engine", "service", "history", "reducer"]),
    st.lists(st.sampled_from(["narrative", "structured"]), unique=True),
    st.lists(st.sampled_from(["restricted", "security-gate", "session"]), unique=True),
    st.lists(st.sampled_from(["answer", "model", "parse", "retrieval"]), unique=True),
)
LEVELS = st.sampled_from(list(Level))


def core(**verdicts: Verdict) -> list[Requirement]:
    """The core rows, all PASS but for those named (``RET_1=Verdict.FAIL``)."""
    by_id = {name.replace("_", "-"): verdict for name, verdict in verdicts.items()}
    assert set(by_id) <= set(CORE)
    return [requirement(each, by_id.get(each, Verdict.PASS)) for each in CORE]


def level_of(requirements: Sequence[Requirement], tested: Subject | None = None) -> Level | None:
    return granted(requirements, tested or subject(), TABLE, only=False)


def exit_of(
    requirements: Sequence[Requirement],
    judged: Level = Level.CORE,
    tested: Subject | None = None,
    *,
    only: bool = False,
    stale: Sequence[Stale] = (),
) -> tuple[Exit, str]:
    return exit_code(requirements, tested or subject(), judged, TABLE, only=only, stale=stale)


class TestGranted:
    def test_core(self) -> None:
        """All core rows passing grant core, and no more."""
        assert Level.CORE is level_of(core())

    def test_highest(self) -> None:
        """A passing row of each further level grants that one too."""
        strict = requirement("STA-1", level=Level.STRICT)
        hardening = requirement("RES-6", level=Level.HARDENING)
        assert Level.STRICT is level_of([*core(), strict])
        assert Level.HARDENING is level_of([*core(), strict, hardening])

    def test_strict_needs_core(self) -> None:
        """Strict rows alone grant nothing."""
        assert level_of([requirement("STA-1", level=Level.STRICT)]) is None

    def test_hardening_needs_strict(self) -> None:
        """A level is not jumped over."""
        assert Level.CORE is level_of([*core(), requirement("RES-6", level=Level.HARDENING)])

    @pytest.mark.parametrize(
        "verdict", [Verdict.FAIL, Verdict.ERROR, Verdict.VACUOUS, Verdict.KNOWN]
    )
    def test_one_row_withholds_its_level(self, verdict: Verdict) -> None:
        """Neither a violation nor a doubt, nor a known failure, grants its level."""
        assert level_of(core(MSG_1=verdict)) is None
        assert Level.CORE is level_of([*core(), requirement("STA-1", verdict, Level.STRICT)])

    @pytest.mark.parametrize("verdict", [Verdict.NOT_OBSERVABLE, Verdict.NOT_APPLICABLE])
    @pytest.mark.parametrize(
        "row", ["DEF-1", "PAR-2", "FAB-6", "MSG-1", "MSG-2", "ROL-1", "ROL-2", "FAB-4"]
    )
    def test_must_be_observed(self, row: str, verdict: Verdict) -> None:
        """No core without these; a row cannot call itself inapplicable either."""
        assert level_of(core(**{row.replace("-", "_"): verdict})) is None

    @pytest.mark.parametrize(
        ("channel", "row", "other"),
        [("narrative", "FAB-6", "PAR-2"), ("structured", "PAR-2", "FAB-6")],
    )
    def test_by_channel(self, channel: str, row: str, other: str) -> None:
        """An engine of one channel must be seen on that one."""
        tested = subject(channels=[channel])
        without = {other.replace("-", "_"): Verdict.NOT_APPLICABLE}
        assert Level.CORE is level_of(core(**without), tested)
        assert level_of(core(**{row.replace("-", "_"): Verdict.NOT_OBSERVABLE}), tested) is None

    def test_retrieval_is_seen_at_one_of_two_places(self) -> None:
        """RET-1 or RET-3 will do."""
        blind = Verdict.NOT_OBSERVABLE
        assert Level.CORE is level_of(core(RET_1=blind))
        assert Level.CORE is level_of(core(RET_3=blind))
        assert level_of(core(RET_1=blind, RET_3=blind)) is None

    def test_restricted_is_seen_where_it_is_claimed(self) -> None:
        """Who claims restricted must show RES-1."""
        claiming = subject(claims=["restricted"])
        assert level_of(core(), claiming) is None
        assert Level.CORE is level_of([*core(), requirement("RES-1")], claiming)

    def test_only_what_is_installed(self) -> None:
        """A row that the installed catalogue does not hold is not waited for."""
        less = [row for row in core() if row.id not in ("ROL-2", "RET-3")]
        table = installed([row.id for row in less])
        assert Level.CORE is granted(less, subject(), table, only=False)
        assert level_of(less) is None
        assert ("RET-1",) in [each.any_of for each in table]
        assert installed([]) == ()

    def test_answer_only(self) -> None:
        """An engine that shows only its answers, or how it is called, gets no level."""
        assert level_of(core(), subject(seams=[])) is None
        assert level_of(core(), subject(seams=["answer"])) is None
        assert level_of(core(), subject(seams=["answer", "signature"])) is None

    def test_other_subjects(self) -> None:
        """A history object has no seams and no engine's rows; its own rows grant it a level."""
        history = subject(kind="history", channels=[], seams=[])
        assert Level.CORE is level_of([requirement("CHH-1")], history)

    @settings(deadline=None)
    @given(rows(), SUBJECTS, LEVELS)
    def test_never_where_its_own_rows_are_unseen(
        self, found: list[Requirement], tested: Subject, level: Level
    ) -> None:
        """Each level granted has a passing row of its own, and no other verdict stands below it."""
        highest = level_of(found, tested)
        if highest is not None and highest.includes(level):
            mine = [row.verdict for row in found if row.level is level]
            assert Verdict.PASS in mine
            assert set(mine) <= set(WITHOUT_FAULT)

    @settings(deadline=None)
    @given(rows(), SUBJECTS)
    def test_never_for_a_part(self, found: list[Requirement], tested: Subject) -> None:
        """A run with --only grants nothing."""
        assert granted(found, tested, TABLE, only=True) is None

    @settings(deadline=None)
    @given(rows(), SUBJECTS, st.data())
    def test_a_worse_verdict_never_raises_it(
        self, found: list[Requirement], tested: Subject, data: st.DataObject
    ) -> None:
        """Turning a PASS into anything else never grants more."""
        passing = [place for place, row in enumerate(found) if row.verdict is Verdict.PASS]
        if not passing:
            return
        place = data.draw(st.sampled_from(passing))
        worse = list(found)
        verdict = data.draw(st.sampled_from([each for each in Verdict if each is not Verdict.PASS]))
        worse[place] = requirement(found[place].id, verdict, found[place].level)
        before, after = level_of(found, tested), level_of(worse, tested)
        assert after is None or (before is not None and before.includes(after))


class TestExit:
    def test_conformant(self) -> None:
        """Where the level asked for is granted, the exit is 0."""
        assert exit_of(core()) == (Exit.CONFORMANT, "conformant at core")

    def test_nothing_checked(self) -> None:
        """No requirement at all is a broken run, not a conformant engine."""
        assert exit_of([])[0] == Exit.ERROR

    def test_nothing_applicable(self) -> None:
        """Where nothing applies, nothing is conformant."""
        none = [requirement(each, Verdict.NOT_APPLICABLE) for each in CORE]
        assert exit_of(none)[0] == Exit.NOT_ENOUGH_OBSERVED

    @pytest.mark.parametrize(
        ("verdicts", "code", "named"),
        [
            ({"MSG_1": Verdict.ERROR, "RET_1": Verdict.FAIL}, Exit.ERROR, "MSG-1"),
            ({"MSG_1": Verdict.VACUOUS, "RET_1": Verdict.FAIL}, Exit.VIOLATED, "RET-1"),
            ({"MSG_1": Verdict.VACUOUS, "DEF_1": Verdict.NOT_OBSERVABLE}, Exit.VACUOUS, "MSG-1"),
            ({"DEF_1": Verdict.NOT_OBSERVABLE}, Exit.NOT_ENOUGH_OBSERVED, "DEF-1 was not observed"),
        ],
    )
    def test_first_cause_wins(self, verdicts: dict[str, Verdict], code: Exit, named: str) -> None:
        """The causes are looked for in the design's order, and the first is named."""
        found, reason = exit_of(core(**verdicts))
        assert code == found
        assert named in reason

    @pytest.mark.parametrize("verdict", [Verdict.FAIL, Verdict.VACUOUS, Verdict.NOT_OBSERVABLE])
    def test_rows_above_do_not_change_it(self, verdict: Verdict) -> None:
        """A strict row is reported and, judged at core, changes nothing."""
        found = [*core(), requirement("STA-1", verdict, Level.STRICT)]
        assert exit_of(found)[0] == Exit.CONFORMANT
        assert exit_of(found, Level.STRICT)[0] != Exit.CONFORMANT

    def test_every_level_below_must_have_been_seen(self) -> None:
        """Strict rows alone do not make an engine conformant at strict."""
        history = subject(kind="history", channels=[], seams=[])
        strict = [requirement("CHH-5", level=Level.STRICT)]
        code, reason = exit_of(strict, Level.STRICT, history)
        assert code == Exit.NOT_ENOUGH_OBSERVED
        assert "no requirement of level core was observed" in reason

    def test_an_error_above_does(self) -> None:
        """An ERROR is the harness's, at whatever level."""
        found = [*core(), requirement("STA-1", Verdict.ERROR, Level.STRICT)]
        assert exit_of(found)[0] == Exit.ERROR

    def test_known(self) -> None:
        """A known failure does not fail the run, is named, and its level is not granted."""
        code, reason = exit_of(core(MSG_1=Verdict.KNOWN))
        assert code == Exit.CONFORMANT
        assert "not conformant at core, which is not granted" in reason
        assert reason.endswith("no failure but known ones: MSG-1")

    def test_known_of_a_part(self) -> None:
        """A run with --only tells it, and that nothing is granted."""
        code, reason = exit_of([requirement("MSG-1", Verdict.KNOWN)], only=True)
        assert code == Exit.NOT_ENOUGH_OBSERVED
        assert reason.startswith("nothing passed, MSG-1 failed as known; a run with --only")
        passed = requirement("FAB-7", level=Level.STRICT)
        assert exit_of([passed], only=True)[1].startswith("FAB-7 passed; a run with --only")

    def test_a_stale_entry(self) -> None:
        """It fails the run, above the judged level too, and beside a violation or with --only."""
        rotten = (stale(), stale(entry=3, id="FAB-7", because="expired"))
        told = "stale entries of the known failures: 1 (RET-1, passes now), 3 (FAB-7, expired)"
        assert exit_of(core(), stale=rotten) == (Exit.VIOLATED, told)
        assert exit_of(core(), only=True, stale=rotten) == (Exit.VIOLATED, told)
        assert exit_of(core(MSG_1=Verdict.VACUOUS), stale=rotten) == (Exit.VIOLATED, told)
        both = exit_of(core(MSG_1=Verdict.FAIL), stale=rotten)
        assert both == (Exit.VIOLATED, f"violated at or below core: MSG-1; {told}")

    def test_an_error_goes_before_a_stale_entry(self) -> None:
        """The harness's fault is the first cause."""
        assert exit_of(core(MSG_1=Verdict.ERROR), stale=(stale(),))[0] == Exit.ERROR

    def test_a_part_is_not_conformant(self) -> None:
        """A run with --only cannot say that a level is held."""
        code, reason = exit_of(core(), only=True)
        assert code == Exit.NOT_ENOUGH_OBSERVED
        assert "--only" in reason

    def test_answer_only_says_what_to_expose(self) -> None:
        """An engine that shows only its answers is told what to show."""
        code, reason = exit_of(core(), tested=subject(seams=[]))
        assert code == Exit.NOT_ENOUGH_OBSERVED
        assert "expose the model seam" in reason

    def test_many_are_named_by_the_first(self) -> None:
        """A long list does not flood the reason."""
        assert exit_of([requirement(each, Verdict.FAIL) for each in CORE])[1].endswith("and 5 more")

    @settings(deadline=None)
    @given(rows(), SUBJECTS, LEVELS, st.booleans())
    def test_never_0_over_a_fault(
        self, found: list[Requirement], tested: Subject, judged: Level, only: bool
    ) -> None:
        """Exit 0 means the level is granted, or withheld for known failures alone."""
        code, reason = exit_of(found, judged, tested, only=only)
        assert reason
        if code == Exit.CONFORMANT:
            mine = {row.verdict for row in found if judged.includes(row.level)}
            assert not mine & {Verdict.FAIL, Verdict.ERROR, Verdict.VACUOUS}
            level = granted(found, tested, TABLE, only=only)
            assert Verdict.KNOWN in mine or (level is not None and level.includes(judged))

    @settings(deadline=None)
    @given(rows(), SUBJECTS, LEVELS)
    def test_0_where_the_level_is_granted(
        self, found: list[Requirement], tested: Subject, judged: Level
    ) -> None:
        """A granted level exits 0, unless the harness itself failed elsewhere."""
        level = level_of(found, tested)
        if level is not None and level.includes(judged):
            expected = (
                Exit.ERROR
                if any(row.verdict is Verdict.ERROR for row in found)
                else Exit.CONFORMANT
            )
            assert expected == exit_of(found, judged, tested)[0]

    @settings(deadline=None)
    @given(rows(WITHOUT_FAULT), SUBJECTS, LEVELS)
    def test_nobody_is_blamed_for_what_was_not_seen(
        self, found: list[Requirement], tested: Subject, judged: Level
    ) -> None:
        """Without a fault the exit is 0 or 4 (3 where nothing was checked), never a violation."""
        allowed = {Exit.CONFORMANT, Exit.NOT_ENOUGH_OBSERVED} if found else {Exit.ERROR}
        assert exit_of(found, judged, tested)[0] in allowed


class TestVerdictLine:
    def test_as_in_the_design(self) -> None:
        """Level, channels, what is not claimed, how much was observed."""
        found = [
            *core(PAR_2=Verdict.NOT_APPLICABLE),
            requirement("RES-1", Verdict.NOT_APPLICABLE),
            requirement("PAR-4", Verdict.NOT_APPLICABLE),
            requirement("FAB-7", Verdict.NOT_OBSERVABLE, Level.STRICT),
        ]
        assert (
            verdict_line(Level.CORE, subject(channels=["narrative"]), found)
            == "core (narrative; no restricted, no security gate), 9 of 10 observed"
        )

    def test_known_failures_are_named(self) -> None:
        """They cannot be overlooked, at whatever level they are, and whatever is granted."""
        found = [*core(), requirement("FAB-7", Verdict.KNOWN, Level.STRICT)]
        assert (
            verdict_line(Level.CORE, subject(), found)
            == "core (narrative, structured), 11 of 11 observed, known to fail: FAB-7"
        )

    def test_claimed(self) -> None:
        """What is claimed is not said to be missing."""
        found = [*core(), requirement("RES-1", Verdict.NOT_APPLICABLE)]
        assert (
            verdict_line(Level.CORE, subject(claims=["restricted"]), found)
            == "core (narrative, structured), 10 of 10 observed"
        )

    @pytest.mark.parametrize(
        ("tested", "line"),
        [
            (subject(), "no level (narrative, structured), 0 of 0 observed"),
            (subject(seams=[]), "answer-only (narrative, structured), 0 of 0 observed"),
            (subject(kind="reducer", channels=[]), "no level (reducer), 0 of 0 observed"),
        ],
    )
    def test_without_a_level(self, tested: Subject, line: str) -> None:
        """No level is said in words, and an engine of answers only has its own."""
        assert line == verdict_line(None, tested, [])


class TestConclude:
    def test_agrees_with_its_parts(self) -> None:
        """The certificate's level and outcome are those of the rules."""
        level, outcome = conclude(core(), subject(), Level.CORE, CATALOGUE, only=False)
        assert Level.CORE is level
        assert (
            outcome.line,
            outcome.exit,
            outcome.reason,
        ) == ("core (narrative, structured), 10 of 10 observed", 0, "conformant at core")
        assert outcome.stale == ()

    def test_stale_entries_stand_in_the_outcome(self) -> None:
        """A report needs nothing but the certificate."""
        found = core(MSG_1=Verdict.KNOWN)
        level, outcome = conclude(
            found, subject(), Level.CORE, CATALOGUE, only=False, stale=[stale()]
        )
        assert (level, outcome.exit, outcome.stale) == (None, 1, (stale(),))


def test_the_table_is_the_designs() -> None:
    """What core cannot be granted without is pinned."""
    assert {
        ("DEF-1",), ("PAR-2",), ("FAB-6",), ("MSG-1",), ("MSG-2",), ("ROL-1",), ("ROL-2",),
        ("RET-1", "RET-3"), ("FAB-4",), ("RES-1",),
    } == {each.any_of for each in MUST_OBSERVE}  # fmt: skip
    assert {Level.CORE} == {each.level for each in MUST_OBSERVE}


def test_the_exits_are_the_designs() -> None:
    """Exit codes are an interface: scripts read them."""
    assert {130, 2, 3, 1, 6, 4, 0} == {int(each) for each in Exit}
