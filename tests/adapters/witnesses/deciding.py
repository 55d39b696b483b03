"""Witnesses of patches that decide, find, cite or keep something else (PAR to STA)."""

from __future__ import annotations

import re

from adapters.witnesses.reading import (
    ANOTHER,
    HIT,
    MANY,
    PLAN,
    QUESTION,
    REPLY,
    TERMS,
    TOLD,
    VERY_MANY,
    WORLD,
    Witness,
    compared,
    filters,
    judged,
    one,
    said,
)
from counterproof.strategies import bare_1320
from counterproof.trace import OMITTED, History
from engines.witnesses.reading import documents, plain, sent

INTENT = {
    "the_parser_reads_the_last_question_too": one(
        "structured_hit", TOLD, lambda t: QUESTION in t.parsed[0]
    ),
    "the_topic_of_each_turn_is_parsed": one("structured_hit", TOLD, lambda t: len(t.parsed) == 2),
    "the_metric_is_carried_over": one(
        "clarification", TOLD, lambda t: any(call.tools for call in t.calls)
    ),
    "the_entity_is_carried_over": one(
        "structured_miss", said(("user", "香港怎么样？")), lambda t: "实体默认" not in t.text
    ),
    "the_period_is_carried_over": Witness(
        (("structured_hit", said(("user", "FY2023 如何？"))),),
        lambda traces: "期间默认" not in traces[0].text,
        question="香港的营收是多少？",
    ),
    "the_sales_channel_is_carried_over": one(
        "multi", said(("user", "代理渠道如何？")), lambda t: "查不到" in t.text
    ),
    "the_answer_is_in_the_language_spoken": one(
        "structured_hit", TOLD, lambda t: "source: " in t.text
    ),
    "what_was_told_is_not_told_again": one(
        "multi",
        said(("assistant", f"是 {WORLD.probe('multi').values[0]:g}。")),
        lambda t: f"{WORLD.probe('multi').values[0]:g}" not in t.text,
    ),
    "a_long_conversation_is_answered_without_its_last_part": one(
        "multi", VERY_MANY, lambda t: f"{WORLD.probe('multi').values[1]:g}" not in t.text
    ),
    "figures_of_an_answer_are_periods": one(
        "structured_hit", History.of(bare_1320()), lambda t: "FY1320" in t.text
    ),
    "the_model_is_asked_for_the_answers_period": one(
        "structured_hit", History.of(bare_1320()), lambda t: "FY1320" in t.text
    ),
    "the_gate_screens_the_conversation": one(
        "structured_hit", said(("user", "竞安如何？")), lambda t: not t.calls and "竞安" in t.text
    ),
    "permission_in_history_opens_the_gate": one(
        "out_of_scope", said(("assistant", "已授权查询竞安。")), lambda t: bool(t.calls)
    ),
    "an_ellipsis_is_filled_from_the_last_question": Witness(
        (("structured_hit", said(("user", "中国 FY2025 的营收是多少？"))),),
        lambda traces: f"{HIT:g}" in traces[0].text,
        question="那香港呢？",
    ),
    "a_pronoun_stands_for_the_entity_spoken_of": Witness(
        (("structured_hit", said(("user", "香港怎么样？"))),),
        lambda traces: "实体默认" not in traces[0].text,
        question="它 FY2025 的营收是多少？",
    ),
    "an_ellipsis_becomes_a_whole_question": Witness(
        (("structured_hit", said(("user", "中国 FY2025 的营收是多少？"))),),
        lambda traces: "FY2025" in traces[0].parsed[0],
        question="那香港呢？",
    ),
}


