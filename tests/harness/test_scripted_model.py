"""What the scripted model replies under each behaviour, without an engine."""

from __future__ import annotations

import json
from typing import Any

import pytest

from counterproof.mentions import mentions, states_any
from counterproof.model import behaviours
from counterproof.model.behaviours import COOPERATIVE, NAMED, Behaviour, fuzzed
from counterproof.model.inventions import invented
from counterproof.model.scripted import Reply, ScriptedModel
from counterproof.trace import Ask, History
from counterproof.worlds import builtin_world

WORLD = builtin_world(0)
HIT = WORLD.probe("structured_hit")
MODEL = ScriptedModel(WORLD)
HISTORY = History.of([("user", "And before?"), ("assistant", "Well. It was 999. Good day.")])
RIGHT = {"entity": "香港", "metric": "营收", "period": "FY2025"}
TOOL = {
    "type": "function",
    "function": {
        "name": "query_metric",
        "parameters": {"type": "object", "properties": {name: {} for name in RIGHT}},
    },
}
CALLING = ("cooperative", "fabricating", "endless")


def reply(
    behaviour: Behaviour, question: str = HIT.question, *after: dict[str, Any], tools: Any = (TOOL,)
) -> Reply:
    """The reply to a question with the history before it and these messages after it."""
    turns = [{"role": role, "content": text} for role, text in HISTORY.turns]
    messages = [*turns, {"role": "user", "content": question}, *after]
    ask = Ask(HIT.id, HIT.question, HISTORY, behaviour)
    return MODEL.reply(ask, {"messages": messages, "tools": tools}, 0)


def calls(behaviour: Behaviour, question: str = HIT.question) -> list[dict[str, Any]]:
    """The tool calls of that reply."""
    message = reply(behaviour, question).message
    assert message is not None
    found: list[dict[str, Any]] = message["tool_calls"]
    return found


def arguments(call: dict[str, Any]) -> Any:
    """A call's arguments, parsed."""
    return json.loads(call["function"]["arguments"])


@pytest.mark.parametrize("name", CALLING)
def test_it_calls_the_tool_for_what_the_question_asks(name: str) -> None:
    """Slots are matched to the schema's names; history plays no part."""
    (call,) = calls(NAMED[name])
    assert call["function"]["name"] == "query_metric"
    assert arguments(call) == RIGHT


def test_it_reads_the_question_it_is_sent() -> None:
    """A question altered on its way changes what the tool is asked."""
    (call,) = calls(COOPERATIVE, "中国 FY2024 的营收是多少？")
    assert arguments(call) == {"entity": "中国", "metric": "营收", "period": "FY2024"}


@pytest.mark.parametrize(("name", "axis"), [("wrong-entity", "entity"), ("wrong-period", "period")])
def test_a_wrong_call_differs_on_one_axis(name: str, axis: str) -> None:
    """It asks for another entity or period, one the world has facts for."""
    (call,) = calls(NAMED[name])
    asked = arguments(call)
    assert {key for key in RIGHT if asked[key] != RIGHT[key]} == {axis}
    assert asked["entity"] not in ("Shanghai", "上海")


def test_malformed_and_non_object_arguments_are_that() -> None:
    """The first is no JSON, the second is JSON but no object."""
    (broken,) = calls(behaviours.MALFORMED_ARGUMENTS)
    with pytest.raises(json.JSONDecodeError):
        arguments(broken)
    (odd,) = calls(behaviours.NON_OBJECT_ARGUMENTS)
    assert not isinstance(arguments(odd), dict)


def test_an_unknown_tool_is_not_one_that_was_offered() -> None:
    """The name is made up."""
    (call,) = calls(behaviours.UNKNOWN_TOOL)
    assert call["function"]["name"] != "query_metric"


def test_parallel_calls_and_duplicate_ids() -> None:
    """One right and one wrong call under two ids; two right ones under one."""
    right, wrong = calls(behaviours.PARALLEL)
    assert arguments(right) == RIGHT != arguments(wrong)
    assert right["id"] != wrong["id"]
    first, second = calls(behaviours.DUPLICATE_IDS)
    assert arguments(first) == arguments(second) == RIGHT
    assert first["id"] == second["id"]


def test_after_the_tool_has_answered_only_the_endless_one_calls_again() -> None:
    """The cooperative model repeats the result; its reply ends in its mark."""
    result = {"role": "tool", "tool_call_id": "call_0_0", "content": "57812 USD_M"}
    done = reply(COOPERATIVE, HIT.question, result)
    assert done.message == {"role": "assistant", "content": f"57812 USD_M {done.mark}"}
    assert done.mark.isalpha()
    more = reply(behaviours.ENDLESS, HIT.question, result).message
    assert more is not None
    assert more["tool_calls"]


