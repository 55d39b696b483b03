"""A vendor's file of known failures: what it may hold, and which failures an entry knows of."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterproof.known import ANY, KnownError, KnownFailure, KnownFailures, read_known
from counterproof.suite import installed
from harness.judged import SUITE

DAY = date(2026, 12, 31)
ENTRY: dict[str, Any] = {
    "id": "RET-1",
    "check": "one",
    "behaviour": "cooperative",
    "message": "the query is not the question",
    "reason": "the new index is not in yet",
    "link": "https://tracker.example/12",
    "expires": DAY,
}


def entry(**given: Any) -> KnownFailure:
    """An entry, with these members changed."""
    return KnownFailure.model_validate(ENTRY | given)


def table(**given: Any) -> str:
    """A TOML table of it; None leaves a member out, and text that is no string stands as it is."""
    members = {key: each for key, each in (ENTRY | given).items() if each is not None}
    return "[[known]]\n" + "".join(
        f"{key} = {each if not isinstance(each, str) else repr(each)}\n"
        for key, each in members.items()
    )


def read(folder: Path, text: str | bytes, on: date = DAY) -> KnownFailures:
    """The known failures of a file with this text, where check ``one`` alone is installed."""
    file = folder / "known.toml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_known(file, SUITE, on)


class TestRead:
    def test_entries_in_the_files_order(self, tmp_path: Path) -> None:
        """Each with its members; a date may be a text; what differs in its pin is another."""
        text = table(message="another thing is said") + table(expires="2027-01-01")
        found = read(tmp_path, text)
        assert found.entries == (
            entry(message="another thing is said"),
            entry(expires=date(2027, 1, 1)),
        )
        assert found.on == DAY

    @pytest.mark.parametrize("text", ["", "# nothing is known to fail\n", "known = []"])
    def test_nothing_known(self, tmp_path: Path, text: str) -> None:
        """A list may be empty, and is one: the certificate names its digest."""
        found = read(tmp_path, text)
        assert found.entries == ()
        assert found.digest is not None

    def test_the_digest_is_of_the_entries(self, tmp_path: Path) -> None:
        """Not of how they are written, nor of the day they are judged at."""
        whole = read(tmp_path, table())
        assert whole.digest == read(tmp_path, f"# why\n{table()}", date(2030, 1, 1)).digest
        assert whole.digest != read(tmp_path, table(reason="another")).digest

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("known = 3", "each known failure is a table of its own, [[known]]"),
            ("[known]\nid = 'RET-1'", "each known failure is a table of its own, [[known]]"),
            ("[[knwon]]\nid = 'RET-1'", "holds 'knwon'; give each known failure as [[known]]"),
            ("[[known", "is not TOML: "),
            (b"\xff", "is not TOML: "),
            (table(reason=None), "entry 1 (RET-1): reason is missing: give the reason for which"),
            (table(reason=" "), "entry 1 (RET-1): reason is not valid: give the reason"),
            (table(id=None), "entry 1: id is missing: give the requirement's id"),
            (table(id=3), "entry 1: id is not valid: give the requirement's id"),
            (table(check=None), "entry 1 (RET-1): check is missing: give the name of the check"),
            (table(message=""), "entry 1 (RET-1): message is not valid: give what the check says"),
            (table(link="a tracker"), "entry 1 (RET-1): link is not valid: give an http or https"),
            (table(link=None), "entry 1 (RET-1): link is missing: give an http or https address"),
            (table(expires=None), "entry 1 (RET-1): expires is missing: give a date such as"),
            (table(expires="soon"), "entry 1 (RET-1): expires is not valid: give a date such as"),
            (table(expires="2027-02-30"), "entry 1 (RET-1): expires is not valid: give a date"),
            (table(expires="20270131"), "entry 1 (RET-1): expires is not valid: give a date"),
            (table(expires=86400), "entry 1 (RET-1): expires is not valid: give a date such as"),
            (
                table().replace("2026-12-31", "2026-12-31T00:00:00"),
                "entry 1 (RET-1): expires is not valid: give a date",
            ),
            (
                table(expiry=3),
                "entry 1 (RET-1): there is no 'expiry'; an entry holds id, check, behaviour,",
            ),
            (
                table(message="one") + table(id="RET-77"),
                "entry 2 (RET-77): no installed suite holds this requirement; `counterproof",
            ),
            (table(check="three"), "entry 1 (RET-1): has no check 'three', but one, two"),
            (table(check="RET-1/one"), "entry 1 (RET-1): has no check 'RET-1/one', but one, two"),
            (
                table(behaviour="parrot"),
                "entry 1 (RET-1): one is not run with a model of behaviour 'parrot', but coop",
            ),
            (table(message="the query …"), "entry 1 (RET-1): message pins nothing: give at least"),
            (table(message="…"), "entry 1 (RET-1): message pins nothing: give at least 12"),
            (
                table(message="one") + table() + table(reason="b"),
                "entry 3 (RET-1): is pinned to what entry 2 is; remove one",
            ),
        ],
    )
    def test_what_cannot_be(self, tmp_path: Path, text: str | bytes, words: str) -> None:
        """File, entry and what to mend are named."""
        with pytest.raises(KnownError) as told:
            read(tmp_path, text)
        assert str(told.value).startswith(f"{tmp_path / 'known.toml'}: {words}")

    def test_no_file(self, tmp_path: Path) -> None:
        """What was asked for is not silently left out."""
        with pytest.raises(KnownError, match=r"known.toml: cannot be read \(No such file"):
            read_known(tmp_path / "known.toml", SUITE, DAY)


def test_the_documented_example(tmp_path: Path) -> None:
    """It is a file that can be used, of a requirement that is installed, and its pin is real."""
    guide = (Path(__file__).parents[2] / "docs" / "known.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", guide, re.DOTALL)
    file = tmp_path / "known.toml"
    file.write_text(example, encoding="utf-8")
    (found,) = read_known(file, installed(), DAY).entries
    said = "the model called no tool, and its own figure 512 is in the answer"
    pin = ("FAB-5", "the_models_own_figures_are_not_in_the_answer", "no-tool", said)
    assert KnownFailures((found,), DAY).excusing(*pin) == (found,)
    members = re.findall(r"^\| `(\w+)` \|", guide, re.MULTILINE)
    assert members == list(KnownFailure.model_fields)


class TestSays:
    @pytest.mark.parametrize(
        ("pinned", "message", "same"),
        [
            ("the figure 7 is told", "the figure 7 is told", True),
            ("the figure 7 is told", "the figure 7 is told twice", False),
            ("the figure 7 is told", "See: the figure 7 is told", False),
            ("the figure … is told", "the figure 7 is told", True),
            ("the figure … is told", "the figure  is told", True),
            ("the figure … is told", "the figure 7 is not", False),
            ("the figure … is told", "a figure 7 is told", False),
            ("the figure …", "the figure 7 is told", True),
            ("… is told", "the figure 7 is told", True),
            ("the … 7 … told", "the figure 7 is told", True),
            ("the … 7 … told", "the figure 8 is told", False),
            ("the … told … told", "the figure is told", False),
            ("told … told", "told", False),
            ("ab…ba", "aba", False),
            ("ab…b…ba", "abba", False),
            ("told……told", "told told", True),
            ("(x)+ …", "(x)+ y", True),
        ],
    )
    def test_the_whole_message(self, pinned: str, message: str, same: bool) -> None:
        """``…`` alone stands for something else, and for any text."""
        assert entry(message=pinned).says(message) is same

    @given(st.lists(st.text("ab…", max_size=3), min_size=1, max_size=4), st.text("ab", max_size=3))
    def test_what_is_left_out_may_be_anything(self, kept: list[str], between: str) -> None:
        """A message made of the pinned parts, with any text between, is said by it."""
        message = between.join(ANY.join(kept).split(ANY))
        assert KnownFailure.model_construct(message=ANY.join(kept)).says(message)


class TestExcusing:
    PIN = ("RET-1", "one", "cooperative", "the query is not the question")

    def test_by_every_entry_that_says_so(self) -> None:
        """So that none of them counts as stale."""
        exact, wide = entry(), entry(message="the query is not…")
        known = KnownFailures((exact, entry(message="else"), wide), DAY)
        assert known.excusing(*self.PIN) == (exact, wide)

    @pytest.mark.parametrize(
        "other",
        [{"id": "RET-2"}, {"check": "two"}, {"behaviour": "parrot"}, {"message": "else"}],
    )
    def test_nothing_but_what_it_is_pinned_to(self, other: dict[str, str]) -> None:
        """Requirement, check, behaviour and message, all four."""
        assert KnownFailures((entry(**other),), DAY).excusing(*self.PIN) == ()

    def test_until_its_day_is_over(self) -> None:
        """The last day counts; the next does not."""
        assert KnownFailures((entry(),), DAY).excusing(*self.PIN) == (entry(),)
        assert KnownFailures((entry(),), date(2027, 1, 1)).excusing(*self.PIN) == ()
