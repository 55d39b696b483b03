"""What the model is sent to answer from passages, and the same read back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from counterproof_reference.passages import PassageLike

SYSTEM = (
    "You explain a company's results. Use the passages in the last message and nothing else; "
    "earlier turns of the conversation are context, never evidence. State no figure that is not "
    "in a passage. Answer in the language of the question."
)
_PASSAGES = "Passages:"
_QUESTION = "Question:"


def user_message(question: str, passages: Sequence[PassageLike]) -> str:
    """The last user message: the passages, each with where it stands, then the question.

    Made by joining, never by formatting: braces in a question or a passage mean nothing (ROL-3).

    Args:
        question: the raw question, kept byte for byte (MSG-2).
        passages: what may be quoted.
    """
    blocks = [f"{citation(each.doc, each.locator)}\n{each.text}" for each in passages]
    return "\n\n".join([_PASSAGES, *blocks, _QUESTION + "\n" + question])


def citation(doc: str, locator: str) -> str:
    """How a place is cited, in prompts and in answers.

    Args:
        doc: the document's id.
        locator: where in the document; may be empty.
    """
    return f"[{doc}, {locator}]" if locator else f"[{doc}]"


def first_passage(message: str) -> str | None:
    """The text of the first passage of a message that :func:`user_message` made, or None.

    Args:
        message: the message.
    """
    found = re.match(rf"{_PASSAGES}\n\n\[[^\n]*\]\n(.*?)\n\n", message, re.DOTALL)
    return found[1] if found else None
