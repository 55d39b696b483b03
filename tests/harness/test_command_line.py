"""The command line, as its users run it: the installed program, in a folder of their own."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from counterproof.baseline import IDENTITY
from counterproof.certificate import Verdict, read, schema
from counterproof.certify.exits import Exit
from counterproof.suite import installed
from counterproof.worlds import builtin_world
from harness.scraps import (
    QUICK,
    contents,
    counterproof,
    left_on_screen,
    on_a_terminal,
    surroundings,
    vendors_folder,
)

PLAIN = ("certify", "scrap:plain", *QUICK)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A vendor's folder."""
    return vendors_folder(tmp_path / "vendor")


def baseline(folder: Path, **differing: str) -> None:
    """Write the identity of a baseline of the scrap ``plain``, or of another."""
    identity = {
        "engine": "plain",
        "version": "1",
        "world": "builtin",
        "world_digest": builtin_world(0).digest,
        "kit": "0",
    }
    folder.mkdir()
    (folder / IDENTITY).write_text(json.dumps(identity | differing), encoding="utf-8")


class TestHelp:
    @pytest.mark.parametrize("command", ["certify", "requirements", "explain", "engines"])
    def test_an_example_and_the_exit_codes(self, tmp_path: Path, command: str) -> None:
        """Whoever asks a command for help sees one run of it, and how it may end."""
        done = counterproof(tmp_path, command, "--help")
        body = done.stdout.partition("Usage:")[2].partition("\n")[2]
        assert (done.returncode, done.stderr) == (0, "")
        assert f"counterproof {command}" in body
        assert "Exit codes" in body
        assert re.search(r"\b2 usage", body)
        assert re.search(r"\b130 interrupted", body)

    def test_certify_names_every_exit_code(self, tmp_path: Path) -> None:
        """And only those."""
        codes = counterproof(tmp_path, "certify", "--help").stdout
        codes = codes.partition("Exit codes")[2].partition("Examples")[0]
        assert {int(each) for each in re.findall(r"^ *(\d+) ", codes, re.M)} == set(map(int, Exit))

    def test_without_a_command_there_is_help_and_exit_two(self, tmp_path: Path) -> None:
        done = counterproof(tmp_path)
        assert done.returncode == 2
        assert "certify" in done.stdout + done.stderr


class TestCatalogue:
    def test_engines(self, tmp_path: Path) -> None:
        """Each by name, with its adapter; as JSON, nothing else."""
        shown = counterproof(tmp_path, "engines").stdout
        listed = json.loads(counterproof(tmp_path, "engines", "--json").stdout)
        adapters = {each["name"]: each["adapter"] for each in listed}
        assert adapters["reference"] == "counterproof_reference.adapter:reference"
        assert all(re.search(rf"^{name} +{at}\b", shown, re.M) for name, at in adapters.items())

    def test_requirements(self, tmp_path: Path) -> None:
        """Every installed one stands in the table."""
        shown = counterproof(tmp_path, "requirements").stdout
        assert re.findall(r"^[A-Z]{3}-\d+", shown, re.M) == list(installed().requirements)

    def test_requirements_as_json_hold_checks_and_sabotages(self, tmp_path: Path) -> None:
        """Whatever the locale: JSON is UTF-8."""
        env = surroundings(PYTHONIOENCODING="ascii")
        listed = json.loads(counterproof(tmp_path, "requirements", "--json", env=env).stdout)
        suite = installed()
        held = {
            check["id"]: [each["name"] for each in check["sabotages"]]
            for row in listed
            for check in row["checks"]
        }
        assert [row["id"] for row in listed] == list(suite.requirements)
        assert all(row["sentence"] and row["source"] and row["level"] for row in listed)
        assert held == {
            key: [each.name for each in proofs] for key, proofs in suite.by_check.items()
        }

    def test_explain_says_the_sentence_the_checks_and_the_sabotages(self, tmp_path: Path) -> None:
        """To a reader and to a program alike."""
        shown = " ".join(counterproof(tmp_path, "explain", "fab-1").stdout.split())
        held = json.loads(counterproof(tmp_path, "explain", "FAB-1", "--json").stdout)
        told = [held["sentence"]]
        for check in held["checks"]:
            told += [check["id"].partition("/")[2], check["clause"]]
            told += [f"{s['name']}{' (forged)' * s['forged']}: " for s in check["sabotages"]]
        assert held["id"] == "FAB-1"
        assert len(told) > 10
        assert [each for each in told if each not in shown] == []

    def test_explain_says_the_statements_a_requirement_stands_for(self, tmp_path: Path) -> None:
        """What its source says, to a reader and to a program alike; no other's."""
        shown = " ".join(counterproof(tmp_path, "explain", "PAR-3").stdout.split())
        held = json.loads(counterproof(tmp_path, "explain", "PAR-3", "--json").stdout)
        assert [each["id"] for each in held["statements"]] == ["a-figure-is-no-period"]
        assert f"states {held['statements'][0]['says']}" in shown
        assert shown.count("states ") == 1

    def test_requirements_as_markdown(self, tmp_path: Path) -> None:
        """The page as it is documented, whatever the locale; one format at a time."""
        env = surroundings(PYTHONIOENCODING="ascii")
        shown = counterproof(tmp_path, "requirements", "--markdown", env=env).stdout
        documented = Path(__file__).parents[2] / "docs" / "requirements.md"
        assert shown == documented.read_text(encoding="utf-8")
        both = counterproof(tmp_path, "requirements", "--markdown", "--json")
        assert (both.returncode, both.stdout) == (2, "")
        assert both.stderr == "error: give --json or --markdown, not both\n"

    def test_explain_of_nothing_known_is_a_usage_error(self, tmp_path: Path) -> None:
        done = counterproof(tmp_path, "explain", "NOPE-1")
        assert (done.returncode, done.stdout) == (2, "")
        assert re.fullmatch(r"error: no installed suite holds NOPE-1; .*\n", done.stderr)


