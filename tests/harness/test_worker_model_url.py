"""The model's own address, given to an engine in its worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from counterproof.model.behaviours import COOPERATIVE, TRANSPORT_FAULTS, Behaviour
from counterproof.subject import Subject
from counterproof.trace import History
from counterproof.worker.link import Link, Target
from counterproof.worlds import builtin_world

WORLD = builtin_world(0)
PROBE = WORLD.probe("narrative_hit")
TOLD = History.of((("user", "Remember gherkin."), ("assistant", "gherkin")))


@pytest.fixture(scope="module")
def subjects() -> Iterator[list[Subject]]:
    """The engine that calls the model over HTTP, and the one that calls it directly."""
    folder = str(Path(__file__).parents[1])
    made = [
        Subject(Link(Target(adapter, folder=folder)), WORLD)
        for adapter in (
            "engines.conformant.over_http:model_called_over_http",
            "counterproof_reference.adapter:reference",
        )
    ]
    yield made
    for each in made:
        each.close()


def test_what_is_sent_there_crosses_the_model_seam(subjects: list[Subject]) -> None:
    """As if the model had been called directly."""
    over_http, direct = (each.ask(PROBE, TOLD) for each in subjects)
    assert over_http.failure is None
    assert [each.messages for each in over_http.generation_calls] == [
        each.messages for each in direct.generation_calls
    ]
    assert over_http.text == direct.text


@pytest.mark.parametrize("behaviour", [COOPERATIVE, *TRANSPORT_FAULTS], ids=str)
def test_a_fault_of_the_transport_is_the_failure_it_is_in_process(
    subjects: list[Subject], behaviour: Behaviour
) -> None:
    """What the client makes of it ends as the error does."""
    over_http, direct = (each.ask(PROBE, TOLD, behaviour) for each in subjects)
    assert (over_http.text, over_http.cited) == (direct.text, direct.cited)
