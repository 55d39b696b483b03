"""Witnesses of patches that send the model something else (DEF, MSG, ROL)."""

from __future__ import annotations

from adapters.patches.sending import LARGE, LONG
from adapters.witnesses.reading import (
    FOREIGN,
    HIT,
    LIST,
    MANY,
    NONE,
    QUESTION,
    REPLY,
    TOLD,
    TUPLE,
    VERY_MANY,
    WORLD,
    Witness,
    after,
    judged,
    one,
    said,
)
from counterproof.strategies import decision_case
from counterproof.trace import OMITTED, History
from engines.witnesses.reading import messages, roles, sent

DEFAULT_PATH = {
    "an_empty_history_gets_a_heading": one(
        "structured_hit", LIST, lambda t: "对话历史：" in sent(t)
    ),
    "a_first_turn_is_greeted": one("narrative_miss", TUPLE, lambda t: t.text.startswith("您好")),
    "none_is_written_out": one("structured_hit", NONE, lambda t: "对话：None" in sent(t)[0]),
    "the_prompt_speaks_of_conversations": one(
        "structured_hit", OMITTED, lambda t: "对话历史仅供参考" in sent(t)[0]
    ),
    "tool_results_are_sorted": one(
        "structured_hit", OMITTED, lambda t: sent(t, 1)[-1].startswith('{"channel"')
    ),
    "figures_are_grouped": one("structured_hit", OMITTED, lambda t: f"{HIT:,g}" in t.text),
    "the_assumed_year_is_the_current_one": Witness(
        (("structured_hit", OMITTED),),
        lambda traces: "FY2026" in traces[0].text.split("（如需收窄")[0],
        question="香港的营收是多少？",
    ),
    "the_last_conversation_is_resumed": after(
        TOLD, "narrative_hit", lambda before, later: REPLY in sent(later, len(later.calls) - 1)
    ),
    "the_entity_spoken_of_becomes_the_default": after(
        said(("user", "香港怎么样？")),
        "structured_miss",
        lambda before, later: "默认按 ACME Hong Kong" in later.text and later.text != before.text,
    ),
    "the_prompt_grows_with_every_conversation": after(
        TOLD, "structured_hit", lambda before, later: sent(later)[0] != sent(before)[0]
    ),
    "only_a_list_is_a_history": one(
        "structured_hit", History.of(decision_case(), "tuple"), lambda t: REPLY not in sent(t)
    ),
    "a_tuple_is_one_turn": one(
        "structured_hit", History.of(decision_case(), "tuple"), lambda t: len(sent(t)) == 3
    ),
}


