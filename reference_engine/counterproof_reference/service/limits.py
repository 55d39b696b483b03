"""What a request may hold: declared, and refused in words where it is exceeded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass(frozen=True)
class Limits:
    """The most a request may hold.

    Args:
        body: bytes of its body.
        turns: turns of its history.
        text: characters of its question, and of each turn.
    """

    body: int = 2**20
    turns: int = 1_000
    text: int = 100_000

    def exceeded(
        self, question: str, history: Sequence[tuple[str, str]] | None
    ) -> tuple[str, str] | None:
        """What of a request is too long, and how; None where nothing is.

        Args:
            question: its question.
            history: its turns.
        """
        turns = history or ()
        if len(turns) > self.turns:
            return "history", f"it has {len(turns)} turns; {self.turns} is the most"
        if len(question) > self.text:
            return "question", f"it has {len(question)} characters; {self.text} is the most"
        for number, (_, text) in enumerate(turns):
            if len(text) > self.text:
                told = f"it has {len(text)} characters; {self.text} is the most"
                return f"history.{number}.1", told
        return None


class BodyLimit:
    """Refuses a body that is too long, before it is read whole.

    Args:
        app: the application.
        most: bytes a body may have.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, as ASGI has it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        parts: list[Message] = []
        length = 0
        while True:
            message = await receive()
            parts.append(message)
            length += len(message.get("body", b""))
            if length > self._most:
                fault = {"where": "body", "what": f"it has more than {self._most} bytes"}
                await JSONResponse({"detail": [fault]}, status_code=413)(scope, receive, send)
                return
            if not message.get("more_body", False):
                break

        async def again() -> Message:
            return parts.pop(0) if parts else await receive()

        await self._app(scope, again, send)
