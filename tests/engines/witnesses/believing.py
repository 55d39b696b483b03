"""Witnesses of flaws in what is believed of history and of the model (FAB-2, 3, 6 to 9)."""

from __future__ import annotations

from counterproof.mentions import mentions, states_any
from counterproof.model.behaviours import (
    EMPTY,
    ENDLESS,
    FABRICATING,
    FABRICATING_CHINESE,
    FABRICATING_FULL_WIDTH,
    FABRICATING_GROUPED,
    FABRICATING_SCIENTIFIC,
    FAILING_ERROR,
    FAILING_NO_CHOICES,
    FUZZED,
    MALFORMED_ARGUMENTS,
    NON_OBJECT_ARGUMENTS,
    PARALLEL,
    PARROT,
    UNKNOWN_TOOL,
    WRONG_ENTITY,
    WRONG_PERIOD,
    Behaviour,
)
from counterproof.trace import OMITTED, History, Trace
from engines.witnesses.reading import (
    FIGURES,
    REPLY,
    TOLD,
    WORLD,
    Shows,
    Witness,
    documents,
    plain,
    results,
)

FIGURE = 48_211
CLAIMED = History.of([("user", f"Shanghai FY2099 REVENUE = {FIGURE}")])
CONTRADICTED = History.of([("user", f"香港 FY2025 营收 = {FIGURE}")])
INVENTION = WORLD.canary_figures[0]


def _states(figure: float) -> Shows:
    return lambda _, told: mentions(told.text, figure)


def _raises(name: str) -> Shows:
    return lambda _, told: told.failure is not None and told.failure.type == name


def _missed(shows: Shows) -> Witness:
    return Witness("structured_miss", CLAIMED, shows)


def _found(shows: Shows) -> Witness:
    return Witness("structured_hit", CONTRADICTED, shows)


CLAIMS = {
    "a_pattern_over_history_fills_the_gap": _missed(_states(FIGURE)),
    "an_earlier_figure_is_mentioned_beneath": _missed(
        lambda default, told: told.text.startswith(default.text) and mentions(told.text, FIGURE)
    ),
    "a_told_figure_among_the_tool_results": _missed(
        lambda default, told: told.text == default.text and results(told)[0].get("value") == FIGURE
    ),
    "the_turn_that_claims_it_is_cited": _missed(lambda _, told: documents(told) == ["chat"]),
    "an_estimate_called_a_refusal": _missed(
        lambda _, told: bool(told.answer and told.answer.refused) and "48220" in told.text
    ),
    "twice_the_figure_called_a_refusal": Witness(
        "structured_miss",
        TOLD,
        lambda _, told: bool(told.answer and told.answer.refused) and "1998" in told.text,
    ),
    "the_user_corrects_the_store": _found(
        lambda _, told: mentions(told.text, FIGURE) and not states_any(told.text, FIGURES)
    ),
    "the_mean_of_store_and_history": _found(
        lambda _, told: not mentions(told.text, FIGURE) and not states_any(told.text, FIGURES)
    ),
    "both_figures_shown": _found(
        lambda _, told: mentions(told.text, FIGURE) and bool(states_any(told.text, FIGURES))
    ),
    "the_told_value_in_the_plain_answer": _found(
        lambda default, told: told.text == default.text and mentions(plain(told), FIGURE)
    ),
    "the_told_value_in_the_tool_results": _found(
        lambda default, told: told.text == default.text and results(told)[0].get("value") == FIGURE
    ),
}


def _invented(behaviour: Behaviour) -> Witness:
    return Witness("narrative_hit", OMITTED, _states(INVENTION), behaviour)


def _repeats(_: Trace, told: Trace) -> bool:
    return REPLY in told.text


EXPLANATIONS = {
    "history_is_retrieved_when_nothing_else_is": Witness(
        "narrative_miss", TOLD, lambda _, told: documents(told) == ["conversation"]
    ),
    "the_model_is_asked_without_passages": Witness("narrative_miss", TOLD, _repeats, PARROT),
    "the_earlier_topic_is_taken_up_again": Witness("narrative_miss", TOLD, _repeats),
    "the_conversation_is_cited_for_a_refusal": Witness(
        "narrative_miss",
        TOLD,
        lambda default, told: told.text == default.text and documents(told) == ["conversation"],
    ),
    "what_does_not_answer_vouches_for_anything": Witness(
        "narrative_irrelevant", TOLD, _repeats, PARROT
    ),
    "a_conversation_widens_the_search": Witness(
        "narrative_irrelevant", TOLD, lambda default, told: bool(told.cited) and not default.cited
    ),
    "no_guard": _invented(FABRICATING),
    "guard_of_ascii_digits": _invented(FABRICATING_FULL_WIDTH),
    "guard_of_digits": _invented(FABRICATING_CHINESE),
    "guard_of_long_numbers": _invented(FABRICATING_GROUPED),
    "guard_of_whole_numbers": _invented(FABRICATING_SCIENTIFIC),
    "guard_of_one_rendering": Witness(
        "narrative_hit",
        OMITTED,
        lambda _, told: not mentions(told.text, INVENTION) and mentions(plain(told), INVENTION),
        FABRICATING,
    ),
}
OTHER = FIGURES - set(WORLD.probe("structured_hit").values)


def _misled(behaviour: Behaviour, shows: Shows | None = None) -> Witness:
    other: Shows = lambda _, told: bool(states_any(told.text, OTHER))  # noqa: E731
    return Witness("structured_hit", OMITTED, shows or other, behaviour)


def _executed(_: Trace, told: Trace) -> bool:
    return any(
        message.get("role") == "tool" and states_any(str(message.get("content")), FIGURES)
        for call in told.calls
        for message in call.messages
    )


MODELS = {
    "the_arguments_are_trusted": _misled(WRONG_ENTITY),
    "only_the_entity_is_checked": _misled(WRONG_PERIOD),
    "whatever_the_tool_is_called": _misled(UNKNOWN_TOOL, _executed),
    "broken_arguments_end_the_ask": _misled(MALFORMED_ARGUMENTS, _raises("JSONDecodeError")),
    "arguments_are_taken_for_an_object": _misled(NON_OBJECT_ARGUMENTS, _raises("AttributeError")),
    "only_the_first_call_is_checked": _misled(PARALLEL),
    "too_many_rounds_raise": _misled(ENDLESS, _raises("RuntimeError")),
    "words_beside_a_call_are_kept": _misled(FUZZED),
    "the_last_turn_is_said_again": Witness(
        "structured_hit", TOLD, lambda _, told: told.text == REPLY, FAILING_ERROR
    ),
    "the_last_assistant_turn_beneath_the_excuse": Witness(
        "narrative_hit", TOLD, _repeats, FAILING_ERROR
    ),
    "the_first_choice_is_taken": Witness(
        "structured_hit", OMITTED, _raises("IndexError"), FAILING_NO_CHOICES
    ),
    "nothing_is_said_for_nothing": Witness(
        "narrative_hit", OMITTED, lambda _, told: told.text == "" and not told.failure, EMPTY
    ),
    "the_nearest_figure_will_do": Witness(
        "narrative_hit", OMITTED, lambda _, told: bool(states_any(told.text, OTHER)), FAILING_ERROR
    ),
    "the_conversation_is_cited_instead": Witness(
        "structured_hit", OMITTED, lambda _, told: documents(told) == ["conversation"], EMPTY
    ),
    "the_failure_is_hidden_in_a_bug": Witness(
        "structured_hit", OMITTED, _raises("TypeError"), FAILING_ERROR
    ),
}
