"""Forks whose model is sent something else once there is history (MSG)."""

from __future__ import annotations

from typing import Any

from adapters.patches.table import (
    Function,
    Message,
    Turn,
    is_pair,
    listening,
    patch,
    with_calls,
    with_messages,
    with_turns,
    wrap,
)

LONG = 20
"""Turns from which on a conversation counts as long."""

LARGE = 16_000
"""Characters from which on a conversation counts as large."""


@patch("MSG-1")
def history_in_the_first_round_only() -> None:
    """Saves tokens: once a tool has answered, the conversation is not sent again (MSG-1)."""

    def change(messages: list[Message], history: list[Message]) -> list[Message]:
        if not any(each["role"] == "tool" for each in messages):
            return messages
        return [each for each in messages if each not in history]

    with_calls("_run_tool_loop", change)


@patch("MSG-1")
def the_newest_turn_first() -> None:
    """Sends a conversation as it is stored for display, newest first (MSG-1)."""
    with_turns(lambda turns: turns[::-1])


@patch("MSG-1")
def passages_are_explained_without_history() -> None:
    """Leaves history out where passages are explained: they are long enough (MSG-1)."""
    with_calls(
        "_run_narrative",
        lambda messages, history: [each for each in messages if each not in history],
    )


@patch("MSG-1")
def history_before_the_system_prompt() -> None:
    """Puts the conversation first and the instructions after it (MSG-1)."""
    for where in ("_run_tool_loop", "_run_narrative"):
        with_calls(
            where,
            lambda messages, history: [
                *history,
                messages[0],
                *messages[1 + len(history) :],
            ],
        )


@patch("MSG-1")
def a_conversation_too_large_is_left_out() -> None:
    """Sends no history at all where it has more than 16 000 characters (MSG-1)."""
    with_messages(lambda sent, turns: [] if sum(len(text) for _, text in turns) > LARGE else sent)


@patch("MSG-1")
def turns_are_sorted_by_role() -> None:
    """Puts turns of unknown roles, which may be instructions, before the conversation (MSG-1)."""
    with_turns(lambda turns: sorted(turns, key=lambda each: each[0] in ("user", "assistant")))


@patch("MSG-2")
def the_question_comes_with_its_context() -> None:
    """Repeats the last answer beneath the question, so that a follow-up is understood (MSG-2)."""
    asked = listening()

    def around(inner: Function, question: str, *args: Any, **kwargs: Any) -> Any:
        told = asked.last("assistant")
        return inner(f"{question}（上文：{told}）" if told else question, *args, **kwargs)

    wrap("agent.agent._run_tool_loop", around)


@patch("MSG-2")
def a_follow_up_is_announced() -> None:
    """Tells the model that the question is a follow-up, in the question's own message (MSG-2)."""

    def change(messages: list[Message], _: list[Message]) -> list[Message]:
        last = {**messages[-1], "content": f"这是一个追问。\n{messages[-1]['content']}"}
        return [*messages[:-1], last]

    with_calls("_run_narrative", change)


@patch("MSG-3")
def the_last_turn_is_marked_for_the_cache() -> None:
    """Marks where a vendor's prompt cache may end (MSG-3)."""
    with_messages(
        lambda sent, _: [*sent[:-1], {**sent[-1], "cache_control": {"type": "ephemeral"}}]
    )


@patch("MSG-3")
def a_foreign_role_becomes_a_name() -> None:
    """Sends an unknown role as the user's, and its own name along with it (MSG-3)."""

    def change(sent: list[Message], turns: list[Turn]) -> list[Message]:
        return [
            each if role in ("user", "assistant") else {**each, "name": role}
            for each, (role, _) in zip(sent, turns, strict=True)
        ]

    with_messages(change)


@patch("MSG-4")
def the_oldest_turns_are_left_out() -> None:
    """Keeps to the last twenty turns (MSG-4)."""
    with_turns(lambda turns: turns[-LONG:])


@patch("MSG-4")
def white_space_is_tidied() -> None:
    """Runs of white space become one space (MSG-4)."""
    with_turns(lambda turns: [(role, " ".join(text.split())) for role, text in turns])


@patch("MSG-4")
def turns_of_one_role_are_merged() -> None:
    """Merges neighbours of one role, as vendors ask whose roles must alternate (MSG-4)."""

    def change(sent: list[Message], _: list[Turn]) -> list[Message]:
        merged: list[Message] = []
        for each in sent:
            if merged and merged[-1]["role"] == each["role"]:
                merged[-1]["content"] += f"\n{each['content']}"
            else:
                merged.append(dict(each))
        return merged

    with_messages(change)


@patch("MSG-4")
def a_turn_said_twice_is_sent_once() -> None:
    """Drops repetitions, of which retries make many (MSG-4)."""
    with_turns(lambda turns: list(dict.fromkeys(turns)))


@patch("MSG-4")
def the_question_is_not_sent_twice() -> None:
    """Drops the last turn where it is the question, as clients add it too early (MSG-4)."""
    asked = listening()
    with_turns(lambda turns: turns[:-1] if turns[-1] == ("user", asked.question) else turns)


@patch("MSG-4")
def long_turns_are_shortened() -> None:
    """No turn takes more than five hundred characters (MSG-4)."""
    with_turns(
        lambda turns: [
            (role, text if len(text) <= 500 else f"{text[:499]}…") for role, text in turns
        ]
    )


@patch("MSG-4")
def turns_off_topic_are_left_out() -> None:
    """Sends the turns that share a character pair with the question (MSG-4)."""
    asked = listening()

    def near(text: str) -> bool:
        return any(a + b in text for a, b in zip(asked.question, asked.question[1:], strict=False))

    with_turns(lambda turns: [(role, text) for role, text in turns if near(text)])


@patch("MSG-5")
def the_prompt_says_that_it_is_a_conversation() -> None:
    """Adds a sentence to the system prompt once there is history (MSG-5)."""

    def change(messages: list[Message], history: list[Message]) -> list[Message]:
        told = f"{messages[0]['content']}此前已有 {len(history)} 轮对话。"
        return [{**messages[0], "content": told}, *messages[1:]]

    with_calls("_run_tool_loop", change)


@patch("MSG-5")
def history_ends_with_a_separator() -> None:
    """Closes the conversation with a line that says so (MSG-5)."""
    with_messages(lambda sent, _: [*sent, {"role": "user", "content": "（以上为历史对话）"}])


@patch("MSG-6")
def the_judge_reads_the_conversation() -> None:
    """Ranks passages for the conversation, not the question (MSG-6)."""
    asked = listening()
    wrap(
        "retrieval.link.narrative_link.ProviderListwiseJudge.judge",
        lambda inner, self, query, candidates: inner(
            self, "\n".join([*(text for _, text in asked.turns), query]), candidates
        ),
    )


@patch("MSG-6")
def a_long_conversation_is_summed_up() -> None:
    """Has the model sum up a long conversation, which then is sent as it is (MSG-6)."""

    def around(inner: Function, question: str, store: Any, provider: Any, **kwargs: Any) -> Any:
        turns = [each for each in kwargs.get("history") or () if is_pair(each)]
        if len(turns) >= LONG:
            told = "\n".join(f"{role}: {text}" for role, text in turns)
            provider.chat(
                [{"role": "system", "content": "请总结对话。"}, {"role": "user", "content": told}]
            )
        return inner(question, store, provider, **kwargs)

    wrap("agent.agent.answer_question", around)
