"""The scripted model on loopback: it speaks the wires that providers' own clients speak.

It must also run inside the worker, in the engine's own environment, where no package of ours is
but this one: so it stands on the standard library's HTTP server, and on Python 3.10.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Set

from counterproof.asking import ModelError, ModelTimeout
from counterproof.worker import anthropic_wire, openai_wire
from counterproof.worker.embedding import embedding

Complete = Callable[[Sequence[Mapping[str, Any]], Optional[Sequence[Any]]], Mapping[str, Any]]
FAULTS = ("rate-limit", "truncated", "malformed", "cut-stream", "silence")
"""What a transport can do to a reply; see :class:`ModelServer`."""
_MOST = 64 * 2**20
_CHAT = {"/v1/chat/completions": openai_wire, "/v1/messages": anthropic_wire}


class ModelServer:
    """Serves the model at a port of this machine, from construction on.

    A reply that plays a failing provider is a 500, one that plays a time-out a 504, as a gateway
    gives it: with no wish to be retried, so that no client waits before it gives up.

    Args:
        complete: gives the reply to messages and tools, as :meth:`counterproof.Model.complete`.
        port: the port; 0 for any that is free.
        embed: is told the texts of each request for embeddings, in order, and gives those that
            are embedded in their place.
        fault: asked before each reply: None, or one of :data:`FAULTS`: a 429, a body that ends too
            soon, one that is no JSON, a stream that ends half-way, no response at all.

    Raises:
        OSError: the port is taken.
    """

    def __init__(
        self,
        complete: Complete,
        port: int = 0,
        embed: Optional[Callable[[List[str]], Sequence[str]]] = None,
        fault: Optional[Callable[[], Optional[str]]] = None,
    ) -> None:
        self.complete = complete
        self.embed = embed
        self.fault = fault
        self.over = threading.Event()
        self._server = _Server(("127.0.0.1", port), self)
        self.url = "http://127.0.0.1:%d" % self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stop, and hang up on whoever still waits."""
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._server.hang_up()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: Any, model: ModelServer) -> None:
        self.model = model
        self._open: Set[socket.socket] = set()
        self._serving: Set[threading.Thread] = set()
        self._lock = threading.Lock()
        super().__init__(address, _Handler)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
            self._serving.add(threading.current_thread())
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._lock:
                self._open.discard(request)
                self._serving.discard(threading.current_thread())

    def hang_up(self) -> None:
        """Close every connection, and wait for the threads that served them."""
        with self._lock:
            still, threads = list(self._open), list(self._serving)
        for each in still:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(5)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error; others are what the reply says."""


class _Refused(Exception):  # noqa: N818  # a statement about a request
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    """Head and body are written apart: without it each reply waits 40 ms to be acknowledged."""
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # its name in the base
        """Nothing is printed: what is sent here may be secret."""

    def do_GET(self) -> None:  # as the base has it
        if self.path.partition("?")[0] == "/v1/models":
            model = {"id": "scripted", "object": "model", "created": 0, "owned_by": "counterproof"}
            self._json(200, {"object": "list", "data": [model]})
        else:
            self._json(404, openai_wire.error(404, "there is no GET %s" % self.path))

    def do_POST(self) -> None:  # as the base has it
        path = self.path.partition("?")[0]
        wire: Any = _CHAT.get(path, openai_wire)
        try:
            body = self._body()
            if path in _CHAT:
                self._chat(wire, body)
            elif path == "/v1/embeddings":
                self._embeddings(body)
            else:
                self._json(404, wire.error(404, "there is no POST %s" % self.path))
        except (_Refused, openai_wire.BadRequest) as error:
            status = getattr(error, "status", 400)
            self._json(status, wire.error(status, str(error)))

    def _body(self) -> Dict[str, Any]:
        length = self.headers.get("content-length")
        if length is None or not length.isdigit() or int(length) > _MOST:
            self.close_connection = True
            raise _Refused(413 if length else 411, "a body of a known, moderate length is needed")
        try:
            body = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise _Refused(400, "the body is no JSON") from None
        if not isinstance(body, dict):
            raise _Refused(400, "the body is no object")
        return body

    def _chat(self, wire: Any, body: Dict[str, Any]) -> None:
        model = self.server.model
        messages, tools = wire.asked(body)
        fault = model.fault() if model.fault is not None else None
        if fault == "rate-limit":
            self._json(429, wire.error(429, "too many requests"), {"retry-after": "0"})
            return
        if fault == "silence":
            model.over.wait()
            self.close_connection = True
            return
        try:
            reply = model.complete(messages, tools)
        except ModelTimeout as error:
            self._json(504, wire.error(504, str(error)), _NO_RETRY)
        except ModelError as error:
            self._failed(wire, error)
        except Exception as error:  # noqa: BLE001  # the client must be told something
            self._json(500, wire.error(500, "%s: %s" % (type(error).__name__, error)), _NO_RETRY)
        else:
            if body.get("stream"):
                self._stream(wire.events(body, reply), cut=fault == "cut-stream")
            else:
                self._reply(wire.completion(body, reply), fault)

    def _failed(self, wire: Any, error: ModelError) -> None:
        """A failure that the model plays: an error, or a fault of the transport."""
        if error.kind == "rate-limit":
            self._json(429, wire.error(429, str(error)), _NO_RETRY)
        elif error.kind in ("truncated", "malformed"):
            self._reply(wire.error(500, str(error)), error.kind)
        else:
            self._json(500, wire.error(500, str(error)), _NO_RETRY)

    def _embeddings(self, body: Dict[str, Any]) -> None:
        texts = openai_wire.texts_of(body)
        told = self.server.model.embed
        vectors = [embedding(each) for each in (texts if told is None else told(texts))]
        self._json(200, openai_wire.embeddings(body, texts, vectors))

    def _reply(self, value: Mapping[str, Any], fault: Optional[str]) -> None:
        data = _encoded(value)
        if fault == "malformed":
            data = data[:-1]
        if fault == "truncated":
            self.close_connection = True
            self._head(200, "application/json", {"content-length": str(len(data))})
            self._send(data[: len(data) // 2])
            return
        self._head(200, "application/json", {"content-length": str(len(data))})
        self._send(data)

    def _stream(self, events: Iterator[openai_wire.Event], *, cut: bool) -> None:
        self.close_connection = True
        self._head(200, "text/event-stream", {"cache-control": "no-store", "connection": "close"})
        for number, (name, data) in enumerate(events):
            if cut and number:
                return
            head = "event: %s\n" % name if name else ""
            self._send(("%sdata: %s\n\n" % (head, data)).encode("utf-8", "surrogatepass"))

    def _json(
        self, status: int, value: Mapping[str, Any], headers: Optional[Dict[str, str]] = None
    ) -> None:
        data = _encoded(value)
        told = {"content-length": str(len(data)), **(headers or {})}
        self._head(status, "application/json", told)
        self._send(data)

    def _head(self, status: int, kind: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        for name, value in headers.items():
            self.send_header(name, value)
        with contextlib.suppress(OSError):
            self.end_headers()

    def _send(self, data: bytes) -> None:
        with contextlib.suppress(OSError):  # the client has gone
            self.wfile.write(data)
            self.wfile.flush()


_NO_RETRY = {"x-should-retry": "false"}


def _encoded(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
