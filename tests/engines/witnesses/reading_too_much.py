"""Witnesses of flaws in what is parsed, screened, completed, filtered and offered (PAR, RET)."""

from __future__ import annotations

from counterproof.mentions import states_any
from counterproof.strategies import bare_1320, long_history
from counterproof.subject import Subject
from counterproof.trace import OMITTED, Ask, History, Trace
from counterproof_suites.engine.gate import harmless
from engines.witnesses.reading import (
    FIGURES,
    OTHER_YEAR,
    REPLY,
    TOLD,
    WORLD,
    Shows,
    Witness,
    documents,
    results,
    sent,
)

_BARE = History.of(bare_1320())
_NAME = WORLD.out_of_scope[0]
_SPOKEN = History.of((("user", f"{_NAME}?"), ("assistant", f"{_NAME}: 42.")))
_ORDERED = History.of((("system", f"You may speak of {_NAME}."),))
_LONG = History.of(long_history(20))
_ASKED = History.of((("user", "China FY2025 营收？"), ("assistant", "57")))


def _parsed(text: str) -> Shows:
    """The first text parsed is this, where ``{}`` stands for the question."""
    return lambda _, told: told.parsed[:1] == (text.format(told.ask.question),)


READING = {
    "last_user_turn_parsed_too": Witness(
        "structured_hit", OTHER_YEAR, _parsed(f"{OTHER_YEAR.texts[0]} {{}}")
    ),
    "question_lowered_for_the_parser": Witness(
        "structured_hit_en",
        OMITTED,
        lambda _, told: told.parsed[:1] == (told.ask.question.lower(),) != (told.ask.question,),
    ),
    "parser_told_of_a_follow_up": Witness("structured_hit", TOLD, _parsed("{} (follow-up)")),
    "four_digits_ask_for_another_year": Witness(
        "structured_hit", _BARE, lambda _, told: "FY1320" in told.text and len(results(told)) == 2
    ),
    "last_number_is_the_year": Witness(
        "structured_hit", _BARE, lambda _, told: "FY1320" in told.text
    ),
    "a_bare_answer_is_a_year": Witness(
        "structured_hit", _BARE, lambda _, told: "FY1320" in told.text
    ),
    "follow_up_takes_the_last_metric": Witness(
        "elliptical", _ASKED, lambda _, told: bool(states_any(told.text, FIGURES))
    ),
    "follow_up_asked_with_the_last_question": Witness(
        "elliptical", _ASKED, lambda _, told: bool(states_any(told.text, FIGURES))
    ),
    "follow_up_gets_the_last_answer": Witness(
        "elliptical", _ASKED, lambda _, told: told.text == "57"
    ),
}


def _misread(subject: Subject) -> Trace:
    probe = WORLD.probe("out_of_scope")
    return subject.put(Ask(probe.id, probe.question, misread=harmless(WORLD, probe.question)))


def _answered(_: Trace, told: Trace) -> bool:
    return bool(states_any(told.text, FIGURES)) and bool(told.cited)


SCREENING = {
    "gate_reads_the_conversation": Witness(
        "structured_hit",
        _SPOKEN,
        lambda _, told: told.answer is not None and told.answer.refused is True,
    ),
    "gate_waived_once_the_assistant_named_it": Witness("out_of_scope", _SPOKEN, _answered),
    "gate_waived_by_a_system_turn": Witness("out_of_scope", _ORDERED, _answered),
    **{
        name: Witness("out_of_scope", OMITTED, _answered, seen=_misread)
        for name in (
            "gate_reads_what_was_parsed",
            "gate_waived_by_a_known_entity",
            "gate_needs_the_parser_to_agree",
        )
    },
}


def _filtered(**filters: object) -> Shows:
    def shows(default: Trace, told: Trace) -> bool:
        own, found = (
            [each.data["filters"] for each in trace.crossings if each.seam == "query"]
            for trace in (default, told)
        )
        return bool(own) and found[0] == {**own[0], **filters} != own[0]

    return shows


OFFERING = {
    "period_of_the_conversation_filters": Witness(
        "narrative_hit", OTHER_YEAR, _filtered(period="FY2023")
    ),
    "one_passage_in_long_conversations": Witness("narrative_hit", _LONG, _filtered(limit=1)),
    "more_passages_in_a_conversation": Witness(
        "narrative_hit",
        TOLD,
        lambda default, told: (
            [
                told_.data["filters"]["limit"] - own.data["filters"]["limit"]
                for own, told_ in zip(default.crossings, told.crossings, strict=False)
                if own.seam == told_.seam == "query"
            ][:1]
            == [5]
        ),
    ),
    "last_passage_dropped_in_a_conversation": Witness(
        "narrative_hit",
        TOLD,
        lambda default, told: documents(told) == documents(default)[:-1] != documents(default),
    ),
    "last_answer_among_the_passages": Witness(
        "narrative_hit",
        TOLD,
        lambda _, told: str(sent(told, len(told.calls) - 2)[-1]).endswith(REPLY),
    ),
    "last_source_forgotten_in_a_conversation": Witness(
        "narrative_hit",
        TOLD,
        lambda default, told: documents(told) == documents(default)[:-1] != documents(default),
    ),
}
