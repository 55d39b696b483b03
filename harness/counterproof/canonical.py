"""The one canonical form of a value: RFC 8785 JSON in UTF-8 (design §6).

What I-JSON cannot hold (lone surrogates, NaN and infinities, integers beyond 2**53) is tagged
first, so that two values have equal bytes only where they are equal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import rfc8785

_SAFE = 2**53 - 1


def ijson(value: Any) -> Any:
    """``value`` as I-JSON: plain, with what it cannot hold tagged under a ``$`` member.

    Args:
        value: nested mappings, lists, tuples, strings, numbers, booleans and None.

    Raises:
        TypeError: it holds anything else.
    """
    if isinstance(value, str):
        return value if _scalar(value) else {"$surrogates": ascii(value)}
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -_SAFE <= value <= _SAFE else {"$int": hex(value)}
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": repr(value)}
    if isinstance(value, Mapping):
        return {_key(key): ijson(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [ijson(each) for each in value]
    raise TypeError(f"no canonical form for {type(value).__name__}")


def canonical(value: Any) -> bytes:
    """The canonical bytes of a value; raises as :func:`ijson` does."""
    return rfc8785.dumps(ijson(value))


def _scalar(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= each <= "\udfff" for each in text)


def _key(key: str) -> str:
    """A member name, with ours kept apart from a vendor's that begins like one of ours."""
    if not _scalar(key):
        return "$surrogates:" + ascii(key)
    return "$" + key if key.startswith("$") else key
