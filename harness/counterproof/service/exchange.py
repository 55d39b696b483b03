"""One request to the service and what comes back, as plain values."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import httpx_sse

_MOST = 16 * 2**20
"""Bytes of a response that are read; a longer one is refused."""
_SHOWN = 200


@dataclass(frozen=True)
class Request:
    """What is sent.

    Args:
        path: where to.
        body: the body's bytes; JSON, unless a check sends something else on purpose.
        streamed: whether server-sent events are expected back.
    """

    path: str
    body: bytes
    streamed: bool = False

    @classmethod
    def of(cls, path: str, body: Any, *, streamed: bool = False) -> Request:
        """The request with a JSON body."""
        text = json.dumps(body, ensure_ascii=False, allow_nan=False)
        return cls(path, text.encode("utf-8", "surrogatepass"), streamed)


class ExchangeFailed(Exception):  # noqa: N818  # an event, not only an error
    """There is no whole response; the message names the exchange.

    Attributes:
        kind: ``exited`` (nobody answers there), ``hung`` or ``protocol`` (broken off).
        so_far: what had come of it.
    """

    def __init__(self, kind: str, message: str, so_far: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.so_far = so_far


class Exchanger:
    """Talks to one service.

    Redirects are not followed, and neither proxies nor credentials of the surroundings are used:
    what is not sent to the address given is not sent at all.

    Args:
        url: the service's address, such as ``http://127.0.0.1:8123``.
        headers: sent with each request; they stand in no output.
        seconds: how long the service may keep silent.
    """

    def __init__(self, url: str, headers: Mapping[str, str], seconds: float) -> None:
        self._client = httpx.Client(
            base_url=url,
            headers=dict(headers),
            timeout=httpx.Timeout(seconds, connect=min(seconds, 5.0)),
            follow_redirects=False,
            trust_env=False,
            limits=httpx.Limits(max_connections=128, max_keepalive_connections=16),
        )

    def close(self) -> None:
        """Close every connection."""
        self._client.close()

    def healthy(self, path: str) -> bool:
        """Whether the service says that it is ready."""
        try:
            return self._client.get(path, timeout=2.0).status_code == 200
        except httpx.HTTPError:
            return False

    def send(self, request: Request) -> dict[str, Any]:
        """Send a request and read the whole response.

        Args:
            request: what is sent.

        Returns:
            ``{"status", "type", "body"}``, the body as JSON where it is, as text elsewhere; of a
            stream also ``"events"``, each ``{"event", "data"}``.

        Raises:
            ExchangeFailed: there is no whole response.
        """
        name = f"POST {request.path}"
        seen: dict[str, Any] = {"status": None, "type": "", "body": None}
        with self._failing(name, seen):
            kind = "text/event-stream" if request.streamed else "application/json"
            with self._client.stream(
                "POST",
                request.path,
                content=request.body,
                headers={"content-type": "application/json", "accept": kind},
            ) as response:
                seen["status"] = response.status_code
                seen["type"] = response.headers.get("content-type", "").partition(";")[0].strip()
                if seen["type"] == "text/event-stream":
                    seen["events"] = []
                    self._events(response, seen["events"])
                else:
                    seen["body"] = _read(self._whole(response))
        return seen

    @contextlib.contextmanager
    def _failing(self, name: str, seen: dict[str, Any]) -> Iterator[None]:
        so_far = None
        try:
            yield
        except httpx.TimeoutException as error:
            so_far = None if seen["status"] is None else seen
            connecting = isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout)
            kind, what = (
                ("exited", "nobody answers") if connecting else ("hung", "no answer in time")
            )
            raise ExchangeFailed(kind, f"{name}: {what}", so_far) from None
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise ExchangeFailed("exited", f"{name}: nobody answers: {error}") from None
        except httpx.HTTPError as error:
            so_far = None if seen["status"] is None else seen
            raise ExchangeFailed(
                "protocol", f"{name}: the response was broken off: {error}", so_far
            ) from None
        except _TooLong:
            raise ExchangeFailed(
                "protocol", f"{name}: the response is longer than {_MOST} bytes", None
            ) from None

    def _whole(self, response: httpx.Response) -> bytes:
        parts, length = [], 0
        for part in response.iter_bytes():
            length += len(part)
            if length > _MOST:
                raise _TooLong
            parts.append(part)
        return b"".join(parts)

    def _events(self, response: httpx.Response, events: list[dict[str, Any]]) -> None:
        length = 0
        for event in httpx_sse.EventSource(response).iter_sse():
            length += len(event.data)
            if length > _MOST:
                raise _TooLong
            events.append({"event": event.event, "data": _read(event.data.encode())})


class _TooLong(Exception):  # noqa: N818  # a statement about a response
    pass


def _read(data: bytes) -> Any:
    """A body as JSON where it is, as text elsewhere."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return data.decode("utf-8", "replace")


def shown(seen: Mapping[str, Any]) -> str:
    """A response in a few words: its status, what kind it is and how it begins."""
    body = seen.get("body")
    if body is None and "events" in seen:
        body = seen["events"][:2]
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    flat = " ".join(text.split())
    told = flat if len(flat) <= _SHOWN else flat[: _SHOWN - 1] + "…"
    return f"{seen['status']} {seen['type'] or '(no content type)'}: {told}"
