"""Messages of a chat history."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterproof_reference.chat_history import Call, Image, Message, MessageError, Result, Text
from counterproof_reference.chat_history.json_values import MAX_DEPTH, Json
from reference_engine.chat_compact import UNHURRIED

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=6,
)  # fmt: skip


def nested(depth: int) -> Any:
    """A list in a list, so deep."""
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


class TestJsonValues:
    @UNHURRIED
    @given(JSON)
    def test_any_json_value_is_kept(self, value: Any) -> None:
        kept = Json.of(value, "it").value
        assert kept == value
        assert repr(kept) == repr(value)

    @UNHURRIED
    @given(st.dictionaries(st.text(), st.integers()))
    def test_the_order_of_keys_is_kept_and_does_not_count(self, value: dict[str, int]) -> None:
        other = Json.of(dict(reversed(value.items())), "it")
        assert list(Json.of(value, "it").value) == list(value)
        assert other == Json.of(value, "it")
        assert hash(other) == hash(Json.of(value, "it"))

    @pytest.mark.parametrize("pair", [(1, 1.0), (1, True), (0, False), (0.0, -0.0), ("1", 1)])
    def test_values_that_only_python_takes_for_equal_differ(self, pair: tuple[Any, Any]) -> None:
        assert Json.of(pair[0], "it") != Json.of(pair[1], "it")

    def test_what_is_read_is_a_copy(self) -> None:
        given: dict[str, Any] = {"a": [1]}
        result = Result("1", given)
        given["a"].append(2)
        result.value["a"].append(3)
        assert result.value == {"a": [1]}

    @pytest.mark.parametrize(
        ("value", "what"),
        [
            ({1: 2}, "key of type int"),
            ({"x": {1}}, "a set, which is not JSON"),
            ([b"x"], "a bytes, which is not JSON"),
            (float("nan"), "nan"),
            ([float("-inf")], "-inf"),
            ([10**5000], "an integer of more than"),
            (object(), "a object, which is not JSON"),
        ],
    )
    def test_what_is_not_json_is_refused(self, value: Any, what: str) -> None:
        with pytest.raises(MessageError, match=what):
            Result("1", value)

    def test_a_cyclic_value_is_refused(self) -> None:
        cyclic: dict[str, Any] = {}
        cyclic["deep"] = [{"again": cyclic}]
        with pytest.raises(MessageError, match="metadata holds itself"):
            Message("user", "x", metadata=cyclic)

    def test_a_value_in_two_places_is_not_cyclic(self) -> None:
        shared = [1]
        assert Result("1", [shared, shared]).value == [[1], [1]]

    def test_a_value_that_is_too_deep_is_refused(self) -> None:
        assert Result("1", nested(MAX_DEPTH)).value == nested(MAX_DEPTH)
        for depth in (MAX_DEPTH + 1, 100_000):
            with pytest.raises(MessageError, match="nested more than"):
                Result("1", nested(depth))

    def test_a_small_value_that_is_huge_written_out_is_refused(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Ninety lists, each holding the one before twice."""
        monkeypatch.setattr("counterproof_reference.chat_history.json_values.MAX_VALUES", 1000)
        value: Any = 1
        for _ in range(90):
            value = [value, value]
        with pytest.raises(MessageError, match="more than 1000 values"):
            Result("1", value)

    def test_two_surrogates_are_the_character_they_make_up(self) -> None:
        assert Text("\ud83d\ude00").text == "😀"
        assert Text("a\ud83d").text == "a\ud83d"


