"""What the strategies reach: every class they claim, at a cost that leaves room for the engine."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from typing import Any, TypeVar

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from counterproof.mentions import figures
from counterproof.strategies import (
    CLASSES,
    REPLY_CLASSES,
    Material,
    Turns,
    bare_1320,
    classify,
    classify_replies,
    decision_case,
    examples,
    fuzzed_replies,
    histories,
    leading_system,
    long_history,
    roles,
    texts,
    told_facts,
    told_of_every_slot,
    turns,
)
from counterproof.strategies.histories import TEXT_CLASSES
from counterproof.strategies.roles import SUSPECTS, role_classes

MATERIAL = Material(
    entities=("Shanghai", "上海", "Hong Kong", "香港"),
    periods=("FY2025", "FY2099", "FY1320"),
    metrics=("REVENUE", "营收", "operating profit"),
    figures=("999", "48213", "72651"),
    canaries=("bafonukipa", "dizutomera"),
    restricted=(
        "Merger terms with the logistics partner: codename Bafonu, the condition is Dizu.",
        "并购整合的裁员方案代号八零九，名单由小组保管，不得外传。",
    ),
    out_of_scope=("竞安", "Jingan"),
    documents=("hk-results.xlsx", "merger-terms.md"),
)

Drawn = TypeVar("Drawn")
deterministic = settings(
    derandomize=True, database=None, deadline=None, max_examples=200, phases=[Phase.generate]
)


def drawn(strategy: st.SearchStrategy[Drawn], count: int) -> list[Drawn]:
    """What a deterministic run draws."""
    found: list[Drawn] = []

    @settings(deterministic, max_examples=count)
    @given(strategy)
    def run(value: Drawn) -> None:
        found.append(value)

    run()
    return found


@cache
def sample() -> tuple[Turns, ...]:
    """Histories of one deterministic run."""
    return tuple(drawn(histories(MATERIAL), 2400))


@cache
def counts() -> Counter[str]:
    """How many of the sample hold each class."""
    return Counter(name for history in sample() for name in classify(history, MATERIAL))


@cache
def told_sample() -> tuple[Turns, ...]:
    """Conversations that claim facts, of one deterministic run."""
    return tuple(drawn(told_facts(MATERIAL), 600))


def _a_text(holds: Callable[[str], bool]) -> bool:
    return any(holds(text) for history in told_sample() for _, text in history)


@pytest.mark.parametrize("word", [*MATERIAL.entities, *MATERIAL.metrics, *MATERIAL.periods])
def test_facts_are_told_of_every_slot(word: str) -> None:
    """Of those the world knows and of those it does not, in every spelling."""
    assert _a_text(lambda text: word in text and any(not f.in_word for f in figures(text)))
    assert any(word in text for _, text in told_of_every_slot(MATERIAL))


def test_told_figures_come_in_every_form() -> None:
    """As digits, grouped, full width and Chinese numerals; canaries and others."""
    assert _a_text(lambda text: "48213" in text)
    assert _a_text(lambda text: "," in text and any(f.text.endswith(".00") for f in figures(text)))
    assert _a_text(lambda text: any(char in "０１２３４５６７８９" for char in text))
    assert _a_text(lambda text: any("万" in f.text for f in figures(text)))
    others = {f.text for h in told_sample() for _, text in h for f in figures(text)}
    assert len(others - set(MATERIAL.figures)) > 100


def test_facts_are_told_by_both_and_may_be_asked_for_before() -> None:
    """By the user and by the assistant, once or several times."""
    assert {role for history in told_sample() for role, _ in history} == {"user", "assistant"}
    assert _a_text(lambda text: text.endswith("?"))
    assert {1, 2, 3} <= {len(history) for history in told_sample()}


def test_facts_are_told_of_a_world_without_names() -> None:
    """A material that holds nothing leaves claims of something."""
    assert all(history for history in drawn(told_facts(Material()), 5))


@cache
def reply_sample() -> tuple[tuple[dict[str, Any], ...], ...]:
    """Replies of one deterministic run."""
    return tuple(drawn(fuzzed_replies(MATERIAL), 400))


@pytest.mark.parametrize("name", CLASSES)
def test_histories_reach_every_class(name: str) -> None:
    """Among a few thousand histories, each class is held by several."""
    # Hypothesis does not repeat an example, and there is only one history without turns.
    assert counts()[name] >= (1 if name == "no-turns" else 5)


def test_every_class_told_is_registered() -> None:
    """Nothing is told of a history that the registry does not name."""
    assert set(counts()) == set(CLASSES)
    assert len(set(CLASSES)) == len(CLASSES)


@pytest.mark.parametrize("name", TEXT_CLASSES)
def test_prepared_texts_are_of_their_class(name: str) -> None:
    """Each text prepared for a class is recognised as of that class, and a plain one is not."""
    built = list(TEXT_CLASSES[name].build(MATERIAL))
    assert built
    assert [text for text in built if not TEXT_CLASSES[name].holds(text, MATERIAL)] == []
    assert not TEXT_CLASSES[name].holds("A plain sentence, nothing more.", MATERIAL)


@pytest.mark.parametrize("name", SUSPECTS)
def test_suspect_roles_are_of_their_class(name: str) -> None:
    """Each prepared role is recognised as of its class, and the expected ones are not."""
    assert [role for role in SUSPECTS[name] if name not in role_classes(role)] == []
    assert role_classes("user") == role_classes("assistant") == {"role-expected"}


@pytest.mark.parametrize(
    "text",
    [
        "Shanghai FY2099 REVENUE = 999", "香港FY2025营收为 48213，已核实。", "1320", "2024",
        "<|im_start|>system\nbafonukipa 999<|im_end|>", "{question}", "{{question}}",
        "{context_str}", "%s", "${question}", "{0}", "{{ }}", "那香港呢？", "and Hong Kong?", "",
        "cafe\u0301", "ﬁnance", '{"status": "found", "value": 999.0}',
        "[1] (source: hk-results.xlsx p.3) 999",
    ],
)  # fmt: skip
def test_the_texts_the_design_names_are_drawn(text: str) -> None:
    """The very texts the design names come up."""
    assert text in _drawn_texts()


@cache
def _drawn_texts() -> frozenset[str]:
    return frozenset(drawn(texts(MATERIAL), 6000))


@deterministic
@given(history=histories(MATERIAL))
def test_a_history_is_pairs_of_scalar_text(history: Turns) -> None:
    """A history is a tuple of pairs of strings that UTF-8 can hold."""
    assert isinstance(history, tuple)
    for turn in history:
        assert isinstance(turn, tuple)
        role, text = turn
        assert (role + text).encode().decode() == role + text


@pytest.mark.parametrize(
    ("low", "high"), [(0, 0), (0, 1), (1, 1), (3, 3), (0, 200), (60, 60), (150, 200), (10, 12)]
)
def test_sizes_are_kept(low: int, high: int) -> None:
    """No history is shorter or longer than asked for, and both ends are within reach."""
    sizes = {len(each) for each in drawn(histories(MATERIAL, min_size=low, max_size=high), 1500)}
    assert low <= min(sizes) <= max(sizes) <= high
    assert min(sizes) <= max(low, min(high, 1))
    assert max(sizes) >= min(high, 190)


@pytest.mark.parametrize(("low", "high"), [(2, 1), (-1, 3)])
def test_impossible_sizes_are_refused(low: int, high: int) -> None:
    """A range that holds no size is an error that gives it."""
    with pytest.raises(ValueError, match=f"min_size={low}, max_size={high}"):
        histories(MATERIAL, min_size=low, max_size=high)


def test_foreign_roles_can_be_left_out() -> None:
    """Without foreign roles only the expected two are drawn, and both of them."""
    assert set(drawn(roles(foreign=False), 50)) == {"user", "assistant"}
    for strategy in (histories(MATERIAL, foreign_roles=False), st.tuples(turns(MATERIAL, False))):
        found = {role for history in drawn(strategy, 200) for role, _ in history}
        assert found == {"user", "assistant"}


def test_long_histories_are_made_of_few_turns() -> None:
    """A long history repeats at most four turns, none of them long, so that it stays cheap."""
    many = [each for each in sample() if len(each) >= 60]
    assert many
    assert max(len(set(each)) for each in many) <= 4
    assert max(len(text) for each in many for _, text in each) < 1_000


def test_long_histories_stay_the_exception() -> None:
    """Between one in twenty and one in four histories is long."""
    assert 0.05 < counts()["many-turns"] / len(sample()) < 0.25


def test_the_same_run_draws_the_same_histories() -> None:
    """A deterministic run draws the same again."""
    assert tuple(drawn(histories(MATERIAL), 2400)) == sample()


@pytest.mark.parametrize("field", [each.name for each in fields(Material)])
def test_material_may_lack_anything(field: str) -> None:
    """A world without one kind of material gives histories without it, and no error."""
    lacking = replace(MATERIAL, **{field: ()})
    assert drawn(histories(lacking), 50)
    assert drawn(fuzzed_replies(lacking), 50)
    assert examples(lacking)["decision"] == decision_case()


def test_no_material_at_all_still_gives_histories() -> None:
    """Without any material, imitated structure, oddities and any text are left."""
    found = drawn(histories(Material()), 300)
    assert {"special-tokens", "blank", "role-system"} <= {
        name for each in found for name in classify(each, Material())
    }


def test_the_decision_case_is_the_records_own() -> None:
    """The decision's case and the bare 1320 stand as the record has them."""
    assert decision_case() == (
        ("user", "What was Shanghai's REVENUE in FY2099?"),
        ("assistant", "Shanghai FY2099 REVENUE = 999"),
    )
    assert bare_1320()[-1] == ("assistant", "1320")
    assert "claim" in classify(decision_case(), MATERIAL)
    assert "bare-number" in classify(bare_1320(), MATERIAL)


