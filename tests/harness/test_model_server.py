"""The model over HTTP, asked by the vendors' own clients."""

from __future__ import annotations

import base64
import json
import socket
import struct
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anthropic
import openai
import pytest

from counterproof.asking import ModelError, ModelTimeout
from counterproof.worker.embedding import SIZE, embedding
from counterproof.worker.model_server import ModelServer

TEXT = "香港 FY2025 的营收是 12,345。"
TOOL = {
    "type": "function",
    "function": {
        "name": "query_metric",
        "description": "A figure.",
        "parameters": {"type": "object", "properties": {"entity": {"type": "string"}}},
    },
}
CALLS = [
    {"id": f"call_{n}", "type": "function", "function": {"name": "query_metric", "arguments": each}}
    for n, each in enumerate(('{"entity": "香港"}', "{}"), 1)
]


def completion(
    content: str | None = TEXT, calls: Sequence[Mapping[str, Any]] = (), reason: str = "stop"
) -> dict[str, Any]:
    """A chat completion as the scripted model gives it."""
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = list(calls)
    choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "scripted",
        "choices": [choice],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }  # fmt: skip


class Played:
    """A model that gives one prepared reply, and keeps what it was sent."""

    def __init__(self) -> None:
        self.reply: Any = completion()
        self.sent: list[Any] = []
        self.embedded: list[str] = []
        self.fault: str | None = None

    def embed(self, texts: list[str]) -> list[str]:
        self.embedded += texts
        return [text.replace("altered", "Hong Kong") for text in texts]

    def complete(self, messages: Sequence[Any], tools: Sequence[Any] | None) -> Any:
        self.sent.append((messages, tools))
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply(messages) if callable(self.reply) else self.reply


@pytest.fixture
def played() -> Played:
    """What the model plays."""
    return Played()


@pytest.fixture
def server(played: Played) -> Iterator[ModelServer]:
    """It, served."""
    made = ModelServer(played.complete, embed=played.embed, fault=lambda: played.fault)
    yield made
    made.close()


@pytest.fixture
def gpt(server: ModelServer) -> Iterator[openai.OpenAI]:
    """OpenAI's client, of no proxy."""
    with openai.DefaultHttpxClient(trust_env=False) as http:
        yield openai.OpenAI(base_url=f"{server.url}/v1", api_key="-", http_client=http)


@pytest.fixture
def claude(server: ModelServer) -> Iterator[anthropic.Anthropic]:
    """Anthropic's client, of no proxy."""
    with anthropic.DefaultHttpxClient(trust_env=False) as http:
        yield anthropic.Anthropic(base_url=server.url, api_key="-", http_client=http)


ASKED: list[Any] = [{"role": "user", "content": "香港？"}]


