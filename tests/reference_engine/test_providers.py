"""Language models."""

from __future__ import annotations

import builtins
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from counterproof_reference.engine import EngineResult
from counterproof_reference.providers import (
    MockProvider,
    OpenAIProvider,
    ProviderError,
    reply_of,
)
from counterproof_reference.tool_loop import query_metric_tool
from reference_engine.doubles import TODAY, VOCABULARY, asked, call, calls, completion, say

Ask = Callable[..., EngineResult]
HIT = "香港 FY2025 的营收是多少？"
MESSAGES = [{"role": "system", "content": "s"}, {"role": "user", "content": HIT}]


class Endpoint:
    """A chat-completions endpoint on the loopback: gives what it is told, keeps what it got."""

    def __init__(self) -> None:
        self.replies: list[tuple[int, bytes]] = []
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.seconds = 0.0
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                endpoint.requests.append(json.loads(body))
                endpoint.paths.append(self.path)
                time.sleep(endpoint.seconds)
                replies = endpoint.replies
                status, reply = replies[min(len(endpoint.requests), len(replies)) - 1]
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # its base's name
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.base_url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def will_reply(self, *bodies: Any, status: int = 200) -> None:
        """What it gives in turn; a bytes body is given as it is."""
        self.replies = [
            (status, each if isinstance(each, bytes) else json.dumps(each).encode())
            for each in bodies
        ]

    def close(self) -> None:
        """Stop it."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """An endpoint of this test's own."""
    opened = Endpoint()
    yield opened
    opened.close()


@pytest.fixture
def provider(endpoint: Endpoint) -> Iterator[OpenAIProvider]:
    """The official client, pointed at the endpoint."""
    pytest.importorskip("openai")
    opened = OpenAIProvider("m", base_url=endpoint.base_url, api_key="k", timeout=5, max_retries=0)
    yield opened
    opened.close()


def full(reply: dict[str, Any]) -> dict[str, Any]:
    """A completion as an endpoint sends it."""
    return {"id": "x", "object": "chat.completion", "created": 0, "model": "m", **reply}