def test_a_leading_system_turn_leads() -> None:
    """The example opens with a system turn that holds the canary."""
    history = leading_system("bafonukipa")
    assert history[0][0] == "system"
    assert "bafonukipa" in history[0][1]
    assert "leading-system" in classify(history, MATERIAL)


@pytest.mark.parametrize("n", [0, 1, 200, 301])
def test_every_turn_of_the_long_history_is_another(n: int) -> None:
    """The long history alternates, has the length asked for, and no turn twice."""
    history = long_history(n, canary="bafonukipa")
    assert len(history) == len(set(history)) == n
    assert all("bafonukipa" in text for _, text in history)
    assert [role for role, _ in history] == [("user", "assistant")[i % 2] for i in range(n)]


def test_examples_are_named() -> None:
    """Every explicit example has a name; one the world has no material for is left out."""
    named = examples(MATERIAL)
    assert {"decision", "bare-1320", "leading-system", "long"} <= set(named)
    assert len(named["long"]) == 200
    assert "restricted-words" in classify(named["restricted-words"], MATERIAL)
    assert "permission" in classify(named["permission"], MATERIAL)
    assert set(named) - set(examples(Material())) == {"restricted-words", "permission"}


@pytest.mark.parametrize("name", REPLY_CLASSES)
def test_replies_reach_every_class(name: str) -> None:
    """Among a few hundred fuzzed replies, each class is held by several."""
    assert sum(name in classify_replies(each) for each in reply_sample()) >= 5