REFUSALS: Iterable[tuple[str, int, str]] = [
    ("nope", 2, "no engine is called 'nope'; give one of .*reference, or your adapter as module:"),
    ("''", 2, "no engine is called ''"),
    ("", 2, r"no engine is named: .* pyproject.toml .* \[tool.counterproof\]"),
    ("nowhere.cert:x", 2, "nowhere.cert:x: no module nowhere can be imported"),
    ("scrap:nope", 2, "scrap:nope: the module scrap has no nope"),
    ("scrap:value", 2, "scrap:value: value is no function marked with @adapter"),
    ("broken:x", 3, r"broken:x cannot be loaded: ValueError: not today \(at broken.py:1 "),
    ("scrap:number", 3, r"the adapter returned int, not ask\(\)"),
    ("scrap:deaf", 3, "the seam parse is declared, and stayed silent"),
    ("scrap:plain --only DEF-1 --only NOPE", 2, "--only NOPE: no installed suite holds"),
    ("scrap:plain --json nowhere/c.json", 2, "nowhere/c.json: there is no folder .*nowhere"),
    ("scrap:plain --json .", 2, r"\.: not an ordinary file"),
    (f"scrap:plain --json {'x' * 300}", 2, "cannot be written there .File name too long"),
    ("scrap:plain --baseline nowhere", 2, "nowhere: no baseline is recorded there"),
    ("scrap:plain --baseline others", 2, "this is the baseline of 'other', and the engine is 'pl"),
    ("scrap:plain --baseline earlier", 2, "recorded over another world"),
    ("scrap:plain --baseline spoilt", 2, f"spoilt/{IDENTITY}: .*JSON"),
    ("scrap:plain --record-baseline", 2, "--record-baseline needs --baseline DIR"),
    ("scrap:plain --baseline others --record-baseline", 2, "this is the baseline of 'other'"),
    ("scrap:plain --python nowhere", 2, "--python nowhere: there is no such program"),
    ("scrap:plain --python .", 2, r"--python \.: there is no such program"),
    ("scrap:plain --python scrap.py", 2, "--python scrap.py: there is no such program"),
    ("scrap:plain --python /bin/true", 3, "cannot be loaded: the worker process ended with status"),
]


