"""The certificate: its shape, its digest, and its life on disk."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from counterproof.certificate import (
    Certificate,
    CheckResult,
    Counts,
    Level,
    Verdict,
    digest,
    read,
    schema,
    seal,
    write,
)
from counterproof.certificate.document import digest_of_document
from harness.samples import (
    CORE,
    certificate,
    counterexample,
    counterproof,
    requirement,
    run,
    stale,
    subject,
    telling_certificate,
)

PUBLISHED = Path(__file__).parents[2] / "docs" / "certificate.schema.json"

ANY_TEXT = st.text(st.characters(), max_size=20)  # lone surrogates among them
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=10,
)


def holding(**given: Any) -> Certificate:
    """A certificate whose one failure has this counterexample."""
    return certificate([requirement(verdict=Verdict.FAIL, counterexample=counterexample(**given))])


class TestDocument:
    def test_published_schema_is_the_models(self) -> None:
        """The schema in the documentation is the one the code has."""
        assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == schema()

    @pytest.mark.parametrize("make", [certificate, telling_certificate, lambda: certificate([])])
    def test_samples_fit_the_schema(self, make: Any) -> None:
        """What is written validates with a validator that is not ours."""
        jsonschema.Draft202012Validator.check_schema(schema())
        jsonschema.validate(seal(make()).plain(), schema())

    def test_schema_refuses_an_unfinished_certificate(self) -> None:
        """A document without its footer is no certificate."""
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(certificate().plain(), schema())

    def test_has_the_members_of_the_design(self) -> None:
        """The names vendors read by are pinned."""
        plain = seal(telling_certificate()).plain()
        assert list(plain) == [
            "schema", "kit", "subject", "run", "level", "outcome", "counts", "requirements",
            "footer",
        ]  # fmt: skip
        assert plain["schema"] == "counterproof/certificate/v1"
        assert (list(plain["counts"])) == [
            "pass",
            "fail",
            "vacuous",
            "not_observable",
            "not_applicable",
            "known",
            "error",
        ]
        failed = next(each for each in plain["requirements"] if each["counterexample"])
        assert {
            "check", "probe", "question", "history", "history_kind", "behaviour", "trace", "mark",
            "message", "reproduce",
        } == set(failed["counterexample"])  # fmt: skip

    def test_is_immutable(self) -> None:
        """A verdict cannot be changed after the fact."""
        with pytest.raises(ValidationError, match="frozen"):
            certificate().level = None

    def test_counts_must_add_up(self) -> None:
        """Counts that are not the verdicts' are refused."""
        with pytest.raises(ValidationError, match="counts are not those"):
            certificate(counts=Counts(error=99))

    def test_a_requirement_stands_once(self) -> None:
        """Two verdicts on one requirement are refused."""
        with pytest.raises(ValidationError, match="stands in it twice"):
            certificate([requirement(), requirement()])

    def test_no_level_for_part_of_the_requirements(self) -> None:
        """A certificate of a run with --only names no level."""
        with pytest.raises(ValidationError, match="--only grants no level"):
            certificate(run=run(only=["RET-1"]), level=Level.CORE)

    def test_no_level_where_nothing_passed(self) -> None:
        """A "FULL (0/0)" cannot be written."""
        with pytest.raises(ValidationError, match="though nothing passed"):
            certificate([], level=Level.CORE)

    @pytest.mark.parametrize(
        "verdict", [Verdict.FAIL, Verdict.KNOWN, Verdict.ERROR, Verdict.VACUOUS]
    )
    def test_no_level_over_a_fault(self, verdict: Verdict) -> None:
        """Nor over a failure that is known; one above it is no hindrance."""
        found = [*(requirement(each) for each in CORE), requirement("STA-1", verdict, Level.STRICT)]
        assert certificate(found).level is Level.CORE
        with pytest.raises(ValidationError, match=f"strict is granted though STA-1 is {verdict}"):
            certificate(found, level=Level.STRICT)

    def test_known_failures_come_from_a_list(self) -> None:
        """The certificate names its digest."""
        with pytest.raises(ValidationError, match="no list of known failures was given"):
            certificate([requirement(verdict=Verdict.KNOWN)], run=run())
        with pytest.raises(ValidationError, match="no list of known failures was given"):
            certificate(stale=[stale()], run=run())

    def test_a_stale_entry_fails_the_run(self) -> None:
        """An outcome that lets it pass is refused."""
        made = certificate(stale=[stale()])
        assert made.outcome.exit == 1
        with pytest.raises(ValidationError, match="is stale, and the run did not fail"):
            certificate(stale=[stale()], outcome=made.outcome.model_copy(update={"exit": 0}))

    def test_a_digest_says_what_it_is(self) -> None:
        """A digest of the subject is measured or claimed, never just there."""
        with pytest.raises(ValidationError, match="stand together"):
            subject(digest_is=None)