def test_the_fabricating_one_adds_a_figure_of_its_own() -> None:
    """Beside what it was given stands a figure that is nowhere in the world."""
    passage = WORLD.passages[0].text
    said = reply(behaviours.FABRICATING, f"Passages: {passage}", tools=None).message
    assert said is not None
    assert passage in said["content"]
    assert str(WORLD.canary_figures[0]) in said["content"]


@pytest.mark.parametrize("behaviour", behaviours.FABRICATIONS, ids=str)
def test_an_invention_is_the_same_figure_in_another_form(behaviour: Behaviour) -> None:
    """Each form is written as no other is, and states the figure that is nowhere in the world."""
    said = reply(behaviour, "Passages: none.", tools=None).message
    assert said is not None
    assert mentions(said["content"], WORLD.canary_figures[0])
    forms = {invented(WORLD, each.name) for each in behaviours.FABRICATIONS}
    assert [form for form in forms if form in said["content"]] == [invented(WORLD, behaviour.name)]
    assert len(forms) == len(behaviours.FABRICATIONS)


def test_the_parrot_repeats_the_last_sentence_with_a_figure() -> None:
    """It says what history said; without history it cooperates."""
    said = reply(behaviours.PARROT).message
    assert said is not None
    assert said["content"].startswith("It was 999.")
    alone = MODEL.reply(
        Ask(HIT.id, HIT.question, behaviour=behaviours.PARROT),
        {"messages": [{"role": "user", "content": HIT.question}], "tools": [TOOL]},
        0,
    ).message
    assert alone is not None
    assert arguments(alone["tool_calls"][0]) == RIGHT


def test_the_empty_one_says_nothing() -> None:
    """An empty text, and no tool call."""
    assert reply(behaviours.EMPTY).message == {"role": "assistant", "content": ""}


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("failing-error", "error"),
        ("failing-timeout", "timeout"),
        ("failing-rate-limit", "rate-limit"),
        ("failing-truncated", "truncated"),
        ("failing-malformed", "malformed"),
    ],
)
def test_a_failing_model_fails_as_it_is_named(name: str, error: str) -> None:
    """The worker raises what the adapter's provider contract expects."""
    assert reply(NAMED[name]).wire["error"] == error


def test_no_choices_are_no_choices() -> None:
    """The completion is there, its choices are not."""
    assert reply(behaviours.FAILING_NO_CHOICES).wire["completion"]["choices"] == []


def test_fuzzed_replies_come_in_turn() -> None:
    """The reply is the one it was given."""
    odd = {"role": "assistant", "content": None, "tool_calls": [3]}
    assert reply(fuzzed(odd)).message == odd


def test_until_replies_are_drawn_a_fuzzed_model_gives_odd_ones() -> None:
    """Unknown tools, arguments that are no object, no id; then words that nothing found."""
    first = reply(behaviours.FUZZED).message
    assert first is not None
    names = [each["function"]["name"] for each in first["tool_calls"]]
    assert "query_metric" in names
    assert set(names) - {"query_metric"}
    assert {each["id"] for each in first["tool_calls"]} == {""}
    assert states_any(first["content"], {each.value for each in WORLD.facts})


def test_fuzzed_models_are_told_apart_by_their_replies() -> None:
    """They can be looked up all the same, though replies are plain values."""
    one, two = fuzzed({"content": "a"}), fuzzed({"content": "b"})
    assert len({one, two, fuzzed({"content": "a"})}) == 2


def test_what_the_adapter_answers_itself_is_said_verbatim() -> None:
    """A suggested reply to one of the engine's other prompts carries no mark."""
    ask = Ask(HIT.id, HIT.question)
    data: dict[str, Any] = {"messages": [], "tools": None, "suggested": "[2, 1]"}
    assert MODEL.reply(ask, data, 0) == Reply(
        MODEL.reply(ask, data, 0).wire, {"role": "assistant", "content": "[2, 1]"}, ""
    )


@pytest.mark.parametrize(
    ("earlier", "quoted"),
    [
        (["{one}", "{two}"], False),
        (["{one}\n\n{two}"], False),
        (["user: {one}\nassistant: {two}"], False),
        (["Passages:\n[a.md, p1]\n{one}\n[b.md, p1]\n{two}"], True),
        (["{one} said the partners."], True),
    ],
)
def test_history_is_ignored_in_one_message_too(earlier: list[str], quoted: bool) -> None:
    """Turns merged into one message are history; a prompt that holds what was said is not."""
    one, two = (each.text for each in WORLD.passages[:2])
    sent = [
        *({"role": "user", "content": each.format(one=one, two=two)} for each in earlier),
        {"role": "user", "content": "Why?"},
    ]
    ask = Ask(HIT.id, "Why?", History.of([("user", one), ("assistant", two)]), COOPERATIVE)
    message = MODEL.reply(ask, {"messages": sent, "tools": None}, 0).message
    assert message is not None
    assert (one in message["content"]) is quoted