class TestRefusals:
    @pytest.mark.parametrize(("arguments", "code", "said"), REFUSALS)
    def test_one_line_says_what_is_wrong(
        self, folder: Path, arguments: str, code: int, said: str
    ) -> None:
        """With its exit code, on standard error, without a traceback; nothing is written."""
        baseline(folder / "others", engine="other")
        baseline(folder / "earlier", world_digest="0" * 64)
        baseline(folder / "spoilt")
        (folder / "spoilt" / IDENTITY).write_bytes(b"\xff")
        before = contents(folder)
        done = counterproof(folder, "certify", *shlex.split(arguments))
        *others, last = done.stderr.splitlines()
        assert (done.returncode, done.stdout) == (code, "")
        assert re.match(f"error: .*{said}", last)
        assert [each for each in others if not each.startswith("calibrating ")] == []
        assert contents(folder) == before

    @pytest.mark.parametrize(
        ("option", "said"),
        [
            ("--profile=deep", "'deep' is not one of 'gate', 'certify', 'audit'"),
            ("--level=top", "'top' is not one of 'core', 'strict', 'hardening'"),
            ("--seed=x", "Invalid value for '--seed'"),
            ("--seed=-1", "Invalid value for '--seed'"),
            ("--world-seed=9007199254740992", "Invalid value for '--world-seed'"),
            ("--colour", "No such option: --colour"),
        ],
    )
    def test_a_bad_option_is_named(self, folder: Path, option: str, said: str) -> None:
        """And what it may be."""
        before = contents(folder)
        done = counterproof(folder, "certify", "scrap:plain", option)
        assert (done.returncode, done.stdout) == (2, "")
        assert said in " ".join(done.stderr.replace("│", " ").split())
        assert "Traceback" not in done.stderr
        assert contents(folder) == before

    @pytest.mark.parametrize(
        ("table", "said"),
        [
            ("tool = 3", "must be a table"),
            ("[tool]\ncounterproof = 'x'", "must be a table"),
            ("[tool.counterproof]\nengine = 3", "must be a string"),
            ("[tool.counterproof]\nprofile = 'gate'", "no engine is named"),
            ("[tool", "pyproject.toml cannot be read"),
        ],
    )
    def test_a_pyproject_that_does_not_serve(self, folder: Path, table: str, said: str) -> None:
        """Is named, with what to mend."""
        (folder / "pyproject.toml").write_text(table, encoding="utf-8")
        done = counterproof(folder, "certify")
        assert (done.returncode, done.stdout) == (2, "")
        assert re.fullmatch(f"error: .*{said}.*\n", done.stderr)


class TestCertify:
    def test_a_certificate_is_written(self, folder: Path) -> None:
        """Valid, readable, saying what the exit says; the report beside it, progress apart."""
        before = contents(folder)
        done = counterproof(folder, *PLAIN, "--json", "made.json")
        document = json.loads((folder / "made.json").read_text(encoding="utf-8"))
        published = Path(__file__).parents[2] / "docs" / "certificate.schema.json"
        assert json.loads(published.read_text(encoding="utf-8")) == schema()
        jsonschema.validate(document, schema())
        certificate = read(folder / "made.json")
        assert certificate.outcome.exit == done.returncode == 4
        assert [each.verdict for each in certificate.requirements] == [Verdict.PASS]
        assert done.stdout.endswith(
            f"{certificate.outcome.reason}\ncertificate written to made.json\n"
        )
        assert re.fullmatch(r"calibrating scrap:plain\n\[0/\d+\] DEF-1\n", done.stderr)
        assert "\x1b" not in done.stdout + done.stderr
        assert set(contents(folder)) - set(before) == {"made.json"}

    def test_on_standard_output_there_is_nothing_but_the_certificate(self, folder: Path) -> None:
        """In UTF-8 whatever the locale; the engine is the one that pyproject.toml names."""
        table = '[tool.counterproof]\nengine = "scrap:leaky"\n'
        (folder / "pyproject.toml").write_text(table, encoding="utf-8")
        options = ("--profile", "gate", "--only", "RET-1", "--json", "-")
        env = surroundings(PYTHONIOENCODING="ascii")
        done = counterproof(folder, "certify", *options, env=env)
        document = json.loads(done.stdout)
        jsonschema.validate(document, schema())
        assert document["subject"]["adapter"] == "scrap:leaky"
        assert "香港" in done.stdout
        assert "VERDICT" in done.stderr

    def test_a_violation_can_be_reproduced(self, folder: Path) -> None:
        """The command that a failure shows gives that failure."""
        asked = "certify scrap:leaky --profile gate --seed 3 --world-seed 1 --only RET-1"
        first = counterproof(folder, *asked.split())
        shown = re.search(r"reproduce +counterproof (.*)", first.stdout)
        assert shown is not None
        assert shown[1] == asked
        again = counterproof(folder, *shlex.split(shown[1]))
        assert (first.returncode, again.returncode) == (1, 1)
        found = re.compile(r"^Violations.*(?=^Counterproofs)", re.M | re.S)
        assert found.findall(first.stdout)
        assert found.findall(first.stdout) == found.findall(again.stdout)

    @pytest.mark.parametrize("json_to", ["made.json", "-"])
    def test_a_reader_that_leaves_does_not_change_the_exit(
        self, folder: Path, json_to: str
    ) -> None:
        """Exit 1 says that a requirement is violated, never that ``| head`` had enough."""
        reading, writing = os.pipe()
        os.close(reading)
        try:
            done = counterproof(folder, *PLAIN, "--json", json_to, stdout=writing)
        finally:
            os.close(writing)
        assert done.returncode == 4
        assert "Traceback" not in done.stderr
        assert "Exception" not in done.stderr


