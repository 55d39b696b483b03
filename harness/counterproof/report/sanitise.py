"""Engine text made safe to print: one line, nothing invisible, nothing a terminal or CI obeys."""

from __future__ import annotations

import re
import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Letters and marks by their category, and yet nothing is seen of them.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

# GitHub obeys `::error::` after any indentation, and `##[…` and `##vso[…` anywhere in a line, as
# other CI systems do `##teamcity[`; and wrapping may begin a line anywhere. So: wherever it stands.
_COMMAND = re.compile(r"(?<=#)(?=#\w*\[)|(?<=:)(?=:)")
_LOG_COMMAND = re.compile(r"(?<=#)(?=#\w*\[)")

_MIDDLE_KEPT = 3
_AROUND = 40
_LONGEST_ROLE = 24


def clean(text: str) -> str:
    """``text`` in one line: control, bidi and invisible characters escaped, CI commands broken."""
    return _COMMAND.sub("\\\\", visible(text))


def clean_command(text: str) -> str:
    """The same for a command to be copied: ``::`` stays, since no line begins with it."""
    return _LOG_COMMAND.sub("\\\\", visible(text))


def visible(text: str) -> str:
    """``text`` with every character that cannot be seen for what it is written as its escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(each) if _hidden(each) else each for each in text)


def role(text: str) -> str:
    """A role so that ``assistant``, ``assistant␠`` and its look-alikes can be told apart."""
    if text.isascii() and text.isidentifier() and len(text) <= _LONGEST_ROLE:
        return text
    short = text if len(text) <= _LONGEST_ROLE else text[:_LONGEST_ROLE] + "..."
    return clean('"' + "".join(each if each.isascii() else _escape(each) for each in short) + '"')


def windows(length: int, limit: int, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Which parts of a text to show: all of it, or its ends and what surrounds its first spans.

    Args:
        length: the text's length.
        limit: how much of it to show, about.
        spans: parts that must not be left out, in order.
    """
    if length <= limit:
        return [(0, length)]
    wanted = [(0, limit * 2 // 3), (length - limit // 3, length)]
    for start, end in spans[:_MIDDLE_KEPT]:
        wanted.append((max(0, start - _AROUND), min(end, start + limit, length)))
    kept: list[tuple[int, int]] = []
    for start, end in sorted(wanted):
        if kept and start <= kept[-1][1] + _AROUND:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept


def left_out(count: int) -> str:
    """What stands in place of a part left out."""
    return f" […{count:,} characters left out…] "


def elided(text: str, limit: int) -> str:
    """``text`` clean, and its middle left out where it is longer than ``limit``."""
    parts, shown = [], 0
    for start, end in windows(len(text), limit, []):
        if start > shown:
            parts.append(left_out(start - shown))
        parts.append(clean(text[start:end]))
        shown = end
    return "".join(parts)


def _hidden(each: str) -> bool:
    return (
        unicodedata.category(each) in _HIDDEN
        or each in _BLANK
        or "\ufe00" <= each <= "\ufe0f"  # variation selectors carry texts nobody sees
        or "\U000e0100" <= each <= "\U000e01ef"
    )


def _escape(each: str) -> str:
    code = ord(each)
    if each in _SHORT:
        return _SHORT[each]
    return (
        f"\\x{code:02x}"
        if code < 0x100
        else f"\\u{code:04x}"
        if code < 0x10000
        else f"\\U{code:08x}"
    )
