"""The page's Python examples, as far as they can run here; docs/chat-history.md says how far.

What an example does is done here in the page's names, with other texts.
"""

from __future__ import annotations

import asyncio

import pytest

from counterproof_reference.chat_history import Message, MessageError, answer_with_functions
from counterproof_reference.chat_history.page import (
    AuthorRole,
    ChatHistory,
    ChatHistorySummarizationReducer,
    ChatHistoryTruncationReducer,
    ChatMessage,
    ChatMessageContent,
    FunctionCallContent,
    FunctionResultContent,
    ImageContent,
    TextContent,
)


def test_a_history_is_built_by_role() -> None:
    chat_history = ChatHistory()
    chat_history.add_system_message("Be of help.")
    chat_history.add_user_message("What is there?")
    chat_history.add_assistant_message("Soup and bread.")
    chat_history.add_user_message("The former.")
    assert [each.role for each in chat_history] == ["system", "user", "assistant", "user"]


def test_richer_messages_are_added() -> None:
    chat_history = ChatHistory()
    chat_history.add_message(ChatMessage(role=AuthorRole.System, content="Be of help."))
    chat_history.add_message(
        ChatMessageContent(
            role=AuthorRole.USER,
            name="Laimonis Dumins",
            items=[
                TextContent(text="What is on this card?"),
                ImageContent(uri="https://example.com/card.jpg"),
            ],
        )
    )
    chat_history.add_message(
        ChatMessageContent(role=AuthorRole.ASSISTANT, name="The house", content="Soup.")
    )
    assert [each.name for each in chat_history] == [None, "Laimonis Dumins", "The house"]
    assert chat_history[1].parts[1] == ImageContent(uri="https://example.com/card.jpg")


def test_function_calls_are_simulated() -> None:
    chat_history = ChatHistory()
    chat_history.add_message(
        ChatMessageContent(
            role=AuthorRole.ASSISTANT,
            items=[
                FunctionCallContent(name="allergies-User", id=i, arguments=str({"user": who}))
                for i, who in (("0001", "one"), ("0002", "two"))
            ],
        )
    )
    for i in ("0001", "0002"):
        result = FunctionResultContent(name="allergies-User", id=i, result='{"allergies": ["soy"]}')
        chat_history.add_message(ChatMessageContent(role=AuthorRole.TOOL, items=[result]))
    asked, *answered = chat_history.provider_request()
    # The page makes arguments with str(), which is Python's notation: they stay that text.
    assert asked["tool_calls"][0]["function"]["arguments"] == "{'user': 'one'}"
    assert [each["tool_call_id"] for each in answered] == ["0001", "0002"]


def test_a_history_is_inspected() -> None:
    """All but the line that asks: the model is a function here, and there is no kernel."""
    chat_history = ChatHistory([ChatMessageContent(role=AuthorRole.USER, content="A soup, please")])
    current_chat_history_length = len(chat_history)
    calling = ChatMessageContent(
        role=AuthorRole.ASSISTANT, items=[FunctionCallContent(name="order", id="1")]
    )
    replies = iter([calling, ChatMessageContent(role=AuthorRole.ASSISTANT, content="Done")])
    functions = {"order": lambda: "ordered"}
    inspected = asyncio.run(answer_with_functions(chat_history, lambda _: next(replies), functions))
    results = inspected.final
    added = [chat_history[i] for i in range(current_chat_history_length, len(chat_history))]
    assert [each.role for each in added] == ["assistant", "tool"]
    assert f"{results}" == "Done"
    chat_history.add_message(results)
    assert len(chat_history) == 4


def test_a_history_is_truncated() -> None:
    """All but the kernel's own line, which would ask the model."""

    async def main() -> list[str]:
        truncation_reducer = ChatHistoryTruncationReducer(target_count=2)
        truncation_reducer.add_system_message("Chat.")
        for user_input in ("one", "two", "three"):
            is_reduced = await truncation_reducer.reduce()
            if is_reduced:
                assert len(truncation_reducer.messages) == 3
            truncation_reducer.add_user_message(str(user_input))
            truncation_reducer.add_message(Message("assistant", "yes"))
        assert is_reduced
        return [f"{msg.role} - {msg.content}" for msg in truncation_reducer.messages]

    assert asyncio.run(main()) == [
        "system - Chat.",
        "user - two",
        "assistant - yes",
        "user - three",
        "assistant - yes",
    ]


def test_a_history_is_summarised() -> None:
    reducer = ChatHistorySummarizationReducer(
        service=lambda turns: f"{len(turns)} turns",
        target_count=1,
        threshold_count=1,
        auto_reduce=True,
        system_message="Chat.",
    )

    async def main() -> None:
        for text in ("one", "two", "three"):
            await reducer.add_message_async(ChatMessageContent(role="user", content=text))

    asyncio.run(main())
    assert [each.content for each in reducer] == ["Chat.", "2 turns", "three"]


def test_content_and_items_are_both_kept() -> None:
    message = ChatMessageContent(role="user", content="a", items=[TextContent(text="b")])
    assert message == Message("user", [TextContent("a"), TextContent("b")])
    with pytest.raises(MessageError, match="unknown role"):
        ChatMessageContent(role="boss", content="x")
