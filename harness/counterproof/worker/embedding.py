"""Deterministic embeddings: texts that share words, or pairs of characters, are near."""

from __future__ import annotations

import hashlib
import math
import re
from typing import Iterator, List

SIZE = 256
_WORD = re.compile(r"[a-z0-9]+")
_IDEOGRAPHS = re.compile("[\u3040-\u30ff\u3400-\u9fff]+")


def embedding(text: str) -> List[float]:
    """The vector of a text: of length 1, of :data:`SIZE` numbers; all nought where it is empty.

    Args:
        text: the text.
    """
    vector = [0.0] * SIZE
    for token in _tokens(text.lower()):
        digest = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
        vector[int.from_bytes(digest[:4], "big") % SIZE] += 1.0 if digest[4] % 2 else -1.0
    length = math.sqrt(sum(each * each for each in vector))
    return [each / length for each in vector] if length else vector


def _tokens(text: str) -> Iterator[str]:
    yield from _WORD.findall(text)
    for run in _IDEOGRAPHS.findall(text):
        yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))
