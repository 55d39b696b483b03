"""What a stranger needs to be told: what each group is about, and how a seam is exposed."""

from __future__ import annotations

from counterproof.certificate import Verdict

GROUPS = {
    "DEF": "the default path is byte-identical",
    "PAR": "history never enters intent parsing or the security gate",
    "MSG": "what the model is sent",
    "ROL": "roles: a turn is the user's or the assistant's, never the system's",
    "RET": "history never enters retrieval",
    "FAB": "history is never evidence",
    "RES": "RESTRICTED never leaves",
    "STA": "no state is kept between asks",
    "SVC": "the service behaves as the engine does",
    "SES": "history and the session are orthogonal",
    "CHH": "chat-history objects keep what they are given",
    "RED": "reducers drop the oldest, and nothing else",
}

EXPOSE = {
    "model": 'call the model through world.model, and declare the seam "model"',
    "parse": 'wrap the intent parser in world.watch_parse, and declare the seam "parse"',
    "retrieval": 'wrap the search in world.watch_retrieval, and declare the seam "retrieval"',
    "exits": 'wrap each exit in world.watch_exit, and declare the seam "exits"',
    "session": 'give world.session what opens one, and declare the seam "session"',
    "signature": 'give world.expose the first-answer function, and declare the seam "signature"',
    "service": "certify the engine's HTTP service",
    "stream": "certify the service's streaming route",
}

VERDICTS = {
    Verdict.PASS: ("pass", "green"),
    Verdict.FAIL: ("FAIL", "bold red"),
    Verdict.ERROR: ("ERROR", "bold magenta"),
    Verdict.VACUOUS: ("VACUOUS", "bold yellow"),
    Verdict.KNOWN: ("known failure", "yellow"),
    Verdict.NOT_OBSERVABLE: ("not observable", "cyan"),
    Verdict.NOT_APPLICABLE: ("not applicable", "dim"),
}
"""Each verdict's word and style, the gravest first but for PASS."""


def group_of(identifier: str) -> str:
    """The group of a requirement's id: ``RET`` of ``RET-1``."""
    return identifier.partition("-")[0]
