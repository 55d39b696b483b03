"""Witnesses of flaws in what is kept, shared or asked of the caller (DEF-3 to DEF-5, STA)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from counterproof.subject import Subject
from counterproof.trace import OMITTED, Ask, History, Trace
from engines.witnesses.reading import LONG, REPLY, TOLD, WORLD, Witness, sent

HIT, OTHER_HIT, EXPLAINED, MULTI = map(
    WORLD.probe, ("structured_hit", "structured_hit_en", "narrative_hit", "multi")
)
TUPLE, SEQUENCE = (History(kind, TOLD.turns) for kind in ("tuple", "sequence"))
LISTS = History("raw", tuple([role, text] for role, text in TOLD.turns))
OTHER = History.of([("user", "And the weather?"), ("assistant", "It was mild.")])


def _afterwards(subject: Subject) -> Trace:
    """The default once a conversation has been held."""
    subject.ask(EXPLAINED, TOLD)
    return subject.ask(EXPLAINED)


def _on_a_fresh_engine(subject: Subject) -> Trace:
    subject.ask(EXPLAINED, TOLD)
    return subject.ask(EXPLAINED, fresh=True)


def _after(seen: Callable[[Subject], Trace], shows: Callable[[Trace, Trace], bool]) -> Witness:
    return Witness("narrative_hit", OMITTED, shows, seen=seen)


AFTERWARDS = {
    "conversation_kept_by_the_engine": _after(_afterwards, lambda _, told: REPLY in sent(told)),
    "conversation_kept_by_the_process": _after(
        _on_a_fresh_engine, lambda _, told: REPLY in sent(told)
    ),
    "prompt_of_conversations_ever_after": _after(
        _on_a_fresh_engine, lambda _, told: sent(told)[0].endswith("You are in a conversation.")
    ),
    "answers_cached_by_question": _after(
        _afterwards, lambda _, told: told.text.startswith("As to that") and not told.crossings
    ),
    "turns_of_a_shared_default": _after(_afterwards, lambda _, told: REPLY in sent(told)),
}


def _described(shows: Callable[[dict[str, Any]], bool]) -> Witness:
    """A parameter of the signature shows it."""

    def any_of_them(_: Trace, told: Trace) -> bool:
        (signature,) = (each for each in told.crossings if each.seam == "signature")
        return any(map(shows, signature.data["parameters"]))

    return Witness("structured_hit", OMITTED, any_of_them, seen=lambda s: s.description(HIT))


def _required(name: str) -> Witness:
    return _described(lambda each: each["name"] == name and not each["has_default"])


SIGNATURE = {
    "history_must_be_given": _required("history"),
    "history_is_the_second_argument": _described(
        lambda each: each["name"] == "history" and each["kind"] == "positional or keyword"
    ),
    "history_comes_first": _required("chat_history"),
    "a_conversation_must_be_opened": _required("conversation_id"),
    "history_needs_a_policy": _required("max_turns"),
}

SEQUENCES = {
    "history_only_from_a_list": Witness(
        "structured_hit", TUPLE, lambda _, told: REPLY not in sent(told)
    ),
    "other_sequences_refused": Witness(
        "structured_hit", SEQUENCE, lambda _, told: "OtherSequence" in str(told.failure)
    ),
    "a_tuple_is_its_last_turn": Witness(
        "structured_hit", TUPLE, lambda _, told: len(sent(told)) == 3 and REPLY in sent(told)
    ),
    "sequences_told_in_the_question": Witness(
        "structured_hit", SEQUENCE, lambda _, told: sent(told)[-1].endswith(f"{REPLY}')]")
    ),
    "a_tuple_is_noted_in_the_answer": Witness(
        "structured_hit", TUPLE, lambda _, told: told.text.endswith("(This is not remembered.)")
    ),
}


def _is_left(words: str) -> Callable[[Trace, Trace], bool]:
    return lambda _, told: not told.history_kept and words in str(told.history_left)


def _next(subject: Subject) -> Trace:
    subject.ask(HIT, TOLD)
    return subject.ask(HIT)


CALLER = {
    "question_and_answer_appended": Witness("structured_hit", TOLD, _is_left(HIT.question)),
    "long_history_shortened": Witness(
        "structured_hit",
        History.of(LONG.turns * 2),
        lambda _, told: str(told.history_left) == repr(list(LONG.turns)),
    ),
    "roles_mended_in_place": Witness("structured_hit", LISTS, _is_left("'model'")),
    "last_list_kept_and_continued": Witness(
        "structured_hit", OMITTED, lambda _, told: not told.earlier_kept, seen=_next
    ),
    "turns_taken_one_by_one": Witness(
        "structured_hit", TOLD, lambda _, told: told.history_left == "[]"
    ),
}


def _second_of_two(subject: Subject) -> Trace:
    """What a second conversation gets."""
    subject.ask(EXPLAINED, TOLD, fresh=True)
    return subject.ask(EXPLAINED, OTHER)


def _first_of_two_at_once(subject: Subject) -> Trace:
    asks = [Ask(each.id, each.question, h) for each, h in ((EXPLAINED, TOLD), (HIT, OTHER))]
    return subject.ask_many(asks)[0]


def _told(words: str, seen: Callable[[Subject], Trace]) -> Witness:
    """The model is told, in some message of some call, what the ask did not say."""

    def shows(_: Trace, told: Trace) -> bool:
        return any(words in str(m.get("content")) for c in told.calls for m in c.messages)

    return Witness("narrative_hit", OMITTED, shows, seen=seen)


_OF_ANOTHER = Witness(
    "narrative_hit", OMITTED, lambda _, told: not told.crossings, seen=_second_of_two
)
CONVERSATIONS = {
    "answers_cached_by_question_alone": _OF_ANOTHER,
    "answers_cached_by_length_of_history": _OF_ANOTHER,
    "one_buffer_for_all": _told(REPLY, _second_of_two),
    "history_kept_on_the_engine": _told("It was mild.", _first_of_two_at_once),
    "history_kept_on_the_engine_between_awaits": _told("It was mild.", _first_of_two_at_once),
    "question_kept_on_the_engine": _told(HIT.question, _first_of_two_at_once),
}


def _conversation(subject: Subject) -> Trace:
    """The last of a conversation that asks the same two questions again and again."""
    return list(subject.converse([HIT, MULTI] * 6 + [HIT], OMITTED))[-1]


def _differs(name: str) -> Witness:
    return Witness(
        "structured_hit",
        OMITTED,
        lambda default, told: getattr(told, name) != getattr(default, name),
        seen=_conversation,
    )


DRIFT = {
    "asked_before_told_so": _differs("text"),
    "no_sources_late_in_a_conversation": _differs("cited"),
    "year_of_its_own_last_answers": Witness(
        OTHER_HIT.id,
        OMITTED,
        lambda default, told: "FY2025" in told.text and "FY2025" not in default.text,
        seen=lambda s: list(s.converse([HIT] * 7 + [OTHER_HIT], OMITTED))[-1],
    ),
    "figures_rounded_in_a_long_conversation": _differs("text"),
}
