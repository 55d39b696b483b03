"""How the engine reads text: folding, content words, and the language of a question."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Kana and Chinese characters, as the inside of a regular expression's class."""

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_RUN = re.compile(rf"[{CJK}]+|[^\W_{CJK}]+")
_IS_CJK = re.compile(rf"[{CJK}]")
_POSSESSIVE = re.compile(r"['’]s\b")

_STOP_WORDS = """
    a about all also am an and any are as at be because been but by can caused cause causes come
    could did do does doing explain for from give had has have he her his how i in into is it its
    just led many me more much must my no not of on or our please reason reasons s shall she should
    show so such t tell than that the their them then there these they this those to us was we were
    what when where which who whom whose why will with would you your
"""
_STOPPED = frozenset(_STOP_WORDS.split())
_STOP_PHRASES = re.compile(
    "为什么|为何|怎么样|怎么|怎样|如何|是什么|什么|多少|哪些|哪个|原因|因为|请问|请|分别|以及|告诉|我们|你们"
    "|[的了吗呢呀吧是和与及在要为有会也都就把被对从到这那其之我你]"
)


def fold(text: str) -> str:
    """Text as names, periods and words are looked for in it.

    Full-width forms become ordinary ones, case is folded and invisible format characters are
    dropped. Never applied to what the model is sent (MSG-2).

    Args:
        text: any text.
    """
    return visible(text).casefold()


def visible(text: str) -> str:
    """Text in its compatibility form, without format characters, its case kept."""
    if text.isascii():
        return text
    folded = unicodedata.normalize("NFKC", text)
    return "".join(each for each in folded if unicodedata.category(each) != "Cf")


def is_chinese(text: str) -> bool:
    """Whether an answer to this text is written in Chinese."""
    return bool(_HAN.search(text)) and not _KANA.search(text)


def index_tokens(folded: str) -> list[str]:
    """Every token a passage is found by: words, characters, and pairs of characters.

    Chinese and Japanese do not set words apart, and a word there is mostly two characters long,
    which a trigram index cannot find; so each pair of neighbours is a token.

    Args:
        folded: text as :func:`fold` leaves it.
    """
    tokens: list[str] = []
    for run in _RUN.findall(folded):
        if _IS_CJK.match(run):
            tokens.extend(run)
            tokens.extend(pairs(run))
        else:
            tokens.append(stem(run))
    return tokens


def content_runs(folded: str) -> list[str]:
    """The words and character runs of a text that say what it is about.

    Args:
        folded: text as :func:`fold` leaves it.
    """
    spaced = _STOP_PHRASES.sub(" ", _POSSESSIVE.sub(" ", folded))
    return [run for run in _RUN.findall(spaced) if run not in _STOPPED]


def is_cjk(run: str) -> bool:
    """Whether a run is of Chinese or Japanese characters."""
    return bool(_IS_CJK.match(run))


def pairs(run: str) -> list[str]:
    """Each two neighbouring characters of a run."""
    return [run[at : at + 2] for at in range(len(run) - 1)]


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """A word without its commonest English endings, so that ``planned`` finds ``plan``."""
    if not word.isascii() or not word.isalpha() or len(word) < 4:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        bare = word.removesuffix(ending)
        if bare != word and len(bare) >= 3:
            doubled = bare[-1] == bare[-2] and bare[-1] not in "ls"
            word = bare[:-1] if doubled else bare
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word