class TestOpenAIProvider:
    def test_messages_and_tools_arrive_as_they_are(
        self, endpoint: Endpoint, provider: OpenAIProvider
    ) -> None:
        """And the reply comes back as plain values."""
        endpoint.will_reply(full(calls(call(asked()))))
        reply = provider.chat(MESSAGES, tools=[query_metric_tool()])
        assert endpoint.paths == ["/v1/chat/completions"]
        assert endpoint.requests == [
            {"model": "m", "messages": MESSAGES, "tools": [query_metric_tool()]}
        ]
        assert reply_of(json.loads(json.dumps(reply)))["tool_calls"] == [call(asked())]

    def test_without_tools_none_are_sent(
        self, endpoint: Endpoint, provider: OpenAIProvider
    ) -> None:
        """Not even an empty list."""
        endpoint.will_reply(full(say("yes")))
        assert reply_of(provider.chat(MESSAGES))["content"] == "yes"
        assert "tools" not in endpoint.requests[0]

    @pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
    def test_an_error_status_is_a_provider_error(
        self, endpoint: Endpoint, provider: OpenAIProvider, status: int
    ) -> None:
        """Whatever it is."""
        endpoint.will_reply({"error": {"message": "no"}}, status=status)
        with pytest.raises(ProviderError):
            provider.chat(MESSAGES)

    @pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"<html>", b"\xff\xfe"])
    def test_a_body_that_is_no_completion_is_a_provider_error(
        self, endpoint: Endpoint, provider: OpenAIProvider, body: bytes
    ) -> None:
        """Found out by the client or by us."""
        endpoint.will_reply(body)
        with pytest.raises(ProviderError):
            reply_of(provider.chat(MESSAGES))

    @pytest.mark.parametrize("body", [{"choices": []}, {}, {"choices": None}, {"choices": [{}]}])
    def test_a_completion_without_a_reply_is_a_provider_error(
        self, endpoint: Endpoint, provider: OpenAIProvider, body: dict[str, Any]
    ) -> None:
        """As the engine reads it."""
        endpoint.will_reply(body)
        with pytest.raises(ProviderError):
            reply_of(provider.chat(MESSAGES))

    def test_a_time_out_is_a_provider_error(self, endpoint: Endpoint) -> None:
        """The endpoint is there and does not answer."""
        endpoint.will_reply(full(say("late")))
        endpoint.seconds = 0.5
        slow = OpenAIProvider(
            "m", base_url=endpoint.base_url, api_key="k", timeout=0.1, max_retries=0
        )
        with pytest.raises(ProviderError, match="Timeout"):
            slow.chat(MESSAGES)
        slow.close()

    def test_no_endpoint_is_a_provider_error(self, endpoint: Endpoint) -> None:
        """Nobody listens."""
        endpoint.close()
        gone = OpenAIProvider("m", base_url=endpoint.base_url, api_key="k", max_retries=0)
        with pytest.raises(ProviderError, match="Connection"):
            gone.chat(MESSAGES)
        gone.close()

    def test_text_that_cannot_be_sent_is_a_provider_error(
        self, endpoint: Endpoint, provider: OpenAIProvider
    ) -> None:
        """A lone surrogate has no UTF-8."""
        endpoint.will_reply(full(say("yes")))
        with pytest.raises(ProviderError):
            provider.chat([{"role": "user", "content": "\ud800"}])

    def test_the_engine_answers_through_it(
        self, endpoint: Endpoint, provider: OpenAIProvider, ask: Ask
    ) -> None:
        """The whole loop, over HTTP."""
        endpoint.will_reply(full(calls(call(asked()))), full(say("It is 999.")))
        answer = ask(HIT, provider, history=[("tool", "x")])
        assert answer.plain == "香港 FY2025 营收：57812.5 USD_M"
        roles = [each["role"] for each in endpoint.requests[1]["messages"]]
        assert roles == ["system", "user", "user", "assistant", "tool"]

    def test_without_the_client_the_error_says_what_is_missing(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is an extra."""
        real = builtins.__import__

        def without(name: str, *rest: Any) -> Any:
            if name == "openai":
                raise ImportError(name)
            return real(name, *rest)

        monkeypatch.setattr(builtins, "__import__", without)
        with pytest.raises(ProviderError, match="extra 'openai'"):
            OpenAIProvider("m")

    def test_without_a_key_the_error_is_a_provider_error(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Said by the client."""
        pytest.importorskip("openai")
        for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(ProviderError):
            OpenAIProvider("m")


class TestMockProvider:
    def test_it_calls_the_tool_and_then_reports(self) -> None:
        """For what the last user message asks, whatever stands before it."""
        mock = MockProvider(VOCABULARY, TODAY)
        history = [
            {"role": "user", "content": "中国 FY2024 的营收"},
            {"role": "tool", "content": "9"},
        ]
        messages = [MESSAGES[0], *history, MESSAGES[1]]
        reply = reply_of(mock.chat(messages, tools=[query_metric_tool()]))
        (made,) = reply["tool_calls"]
        assert made["function"]["name"] == "query_metric"
        assert json.loads(made["function"]["arguments"]) == asked("HK", "REVENUE", "FY2025")
        messages += [{"role": "tool", "content": "found"}]
        reply = reply_of(mock.chat(messages, tools=[query_metric_tool()]))
        assert reply == {"role": "assistant", "content": "found"}

    def test_without_passages_it_says_so(self) -> None:
        """It makes nothing up."""
        assert reply_of(MockProvider(VOCABULARY, TODAY).chat(MESSAGES))["content"] == (
            "Nothing speaks of it."
        )


class TestReplyOf:
    @pytest.mark.parametrize(
        "wrong",
        [
            None,
            [],
            "x",
            {},
            {"choices": None},
            {"choices": []},
            {"choices": [None]},
            {"choices": [{"message": None}]},
            {"choices": [{"message": "x"}]},
            {"choices": "x"},
            {"choices": {}},
        ],
    )
    def test_what_holds_no_message_is_a_provider_error(self, wrong: Any) -> None:
        """Whatever it is."""
        with pytest.raises(ProviderError):
            reply_of(wrong)

    @pytest.mark.parametrize("content", [None, 7, ["x"], {}])
    def test_a_content_that_is_no_text_is_empty(self, content: Any) -> None:
        """As is one that is missing."""
        assert reply_of(completion({"content": content}))["content"] == ""
        assert reply_of(completion({}))["content"] == ""