class TestMessages:
    def test_messages_of_the_same_content_are_equal(self) -> None:
        one, other = (Message("user", "x", metadata={"a": 1, "b": 2}) for _ in range(2))
        assert one.uid != other.uid
        assert one == other
        assert hash(one) == hash(other)

    @pytest.mark.parametrize(
        "other",
        [
            Message("assistant", "x", name="n", metadata={"a": 1}),
            Message("user", "y", name="n", metadata={"a": 1}),
            Message("user", [Text("x"), Text("")], name="n", metadata={"a": 1}),
            Message("user", "x", name="m", metadata={"a": 1}),
            Message("user", "x", name="n", metadata={"a": True}),
            Message("user", "x", name="n", metadata={"a": 1}, summary=True),
        ],
    )
    def test_messages_of_other_content_are_not(self, other: Message) -> None:
        assert Message("user", "x", name="n", metadata={"a": 1}) != other

    def test_a_message_cannot_be_changed(self) -> None:
        message = Message("user", [Text("x")])
        with pytest.raises(dataclasses.FrozenInstanceError):
            message.role = "system"  # type: ignore[misc]  # what must not work
        message.metadata["a"] = 1
        assert message.metadata == {}

    def test_parts_keep_their_order(self) -> None:
        parts: list[Text | Image] = [Text("a"), Image("http://x"), Text("b")]
        message = Message("user", iter(parts), name="Ema")
        assert list(message.parts) == parts
        assert message.content == str(message) == "ab"
        assert message.name == "Ema"

    @pytest.mark.parametrize("role", ["", "USER", "function", "user ", None, ["user"]])
    def test_an_unknown_role_is_refused(self, role: Any) -> None:
        with pytest.raises(MessageError, match="unknown role"):
            Message(role, "x")

    def test_a_role_that_lies_is_refused(self) -> None:
        class Liar(str):
            __slots__ = ()

            def __eq__(self, other: object) -> bool:
                return True

            __hash__ = str.__hash__

        with pytest.raises(MessageError, match="unknown role 'boss'"):
            Message(Liar("boss"), "x")

    @pytest.mark.parametrize("role", ["system", "developer", "user"])
    def test_only_the_assistant_calls(self, role: str) -> None:
        with pytest.raises(MessageError, match=f"a {role} message holds a call"):
            Message(role, Call("1", "f"))

    @pytest.mark.parametrize("role", ["system", "developer", "user", "assistant"])
    def test_only_a_tool_gives_results(self, role: str) -> None:
        with pytest.raises(MessageError, match=f"a {role} message holds a result"):
            Message(role, Result("1", 1))

    @pytest.mark.parametrize("parts", [(), "text", [Result("1", 1), Text("x")], [Call("1", "f")]])
    def test_a_tool_gives_nothing_else(self, parts: Any) -> None:
        with pytest.raises(MessageError, match="holds"):
            Message("tool", parts)

    @pytest.mark.parametrize("missing", [None, "", "  "])
    def test_an_id_is_needed(self, missing: Any) -> None:
        with pytest.raises(MessageError, match="'f' has no id"):
            Call(missing, "f")
        with pytest.raises(MessageError, match="a result has no id"):
            Result(missing, 1)

    @pytest.mark.parametrize(
        ("make", "what"),
        [
            (lambda: Text(1), "a text is of type int"),  # type: ignore[arg-type]  # refused
            (lambda: Image(""), "no URI"),
            (lambda: Call("1", " "), "names no function"),
            (lambda: Message("user", 5), "of type int"),  # type: ignore[arg-type]  # refused
            (lambda: Message("user", [{"text": "x"}]), "part is of type dict"),  # type: ignore[list-item]  # refused
            (lambda: Message("user", "x", metadata=[1]), "metadata is of type list"),  # type: ignore[arg-type]  # refused
            (lambda: Message("user", "x", name=3), "name is of type int"),  # type: ignore[arg-type]  # refused
            (lambda: Message("user", "x", uid=""), "a message has no uid"),
        ],
    )
    def test_what_is_malformed_is_refused(self, make: Any, what: str) -> None:
        with pytest.raises(MessageError, match=what):
            make()

    @pytest.mark.parametrize("role", ["system", "developer"])
    def test_a_summary_has_no_authority(self, role: str) -> None:
        with pytest.raises(MessageError, match="a summary is"):
            Message(role, "x", summary=True)
