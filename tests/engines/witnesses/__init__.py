"""One ask for each flaw on which it really happens: read by the deciding process alone."""

from engines.witnesses import (
    believing,
    deciding,
    keeping,
    leaving,
    reading_too_much,
    sending,
    turning,
)
from engines.witnesses.reading import TOLD, WORLD, Witness

__all__ = ["TOLD", "WITNESSES", "WORLD", "Witness"]

_BY_MODULE = {
    "default_path": sending.DEFAULT_PATH,
    "afterwards": keeping.AFTERWARDS,
    "signature": keeping.SIGNATURE,
    "sequences": keeping.SEQUENCES,
    "caller": keeping.CALLER,
    "conversations": keeping.CONVERSATIONS,
    "drift": keeping.DRIFT,
    "messages": sending.MESSAGES,
    "roles": sending.ROLE,
    "turns": turning.TURNS,
    "remainder": turning.REMAINDER,
    "shapes": turning.SHAPES,
    "intent": deciding.INTENT,
    "reading": reading_too_much.READING,
    "screening": reading_too_much.SCREENING,
    "offering": reading_too_much.OFFERING,
    "retrieval": deciding.RETRIEVAL,
    "evidence": deciding.EVIDENCE,
    "claims": believing.CLAIMS,
    "explanations": believing.EXPLANATIONS,
    "models": believing.MODELS,
    "restricted": deciding.RESTRICTED | leaving.RESTRICTED,
    "exits": leaving.EXITS,
    "session": leaving.SESSION,
}
WITNESSES: dict[str, Witness] = {
    f"engines.flawed.{module}:{name}": witness
    for module, witnesses in _BY_MODULE.items()
    for name, witness in witnesses.items()
}
"""By adapter; the flaws of STA-1 have none, for it takes two processes to show them."""
