"""How an exit is watched, and what a session lets be seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from counterproof.contract import Model, Passage, Session, World

OPEN = Passage("a.md", "p1", "Open.", "Public")
SHUT = Passage("b.md", "p1", "Shut.", "RESTRICTED")
MORE = {"doc": "c.md", "locator": "p1", "text": "More.", "label": "RESTRICTED"}


@dataclass
class Port:
    """The deciding process's end: answers with what a test says, and keeps what crossed."""

    released: Any = None
    crossed: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)

    def cross(self, seam: str, data: Mapping[str, Any]) -> Any:
        self.crossed.append((seam, data))
        return {"released": data["released"] if self.released is None else self.released}


def world(port: Port) -> World:
    """An empty world at this port."""
    return World("2026-07-14", (), (), (), (), (), Model(port), port)


def strip(passages: Iterable[Passage]) -> list[Passage]:
    return [each for each in passages if each.label != "RESTRICTED"]


class TestExits:
    def test_what_it_is_given_and_lets_out_crosses(self) -> None:
        """Under the exit's name, as plain values; what comes back is let out."""
        port = Port()
        assert world(port).watch_exit("link", strip)(iter([OPEN, SHUT])) == [OPEN]
        ((seam, data),) = port.crossed
        assert (seam, data["name"]) == ("exit", "link")
        assert [each["doc"] for each in data["given"]] == ["a.md", "b.md"]
        assert [each["doc"] for each in data["released"]] == ["a.md"]

    def test_numbers_stand_for_the_engines_own_hits(self) -> None:
        """Those let out first, then those given; a passage of plain values becomes a passage."""
        port = Port(released=[2, 0, MORE])
        found = world(port).watch_exit("rerank", strip)([OPEN, SHUT])
        assert found[0] is SHUT
        assert found[1] is OPEN
        assert found[2] == Passage(**MORE)

    def test_hits_of_the_engines_own_are_converted(self) -> None:
        """Both ways."""
        port = Port(released=[0, MORE])
        exit_ = world(port).watch_exit(
            "link",
            list,
            to_passage=lambda hit: Passage(*hit),
            from_passage=lambda p: (p.doc, p.locator, p.text, p.label),
        )
        assert exit_([("a.md", "p1", "Open.", "Public")]) == [
            ("a.md", "p1", "Open.", "Public"),
            ("c.md", "p1", "More.", "RESTRICTED"),
        ]

    def test_a_conversion_needs_its_reverse(self) -> None:
        with pytest.raises(TypeError, match="to_passage and from_passage"):
            world(Port()).watch_exit("link", strip, to_passage=lambda hit: OPEN)
        with pytest.raises(TypeError, match="to_passage and from_passage"):
            world(Port()).watch_exit("link", strip, from_passage=lambda each: None)

    def test_an_unknown_exit_is_refused(self) -> None:
        with pytest.raises(ValueError, match="'door' is not one of link, rerank"):
            world(Port()).watch_exit("door", strip)


def test_the_last_session_registered_is_the_one_that_is_opened() -> None:
    """So that an adapter may wrap another's."""
    opened = world(Port())
    made = [Session(str, list), Session(repr, list)]
    opened.session(lambda: made[0])
    opened.session(lambda: made[1])
    assert [make() for make in opened._sessions] == made[1:]