class TestOpenAI:
    """Chat completions."""

    def ask(self, gpt: openai.OpenAI, **given: Any) -> Any:
        return gpt.chat.completions.create(model="m-1", messages=ASKED, **given)

    def test_a_reply(self, gpt: openai.OpenAI, played: Played) -> None:
        found = self.ask(gpt)
        assert (found.choices[0].message.content, found.model) == (TEXT, "m-1")
        assert played.sent == [(ASKED, None)]

    def test_tool_calls_side_by_side(self, gpt: openai.OpenAI, played: Played) -> None:
        played.reply = completion(None, CALLS, "tool_calls")
        found = self.ask(gpt, tools=[TOOL]).choices[0]
        assert [(c.id, c.function.arguments) for c in found.message.tool_calls] == [
            ("call_1", '{"entity": "香港"}'), ("call_2", "{}"),
        ]  # fmt: skip
        assert (found.finish_reason, played.sent[0][1]) == ("tool_calls", [TOOL])

    def test_a_stream(self, gpt: openai.OpenAI) -> None:
        chunks = list(self.ask(gpt, stream=True))
        assert "".join(c.choices[0].delta.content or "" for c in chunks) == TEXT
        assert len([c for c in chunks if c.choices[0].delta.content]) > 1
        assert chunks[-1].choices[0].finish_reason == "stop"

    def test_a_stream_of_tool_calls(self, gpt: openai.OpenAI, played: Played) -> None:
        played.reply = completion(None, CALLS, "tool_calls")
        calls = [c for chunk in self.ask(gpt, stream=True)
                 for c in chunk.choices[0].delta.tool_calls or ()]  # fmt: skip
        assert [(c.index, c.id, c.function.name) for c in calls] == [
            (0, "call_1", "query_metric"), (1, "call_2", "query_metric"),
        ]  # fmt: skip

    def test_an_empty_reply_and_none(self, gpt: openai.OpenAI, played: Played) -> None:
        played.reply = completion("")
        assert self.ask(gpt).choices[0].message.content == ""
        played.reply = {**completion(), "choices": []}
        assert self.ask(gpt).choices == []

    @pytest.mark.parametrize(
        ("failure", "status"), [(ModelError("down"), 500), (ModelTimeout("late"), 504)]
    )
    def test_a_failure_is_not_tried_again(
        self, gpt: openai.OpenAI, played: Played, failure: Exception, status: int
    ) -> None:
        played.reply = failure
        with pytest.raises(openai.APIStatusError, match=str(failure)) as caught:
            self.ask(gpt)
        assert (caught.value.status_code, len(played.sent)) == (status, 1)

    def test_an_error_of_the_kits_own_is_told(self, gpt: openai.OpenAI, played: Played) -> None:
        played.reply = RuntimeError("nothing was asked")
        with pytest.raises(openai.APIStatusError, match="RuntimeError: nothing was asked"):
            self.ask(gpt)

    def test_embeddings(self, gpt: openai.OpenAI, played: Played) -> None:
        found = gpt.embeddings.create(model="e", input=["香港营收", "Hong Kong"])
        assert [len(each.embedding) for each in found.data] == [SIZE, SIZE]
        assert found.data[1].embedding == pytest.approx(embedding("Hong Kong"), abs=1e-6)
        assert played.embedded == ["香港营收", "Hong Kong"]

    def test_one_text_as_numbers(self, gpt: openai.OpenAI) -> None:
        found = gpt.embeddings.create(model="e", input="Hong Kong", encoding_format="float")
        assert found.data[0].embedding == pytest.approx(embedding("Hong Kong"))

    def test_what_is_embedded_can_be_altered(self, gpt: openai.OpenAI) -> None:
        found = gpt.embeddings.create(model="e", input="altered", encoding_format="float")
        assert found.data[0].embedding == pytest.approx(embedding("Hong Kong"))

    def test_models(self, gpt: openai.OpenAI) -> None:
        assert [each.id for each in gpt.models.list()] == ["scripted"]


