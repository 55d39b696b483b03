"""The reference engine as the kit opens it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import pytest

from counterproof.contract import Answer, Fact, Model, Name, Passage, Source, World
from counterproof_reference.adapter import reference
from counterproof_reference.history import HistoryError
from counterproof_reference.judging import judge_messages
from reference_engine.doubles import FACTS, PASSAGES, VOCABULARY, Script, asked, call, calls, say

HIT = "香港 FY2025 的营收是多少？"
FERRY = "Why did the ferry terminal close?"


class Port:
    """The deciding process's end of the seams, in this process."""

    def __init__(self, model: Script) -> None:
        self.crossings: list[tuple[str, Any]] = []
        self.label: str | None = None
        self._model = model

    def cross(self, seam: str, data: Mapping[str, Any]) -> Any:
        """Record the crossing, and let it pass."""
        self.crossings.append((seam, data))
        if seam == "model":
            try:
                return {"completion": self._model.chat(data["messages"], tools=data["tools"])}
            except TimeoutError as error:
                return {"error": "timeout", "message": str(error)}
        if seam == "passages":
            if self.label is None:
                return {"passages": list(range(len(data["passages"])))}
            return {"passages": [{**each, "label": self.label} for each in data["passages"]]}
        return data


def world(port: Port) -> World:
    """The small world, at this port."""
    return World(
        reference_date="2026-07-14",
        entities=tuple(Name(each.code, each.names) for each in VOCABULARY.entities),
        metrics=tuple(Name(each.code, each.names) for each in VOCABULARY.metrics),
        facts=tuple(Fact(**dataclasses.asdict(each)) for each in FACTS),
        passages=tuple(Passage(**dataclasses.asdict(each)) for each in PASSAGES),
        out_of_scope=VOCABULARY.out_of_scope,
        model=Model(port),
        _port=port,
    )


class TestReference:
    def test_it_declares_what_it_does(self) -> None:
        """Its version is the distribution's."""
        spec = reference.__counterproof__  # type: ignore[attr-defined]  # the kit's mark
        assert (spec.name, spec.version) == ("reference", version("counterproof"))
        assert spec.channels == {"structured", "narrative"}
        assert "restricted" in spec.claims
        assert spec.concurrency == "thread"

    def test_an_answer_holds_every_rendering(self) -> None:
        """With history, and without."""
        ask = reference(world(Port(Script(calls(call(asked())), say("done")))))
        expected = Answer(
            text="香港 FY2025 营收：57812.5 USD_M [hk.xlsx, R!2025]",
            plain="香港 FY2025 营收：57812.5 USD_M",
            route="structured",
            refused=False,
            sources=[Source("hk.xlsx", "R!2025")],
            tool_results=[
                {
                    "status": "found",
                    "entity": "HK",
                    "metric": "REVENUE",
                    "period": "FY2025",
                    "value": 57812.5,
                    "unit": "USD_M",
                    "doc": "hk.xlsx",
                    "locator": "R!2025",
                }
            ],
        )
        for history in ({}, {"history": None}, {"history": [("user", "x")]}):
            assert expected == ask(HIT, **history)

    def test_every_seam_reports(self) -> None:
        """In the order of one ask."""
        port = Port(Script(say("The ferry terminal closed because of storms.")))
        reference(world(port))(FERRY, history=[("user", "x")])
        assert [seam for seam, _ in port.crossings] == [
            "parse", "query", "passages", "exit", "model", "exit", "model",
        ]  # fmt: skip
        assert [data["name"] for seam, data in port.crossings if seam == "exit"] == [
            "rerank",
            "link",
        ]
        assert port.crossings[0][1] == {"text": FERRY}
        assert port.crossings[1][1]["query"] == FERRY
        labels = {each["label"] for each in port.crossings[2][1]["passages"]}
        assert "RESTRICTED" in labels

    def test_a_session_says_what_it_remembers(self) -> None:
        """As plain values; each session begins with nothing."""
        opened = world(Port(Script(calls(call(asked())), say("done"))))
        reference(opened)
        session, other = opened._sessions[-1](), opened._sessions[-1]()
        assert session.takes_history
        assert session.ask(HIT, history=[("user", "x")]).sources == [Source("hk.xlsx", "R!2025")]
        assert session.remembered() == {"entity": "HK", "period": "FY2025"}
        assert other.remembered() == {"entity": None, "period": None}

    def test_a_cooperative_judge_keeps_the_order(self) -> None:
        """Its reply, which the adapter gives, numbers what it was shown; others are the kit's."""
        spec = reference.__counterproof__  # type: ignore[attr-defined]  # the kit's mark
        assert spec.reply(judge_messages("Why?", PASSAGES[:3]), None) == "1, 2, 3"
        assert spec.reply([{"role": "user", "content": "Why?"}], None) is None

    @pytest.mark.parametrize(
        ("label", "leaks"), [("public", True), (" RESTRICTED", False), ("", False)]
    )
    def test_the_exits_stand_behind_the_seam(self, label: str, leaks: bool) -> None:
        """A passage mislabelled at the seam gets out, and one labelled anew is held back."""
        model = Script(say("x"))
        port = Port(model)
        port.label = label
        reference(world(port))(FERRY)
        assert leaks == ("zebramop" in str(model.messages))

    def test_a_failing_model_is_a_failing_provider(self) -> None:
        """The engine says so."""
        answer = reference(world(Port(Script(TimeoutError("late")))))(HIT)
        assert answer.refused
        assert answer.sources == []

    def test_relative_years_are_reckoned_from_the_worlds_date(self) -> None:
        """Not from today's."""
        earlier = dataclasses.replace(world(Port(Script(say("x")))), reference_date="2019-05-01")
        results = reference(earlier)("HK revenue last year").tool_results
        assert results is not None
        assert [each["period"] for each in results] == ["FY2018"]

    def test_a_wrong_history_is_refused(self) -> None:
        """With the engine's own error."""
        with pytest.raises(HistoryError, match="turn 0"):
            reference(world(Port(Script(say("x")))))(HIT, history=[{"role": "user"}])