class TestEvidence:
    def test_a_known_failure_has_its_entry(self) -> None:
        """Nothing is excused by nobody."""
        with pytest.raises(ValidationError, match="KNOWN without an entry of the known failures"):
            requirement(verdict=Verdict.KNOWN, known=[])

    @pytest.mark.parametrize("outcome", [Verdict.FAIL, Verdict.ERROR])
    def test_a_known_failure_is_the_only_one(self, outcome: Verdict) -> None:
        """A row with another failure is no known one."""
        check = CheckResult(id="RET-1/else", outcome=outcome, examples=1, asks=1, reason="x")
        with pytest.raises(ValidationError, match=f"KNOWN, but RET-1/else is {outcome}"):
            requirement(verdict=Verdict.KNOWN, checks=[check])

    @pytest.mark.parametrize(
        "verdict", [each for each in Verdict if each not in (Verdict.PASS, Verdict.FAIL)]
    )
    def test_other_verdicts_have_a_reason(self, verdict: Verdict) -> None:
        """A row nobody can explain is refused."""
        with pytest.raises(ValidationError, match="without a reason"):
            requirement(verdict=verdict, reason=None)

    def test_a_failure_shows_itself(self) -> None:
        """A FAIL has a counterexample or a reason."""
        with pytest.raises(ValidationError, match="neither counterexample nor reason"):
            requirement(verdict=Verdict.FAIL, reason=None)

    @pytest.mark.parametrize(
        ("parts", "fault"),
        [
            ({"checks": []}, "without a check that passed"),
            ({"counterproofs": []}, "no counterproof of RET-1/clause was caught"),
            ({"counterproofs": [counterproof("RET-1/other")]}, "no counterproof of RET-1/clause"),
            (
                {
                    "counterproofs": [
                        counterproof("RET-1/clause"),
                        counterproof("RET-1/clause", "composite-only", caught=False),
                    ]
                },
                "composite-only landed and was not caught",
            ),
            (
                {
                    "checks": [
                        CheckResult(id="RET-1/clause", outcome=Verdict.PASS, examples=1, asks=1),
                        CheckResult(id="RET-1/b", outcome=Verdict.VACUOUS, examples=1, asks=1),
                    ]
                },
                "but RET-1/b is VACUOUS",
            ),
        ],
    )
    def test_a_pass_is_proven(self, parts: dict[str, Any], fault: str) -> None:
        """No PASS without a check that passed and failed where it had to."""
        with pytest.raises(ValidationError, match=fault):
            requirement(**parts)

    def test_a_counterproof_is_found_by_its_check_whatever_the_probe(self) -> None:
        """Probe and sabotage in brackets do not part a counterproof from its check."""
        passed = CheckResult(id="RET-1/clause[hit]", outcome=Verdict.PASS, examples=1, asks=1)
        row = requirement(checks=[passed], counterproofs=[counterproof("RET-1/clause[x]")])
        assert row.verdict is Verdict.PASS

    @pytest.mark.parametrize(
        ("parts", "fault"),
        [
            ({"landed": False}, "did not land cannot have been caught"),
            ({"inapplicable": "no tool"}, "landed is not inapplicable"),
        ],
    )
    def test_a_sabotage_lands_before_it_is_caught(self, parts: dict[str, Any], fault: str) -> None:
        """A counterproof cannot contradict itself."""
        with pytest.raises(ValidationError, match=fault):
            counterproof("RET-1/clause", **parts)


class TestDigest:
    def test_leaves_out_times_and_footer(self) -> None:
        """Two runs with the same findings have the same digest."""
        later = run(started=datetime(2027, 1, 1, tzinfo=UTC), seconds=99.0)
        assert digest(certificate()) == digest(seal(certificate(run=later)))

    @pytest.mark.parametrize(
        "other",
        [
            lambda: certificate(run=run(seed=1)),
            lambda: certificate(subject=subject(version="1.4.1")),
            lambda: certificate([requirement(each) for each in CORE[1:]]),
            lambda: certificate(run=run(profile="gate")),
        ],
    )
    def test_covers_the_rest(self, other: Any) -> None:
        """Whatever else differs changes the digest."""
        assert digest(certificate()) != digest(other())

    def test_does_not_depend_on_the_order_of_members(self) -> None:
        """It is of the canonical form, not of a file's bytes."""
        plain = certificate().plain()
        assert digest_of_document(dict(reversed(plain.items()))) == digest(certificate())


class TestAnyEvidence:
    @settings(deadline=None, max_examples=60)
    @given(text=ANY_TEXT, tree=ANY_JSON)
    def test_what_json_cannot_hold_is_written_and_read(
        self, tmp_path_factory: pytest.TempPathFactory, text: str, tree: Any
    ) -> None:
        """Whatever an engine says and whatever was asked, the certificate survives the disk."""
        made = holding(question=text, trace=tree, history=[["user", text], tree], message=text)
        path = tmp_path_factory.mktemp("any") / "certificate.json"
        assert write(made, path) == read(path)

    @pytest.mark.parametrize(
        ("given", "held"),
        [
            ("a\ud800\\", "$surrogates:a\\uD800\\\\"),
            (float("nan"), "$float:nan"),
            (float("-inf"), "$float:-inf"),
            (2**60, "$int:0x1000000000000000"),
            (-(2**60), "$int:-0x1000000000000000"),
            (True, True),
            (2**53 - 1, 2**53 - 1),
            ("\\ud800", "\\ud800"),
            ({1: ("x",)}, {"1": ["x"]}),
        ],
    )
    def test_tags(self, given: Any, held: Any) -> None:
        """What I-JSON cannot hold is tagged text; what it can stays as it is."""
        example = holding(trace={"at": given}).requirements[0].counterexample
        assert example is not None
        assert example.trace == {"at": held}

    def test_endless_nesting_is_cut(self, tmp_path: Path) -> None:
        """An answer nested without end exhausts nobody's stack."""
        nested: Any = []
        for _ in range(5000):
            nested = [nested]
        path = tmp_path / "certificate.json"
        write(holding(trace=nested), path)
        assert "$deeper" in path.read_text(encoding="utf-8")
        assert read(path).requirements[0].verdict is Verdict.FAIL
