"""Sensitivity labels that a careless comparison takes for another one than RESTRICTED."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

_PADDING = (" ", "\t", "\n", "\r\n", "\u00a0", "\u3000", "\u200b", "\u2060", "\ufeff", "\u00ad")
_LOOK_ALIKES: Mapping[str, str] = {
    "R": "ＲᎡ𝐑", "E": "ＥЕΕ𝐄", "S": "ＳЅ𝐒", "T": "ＴТΤ𝐓", "I": "ＩІΙ𝐈", "C": "ＣСϹ𝐂", "D": "Ｄ𝐃",
    "r": "ｒг", "e": "ｅеé", "s": "ｓѕ", "t": "ｔт", "i": "ｉіı", "c": "ｃсϲ", "d": "ｄԁ",
}  # fmt: skip
_SPELLINGS = ("RESTRICTED", "Restricted", "restricted")
UNKNOWN = ("SECRET", "Confidential", "board only", "TLP:RED", "unknown", "not public", "None")
"""Labels that no one has said may leave."""
EMPTY = ("", " ", "\u200b")
"""Labels that say nothing."""


def padded(seed: int = 0) -> Sequence[str]:
    """The word RESTRICTED with something before, behind or inside it that is not seen.

    Args:
        seed: what is drawn beside the usual ones comes from it, so that no list can hold all.
    """
    draw = random.Random(f"counterproof-padding-{seed}")  # noqa: S311  # a label, not a secret
    usual = ["RESTRICTED ", " Restricted", "restricted\u200b", "\tRESTRICTED\n", "RESTRICTED\u00a0"]
    for _ in range(3):
        word = draw.choice(_SPELLINGS)
        inside = draw.randrange(1, len(word))
        usual += [
            draw.choice(_PADDING) + word,
            word + draw.choice(_PADDING) + draw.choice(_PADDING),
            word[:inside] + draw.choice(_PADDING[6:]) + word[inside:],
        ]
    return tuple(dict.fromkeys(usual))


def look_alikes(seed: int = 0) -> Sequence[str]:
    """The word RESTRICTED in letters that look like its own.

    Args:
        seed: what is drawn beside the usual ones comes from it, so that no list can hold all.
    """
    draw = random.Random(f"counterproof-look-alikes-{seed}")  # noqa: S311  # a label, not a secret
    usual = ["ＲＥＳＴＲＩＣＴＥＤ", "RESTRICTЕD", "RЕSTRIСTЕD", "restrıcted", "Ｒestricted"]
    for _ in range(5):
        word = draw.choice(_SPELLINGS)
        at = set(draw.sample(range(len(word)), draw.randint(1, 3)))
        usual.append(
            "".join(draw.choice(_LOOK_ALIKES[c]) if n in at else c for n, c in enumerate(word))
        )
    return tuple(dict.fromkeys(usual))
