"""Services, certified as their vendors would: one in another language, whole and broken."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from counterproof.certificate import Certificate, Verdict, read

HERE = Path(__file__).parents[1] / "services"
COMMAND = str(Path(sys.executable).with_name("counterproof"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not on this machine"),
]


@pytest.fixture
def port() -> int:
    """A port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def certified(
    port: int, folder: Path, *options: str, flaw: str = "", mapping: str = "honest.toml"
) -> tuple[int, Certificate | None, str]:
    """One certification of the Node.js service; nothing of it may be left."""
    file = folder / "made.json"
    start = f"node {HERE / 'honest.mjs'} {port} {{world}} {flaw}"
    done = subprocess.run(
        [
            COMMAND, "certify", f"http://127.0.0.1:{port}", "--start", start,
            "--mapping", str(HERE / mapping), "--profile", "gate", "--json", str(file),
            *options,
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not running(start), "the service was left behind"
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode, read(file) if file.exists() else None, done.stdout + done.stderr


def running(start: str) -> list[psutil.Process]:
    """Processes of that command that are still there."""
    wanted = start.split()[1:3]
    found = []
    for each in psutil.process_iter(["cmdline"]):
        line = each.info["cmdline"] or []
        found += [each] if all(word in line for word in wanted) else []
    return found


def rows(certificate: Certificate | None, verdict: Verdict) -> list[str]:
    """The ids of the requirements of that verdict."""
    found = certificate.requirements if certificate else ()
    return [each.id for each in found if each.verdict is verdict]


@pytest.mark.exhaustive
def test_a_service_in_another_language_is_conformant(port: int, tmp_path: Path) -> None:
    """Every row that can be seen of it passes, hostile models and streams among them."""
    code, certificate, said = certified(port, tmp_path, "--level", "strict")
    assert (code, rows(certificate, Verdict.FAIL)) == (0, []), said
    assert certificate is not None
    assert (certificate.subject.kind, certificate.run.transport) == ("service", "http")
    assert {f"SVC-{n}" for n in range(1, 8)} <= set(rows(certificate, Verdict.PASS))


def test_some_rows_of_a_service_in_another_language(port: int, tmp_path: Path) -> None:
    """A share of them, with their counterproofs; the certificate says what is left unproved."""
    asked = ("FAB-1", "SVC-1")
    options = [word for row in asked for word in ("--only", row)]
    code, certificate, said = certified(port, tmp_path, *options)
    assert (code, rows(certificate, Verdict.PASS)) == (4, list(asked)), said
    assert certificate is not None
    proofs = [each for row in certificate.requirements for each in row.counterproofs]
    assert {each.check.partition("/")[0] for each in proofs if each.caught} == set(asked)
    assert all(each.caught for each in proofs if each.landed)
    assert any("are not seen" in each for each in certificate.subject.unproved)
    assert not any("by heart" in each for each in certificate.subject.unproved)


def test_what_is_embedded_is_a_retrieval_query(port: int, tmp_path: Path) -> None:
    """RET-1 is observable of a service that searches by embedding, and proven on it."""
    given = {"flaw": "embeds", "mapping": "embedding.toml"}
    code, certificate, said = certified(port, tmp_path, "--only", "RET-1", **given)
    assert (code, rows(certificate, Verdict.PASS)) == (4, ["RET-1"]), said
    assert certificate is not None
    assert any(each.caught for each in certificate.requirements[0].counterproofs)


def test_history_that_is_embedded_is_found_out(port: int, tmp_path: Path) -> None:
    given = {"flaw": "embeds-history", "mapping": "embedding.toml"}
    code, certificate, said = certified(port, tmp_path, "--only", "RET-1", **given)
    assert (code, rows(certificate, Verdict.FAIL)) == (1, ["RET-1"]), said


@pytest.mark.parametrize(
    ("flaw", "row"),
    [
        ("history", "FAB-1"),
        pytest.param("quotes", "FAB-5", marks=pytest.mark.exhaustive),
        pytest.param("query", "RET-3", marks=pytest.mark.exhaustive),
    ],
)
def test_one_flaw_is_refused_for_it(flaw: str, row: str, port: int, tmp_path: Path) -> None:
    code, certificate, said = certified(port, tmp_path, "--only", row, flaw=flaw)
    assert (code, rows(certificate, Verdict.FAIL)) == (1, [row]), said


@pytest.mark.parametrize(
    ("flaw", "told"),
    [
        ("dies", "ended with status 3"),
        pytest.param("html", "200 text/html: <html>busy</html>", marks=pytest.mark.exhaustive),
        pytest.param("redirects", "HTTP 307", marks=pytest.mark.exhaustive),
        pytest.param(
            "schema",
            "there is no text at 'answer': 200 application/json",
            marks=pytest.mark.exhaustive,
        ),
        ("breaks", "POST /v1/ask: the response was broken off"),
        pytest.param("hangs", "no answer in time", marks=pytest.mark.exhaustive),
    ],
)
def test_a_service_that_fails_once_told_a_history_violates(
    flaw: str, told: str, port: int, tmp_path: Path
) -> None:
    """It answers without one, so it is at fault, and the report names the exchange."""
    code, certificate, said = certified(port, tmp_path, "--only", "FAB-1", flaw=flaw)
    assert (code, rows(certificate, Verdict.FAIL)) == (1, ["FAB-1"]), said
    assert told in " ".join(said.split())


@pytest.mark.parametrize(
    ("flaw", "told"),
    [
        pytest.param("always-dies", "nobody answers", marks=pytest.mark.exhaustive),
        ("always-html", "there is no text at 'answer': 200 text/html"),
        pytest.param(
            "always-redirects", "HTTP 307: POST /v1/ask: 307", marks=pytest.mark.exhaustive
        ),
        pytest.param("always-schema", "there is no text at 'answer'", marks=pytest.mark.exhaustive),
        pytest.param(
            "always-breaks",
            "POST /v1/ask: the response was broken off",
            marks=pytest.mark.exhaustive,
        ),
        ("half", "streamed: POST /v1/ask/stream: the response was broken off"),
    ],
)
def test_a_service_that_always_fails_is_not_judged(
    flaw: str, told: str, port: int, tmp_path: Path
) -> None:
    """Exit 3: nothing can be said of it, and the message names the exchange."""
    code, certificate, said = certified(port, tmp_path, "--only", "FAB-1", flaw=flaw)
    assert (code, certificate) == (3, None), said
    assert told in " ".join(said.split())


@pytest.mark.parametrize("signalled", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupt_leaves_no_service(
    signalled: signal.Signals, port: int, tmp_path: Path
) -> None:
    """Nor a certificate, however the kit is ended."""
    start = f"node {HERE / 'honest.mjs'} {port} {{world}}"
    file = tmp_path / "made.json"
    command = [
        COMMAND, "certify", f"http://127.0.0.1:{port}", "--start", start,
        "--mapping", str(HERE / "honest.toml"), "--profile", "gate", "--json", str(file),
    ]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as kit:
        assert kit.stderr is not None
        for line in kit.stderr:  # the service runs, and is being asked
            if "DEF-1" in line:
                break
        kit.send_signal(signalled)
        left = kit.stderr.read()
    assert kit.returncode in (130, -signal.SIGTERM, 143, -signal.SIGKILL), left
    psutil.wait_procs(running(start), timeout=20)
    assert not running(start)
    assert not file.exists()


def test_a_command_that_ends_at_once(port: int, tmp_path: Path) -> None:
    """What it printed last is told."""
    done = subprocess.run(
        [COMMAND, "certify", f"http://127.0.0.1:{port}", "--start",
         f'{sys.executable} -c "print(\'no data\'); raise SystemExit(5)"'],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 3
    assert "it did not start; the service ended with status 5: no data" in done.stderr


def test_a_service_that_is_not_there(port: int, tmp_path: Path) -> None:
    """Started by hand, or not."""
    done = subprocess.run(
        [COMMAND, "certify", f"http://127.0.0.1:{port}"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 3
    assert f"GET http://127.0.0.1:{port}/health does not answer 200" in done.stderr