class TestAnthropic:
    """Messages."""

    def ask(self, claude: anthropic.Anthropic, **given: Any) -> Any:
        asked = {"model": "c-1", "max_tokens": 9, "messages": ASKED, **given}
        return claude.messages.create(**asked)

    def test_a_reply(self, claude: anthropic.Anthropic, played: Played) -> None:
        found = self.ask(claude, system="Be brief.")
        assert [block.text for block in found.content] == [TEXT]
        assert (found.stop_reason, found.model) == ("end_turn", "c-1")
        assert played.sent == [([{"role": "system", "content": "Be brief."}, *ASKED], None)]

    def test_tools_and_their_results(self, claude: anthropic.Anthropic, played: Played) -> None:
        """A conversation in which the tool was called arrives as the kit knows it."""
        played.reply = completion("One moment.", CALLS, "tool_calls")
        tool = {"name": "query_metric", "description": "A figure.",
                "input_schema": TOOL["function"]["parameters"]}  # type: ignore[index]  # fmt: skip
        found = self.ask(claude, tools=[tool])
        assert found.stop_reason == "tool_use"
        assert [(b.type, getattr(b, "input", None)) for b in found.content] == [
            ("text", None), ("tool_use", {"entity": "香港"}), ("tool_use", {}),
        ]  # fmt: skip
        assert played.sent[0][1] == [TOOL]
        results = [
            {"type": "tool_result", "tool_use_id": "call_1", "content": "12"},
            {"type": "tool_result", "tool_use_id": "call_2",
             "content": [{"type": "text", "text": "13"}]},
        ]  # fmt: skip
        said = [block.model_dump(exclude_none=True) for block in found.content]
        self.ask(claude, messages=[*ASKED, {"role": "assistant", "content": said},
                                   {"role": "user", "content": results}])  # fmt: skip
        assert played.sent[1][0] == [
            *ASKED,
            {"role": "assistant", "content": "One moment.", "tool_calls": CALLS},
            {"role": "tool", "tool_call_id": "call_1", "content": "12"},
            {"role": "tool", "tool_call_id": "call_2", "content": "13"},
        ]

    def test_blocks_of_text_keep_their_texts(
        self, claude: anthropic.Anthropic, played: Played
    ) -> None:
        blocks = [{"type": "text", "text": "one"}, {"type": "text", "text": " two "}]
        self.ask(claude, messages=[{"role": "user", "content": blocks}], system=blocks)
        assert [each["content"] for each in played.sent[0][0]] == ["one\n two ", "one\n two "]

    def test_a_stream(self, claude: anthropic.Anthropic, played: Played) -> None:
        played.reply = completion(TEXT, CALLS, "tool_calls")
        with claude.messages.stream(model="c", max_tokens=9, messages=ASKED) as stream:
            said = "".join(stream.text_stream)
            whole = stream.get_final_message()
        assert said == TEXT
        assert [b.type for b in whole.content] == ["text", "tool_use", "tool_use"]
        assert whole.content[1].input == {"entity": "香港"}  # type: ignore[union-attr]  # a call

    def test_arguments_that_are_no_object(
        self, claude: anthropic.Anthropic, played: Played
    ) -> None:
        """This wire has only objects: what is none is still to be seen."""
        broken = [
            {**CALLS[0], "function": {"name": "f", "arguments": each}} for each in ("{no", "[]")
        ]
        played.reply = completion(None, broken, "tool_calls")
        assert [b.input for b in self.ask(claude).content] == [{"malformed": "{no"}, {"value": []}]

    def test_no_reply(self, claude: anthropic.Anthropic, played: Played) -> None:
        played.reply = {**completion(), "choices": []}
        assert self.ask(claude).content == []

    def test_a_failure_is_not_tried_again(
        self, claude: anthropic.Anthropic, played: Played
    ) -> None:
        played.reply = ModelError("down")
        with pytest.raises(anthropic.APIStatusError, match="down"):
            self.ask(claude)
        assert len(played.sent) == 1


class TestFaults:
    """What a transport can do."""

    def ask(self, gpt: openai.OpenAI, **given: Any) -> Any:
        client = gpt.with_options(max_retries=0)
        return client.chat.completions.create(model="m", messages=ASKED, **given)

    @pytest.mark.parametrize(
        ("kind", "error"),
        [
            ("rate-limit", openai.RateLimitError),
            ("truncated", openai.APIConnectionError),
            ("malformed", (json.JSONDecodeError, openai.OpenAIError)),
        ],
    )
    def test_the_model_plays_them(
        self, gpt: openai.OpenAI, played: Played, kind: str, error: type[Exception]
    ) -> None:
        played.reply = ModelError("unavailable")
        played.reply.kind = kind
        with pytest.raises(error):
            self.ask(gpt)
        assert len(played.sent) == 1

    def test_a_rate_limit(self, gpt: openai.OpenAI, played: Played) -> None:
        played.fault = "rate-limit"
        with pytest.raises(openai.RateLimitError):
            self.ask(gpt)
        assert played.sent == []

    def test_a_body_that_ends_too_soon(self, gpt: openai.OpenAI, played: Played) -> None:
        played.fault = "truncated"
        with pytest.raises(openai.APIConnectionError):
            self.ask(gpt)

    def test_a_body_that_is_no_json(self, gpt: openai.OpenAI, played: Played) -> None:
        played.fault = "malformed"
        with pytest.raises((json.JSONDecodeError, openai.OpenAIError)):
            self.ask(gpt)

    def test_a_stream_that_is_cut(self, gpt: openai.OpenAI, played: Played) -> None:
        played.fault = "cut-stream"
        chunks = list(self.ask(gpt, stream=True))
        assert all(each.choices[0].finish_reason is None for each in chunks)

    def test_silence_ends_with_the_client(self, gpt: openai.OpenAI, played: Played) -> None:
        played.fault = "silence"
        with pytest.raises(openai.APITimeoutError):
            self.ask(gpt, timeout=0.2)

    def test_silence_ends_with_the_server(self, played: Played) -> None:
        played.fault = "silence"
        asked = threading.Event()

        def fault() -> str:
            asked.set()
            return "silence"

        made = ModelServer(played.complete, fault=fault)
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(post, made, "/v1/chat/completions", {"messages": ASKED})
            assert asked.wait(10)
            made.close()
            assert waiting.exception(10) is not None


