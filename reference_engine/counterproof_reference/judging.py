"""A model that judges passages: it may put them in another order, and can do no more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from counterproof_reference.passages import PassageLike
from counterproof_reference.providers import Provider, ProviderError, reply_of

SYSTEM = (
    "You order passages by how well they answer a question. Reply with the numbers of the "
    "passages, the best first, separated by commas, and with nothing else."
)
_NUMBERS = re.compile(r"\s*\d{1,4}(?:\s*,\s*\d{1,4})*\s*")


@dataclass(frozen=True)
class ModelJudge:
    """Asks a model for the order of passages.

    It is shown the question and the passages that left by the exit ``rerank``, and no history
    (MSG-6): what was said before has no say in what is found.

    Args:
        provider: the model.
    """

    provider: Provider

    def order(self, question: str, passages: Sequence[PassageLike]) -> list[PassageLike]:
        """The passages in the order the model gives, those it leaves out last.

        Where its reply is of no use, or there is none, they stay in the order they came in.

        Args:
            question: the raw question.
            passages: what may reach the judge.
        """
        kept = list(passages)
        if len(kept) < 2:
            return kept
        try:
            reply = reply_of(self.provider.chat(judge_messages(question, kept)))
        except ProviderError:
            return kept
        best = read_order(str(reply["content"]), len(kept))
        return [kept[each] for each in best] + [
            passage for number, passage in enumerate(kept) if number not in best
        ]


def judge_messages(question: str, passages: Sequence[PassageLike]) -> list[dict[str, str]]:
    """What the judge is sent; made by joining, never by formatting (ROL-3).

    Args:
        question: the raw question.
        passages: what may reach the judge.
    """
    listed = [f"{number}. {each.text}" for number, each in enumerate(passages, 1)]
    return [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": "\n".join([*listed, "", question])},
    ]


def listed(message: str) -> int:
    """How many passages a message that :func:`judge_messages` made lists.

    Args:
        message: its last message.
    """
    numbers = re.findall(r"^(\d+)\. ", message, re.MULTILINE)
    return next((n for n, each in enumerate(numbers) if each != str(n + 1)), len(numbers))


def read_order(reply: str, count: int) -> list[int]:
    """The places, from zero, that a judge's reply names; none where it is of no use.

    Args:
        reply: the judge's words.
        count: how many passages it was shown.
    """
    if not _NUMBERS.fullmatch(reply):
        return []
    named = [int(each) - 1 for each in re.findall(r"\d+", reply)]
    usable = len(set(named)) == len(named) and all(0 <= each < count for each in named)
    return named if usable else []
