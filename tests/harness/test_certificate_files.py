"""Certificates on disk: written whole or not at all, and read only where sound."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from counterproof.certificate import (
    CertificateError,
    CertificateWriteError,
    probe_writable,
    read,
    write,
)
from harness.samples import (
    certificate,
    telling_certificate,
)


class TestWrite:
    def test_is_read_back(self, tmp_path: Path) -> None:
        """What is read is what was written, footer and all."""
        path = tmp_path / "certificate.json"
        written = write(telling_certificate(), path)
        assert written.footer is not None
        assert read(path) == written

    def test_replaces_an_earlier_one(self, tmp_path: Path) -> None:
        """The last run's certificate is the one that stands there, alone."""
        path = tmp_path / "certificate.json"
        write(certificate(), path)
        assert write(telling_certificate(), path) == read(path)
        assert list(tmp_path.iterdir()) == [path]

    def test_same_findings_same_bytes(self, tmp_path: Path) -> None:
        """A deterministic run writes the same file."""
        write(telling_certificate(), tmp_path / "a")
        write(telling_certificate(), tmp_path / "b")
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()

    @pytest.mark.parametrize("act", [probe_writable, lambda path: write(certificate(), path)])
    def test_missing_folder(self, tmp_path: Path, act: Any) -> None:
        """The error names the folder that is not there."""
        with pytest.raises(CertificateWriteError, match=r"there is no folder .*nowhere"):
            act(tmp_path / "nowhere" / "certificate.json")

    @pytest.mark.parametrize("act", [probe_writable, lambda path: write(certificate(), path)])
    def test_a_folder_is_no_file(self, tmp_path: Path, act: Any) -> None:
        """A folder, like a device, is never replaced."""
        with pytest.raises(CertificateWriteError, match="not an ordinary file"):
            act(tmp_path)

    @pytest.mark.parametrize("act", [probe_writable, lambda path: write(certificate(), path)])
    def test_refused_by_the_system(
        self, tmp_path: Path, act: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Where the system refuses, the error says what it said."""

        def refuse(*_: Any, **__: Any) -> Any:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("builtins.open", refuse)
        with pytest.raises(CertificateWriteError, match=r"cannot be written there \(Permission"):
            act(tmp_path / "certificate.json")

    @pytest.mark.parametrize("error", [OSError(28, "No space left"), KeyboardInterrupt()])
    def test_an_end_in_the_middle_leaves_what_was_there(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
    ) -> None:
        """Neither half a certificate nor a temporary file is left."""
        path = tmp_path / "certificate.json"
        path.write_text("earlier", encoding="utf-8")

        def end(_: int) -> None:
            raise error

        monkeypatch.setattr(os, "fsync", end)
        with pytest.raises((CertificateWriteError, KeyboardInterrupt)):
            write(certificate(), path)
        assert [path] == list(tmp_path.iterdir())
        assert path.read_text(encoding="utf-8") == "earlier"

    def test_probing_leaves_nothing(self, tmp_path: Path) -> None:
        """Asking whether one can write writes nothing."""
        probe_writable(tmp_path / "certificate.json")
        assert list(tmp_path.iterdir()) == []

    def test_a_link_stays_a_link(self, tmp_path: Path) -> None:
        """Its goal is replaced, not the link."""
        link = tmp_path / "link.json"
        link.symlink_to(tmp_path / "goal.json")
        write(certificate(), link)
        assert link.is_symlink()
        assert read(tmp_path / "goal.json") == read(link)

    def test_others_can_read_it(self, tmp_path: Path) -> None:
        """Its permissions are an ordinary file's, not a temporary one's."""
        ordinary = tmp_path / "ordinary"
        ordinary.touch()
        write(certificate(), tmp_path / "certificate.json")
        mode = stat.S_IMODE((tmp_path / "certificate.json").stat().st_mode)
        assert stat.S_IMODE(ordinary.stat().st_mode) == mode


class TestRead:
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        """A certificate on disk."""
        path = tmp_path / "certificate.json"
        write(telling_certificate(), path)
        return path

    def edit(self, path: Path, old: str, new: str) -> None:
        """Replace a text in the file, which must hold it."""
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    @pytest.mark.parametrize(
        ("old", "new", "fault"),
        [
            ('"schema": "counterproof/certificate/v1"', '"schema": "other/v2"', "'other/v2'"),
            ('"complete": true', '"complete": false', "did not finish"),
            ('"fail": 2', '"fail": 1', "counts are not those"),
            ('"version": "1.4.0"', '"version": "1.5.0"', "changed since it was written"),
            ('"examples": 100', '"examples": "100"', "checks.0.examples: .*integer"),
            ('"examples": 100', '"examples": 1e400', "canonical|examples"),
            ('"seed": 0', '"seed": NaN', "NaN is no JSON number"),
            ('"seed": 0', '"seed": 0, "seed": 0', "'seed' is given twice"),
            ('"seed": 0', '"seed": 0, "sead": 0', "run.sead: Extra"),
            ('"outcome": "PASS"', '"outcome": "FAIL"', "PASS without a check that passed"),
            ('"kit"', '"kid"', "kit: Field required"),
            ("{", "[", "not a JSON document"),
        ],
    )
    def test_what_is_not_believed(self, path: Path, old: str, new: str, fault: str) -> None:
        """Every way to be wrong is refused with a sentence that names it."""
        self.edit(path, old, new)
        with pytest.raises(CertificateError, match=fault):
            read(path)

    def test_cut_short(self, path: Path) -> None:
        """Half a file is no certificate."""
        path.write_bytes(path.read_bytes()[:-200])
        with pytest.raises(CertificateError, match="not a JSON document"):
            read(path)

    def test_never_finished(self, path: Path) -> None:
        """A document whose footer was never written is told apart from a wrong one."""
        path.write_text(json.dumps(certificate().plain()), encoding="utf-8")
        with pytest.raises(CertificateError, match="an incomplete certificate"):
            read(path)

    @pytest.mark.parametrize("text", ["[" * 200_000, "3", "null", '"x"', ""])
    def test_other_documents(self, path: Path, text: str) -> None:
        """Whatever lies there, the error is ours."""
        path.write_text(text, encoding="utf-8")
        with pytest.raises(CertificateError):
            read(path)

    def test_not_utf8(self, path: Path) -> None:
        """Bytes that are no text are refused as such."""
        path.write_bytes(b"\xff\xfe")
        with pytest.raises(CertificateError, match="not a JSON document"):
            read(path)

    def test_missing(self, tmp_path: Path) -> None:
        """A file that is not there is said not to be."""
        with pytest.raises(CertificateError, match="cannot be read"):
            read(tmp_path / "none.json")

    def test_another_layout_of_the_same_document(self, path: Path) -> None:
        """The digest is the document's: a formatter does not break it."""
        before = read(path)
        document = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps(document, sort_keys=True), encoding="utf-8")
        assert before == read(path)