def post(server: ModelServer, path: str, body: Any) -> tuple[int, Any]:
    """A request by nobody's client: status and body."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(server.url + path, data)  # our own server
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=30) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


class TestServer:
    """What is no good request, and the end."""

    @pytest.mark.parametrize(
        ("path", "body", "status", "told"),
        [
            ("/v1/chat/completions", b"{", 400, "no JSON"),
            ("/v1/chat/completions", b"[]", 400, "no object"),
            ("/v1/chat/completions", {"messages": "?"}, 400, "messages must be"),
            ("/v1/chat/completions", {"messages": [], "tools": {}}, 400, "tools must be"),
            ("/v1/messages", {"messages": [1]}, 400, "messages must be"),
            ("/v1/messages", {"messages": [{"role": "user"}]}, 400, "content must be"),
            ("/v1/embeddings", {"input": [1]}, 400, "input must be"),
            ("/v1/nothing", {}, 404, "no POST /v1/nothing"),
        ],
    )
    def test_is_refused(
        self, server: ModelServer, path: str, body: Any, status: int, told: str
    ) -> None:
        code, said = post(server, path, body)
        assert code == status
        assert told in said["error"]["message"]

    def test_many_at_once(self, server: ModelServer, played: Played) -> None:
        """Each gets the reply to what it sent."""
        meeting = threading.Barrier(8, timeout=30)

        def echo(messages: Sequence[Any]) -> Any:
            meeting.wait()
            return completion(messages[0]["content"])

        played.reply = echo
        asks = [{"messages": [{"role": "user", "content": f"{n}"}]} for n in range(8)]
        ask: Callable[[Any], Any] = lambda body: post(server, "/v1/chat/completions", body)  # noqa: E731  # one line
        with ThreadPoolExecutor(8) as pool:
            found = [body["choices"][0]["message"]["content"] for _, body in pool.map(ask, asks)]
        assert found == [f"{n}" for n in range(8)]

    def test_nothing_is_left_of_it(self, played: Played) -> None:
        before = set(threading.enumerate())
        made = ModelServer(played.complete)
        port = int(made.url.rpartition(":")[2])
        assert post(made, "/v1/chat/completions", {"messages": ASKED})[0] == 200
        made.close()
        assert set(threading.enumerate()) == before
        again = ModelServer(played.complete, port=port)
        again.close()

    def test_a_port_that_is_taken(self, played: Played) -> None:
        with (
            socket.create_server(("127.0.0.1", 0)) as taken,
            pytest.raises(OSError, match="in use"),
        ):
            ModelServer(played.complete, port=taken.getsockname()[1])


class TestEmbedding:
    """Near where words are shared."""

    def near(self, one: str, other: str) -> float:
        return sum(a * b for a, b in zip(embedding(one), embedding(other), strict=True))

    def test_its_length_is_one(self) -> None:
        assert self.near("Hong Kong", "Hong Kong") == pytest.approx(1)
        assert embedding("") == [0.0] * SIZE

    def test_shared_words_are_near(self) -> None:
        assert self.near("revenue in Hong Kong", "Hong Kong revenue") > 0.5
        assert self.near("香港营收", "香港的营收") > 0.3
        assert abs(self.near("revenue in Hong Kong", "volcanoes under glaciers")) < 0.3

    def test_it_is_the_same_everywhere(self) -> None:
        packed = struct.pack("<3f", *embedding("Hong Kong 香港")[:3])
        assert base64.b64encode(packed) == base64.b64encode(
            struct.pack("<3f", *embedding("hong kong 香港")[:3])
        )
