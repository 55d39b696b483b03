"""One request and what comes back, over real sockets: whole, broken off, late, or elsewhere."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from counterproof.service.exchange import ExchangeFailed, Exchanger, Request, shown

ASK = Request.of("/v1/ask", {"question": "香港?"})
STREAM = Request.of("/v1/ask/stream", {"question": "?"}, streamed=True)


class Raw:
    """A server that answers each connection with prepared bytes, and keeps what it was sent."""

    def __init__(self, reply: bytes, *, hold: bool = False) -> None:
        self._reply = reply
        self._hold = hold
        self._over = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.heard = b""
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                self.heard = connection.recv(1 << 16)
                while b"\r\n\r\n" not in self.heard or self._body_lacks():
                    self.heard += connection.recv(1 << 16)
                connection.sendall(self._reply)
                if self._hold:
                    self._over.wait()

    def _body_lacks(self) -> bool:
        head, _, body = self.heard.partition(b"\r\n\r\n")
        length = [
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length")
        ]
        return bool(length) and len(body) < length[0]

    def close(self) -> None:
        self._over.set()
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


Server = Callable[..., Raw]


@pytest.fixture
def serving() -> Iterator[Server]:
    """Makes servers, and ends them."""
    made: list[Raw] = []

    def make(reply: bytes, *, hold: bool = False) -> Raw:
        made.append(Raw(reply, hold=hold))
        return made[-1]

    yield make
    for each in made:
        each.close()


def response(body: bytes, kind: str = "application/json", status: str = "200 OK") -> bytes:
    """A whole response."""
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def sent(server: Raw, request: Request = ASK, seconds: float = 5.0, **headers: str) -> object:
    """What came back."""
    exchanger = Exchanger(server.url, headers, seconds)
    try:
        return exchanger.send(request)
    finally:
        exchanger.close()


def failed(server: Raw, request: Request = ASK, seconds: float = 5.0) -> ExchangeFailed:
    """How there was no whole response."""
    with pytest.raises(ExchangeFailed) as caught:
        sent(server, request, seconds)
    return caught.value


def test_a_body_is_read_as_json(serving: Server) -> None:
    server = serving(response(b'{"answer": "\xe9\xa6\x99"}'))
    assert sent(server, Authorization="Bearer x") == {
        "status": 200, "type": "application/json", "body": {"answer": "香"},
    }  # fmt: skip
    assert b'{"question": "\xe9\xa6\x99\xe6\xb8\xaf?"}' in server.heard
    assert b"Authorization: Bearer x" in server.heard


def test_what_is_no_json_is_text(serving: Server) -> None:
    found = sent(serving(response(b"<html>\xff", "text/html; charset=utf-8")))
    assert found == {"status": 200, "type": "text/html", "body": "<html>\ufffd"}


def test_a_stream_is_read_event_by_event(serving: Server) -> None:
    told = b'event: delta\ndata: {"text": "a"}\n\ndata: plain\n\n'
    found = sent(serving(response(told, "text/event-stream")), STREAM)
    assert found == {
        "status": 200, "type": "text/event-stream", "body": None,
        "events": [
            {"event": "delta", "data": {"text": "a"}}, {"event": "message", "data": "plain"},
        ],
    }  # fmt: skip


def test_a_redirect_is_not_followed(serving: Server) -> None:
    other = serving(response(b"{}"))
    head = f"HTTP/1.1 307 Found\r\nlocation: {other.url}/v1/ask\r\ncontent-length: 0\r\n\r\n"
    assert sent(serving(head.encode())) == {"status": 307, "type": "", "body": ""}
    assert other.heard == b""


def test_a_stream_that_is_cut_is_told_as_far_as_it_came(serving: Server) -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 999\r\n\r\n"
    found = failed(serving(head + b"event: start\ndata: {}\n\n"), STREAM)
    assert found.kind == "protocol"
    assert "POST /v1/ask/stream: the response was broken off" in str(found)
    assert found.so_far is not None
    assert found.so_far["events"] == [{"event": "start", "data": {}}]


def test_a_body_that_is_cut(serving: Server) -> None:
    found = failed(serving(response(b'{"answer": 1}')[:-3]))
    assert (found.kind, found.so_far and found.so_far["status"]) == ("protocol", 200)


def test_what_is_no_http(serving: Server) -> None:
    assert failed(serving(b"hello\r\n\r\n")).kind == "protocol"


def test_nobody_is_there(serving: Server) -> None:
    server = serving(b"")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server.url = f"http://127.0.0.1:{port}"
    found = failed(server)
    assert (found.kind, "nobody answers" in str(found)) == ("exited", True)


def test_silence_is_a_hang(serving: Server) -> None:
    found = failed(serving(b"", hold=True), seconds=0.2)
    assert (found.kind, found.so_far, "no answer in time" in str(found)) == ("hung", None, True)


def test_a_proxy_of_the_surroundings_is_not_used(
    serving: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = serving(response(b"{}"))
    monkeypatch.setenv("HTTP_PROXY", proxy.url)
    monkeypatch.setenv("ALL_PROXY", proxy.url)
    assert sent(serving(response(b'{"answer": "own"}'))) == {
        "status": 200, "type": "application/json", "body": {"answer": "own"},
    }  # fmt: skip
    assert proxy.heard == b""


def test_a_response_without_end_is_refused(
    serving: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("counterproof.service.exchange._MOST", 1000)
    found = failed(serving(response(b"x" * 2000, "text/plain")))
    assert "longer than 1000 bytes" in str(found)


def test_a_response_in_a_few_words() -> None:
    seen = {"status": 502, "type": "text/html", "body": "<html>  bad\n" + "x" * 300}
    assert shown(seen).startswith("502 text/html: <html> bad xxx")
    assert len(shown(seen)) < 250
