"""The deciding process's end of the exchange with a service: what a worker's link is to a worker.

It answers the same requests as the worker does, so that a subject need not know which it has.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Mapping
from typing import Any

from counterproof.contract import Answer, Source
from counterproof.service.deployment import Deployment, ServiceTarget
from counterproof.service.exchange import ExchangeFailed, Request, shown
from counterproof.service.mapping import put_in, taken_from
from counterproof.worker import values
from counterproof.worker.link import ASK_SECONDS, Cross, WorkerDied
from counterproof.worker.replies import answered, failed
from counterproof.worlds import WorldSpec

ASK_SECONDS_AFTER_A_HANG = 2.0


class ServiceLink:
    """One of those that ask a service; all of a run share the one service.

    Args:
        deployment: the service.
        untold: whether what is asked over this link is asked of a service that was never told a
            history: it is started anew where it was (DEF-3).
    """

    def __init__(self, deployment: Deployment, *, untold: bool = False) -> None:
        self.target: ServiceTarget = deployment.target
        self.hash_seed = 0
        self.hangs = 0
        self._deployment = deployment
        self._untold = untold
        self._running = False
        self._world: WorldSpec | None = None

    @property
    def running(self) -> bool:
        """Whether it is known to be lost: it is started, where it can be, once it is opened."""
        return self._running

    @property
    def starts(self) -> int:
        """How often the service was started."""
        return self._deployment.starts

    def start(self) -> None:
        """Nothing yet: which world it must hold is not known before it is opened."""
        self._running = True

    def close(self) -> None:
        """Give the service up; whoever made the deployment ends it."""
        self._running = False

    def open(self, world: WorldSpec, cross: Cross) -> dict[str, Any]:  # a worker's
        """Have the service hold a world, where it can be told one.

        Args:
            world: the world.
            cross: nothing crosses while a service starts.

        Raises:
            WorkerDied: it does not start over it.
        """
        self._world = world
        self._deployment.open(world, anew=self._untold and self._deployment.told)
        self._running = True
        return {"op": "opened"}

    def request(
        self, message: Mapping[str, Any], cross: Cross | None = None, seconds: float | None = None
    ) -> dict[str, Any]:
        """Do what a worker is asked to; see :meth:`counterproof.worker.link.Link.request`.

        Raises:
            WorkerDied: the service does not answer, hangs or breaks off.
        """
        handler = getattr(self, "_on_" + message["op"])
        patience = ASK_SECONDS_AFTER_A_HANG if self.hangs else ASK_SECONDS
        deadline = time.monotonic() + (patience if seconds is None else seconds)
        try:
            reply: dict[str, Any] = handler(message, cross, deadline)
        except WorkerDied as died:
            self.hangs += died.kind == "hung"
            self._running = False
            if died.kind == "hung" or not self._deployment.up:
                self._deployment.stop()
            raise
        return reply

    def _on_load(self, *_: Any) -> dict[str, Any]:
        mapping = self.target.mapping
        return {
            "op": "loaded",
            "name": mapping.name or self.target.url,
            "version": mapping.version,
            "channels": sorted(mapping.channels),
            "claims": sorted(mapping.claims),
            "seams": [
                "model",
                "service",
                *(["stream"] if mapping.stream else []),
                *(["retrieval"] if mapping.embeddings else []),
            ],
            "volatile": sorted(mapping.volatile),
            "concurrency": "thread" if mapping.at_once > 1 else "none",
            "reducer": None,
            "errors": [],
            "calls_tools_itself": mapping.tool is not None,
            "python": "",
            "lacks": self._lacks(),
        }

    def _lacks(self) -> dict[str, str]:
        """What the kit cannot do with it, and why."""
        lacks = {
            "object": "over HTTP the caller's own object never reaches the engine",
            "processes": "the kit has one process of a service, not two of different hash seeds",
        }
        if not self.target.reopens:
            lacks["untold"] = "the service runs already; with --start the kit could start it anew"
        if not self.target.takes_worlds:
            lacks["worlds"] = (
                "the service holds one world; with {world} in --start it could be started over"
                " another"
            )
        return lacks

    def _on_describe(self, *_: Any) -> dict[str, Any]:
        return {"op": "described", "seams": {}}

    def _on_files(self, *_: Any) -> dict[str, Any]:
        return {"op": "files", "files": {}}

    def _on_tool_call(self, message: Mapping[str, Any], *_: Any) -> dict[str, Any]:
        tool = self.target.mapping.tool
        assert tool is not None
        slots = {"entity": "", "metric": "", "period": "", **message["probe"]["slots"][0]}
        arguments = {name: text.format_map(slots) for name, text in tool.arguments.items()}
        return {"op": "tool_called", "name": tool.name, "arguments": arguments}

    def _on_ask(
        self, message: Mapping[str, Any], cross: Cross | None, deadline: float
    ) -> dict[str, Any]:
        assert cross is not None
        (reply,) = self._put([message], cross, deadline)
        return reply

    def _on_ask_many(
        self, message: Mapping[str, Any], cross: Cross | None, deadline: float
    ) -> dict[str, Any]:
        assert cross is not None
        return {"op": "answered", "replies": self._put(message["asks"], cross, deadline)}

    def _put(
        self, asks: list[Mapping[str, Any]], cross: Cross, deadline: float
    ) -> list[dict[str, Any]]:
        self._deployment.open(self._world)
        requests = [self._request(each, cross) for each in asks]
        self._deployment.told |= any(each["turns"] for each in asks)
        send = self._deployment.exchanger.send
        jobs = [functools.partial(send, each) for each in requests]
        results = self._deployment.during(jobs, cross, deadline)
        replies = []
        for number, (result, request) in enumerate(zip(results, requests, strict=True)):
            replies.append(self._reply(number, result, request, cross, len(asks) > 1))
        return replies

    def _request(self, ask: Mapping[str, Any], cross: Cross) -> Request:
        """The request an ask is put with, as a sabotage may have altered it."""
        mapping = self.target.mapping
        streamed = bool(ask.get("streamed"))
        assert mapping.stream is not None or not streamed
        path = mapping.stream.path if streamed and mapping.stream else mapping.ask.path
        if ask.get("body") is not None:
            return Request(path, ask["body"], streamed)  # what is no request, no sabotage alters
        body: dict[str, Any] = dict(mapping.ask.body)
        put_in(body, mapping.ask.question, ask["question"])
        if ask["kind"] != "omitted":
            put_in(body, mapping.ask.history, self._history(ask))
        altered = cross("request", {"body": body, "streamed": streamed})
        return Request.of(path, altered["body"], streamed=streamed)

    def _history(self, ask: Mapping[str, Any]) -> Any:
        """The history as the service takes it; what is malformed is sent as it stands."""
        if ask["kind"] == "none":
            return None
        if ask["kind"] == "raw":
            return _plain(values.build("raw", ask["turns"]))
        fields = self.target.mapping.ask
        if fields.turns == "objects":
            return [{fields.role: role, fields.text: text} for role, text in ask["turns"]]
        return [list(each) for each in ask["turns"]]

    def _reply(
        self, number: int, result: Any, request: Request, cross: Cross, many: bool
    ) -> dict[str, Any]:
        named = {"ask": number} if many else {}
        if isinstance(result, ExchangeFailed):
            if result.so_far is not None:
                cross("response", {**self._streamed(result.so_far), **named})
            died = WorkerDied(result.kind, f"{result}{self._deployment.last_words()}")
            if not many:
                raise died
            return {"op": "failed", "kind": died.kind, "type": "", "message": str(died)}
        if isinstance(result, BaseException):
            raise result
        seen = cross("response", {**self._streamed(result), **named})
        return self._read(seen, request)

    def _read(self, seen: Mapping[str, Any], request: Request) -> dict[str, Any]:
        """What the worker would have replied: the answer, or how there is none."""
        name = f"POST {request.path}"
        if seen["status"] != 200:
            error = RuntimeError(f"{name}: {shown(seen)}")
            return {**failed("ask", error, "raised"), "type": f"HTTP {seen['status']}", "where": []}
        body = self._joined(seen) if request.streamed else seen["body"]
        fields = self.target.mapping.answer
        text = taken_from(body, fields.text)
        if not isinstance(text, str):
            wrong = TypeError(f"{name}: there is no text at {fields.text!r}: {shown(seen)}")
            return {**failed("ask", wrong, "contract"), "where": []}
        sources = taken_from(body, fields.sources) or []
        if not isinstance(sources, list) or not all(isinstance(each, Mapping) for each in sources):
            wrong = TypeError(f"{name}: what is at {fields.sources!r} is no list of objects")
            return {**failed("ask", wrong, "contract"), "where": []}
        answer = Answer(
            text=text,
            sources=tuple(
                Source(
                    str(taken_from(each, fields.doc, "")), str(taken_from(each, fields.locator, ""))
                )
                for each in sources
            ),
            route=taken_from(body, fields.route),
            refused=taken_from(body, fields.refused),
            plain=taken_from(body, fields.plain),
            tool_results=taken_from(body, fields.tool_results),
        )
        return answered(answer)

    def _streamed(self, seen: dict[str, Any]) -> dict[str, Any]:
        """A response, and of a stream what its events say: the deltas, and what closes it."""
        stream = self.target.mapping.stream
        if stream is None or "events" not in seen:
            return seen
        told = [(_name(each, stream.type), each["data"]) for each in seen["events"]]
        closing = [data for name, data in told if name == stream.done]
        deltas = [
            str(taken_from(data, stream.text, "")) for name, data in told if name == stream.delta
        ]
        whole = closing[-1] if closing and isinstance(closing[-1], dict) else None
        return {**seen, "deltas": deltas, "closing": whole}

    def _joined(self, seen: Mapping[str, Any]) -> Any:
        """A stream as the body it stands for: the deltas joined, and what closes it."""
        if seen.get("deltas") is None:
            return seen["body"]
        if seen["closing"] is None:
            return None
        body: dict[str, Any] = dict(seen["closing"])
        put_in(body, self.target.mapping.answer.text, "".join(seen["deltas"]))
        return body


def _name(event: Mapping[str, Any], field: str) -> Any:
    """What an event is called: by itself, or by its data where it bears no name."""
    return taken_from(event["data"], field) if event["event"] == "message" else event["event"]


def _plain(value: Any) -> Any:
    """A malformed history as JSON can hold it."""
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    odd = isinstance(value, float) and not math.isfinite(value)
    if value is None or (isinstance(value, bool | int | float | str) and not odd):
        return value
    return str(value)
