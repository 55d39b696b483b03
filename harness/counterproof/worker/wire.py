"""Messages between the deciding process and the worker: length-prefixed JSON in UTF-8.

Never pickles: what an engine returns becomes plain values at once. Lone surrogates pass.
"""

from __future__ import annotations

import json
import os
import struct
from typing import Any

HEADER = struct.Struct(">I")
LIMIT = 32 * 1024 * 1024
"""The longest message, in bytes; a longer answer is refused rather than held in memory."""


class WireError(Exception):
    """A message that is too long, not JSON, or cut short."""


def encode(message: Any) -> bytes:
    """The bytes of one message, header included.

    Raises:
        WireError: the message is longer than ``LIMIT``.
        TypeError, ValueError, RecursionError: it holds what JSON cannot.
    """
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )
    if len(body) > LIMIT:
        raise WireError(f"a message of {len(body)} bytes; {LIMIT} is the most")
    return HEADER.pack(len(body)) + body


def decode(body: bytes) -> Any:
    """The message of a body.

    Raises:
        WireError: it is not JSON in UTF-8.
    """
    try:
        return json.loads(body.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise WireError(f"not a message: {error}") from None


def write_all(fd: int, data: bytes) -> None:
    """Write every byte to a blocking descriptor."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def read_blocking(fd: int) -> Any:
    """Read one message from a blocking descriptor.

    Raises:
        EOFError: the other end is closed.
        WireError: what came is not a message.
    """
    (length,) = HEADER.unpack(_exactly(fd, HEADER.size))
    return decode(_exactly(fd, length))


def _exactly(fd: int, count: int) -> bytes:
    parts = []
    while count:
        part = os.read(fd, min(count, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
