"""A recorded baseline: bytes as they were, and whose they are."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from counterproof.baseline import IDENTITY, Baseline, BaselineError, Identity

OURS = Identity(engine="mine", version="1.4.0", world="builtin", world_digest="a1" * 32, kit="0.1")


def changed(**given: str) -> Identity:
    """The identity with something changed."""
    return Identity.model_validate(OURS.model_dump() | given)


@pytest.fixture
def recorded(tmp_path: Path) -> Baseline:
    """A baseline of one probe, in a folder that was made for it."""
    made = Baseline.start(tmp_path / "new" / "baseline", OURS)
    made.record("structured_hit", b"{}")
    return made


def read(folder: Path, engine: str = "mine", world_digest: str = "a1" * 32) -> Baseline:
    return Baseline.read(folder, engine, world_digest)


def files(folder: Path) -> dict[str, bytes]:
    """What a folder holds."""
    return {each.name: each.read_bytes() for each in folder.iterdir()}


class TestRoundTrip:
    @pytest.mark.parametrize(
        "data",
        [
            b'{"text":"a\r\nb\rc\nd"}',
            unicodedata.normalize("NFD", "Société").encode(),
            unicodedata.normalize("NFC", "Société").encode(),
            b'{"text":"x"} ',
            b'{"text":"x"}\n',
            b"\xef\xbb\xbf{}",
            b"\xff\xfe\x00\x80",
            b"",
        ],
    )
    def test_bytes_come_back_as_they_were(self, recorded: Baseline, data: bytes) -> None:
        """Line ends, forms, what follows the end, and what is no text."""
        recorded.record("narrative_hit", data)
        assert data == read(recorded.folder).recorded("narrative_hit")
        assert (recorded.folder / "narrative_hit.json").read_bytes() == data

    def test_a_probe_that_was_not_recorded(self, recorded: Baseline) -> None:
        """It has no bytes, which is not the same as none of them."""
        assert recorded.recorded("structured_miss") is None
        assert recorded.recorded("structured_hit") == b"{}"

    def test_a_probe_recorded_again(self, recorded: Baseline) -> None:
        """The newer bytes stand, alone, also where they are fewer."""
        recorded.record("structured_hit", b'{"text":"longer"}')
        recorded.record("structured_hit", b"1")
        assert recorded.recorded("structured_hit") == b"1"

    def test_the_identity(self, recorded: Baseline) -> None:
        """It is read as it was written, by people too."""
        assert read(recorded.folder).identity == OURS
        text = (recorded.folder / IDENTITY).read_text(encoding="utf-8")
        assert json.loads(text) == OURS.model_dump()
        assert text.count("\n") == 7


class TestRead:
    def test_another_engine(self, recorded: Baseline) -> None:
        """A fork is told how it compares with upstream's."""
        with pytest.raises(
            BaselineError, match=r"the baseline of 'mine', and the engine is 'theirs'; a fork keeps"
        ):
            read(recorded.folder, engine="theirs")

    def test_another_version(self, recorded: Baseline) -> None:
        """It may be compared with: that is what a baseline is for."""
        Baseline.start(recorded.folder, changed(version="2.0", kit="0.2"))
        assert read(recorded.folder).identity.version == "2.0"

    def test_another_world(self, recorded: Baseline) -> None:
        """The two digests are told, and what to do."""
        with pytest.raises(
            BaselineError, match=r"over another world \(digest a1a1a1a1a1a1, not b2b2b2b2b2b2\)"
        ):
            read(recorded.folder, world_digest="b2" * 32)

    @pytest.mark.parametrize("folder", ["nowhere", ".", "file"])
    def test_no_baseline(self, tmp_path: Path, folder: str) -> None:
        """A folder that is missing, empty, or none."""
        (tmp_path / "file").write_text("", encoding="utf-8")
        with pytest.raises(BaselineError, match=r"no baseline is recorded there \(counterproof-ba"):
            read(tmp_path / folder)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (b"", "the file: Invalid JSON"),
            (b"[]", "the file: Input should be an object"),
            (b'{"engine": "caf\xe9"}', "the file: Invalid JSON"),
            (OURS.model_dump_json(exclude={"kit"}).encode(), "kit: Field required"),
            (OURS.model_dump_json().replace('"0.1"', "3").encode(), "kit: Input should be a valid"),
            (OURS.model_dump_json()[:-1].encode() + b',"more":1}', "more: Extra inputs are not"),
        ],
    )
    def test_a_malformed_identity(self, recorded: Baseline, text: bytes, words: str) -> None:
        """The file is named, and what is wrong with it."""
        (recorded.folder / IDENTITY).write_bytes(text)
        with pytest.raises(BaselineError) as told:
            read(recorded.folder)
        assert str(told.value).startswith(f"{recorded.folder / IDENTITY}: {words}")


