"""The application: every guard runs before a response begins, streamed or not."""

import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel, ConfigDict, Field, StrictStr
from starlette.exceptions import HTTPException as StarletteHTTPException

from counterproof_reference.history import HistoryError
from counterproof_reference.result import EngineResult
from counterproof_reference.service.limits import BodyLimit, Limits

_DELTA = 16
"""Characters of an answer that one event carries."""

Answering = Callable[..., EngineResult]
"""``answer(question, **history)``: the engine, opened over its knowledge."""


class AskRequest(BaseModel):
    """One question.

    Args:
        question: the current question.
        history: earlier turns as (role, text) pairs, oldest first; left out, null and [] are one.
    """

    model_config = ConfigDict(extra="forbid")

    question: StrictStr = Field(min_length=1)
    history: list[tuple[StrictStr, StrictStr]] | None = None


class CitedSource(BaseModel):
    """A place the answer cites."""

    doc: str
    locator: str


class AskResponse(BaseModel):
    """The answer.

    Args:
        request_id: of this request alone.
        answer: the answer with its citations.
        plain: the same without them.
        route: which way the engine took.
        refused: whether nothing was answered.
        sources: what is cited.
        tool_results: what the tool found for each slot the question asks about.
    """

    request_id: str
    answer: str
    plain: str
    route: str
    refused: bool
    sources: list[CitedSource]
    tool_results: list[dict[str, Any]]


class Fault(BaseModel):
    """Where a request is wrong, and how."""

    where: str
    what: str


class Refusal(BaseModel):
    """Why a request gets no answer."""

    detail: list[Fault]


_STATUSES = (400, 413, 422, 500)
_REFUSALS: dict[int | str, dict[str, Any]] = {each: {"model": Refusal} for each in _STATUSES}
_AS_JSON = {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}}
_REFUSED_STREAMS: dict[int | str, dict[str, Any]] = {
    each: {"description": "No stream was opened.", "content": _AS_JSON} for each in _STATUSES
}


def create_app(
    answer: Answering, limits: Limits | None = None, close: Callable[[], None] | None = None
) -> FastAPI:
    """The service over an engine.

    Args:
        answer: the engine; called from several threads.
        limits: what a request may hold.
        close: called once the service ends.
    """
    allowed = limits or Limits()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        if close is not None:
            close()

    app = FastAPI(title="Counterproof reference engine", lifespan=lifespan)
    app.add_middleware(BodyLimit, most=allowed.body)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(StarletteHTTPException, _refused)
    app.add_exception_handler(Exception, _failed)

    def answered(asked: AskRequest) -> AskResponse:
        """The finished, guarded answer; both routes stand on it."""
        if fault := allowed.exceeded(asked.question, asked.history):
            where, what = fault
            raise HTTPException(413, [{"where": f"body.{where}", "what": what}])
        history = {} if asked.history is None else {"history": asked.history}
        try:
            return _response(answer(asked.question, **history))
        except HistoryError as error:
            raise HTTPException(422, [{"where": "body.history", "what": str(error)}]) from None

    @app.get("/health")
    def health() -> Mapping[str, str]:
        """Whether the service is ready."""
        return {"status": "ok"}

    @app.post("/v1/ask", responses=_REFUSALS)
    def ask(response: Annotated[AskResponse, Depends(answered)]) -> AskResponse:
        """Answer one question."""
        return response

    @app.post("/v1/ask/stream", response_class=EventSourceResponse, responses=_REFUSED_STREAMS)
    def ask_stream(
        response: Annotated[AskResponse, Depends(answered)],
    ) -> Iterator[ServerSentEvent]:
        """Replay a finished answer: start, delta…, done with what else there is of it."""
        yield ServerSentEvent(event="start", data={"request_id": response.request_id})
        text = response.answer
        for at in range(0, len(text), _DELTA):
            yield ServerSentEvent(event="delta", data={"text": text[at : at + _DELTA]})
        rest = response.model_dump(exclude={"answer"})
        yield ServerSentEvent(event="done", data=rest)

    return app


def _response(result: EngineResult) -> AskResponse:
    return AskResponse(
        request_id=uuid.uuid4().hex,
        answer=result.text,
        plain=result.plain,
        route=result.route,
        refused=result.refused,
        sources=[CitedSource(**asdict(each)) for each in result.sources],
        tool_results=[dict(each) for each in result.tool_results],
    )


async def _malformed(_: Request, error: Exception) -> JSONResponse:
    """Where the request is wrong, and how; what was sent is not repeated."""
    assert isinstance(error, RequestValidationError)
    faults = [
        {"where": ".".join(str(part) for part in each["loc"]), "what": each["msg"]}
        for each in error.errors()
    ]
    return JSONResponse({"detail": faults}, status_code=422)


async def _refused(_: Request, error: Exception) -> JSONResponse:
    """An error with a status, in the one form that refusals have."""
    assert isinstance(error, StarletteHTTPException)
    told: Any = error.detail
    faults = told if isinstance(told, list) else [{"where": "request", "what": str(told)}]
    return JSONResponse({"detail": faults}, status_code=error.status_code, headers=error.headers)


async def _failed(_: Request, error: Exception) -> JSONResponse:
    """An error nobody foresaw: its kind, and nothing of what it was about."""
    fault = {"where": "service", "what": f"internal error ({type(error).__name__})"}
    return JSONResponse({"detail": [fault]}, status_code=500)
