"""The plain values a certificate is made of: what I-JSON cannot hold is tagged text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

_SAFE_INTEGER = 2**53 - 1
_DEEPEST = 100


def _ijson(value: Any, depth: int = 0) -> Any:
    """``value`` with what I-JSON cannot hold written as tagged text; the rest as it stands."""
    if depth > _DEEPEST:  # a vendor's nesting must not exhaust our stack, nor a reader's
        return "$deeper"
    if isinstance(value, str):
        return _scalar(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f"$float:{value!r}"
    if isinstance(value, int) and abs(value) > _SAFE_INTEGER:
        return f"$int:{value:#x}"  # hexadecimal: decimal is refused beyond 4300 digits
    if isinstance(value, Mapping):
        return {_scalar(str(key)): _ijson(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_ijson(each, depth + 1) for each in value]
    return value


def _scalar(text: str) -> str:
    if text.isascii() or not any("\ud800" <= each <= "\udfff" for each in text):
        return str(text)
    doubled = text.replace("\\", "\\\\")  # so that an escape and its look-alike stay two texts
    return "$surrogates:" + "".join(
        f"\\u{ord(each):04X}" if "\ud800" <= each <= "\udfff" else each for each in doubled
    )


Text = Annotated[str, BeforeValidator(_ijson)]
Json = Annotated[JsonValue, BeforeValidator(_ijson)]
Amount = Annotated[int, Field(ge=0, le=_SAFE_INTEGER)]
Seed = Annotated[int, Field(ge=-_SAFE_INTEGER, le=_SAFE_INTEGER)]


class Frozen(BaseModel):
    """A part of a certificate: immutable, and without members nobody declared."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
