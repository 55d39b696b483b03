"""The service as it runs, against its own description: schemathesis finds nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def address() -> Iterator[str]:
    """A service in its own process, a script of a model behind it."""
    command = [sys.executable, "-m", "counterproof_reference", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
        assert service.stdout is not None
        yield service.stdout.readline().removeprefix("listening at ").strip()
        service.terminate()
        service.wait(timeout=20)
    assert service.returncode in (0, -signal.SIGTERM)  # uvicorn ends by the signal it was sent


def test_nothing_is_found(address: str, tmp_path: Path) -> None:
    """Every operation, with requests that fit its schema and requests that do not."""
    pytest.importorskip("schemathesis")
    done = subprocess.run(
        [
            str(Path(sys.executable).with_name("schemathesis")), "run", f"{address}/openapi.json",
            "--seed", "1", "--max-examples", "40", "--no-color", "--generation-database", "none",
        ],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
