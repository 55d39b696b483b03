"""What an adapter asks the scripted model with.

Like the contract, it runs inside the engine's own environment: the standard library alone,
Python 3.10 and later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol


class ModelError(Exception):
    """The scripted model failed, as a provider's connection does.

    Attributes:
        kind: how: ``error``, ``timeout``, or a fault of the transport (``rate-limit``,
            ``truncated``, ``malformed``), which shows as such where the model is called over HTTP.
    """

    kind: str = "error"


class ModelTimeout(ModelError):  # noqa: N818  # as providers name theirs
    """The scripted model did not answer in time."""


class Port(Protocol):
    """The way from a seam to the process that decides; the worker supplies it."""

    def cross(self, seam: str, data: Mapping[str, Any]) -> Any:
        """Report one crossing and return what takes its place."""
        ...


class Model:
    """The scripted language model, as an adapter calls it."""

    def __init__(
        self,
        port: Port,
        reply: Callable[..., Any] | None = None,
        serve: Callable[[Callable[..., Any]], str] | None = None,
    ) -> None:
        self._port = port
        self._reply = reply
        self._serve = serve
        self._url: str | None = None

    @property
    def url(self) -> str:
        """Where the same model is called over HTTP, such as ``http://127.0.0.1:40123``.

        For engines that have a provider's own client: OpenAI's takes ``url + "/v1"`` as its base
        URL, Anthropic's takes ``url``; any key will do. What is sent there crosses the model seam.
        """
        if self._url is None:
            if self._serve is None:
                raise RuntimeError("this model is not served over HTTP")
            self._url = self._serve(self.complete)
        return self._url

    def complete(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Any] | None = None
    ) -> dict[str, Any]:
        """Ask the model for one reply.

        Args:
            messages: chat messages in the OpenAI shape, as plain dicts.
            tools: function tools in the OpenAI shape, or None where none are offered.

        Returns:
            A chat completion in the OpenAI shape, as a plain dict: the reply is
            ``["choices"][0]["message"]`` (``choices`` may be empty: FAB-9).

        Raises:
            ModelError: where the model plays a failing provider (FAB-9).
            ModelTimeout: where it plays one that does not answer.
        """
        asked = {"messages": list(messages), "tools": None if tools is None else list(tools)}
        if self._reply is not None:
            asked["suggested"] = self._reply(messages, tools)
        got = self._port.cross("model", asked)
        if "error" in got:
            timed_out = got["error"] == "timeout"
            error = (ModelTimeout if timed_out else ModelError)(got["message"])
            error.kind = str(got["error"])
            raise error
        completion: dict[str, Any] = got["completion"]
        return completion

    async def acomplete(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Any] | None = None
    ) -> dict[str, Any]:
        """As :meth:`complete`, for asynchronous engines; yields to the loop before it asks."""
        import asyncio

        await asyncio.sleep(0)
        return self.complete(messages, tools)
