"""Asks that show that a patch of rag-spine happens: read by the deciding process alone."""

from adapters.witnesses import deciding, sending
from adapters.witnesses.reading import WORLD, Witness

__all__ = ["BY_PLAIN_CALL", "OF_TWO_PROCESSES", "WITNESSES", "WORLD", "Witness"]

_BY_MODULE = {
    "default_path": sending.DEFAULT_PATH,
    "sending": sending.SENDING,
    "roles": sending.ROLE,
    "intent": deciding.INTENT,
    "evidence": deciding.EVIDENCE,
    "keeping": deciding.KEEPING,
}
WITNESSES: dict[str, Witness] = {
    f"adapters.patches.{module}:{name}": witness
    for module, witnesses in _BY_MODULE.items()
    for name, witness in witnesses.items()
}
"""By adapter."""

BY_PLAIN_CALL = {"adapters.patches.default_path:history_may_be_given_by_place"}
"""Patches that no ask through the adapter shows: a signature."""

OF_TWO_PROCESSES = {"adapters.patches.keeping:sources_are_a_set"}
"""Patches that two processes show."""