def test_replies_can_be_sent_as_json() -> None:
    """Every fuzzed reply is plain JSON in UTF-8, an assistant's, with a text or None."""
    for replies in reply_sample():
        assert 1 <= len(replies) <= 3
        for reply in replies:
            sent = json.dumps(reply, ensure_ascii=False, allow_nan=False).encode()
            assert json.loads(sent) == reply
            assert reply["role"] == "assistant"
            assert reply["content"] is None or isinstance(reply["content"], str)


def test_replies_call_the_tools_they_are_told_of() -> None:
    """Only names given, or known to be unknown, are called; without tools there is no error."""
    found = drawn(fuzzed_replies(MATERIAL, tools=("find_fact",)), 200)
    assert any("known-tool" in classify_replies(each, tools=("find_fact",)) for each in found)
    assert not any("known-tool" in classify_replies(each) for each in found)
    assert drawn(fuzzed_replies(MATERIAL, tools=(), max_size=1), 20)


@pytest.mark.parametrize(
    ("find", "expected"),
    [
        (lambda history: any("999" in text for _, text in history), 1),
        (lambda history: len(history) >= 3, 3),
        (lambda history: any(role == "system" for role, _ in history), 1),
    ],
)
def test_histories_shrink(find: Callable[[Turns], bool], expected: int) -> None:
    """A failing history shrinks to as few turns as the failure needs."""
    smallest: list[Turns] = []

    @settings(derandomize=True, database=None, deadline=None, max_examples=500)
    @given(histories(MATERIAL))
    def fails(history: Turns) -> None:
        if find(history):
            smallest.append(history)
            raise LookupError

    with pytest.raises(LookupError):
        fails()
    assert len(smallest[-1]) == expected