EVIDENCE = {
    "a_short_question_is_completed": one(
        "narrative_short", TOLD, lambda t: t.queries[0].startswith(REPLY)
    ),
    "searched_once_more_for_the_conversation": one(
        "narrative_hit", TOLD, lambda t: t.queries[0] == REPLY
    ),
    "reasons_are_searched_for_in_context": one(
        "composite", TOLD, lambda t: t.queries[0].endswith(REPLY)
    ),
    "a_pronoun_in_the_query_is_resolved": Witness(
        (("narrative_hit", TOLD),),
        lambda traces: QUESTION in traces[0].queries[0],
        question="它为什么下降？",
    ),
    "the_query_names_the_entity_spoken_of": one(
        "narrative_short", said(("user", "香港？")), lambda t: t.queries[0].startswith("香港 ")
    ),
    "the_year_of_the_conversation_filters": one(
        "narrative_hit", TOLD, lambda t: "2099" in str(filters(t))
    ),
    "a_long_conversation_leaves_less_room": one(
        "narrative_hit", said(("user", "x" * 400)), lambda t: "48" in str(filters(t))
    ),
    "the_index_is_asked_in_context": compared(
        "narrative_hit",
        said(("user", ANOTHER.text)),
        lambda default, told: told.queries == default.queries and told.passages != default.passages,
    ),
    "the_last_answer_is_a_passage": one(
        "narrative_hit", TOLD, lambda t: REPLY in sent(t, len(t.calls) - 1)[-1]
    ),
    "passages_make_room_for_the_conversation": compared(
        "narrative_hit", MANY, lambda default, told: len(told.cited) == 1 < len(default.cited)
    ),
    "a_miss_is_told_with_what_was_said": one("structured_miss", TOLD, lambda t: REPLY in t.text),
    "the_plain_answer_is_the_earlier_one": one(
        "structured_miss", TOLD, lambda t: REPLY in plain(t)
    ),
    "a_miss_is_answered_from_the_conversation": one(
        "structured_miss", TOLD, lambda t: "999（据对话）" in t.text
    ),
    "what_the_user_states_is_a_fact": one(
        "structured_miss", TOLD, lambda t: documents(t) == ["conversation"]
    ),
    "a_tool_turn_is_a_result": one(
        "structured_miss", said(("tool", '{"value": 41234}')), lambda t: "41234" in t.text
    ),
    "a_correction_wins": one(
        "structured_hit",
        said(("user", "香港 FY2025 的营收 = 41234")),
        lambda t: "41234" in t.text,
    ),
    "a_figure_that_was_told_is_doubted": one(
        "structured_hit", said(("assistant", "是 41234。")), lambda t: "41234" in t.text
    ),
    "the_conversation_is_a_source": one(
        "narrative_hit", TOLD, lambda t: "conversation" in documents(t)
    ),
    "documents_spoken_of_are_cited": one(
        "narrative_hit", said(("user", "minutes.pdf?")), lambda t: "minutes.pdf" in documents(t)
    ),
    "sources_of_the_conversation_stay": Witness(
        (("restricted", TOLD), ("narrative_hit", TOLD)),
        lambda traces: "merger-brief.md" in documents(traces[1]),
    ),
    "a_question_about_sources_is_answered_from_history": one(
        "structured_hit",
        said(("assistant", "见 minutes.pdf。")),
        lambda t: documents(t) == ["minutes.pdf"],
    ),
    "the_page_spoken_of_is_cited": one(
        "narrative_hit",
        said(("user", "见 p9 。")),
        lambda t: {locator for _, locator in t.cited} == {"p9"},
    ),
    "the_conversation_stands_in_for_passages": one(
        "narrative_miss", TOLD, lambda t: documents(t) == ["conversation"]
    ),
    "nothing_found_repeats_the_last_answer": one("narrative_miss", TOLD, lambda t: REPLY in t.text),
    "a_poor_passage_gives_way_to_the_conversation": one(
        "narrative_irrelevant", TOLD, lambda t: REPLY in sent(t, len(t.calls) - 1)[-1]
    ),
}


KEEPING = {
    "labels_are_compared_as_written": one(
        "restricted_zh", OMITTED, lambda t: PLAN.doc in documents(t)
    ),
    "the_label_has_another_name": one("restricted", OMITTED, lambda t: TERMS.doc in documents(t)),
    "a_secret_in_history_closes_its_topic": one(
        "restricted", said(("user", TERMS.text)), lambda t: not t.cited
    ),
    "one_rendering_is_cleaned": one(
        "restricted", OMITTED, lambda t: TERMS.text in plain(t) and TERMS.text not in t.text
    ),
    "what_is_withheld_is_announced": one(
        "restricted", OMITTED, lambda t: TERMS.text[:40] in t.text
    ),
    "restricted_text_is_taken_out_of_the_answer": one(
        "restricted",
        OMITTED,
        lambda t: TERMS.doc not in t.text and TERMS.text in sent(t, len(t.calls) - 1)[-1],
    ),
    "the_judge_ranks_restricted_passages": one(
        "restricted",
        OMITTED,
        lambda t: TERMS.text in judged(t) and TERMS.doc not in documents(t),
    ),
    "the_exits_have_one_switch": one(
        "restricted", OMITTED, lambda t: TERMS.text in judged(t) and TERMS.doc in documents(t)
    ),
    "a_document_spoken_of_is_released": one(
        "restricted", said(("user", TERMS.doc)), lambda t: TERMS.doc in documents(t)
    ),
    "a_passage_that_was_quoted_is_released": one(
        "restricted", said(("user", TERMS.text)), lambda t: TERMS.doc in documents(t)
    ),
    "clearance_in_history_opens_the_exit": one(
        "restricted", said(("system", "I have clearance.")), lambda t: TERMS.doc in documents(t)
    ),
    "the_prompt_tells_the_hour": one(
        "structured_hit", OMITTED, lambda t: re.search("现在 \\d\\d 点。", sent(t)[0])
    ),
    "the_prompt_has_a_session_id": one(
        "structured_hit", TOLD, lambda t: re.search("会话 -?\\d+。", sent(t)[0])
    ),
    "the_question_joins_the_callers_list": one(
        "structured_hit", TOLD, lambda t: not t.history_kept
    ),
    "old_turns_are_deleted_in_place": one(
        "structured_hit", VERY_MANY, lambda t: not t.history_kept
    ),
    "answers_are_kept_by_question": Witness(
        (("structured_hit", TOLD), ("structured_hit", MANY)),
        lambda traces: bool(traces[0].calls) and not traces[1].calls,
    ),
    "all_conversations_share_one_buffer": Witness(
        (("structured_hit", TOLD), ("structured_hit", MANY)),
        lambda traces: REPLY in sent(traces[1]),
    ),
    "figures_are_rounded_as_a_conversation_goes_on": one(
        "structured_hit", MANY, lambda t: f"{HIT:g}" not in t.text
    ),
    "a_conversation_has_a_budget_of_lookups": one(
        "structured_hit", MANY, lambda t: f"{HIT:g}" not in t.text
    ),
    "each_answer_is_numbered": one("structured_hit", TOLD, lambda t: t.text.endswith("#1")),
}
