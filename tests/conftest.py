"""Nothing but loopback is contacted by a test."""

from __future__ import annotations

import sys
from typing import Any

from loopback.sitecustomize import elsewhere


def _refuse(event: str, args: tuple[Any, ...]) -> None:
    host = elsewhere(event, args)
    if host is not None:
        raise AssertionError(f"a test contacts {host}: nothing but loopback may be ({event})")


sys.addaudithook(_refuse)