class TestTerminal:
    def test_a_bar_is_shown_and_leaves_nothing(self, folder: Path) -> None:
        """It tells what is done; in the end the screen is as before, and the cursor is back."""
        out = os.open(folder / "out", os.O_CREAT | os.O_WRONLY)
        try:
            code, sent = on_a_terminal(folder, *PLAIN, env=surroundings(), stdout=out)
        finally:
            os.close(out)
        assert code == 4
        # What it is drawn with first and last; between them it depends on the clock.
        assert 0 <= sent.find("calibrating scrap:plain") < sent.find("sabotaging DEF-1")
        assert "━" in sent
        assert sent.rindex("\x1b[?25h") > sent.rindex("\x1b[?25l")
        assert left_on_screen(sent) == ""
        assert "\x1b" not in (folder / "out").read_text(encoding="utf-8")

    @pytest.mark.parametrize(
        ("options", "env", "coloured"),
        [((), {}, True), (("--no-color",), {}, False), ((), {"NO_COLOR": "1"}, False)],
    )
    def test_colour_can_be_turned_off(
        self, folder: Path, options: tuple[str, ...], env: dict[str, str], coloured: bool
    ) -> None:
        """In the report and in the bar."""
        _, sent = on_a_terminal(
            folder,
            *("certify", "scrap:leaky", "--profile", "gate", "--only", "RET-1", *options),
            env=surroundings(**env),
        )
        styles = re.findall(r"\x1b\[([\d;]*)m", sent)
        colours = [each for each in styles if re.search(r"\b([349][0-7]|10[0-7]|[34]8)\b", each)]
        assert "VERDICT" in sent
        assert bool(colours) == coloured


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vendor's folder in which a baseline has been recorded."""
    folder = vendors_folder(tmp_path_factory.mktemp("recorded") / "vendor")
    done = counterproof(folder, "certify", "scrap:plain", "--baseline", "kept", "--record-baseline")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "recorded the default traces of 6 probes of plain 1 to kept/\n"
    return folder


class TestBaseline:
    def certified(self, recorded: Path, folder: Path, snapshot: bytes | None) -> tuple[int, Any]:
        """Exit and verdict of DEF-2 where one snapshot holds other bytes, or is not there."""
        shutil.copytree(recorded, folder)
        changed = folder / "kept" / "structured_hit.json"
        changed.unlink()
        if snapshot is not None:
            changed.write_bytes(snapshot)
        options = ("--profile", "gate", "--only", "DEF-2", "--baseline", "kept", "--json", "c.json")
        done = counterproof(folder, "certify", "scrap:plain", *options)
        (row,) = read(folder / "c.json").requirements
        return done.returncode, row

    def test_passes_as_recorded(self, recorded: Path, tmp_path: Path) -> None:
        snapshot = (recorded / "kept" / "structured_hit.json").read_bytes()
        code, row = self.certified(recorded, tmp_path / "vendor", snapshot)
        assert (code, row.verdict) == (4, Verdict.PASS)

    @pytest.mark.parametrize(
        "change",
        [
            lambda snapshot: snapshot.replace(b"0", b"1", 1),
            lambda snapshot: snapshot + b"\n",
            lambda snapshot: snapshot[:-1] + b"\xff",
        ],
        ids=["another digit", "a byte more", "no JSON any more"],
    )
    def test_one_other_byte_is_a_violation(
        self, recorded: Path, tmp_path: Path, change: Callable[[bytes], bytes]
    ) -> None:
        """Whether the snapshot is still JSON or not."""
        snapshot = (recorded / "kept" / "structured_hit.json").read_bytes()
        code, row = self.certified(recorded, tmp_path / "vendor", change(snapshot))
        assert change(snapshot) != snapshot
        assert (code, row.verdict) == (1, Verdict.FAIL)
        assert row.counterexample.message == "the default trace is not the recorded one"

    def test_a_snapshot_that_is_not_there_is_an_error(self, recorded: Path, tmp_path: Path) -> None:
        """Not a difference: nothing can be said of the engine."""
        code, row = self.certified(recorded, tmp_path / "vendor", None)
        assert (code, row.verdict) == (3, Verdict.ERROR)
        assert "holds no snapshot of probe structured_hit" in row.reason
