"""The chat history: adding, reading, changing; calls and results that go together."""

from __future__ import annotations

import threading
from itertools import islice

import pytest
from hypothesis import given

from counterproof_reference.chat_history import (
    Call,
    ChatHistory,
    Image,
    Message,
    MessageError,
    PairingError,
    Result,
    Text,
)
from reference_engine.chat_compact import UNHURRIED, code_of, codes, history, messages


class TestAdding:
    def test_every_role_is_added_in_order(self) -> None:
        """CHH-1."""
        chat = ChatHistory()
        chat.add_system_message("be kind")
        chat.add_developer_message("be brief", metadata={"v": 1})
        chat.add_user_message([Text("see"), Image("http://x/menu.jpg")], name="Ema Vargova")
        chat.add_assistant_message([Text("let me"), Call("1", "look")])
        chat.add_tool_message(Result("1", {"found": [1]}))
        assert [each.role for each in chat] == ["system", "developer", "user", "assistant", "tool"]
        assert chat[2].parts == (Text("see"), Image("http://x/menu.jpg"))
        assert chat[2].name == "Ema Vargova"
        assert chat[1].metadata == {"v": 1}
        assert chat[-1].results[0].value == {"found": [1]}

    def test_length_index_slice_and_membership(self) -> None:
        chat = history("sua")
        assert len(chat) == 3
        assert code_of(chat[1:]) == "ua"
        assert chat[0] in chat
        assert Message("user", "u1") in chat
        assert Message("user", "u2") not in chat

    def test_it_is_built_from_a_system_text_and_messages(self) -> None:
        given = messages("ua")
        chat = ChatHistory(given, system_message="s")
        chat.add_user_message("later")
        assert code_of(chat) == "suau"
        assert code_of(given) == "ua"
        assert code_of(ChatHistory(iter(given))) == "ua"

    def test_what_is_handed_out_is_a_copy(self) -> None:
        chat = history("ua")
        chat.messages.clear()
        for _ in islice(chat, 10):
            chat.add_user_message("while it is read")
        assert len(chat) == 4

    def test_a_message_added_twice_has_two_uids(self) -> None:
        chat = ChatHistory()
        message = Message("user", "x")
        first, second = chat.add_message(message), chat.add_message(message)
        assert first is message
        assert first == second
        assert first.uid != second.uid

    def test_several_are_added_all_or_none(self) -> None:
        chat = history("u")
        with pytest.raises(PairingError):
            chat.add_messages(messages("a1r2"))
        assert code_of(chat) == "u"
        assert chat.open_calls == ()
        assert code_of(chat.add_messages(messages("1r1"))) == "1r1"

    def test_what_is_no_message_is_refused(self) -> None:
        with pytest.raises(MessageError, match="a str is no message"):
            ChatHistory(["hello"])  # type: ignore[list-item]  # refused

    def test_threads_lose_nothing(self) -> None:
        """Each adds calls and results of its own; each result finds its call."""
        chat = ChatHistory()
        start = threading.Barrier(4)

        def add(worker: int) -> None:
            start.wait()
            for turn in range(200):
                call_id = f"{worker}-{turn}"
                chat.add_assistant_message([Call(call_id, "f")])
                chat.add_tool_message(Result(call_id, turn))

        workers = [threading.Thread(target=add, args=(each,)) for each in range(4)]
        for each in workers:
            each.start()
        for each in workers:
            each.join()
        assert len(chat) == 1600
        assert chat.open_calls == ()
        assert len(chat.provider_request()) == 1600


class TestPairing:
    @UNHURRIED
    @given(codes())
    def test_what_goes_together_is_accepted(self, code: str) -> None:
        assert code_of(history(code)) == code

    @pytest.mark.parametrize(
        "code", ["1r1", "(12)r2r1", "(12)(r1r2)", "1r11r1", "1ur1", "12sr2ar1"]
    )
    def test_calls_are_answered_by_id(self, code: str) -> None:
        """CHH-2: several in one message, in any order, with others between, an id used again."""
        assert history(code).open_calls == ()

    @pytest.mark.parametrize(
        ("code", "at"),
        [
            ("r7", "7"),
            ("1r7", "7"),
            ("1r1r1", "1"),
            ("11", "1"),
            ("(12)(r1r1)", "1"),
            ("(11)", "1"),
        ],
    )
    def test_what_does_not_is_refused_by_name(self, code: str, at: str) -> None:
        """CHH-3: at once, before any provider is called; and nothing has changed."""
        given = messages(code)
        chat = ChatHistory(given[:-1])
        before = chat.open_calls
        with pytest.raises(PairingError, match=f"'{at}'") as caught:
            chat.add_message(given[-1])
        assert caught.value.call_id == at
        assert chat.messages == given[:-1]
        assert chat.open_calls == before

    def test_a_message_refused_in_part_is_refused_whole(self) -> None:
        chat = history("1")
        with pytest.raises(PairingError):
            chat.add_tool_message([Result("1", 1), Result("2", 2)])
        assert [each.id for each in chat.open_calls] == ["1"]

    def test_open_calls_are_told_oldest_first(self) -> None:
        assert [each.id for each in history("(31)2r1").open_calls] == ["3", "2"]


class TestChanging:
    def test_the_message_itself_is_removed(self) -> None:
        """Not an equal one that stands before it."""
        chat = ChatHistory([Message("user", "x", metadata={}) for _ in range(2)])
        first, second = chat
        chat.remove(second)
        assert [each.uid for each in chat] == [first.uid]
        chat.remove(Message("user", "x"))
        assert len(chat) == 0

    def test_equal_messages_are_removed_one_each(self) -> None:
        chat = ChatHistory([Message("user", "x") for _ in range(3)])
        last = chat[2]
        chat.remove(Message("user", "x"), last, Message("user", "x"))
        assert len(chat) == 0
        chat = ChatHistory([Message("user", "x") for _ in range(2)])
        with pytest.raises(ValueError, match="no such message"):
            chat.remove(chat[0], chat[0], chat[0])
        assert len(chat) == 2

    def test_what_is_not_there_cannot_be_removed(self) -> None:
        chat = history("u")
        with pytest.raises(ValueError, match="no such message"):
            chat.remove(Message("user", "other"))
        assert len(chat) == 1

    def test_a_call_is_removed_with_its_result_or_not_at_all(self) -> None:
        chat = history("u1r1")
        with pytest.raises(PairingError, match="'1'"):
            chat.remove(chat[1])
        assert code_of(chat) == "u1r1"
        chat.remove(chat[1], chat[2])
        assert code_of(chat) == "u"

    def test_removing_a_result_opens_the_call(self) -> None:
        chat = history("1r1")
        chat.remove(chat[1])
        assert [each.id for each in chat.open_calls] == ["1"]

    def test_clearing_frees_ids(self) -> None:
        chat = history("u1")
        chat.clear()
        chat.add_assistant_message([Call("1", "f")])
        assert code_of(chat) == "1"

    def test_replacing_is_all_or_nothing(self) -> None:
        chat = history("ua")
        with pytest.raises(PairingError):
            chat.replace(messages("sr1"))
        assert code_of(chat) == "ua"
        chat.replace(messages("s1r1"))
        assert code_of(chat) == "s1r1"

    def test_histories_are_equal_where_their_messages_are(self) -> None:
        assert history("sua") == history("sua")
        assert history("sua") != history("su")
        assert history("") != []
        with pytest.raises(TypeError, match="unhashable"):
            hash(history("u"))
