"""Nothing but loopback is contacted: by a certification, its workers, a service, or a test."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from loopback.sitecustomize import elsewhere

TESTS = Path(__file__).parents[1]
COMMAND = str(Path(sys.executable).with_name("counterproof"))


@pytest.fixture
def watched(tmp_path: Path) -> dict[str, str]:
    """The surroundings of a process that is ended where it speaks to another machine."""
    path = os.pathsep.join([str(TESTS / "loopback"), *filter(None, [os.environ.get("PYTHONPATH")])])
    told = tmp_path / "contacted"
    return {**os.environ, "PYTHONPATH": path, "LOOPBACK_TOLD": str(told)}


def contacted(watched: dict[str, str]) -> str:
    """Which other machines were spoken to."""
    file = Path(watched["LOOPBACK_TOLD"])
    return file.read_text() if file.exists() else ""


def test_a_process_that_does_is_ended(watched: dict[str, str]) -> None:
    """So that the tests below can fail."""
    script = "import socket; socket.create_connection(('192.0.2.1', 9), timeout=1)"
    done = subprocess.run([sys.executable, "-c", script], env=watched, check=False)
    assert done.returncode == 99
    assert "192.0.2.1" in contacted(watched)


@pytest.mark.parametrize(
    ("event", "args", "host"),
    [
        ("socket.connect", (None, ("192.0.2.1", 80)), "192.0.2.1"),
        ("socket.getaddrinfo", ("example.org", 80, 0, 0, 0), "example.org"),
        ("socket.getaddrinfo", (b"example.org", 80, 0, 0, 0), "example.org"),
        ("socket.sendto", (None, ("2001:db8::1", 53, 0, 0)), "2001:db8::1"),
        ("socket.connect", (None, ("127.0.0.1", 80)), None),
        ("socket.connect", (None, "/run/socket"), None),
        ("socket.getaddrinfo", (None, 80, 0, 0, 0), None),
        ("socket.getaddrinfo", ("localhost", 80, 0, 0, 0), None),
        ("open", ("/etc/hosts", "r", 0), None),
    ],
)
def test_what_is_elsewhere(event: str, args: tuple[object, ...], host: str | None) -> None:
    assert elsewhere(event, args) == host


def test_a_test_that_does_fails() -> None:
    with pytest.raises(AssertionError, match=r"contacts 192\.0\.2\.1"):
        socket.create_connection(("192.0.2.1", 9), timeout=1)


def test_an_engine_is_certified_on_this_machine_alone(watched: dict[str, str]) -> None:
    """The deciding process and the workers."""
    done = subprocess.run(
        [COMMAND, "certify", "reference", "--profile", "gate", "--only", "RET-2"],
        env=watched, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, contacted(watched)) == (4, ""), done.stderr


def test_an_engine_that_does_is_found_out(watched: dict[str, str], tmp_path: Path) -> None:
    """The worker is watched as well."""
    (tmp_path / "caller.py").write_text(
        "import socket\n"
        "from counterproof_reference.adapter import reference\n"
        "socket.create_connection(('192.0.2.7', 9), timeout=1)\n"
    )
    done = subprocess.run(
        [COMMAND, "certify", "caller:reference", "--profile", "gate", "--only", "RET-2"],
        env=watched, capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, "192.0.2.7" in contacted(watched)) == (3, True), done.stderr


def test_a_service_is_certified_on_this_machine_alone(watched: dict[str, str]) -> None:
    """The service, its keeper and the model it calls among them."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    start = f"{sys.executable} -m counterproof_reference serve --port {port}"
    done = subprocess.run(
        [COMMAND, "certify", f"http://127.0.0.1:{port}", "--start", start,
         "--profile", "gate", "--only", "SVC-1"],
        env=watched, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, contacted(watched)) == (4, ""), done.stderr
