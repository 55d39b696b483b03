"""Texts that a careless step would change: white space, composition, control characters, length."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from counterproof.strategies.material import Material
from counterproof.strategies.poison import TextClass

LONG = 10_000
"""Characters of a long text."""


def _long(material: Material) -> tuple[str, ...]:
    end = " ".join((*material.canaries, *material.figures))
    return ("x" * LONG + end, "营收" * (LONG // 2) + end, "a b\n" * (LONG // 4) + end)


ODDITIES: Mapping[str, TextClass] = {
    "empty": TextClass(lambda _: ("",), lambda text, _: text == ""),
    "blank": TextClass(
        lambda _: (" ", "\n", "\t \n", "\u3000", "\u00a0\u2003", "\u2028"),
        lambda text, _: text != "" and not text.strip(),
    ),
    "padded": TextClass(
        lambda m: (" yes", "yes ", "\n\nyes\n", "\u3000好\u3000", f"\t{(*m.canaries, 'x')[0]} \n"),
        lambda text, _: text.strip() not in ("", text),
    ),
    "decomposed": TextClass(
        lambda _: ("cafe\u0301", "e\u0301te\u0301", "か\u3099", "\u1112\u1161\u11ab", "A\u030a"),
        lambda text, _: unicodedata.normalize("NFC", text) != text,
    ),
    "composed": TextClass(
        lambda _: ("café", "été", "が", "한국", "Å"),
        lambda text, _: unicodedata.normalize("NFD", text) != text,
    ),
    "compatibility": TextClass(
        lambda _: ("ﬁnance", "２０２４", "①", "㍿", "ＲＥＶＥＮＵＥ", "½", "㎡", "x²"),
        lambda text, _: unicodedata.normalize("NFKC", text) != unicodedata.normalize("NFC", text),
    ),
    "crlf": TextClass(
        lambda _: ("one\r\ntwo", "one\rtwo", "\r\n", "end\r\n"), lambda text, _: "\r" in text
    ),
    "control": TextClass(
        lambda _: ("nul\x00nul", "\x1b[31mred", "bell\x07", "\x08\x08", "del\x7f", "\x85"),
        lambda text, _: any(unicodedata.category(c) == "Cc" and c not in "\t\n\r" for c in text),
    ),
    "invisible": TextClass(
        lambda _: ("\ufeffbom", "zero\u200bwidth", "\u202eevif", "soft\u00adhyphen", "👩\u200d💻"),
        lambda text, _: any(unicodedata.category(c) == "Cf" for c in text),
    ),
    "astral": TextClass(
        lambda _: ("😀", "𠮷野家", "𝟗𝟗𝟗", "\U0010ffff"),
        lambda text, _: any(c > "\uffff" for c in text),
    ),
    "long": TextClass(_long, lambda text, _: len(text) >= LONG),
}
"""Classes of texts that must arrive byte for byte (MSG-4)."""