class TestStart:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (changed(engine="theirs").model_dump_json(), "this is the baseline of 'theirs'"),
            (changed(world_digest="b2" * 32).model_dump_json(), "over another world"),
            ("{", "Invalid JSON"),
        ],
    )
    def test_a_folder_that_is_not_ours(self, recorded: Baseline, text: str, words: str) -> None:
        """Another engine's, another world's or nobody's baseline is not written over."""
        (recorded.folder / IDENTITY).write_text(text, encoding="utf-8")
        before = files(recorded.folder)
        with pytest.raises(BaselineError, match=words):
            Baseline.start(recorded.folder, OURS)
        assert before == files(recorded.folder)

    def test_our_own_folder(self, recorded: Baseline) -> None:
        """Recorded anew, what is recorded stays until its probe is."""
        again = Baseline.start(recorded.folder, changed(version="1.5.0"))
        assert again.recorded("structured_hit") == b"{}"
        assert again.identity.version == "1.5.0"

    @pytest.mark.parametrize("name", ["file", "file/below", "x" * 300])
    def test_a_folder_that_cannot_be_written_to(self, tmp_path: Path, name: str) -> None:
        """It is named, with the reason."""
        (tmp_path / "file").write_text("", encoding="utf-8")
        with pytest.raises(BaselineError, match=r": cannot be written to: [A-Z]\w+ "):
            Baseline.start(tmp_path / name, OURS)

    def test_a_snapshot_that_cannot_be_written(self, recorded: Baseline) -> None:
        """Its file is named, with the reason."""
        (recorded.folder / "multi.json").mkdir()
        with pytest.raises(BaselineError, match=r"multi\.json: Is a directory"):
            recorded.record("multi", b"{}")


class TestDigest:
    @pytest.mark.parametrize(
        "change",
        [
            lambda folder: (folder / "structured_hit.json").write_bytes(b"{} "),
            lambda folder: (folder / "more.json").write_bytes(b""),
            lambda folder: (folder / "structured_hit.json").rename(folder / "other.json"),
            lambda folder: (folder / "structured_hit.json").unlink(),
            lambda folder: Baseline.start(folder, changed(version="1.4.1")),
        ],
    )
    def test_changes_with_what_is_recorded(self, recorded: Baseline, change: Any) -> None:
        """A byte, a name, a snapshot more or fewer, whose it is."""
        before = recorded.digest
        change(recorded.folder)
        assert before != recorded.digest

    def test_does_not_depend_on_the_folder(self, recorded: Baseline, tmp_path: Path) -> None:
        """Nor on the order of writing."""
        (other := Baseline.start(tmp_path / "other", OURS)).record("b", b"2")
        other.record("structured_hit", b"{}")
        recorded.record("b", b"2")
        assert other.digest == recorded.digest

    def test_where_one_snapshot_ends_matters(self, recorded: Baseline, tmp_path: Path) -> None:
        """One that holds the name of another is not taken for two."""
        other = Baseline.start(tmp_path / "other", OURS)
        other.record("structured_hit", b"{}")
        recorded.record("a", b"b.json")
        other.record("a", b"")
        other.record("b", b"")
        assert other.digest != recorded.digest