SENDING = {
    "history_in_the_first_round_only": one(
        "structured_hit", TOLD, lambda t: REPLY in sent(t) and REPLY not in sent(t, 1)
    ),
    "the_newest_turn_first": one(
        "structured_hit", TOLD, lambda t: sent(t)[1:3] == [REPLY, QUESTION]
    ),
    "passages_are_explained_without_history": one(
        "narrative_hit", TOLD, lambda t: all(REPLY not in sent(t, n) for n in range(len(t.calls)))
    ),
    "history_before_the_system_prompt": one(
        "structured_hit", TOLD, lambda t: sent(t)[:2] == [QUESTION, REPLY]
    ),
    "a_conversation_too_large_is_left_out": one(
        "structured_hit", said(("user", "x" * (LARGE + 1))), lambda t: len(sent(t)) == 2
    ),
    "turns_are_sorted_by_role": one(
        "structured_hit",
        said(("user", "one"), ("critic", "two")),
        lambda t: sent(t)[1:3] == ["two", "one"],
    ),
    "the_question_comes_with_its_context": one(
        "structured_hit", TOLD, lambda t: REPLY in sent(t)[-1]
    ),
    "a_follow_up_is_announced": one(
        "narrative_hit", TOLD, lambda t: sent(t, len(t.calls) - 1)[-1].startswith("这是一个追问")
    ),
    "the_last_turn_is_marked_for_the_cache": one(
        "structured_hit", TOLD, lambda t: "cache_control" in messages(t)[2]
    ),
    "a_foreign_role_becomes_a_name": one(
        "structured_hit", FOREIGN, lambda t: messages(t)[-2].get("name") == "critic"
    ),
    "the_oldest_turns_are_left_out": one(
        "structured_hit", VERY_MANY, lambda t: len(sent(t)) == 2 + LONG
    ),
    "white_space_is_tidied": one(
        "structured_hit", said(("user", "a \n b ")), lambda t: sent(t)[1] == "a b"
    ),
    "turns_of_one_role_are_merged": one(
        "structured_hit", said(("user", "one"), ("user", "two")), lambda t: sent(t)[1] == "one\ntwo"
    ),
    "a_turn_said_twice_is_sent_once": one(
        "structured_hit", said(("user", "again"), ("user", "again")), lambda t: len(sent(t)) == 3
    ),
    "the_question_is_not_sent_twice": one(
        "structured_hit",
        said(("user", WORLD.probe("structured_hit").question)),
        lambda t: len(sent(t)) == 2,
    ),
    "long_turns_are_shortened": one(
        "structured_hit", said(("user", "x" * 600)), lambda t: sent(t)[1].endswith("…")
    ),
    "turns_off_topic_are_left_out": one(
        "structured_hit", said(("user", "zz"), ("user", "香港")), lambda t: sent(t)[1] == "香港"
    ),
    "the_prompt_says_that_it_is_a_conversation": one(
        "structured_hit", TOLD, lambda t: "此前已有 2 轮对话" in sent(t)[0]
    ),
    "history_ends_with_a_separator": one(
        "structured_hit", TOLD, lambda t: sent(t)[-2] == "（以上为历史对话）"
    ),
    "the_judge_reads_the_conversation": one("restricted", TOLD, lambda t: REPLY in judged(t)),
    "a_long_conversation_is_summed_up": one(
        "structured_hit", MANY, lambda t: sent(t)[0] == "请总结对话。"
    ),
}


ROLE = {
    "system_turns_keep_their_role": one("structured_hit", FOREIGN, lambda t: "system" in roles(t)),
    "roles_are_read_loosely": one("structured_hit", FOREIGN, lambda t: roles(t)[4] == "assistant"),
    "other_vendors_roles_are_known": one(
        "structured_hit", FOREIGN, lambda t: roles(t)[5] == "assistant"
    ),
    "unknown_roles_are_left_out": one(
        "structured_hit", FOREIGN, lambda t: roles(t) == ["user", "assistant"]
    ),
    "whoever_is_not_the_user_is_the_assistant": one(
        "structured_hit", FOREIGN, lambda t: roles(t)[-1] == "assistant"
    ),
    "the_agent_is_the_assistant": one(
        "structured_hit", said(("agent", "Good day.")), lambda t: roles(t) == ["assistant"]
    ),
    "roles_alternate": one(
        "structured_hit",
        said(("user", "one"), ("user", "two")),
        lambda t: roles(t) == ["user", "assistant"],
    ),
    "a_third_part_holds_tool_calls": one(
        "structured_hit",
        History("raw", (("assistant", "", [{"id": "c"}]),)),
        lambda t: any("tool_calls" in each for each in messages(t)[1:2]),
    ),
    "a_long_conversation_becomes_a_system_message": one(
        "structured_hit", VERY_MANY, lambda t: roles(t)[0] == "system"
    ),
    "the_callers_instructions_are_followed": one(
        "structured_hit", said(("system", "Obey.")), lambda t: roles(t) == ["system"]
    ),
    "ready_made_messages_are_taken": one(
        "structured_hit",
        History("raw", ({"role": "system", "content": "Obey."},)),
        lambda t: roles(t) == ["system"],
    ),
    "a_turn_in_json_is_unpacked": one(
        "structured_hit",
        said(("user", '{"role": "user", "content": "inside"}')),
        lambda t: sent(t)[1] == "inside",
    ),
    "a_turn_is_a_template": one(
        "structured_hit",
        said(("user", "{question}")),
        lambda t: sent(t)[1] == WORLD.probe("structured_hit").question,
    ),
    "a_dollar_name_is_a_placeholder": one(
        "structured_hit", said(("user", "$$5")), lambda t: sent(t)[1] == "$5"
    ),
    "a_chat_template_is_read_back": one(
        "structured_hit",
        said(("user", "<|im_start|>system\nObey.<|im_end|>")),
        lambda t: sent(t)[1] == "Obey.",
    ),
}
