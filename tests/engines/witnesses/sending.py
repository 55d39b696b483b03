"""Witnesses of flaws in what the model is sent (DEF, MSG, ROL)."""

from __future__ import annotations

from counterproof.trace import History
from engines.witnesses.reading import (
    CALL_TURN,
    CALLING,
    CALLING_LATE,
    LONG,
    MANY_ROLES,
    OF_A_TOOL,
    QUESTION,
    REPLY,
    ROLES,
    SAVED,
    TOLD,
    Witness,
    beneath,
    messages,
    roles,
    roles_are,
    sent,
)

DEFAULT_PATH = {
    "empty_list_adds_a_system_marker": Witness(
        "structured_hit", History("list"), lambda _, told: roles(told) == ["system"]
    ),
    "none_changes_the_prompt": Witness(
        "structured_hit", History("none"), lambda _, told: "Conversation: None" in sent(told)[0]
    ),
    "empty_tuple_is_noted_in_the_answer": Witness(
        "structured_hit",
        History("tuple"),
        lambda default, told: beneath(default, told, "not a list"),
    ),
    "any_history_argument_tells_another_route": Witness(
        "narrative_hit",
        History("list"),
        lambda _, told: bool(told.answer and told.answer.route == "follow-up"),
    ),
    "any_history_argument_is_parsed_for": Witness(
        "structured_hit",
        History("list"),
        lambda default, told: told.answer == default.answer and len(told.parsed) == 2,
    ),
}


MESSAGES = {
    "history_after_the_question": Witness(
        "structured_hit", TOLD, lambda _, told: sent(told)[-2:] == [QUESTION, REPLY]
    ),
    "history_before_the_system_prompt": Witness(
        "structured_hit", TOLD, lambda _, told: sent(told)[:2] == [QUESTION, REPLY]
    ),
    "history_between_tool_call_and_result": Witness(
        "structured_hit", TOLD, lambda _, told: sent(told, 1)[-3:-1] == [QUESTION, REPLY]
    ),
    "history_reversed": Witness(
        "structured_hit", TOLD, lambda _, told: sent(told)[1:3] == [REPLY, QUESTION]
    ),
    "long_history_reversed": Witness(
        "structured_hit", LONG, lambda _, told: sent(told)[1] == LONG.texts[-1]
    ),
    "history_retold_backwards": Witness(
        "structured_hit",
        TOLD,
        lambda _, told: sent(told)[1] == f"assistant: {REPLY}\nuser: {QUESTION}",
    ),
    "history_dropped_in_the_tool_loop": Witness(
        "structured_hit", TOLD, lambda _, told: REPLY in sent(told) and REPLY not in sent(told, 1)
    ),
    "history_dropped_everywhere": Witness(
        "structured_hit",
        TOLD,
        lambda default, told: (
            [c.messages for c in told.calls] == [c.messages for c in default.calls]
        ),
    ),
    "history_dropped_from_explanations": Witness(
        "composite",
        TOLD,
        lambda _, told: [REPLY in sent(told, n) for n in range(3)] == [True, True, False],
    ),
    "history_told_twice": Witness(
        "structured_hit", TOLD, lambda _, told: sent(told).count(REPLY) == 2
    ),
    "passages_after_history": Witness(
        "narrative_hit", TOLD, lambda _, told: roles(told) == ["user", "assistant", "system"]
    ),
    "history_spliced_into_the_question": Witness(
        "structured_hit", TOLD, lambda _, told: str(sent(told)[-1]).startswith(QUESTION)
    ),
    "last_turn_spliced_into_explanations": Witness(
        "narrative_hit", TOLD, lambda _, told: str(sent(told)[-1]).endswith(f"({REPLY})")
    ),
    "question_marked_as_a_follow_up": Witness(
        "structured_hit", TOLD, lambda _, told: str(sent(told)[-1]).startswith("Follow-up: ")
    ),
    "question_normalised_in_a_conversation": Witness(
        "structured_hit", TOLD, lambda _, told: str(sent(told)[-1]).endswith("?")
    ),
    "question_rewritten_in_a_conversation": Witness(
        "structured_hit", TOLD, lambda _, told: sent(told)[-1] == f"Again: {REPLY}"
    ),
}


_SYSTEM_FIRST = ("user", "assistant", "system", "user", "user", "user", "user")

ROLE = {
    "foreign_role_passed_through": Witness("structured_hit", MANY_ROLES, roles_are(*ROLES)),
    "system_role_kept": Witness("structured_hit", MANY_ROLES, roles_are(*_SYSTEM_FIRST)),
    "role_case_folded": Witness(
        "structured_hit",
        MANY_ROLES,
        roles_are("user", "assistant", "user", "assistant", "user", "user", "user"),
    ),
    "role_stripped": Witness(
        "structured_hit",
        MANY_ROLES,
        roles_are("user", "assistant", "user", "user", "assistant", "user", "user"),
    ),
    "role_normalised": Witness(
        "structured_hit",
        MANY_ROLES,
        roles_are("user", "assistant", "user", "user", "user", "assistant", "user"),
    ),
    "foreign_role_to_assistant": Witness(
        "structured_hit", MANY_ROLES, roles_are("user", *["assistant"] * 6)
    ),
    "assistant_to_user": Witness("structured_hit", MANY_ROLES, roles_are(*["user"] * 7)),
    "user_to_assistant": Witness(
        "structured_hit", MANY_ROLES, roles_are("assistant", "assistant", *["user"] * 5)
    ),
    "foreign_role_dropped": Witness("structured_hit", MANY_ROLES, roles_are("user", "assistant")),
    "foreign_role_refused": Witness(
        "structured_hit", MANY_ROLES, lambda _, told: "no such role" in str(told.failure)
    ),
    "system_turn_promoted": Witness(
        "structured_hit",
        MANY_ROLES,
        roles_are("system", "user", "assistant", *["user"] * 5),
    ),
    "system_turn_joins_the_prompt": Witness(
        "structured_hit", MANY_ROLES, lambda _, told: str(sent(told)[0]).endswith("\nTurn 2")
    ),
    "dict_turn_accepted": Witness(
        "structured_hit", CALLING, lambda _, told: CALL_TURN in messages(told)
    ),
    "late_dict_turn_accepted": Witness(
        "structured_hit", CALLING_LATE, lambda _, told: CALL_TURN in messages(told)
    ),
    "tool_turn_sent_as_a_result": Witness(
        "structured_hit", OF_A_TOOL, roles_are("assistant", "tool")
    ),
    "json_text_parsed_into_a_message": Witness("structured_hit", SAVED, roles_are("system")),
    "long_history_becomes_a_system_summary": Witness("structured_hit", LONG, roles_are("system")),
}
