"""Chat histories in a compact code, and such histories at random.

``s`` system, ``d`` developer, ``u`` user, ``a`` assistant, ``S`` a summary, a digit a call with
that id, ``r1`` its result; ``(12)`` and ``(r1r2)`` are one message. A message's text is its code
and its place, counted from zero: ``su`` says ``s0`` and ``u1``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from counterproof_reference.chat_history import Call, ChatHistory, Message, Result

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""For properties over histories: how fast they run is another matter."""

ROLES = {"s": "system", "d": "developer", "u": "user", "a": "assistant"}
CODES = {role: code for code, role in ROLES.items()}


def messages(code: str) -> list[Message]:
    """The messages of a code."""
    found = re.findall(r"\([^)]*\)|r\d|.", code)
    return [_message(each.strip("()"), at) for at, each in enumerate(found)]


def history(code: str) -> ChatHistory:
    """The history of a code."""
    return ChatHistory(messages(code))


def code_of(given: Iterable[Message]) -> str:
    """The code of messages; the texts do not show."""
    return "".join(_code(each) for each in given)


def _message(code: str, at: int) -> Message:
    if code == "S":
        return Message("assistant", f"S{at}", summary=True)
    if code in ROLES:
        return Message(ROLES[code], f"{code}{at}")
    if code.startswith("r"):
        return Message("tool", [Result(i, f"{i} at {at}") for i in code.split("r")[1:]])
    return Message("assistant", [Call(i, "look", {"at": at}) for i in code])


def _code(message: Message) -> str:
    if message.summary:
        return "S"
    parts = [f"r{each.call_id}" for each in message.results] or [c.id for c in message.calls]
    if not parts:
        return CODES[message.role]
    return f"({''.join(parts)})" if len(parts) > 1 else parts[0]


@st.composite
def codes(draw: st.DrawFn, *, closed: bool = False, summaries: bool = False) -> str:
    """Codes of valid histories: parallel calls, reused ids, anything between, open tails."""
    open_ids: list[str] = []
    pieces: list[str] = []
    plain = ["s", "d", "u", "a", "a", "u", *(["S"] if summaries else [])]
    for _ in range(draw(st.integers(0, 14))):
        choice = draw(st.sampled_from([*plain, "call", "call", "answer", "answer", "answer"]))
        free = [each for each in "12345" if each not in open_ids]
        if choice == "call" and free:
            ids = draw(st.lists(st.sampled_from(free), min_size=1, max_size=3, unique=True))
            open_ids += ids
            pieces.append(_joined(ids))
        elif choice == "answer" and open_ids:
            ids = draw(st.lists(st.sampled_from(open_ids), min_size=1, unique=True))
            open_ids = [each for each in open_ids if each not in ids]
            pieces.append(_joined([f"r{each}" for each in ids]))
        elif choice in plain:
            pieces.append(choice)
    if closed:
        pieces += [f"r{each}" for each in draw(st.permutations(open_ids))]
    return "".join(pieces)


def _joined(ids: list[str]) -> str:
    return ids[0] if len(ids) == 1 else f"({''.join(ids)})"
