"""The OpenAI wire: chat completions and embeddings, as JSON bodies and as streams.

The kit's own shape of a completion is this wire's, so that there is little to turn.
"""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

Event = Tuple[Optional[str], str]
"""A server-sent event: its name, or None, and its data."""


class BadRequest(ValueError):  # noqa: N818  # a statement about a body
    """A body that is no request of this wire; the message says why."""


def asked(body: Mapping[str, Any]) -> Tuple[List[Dict[str, Any]], Optional[List[Any]]]:
    """The messages and tools a request holds.

    Args:
        body: the request's body.

    Raises:
        BadRequest: it holds no messages.
    """
    messages = body.get("messages")
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        raise BadRequest("messages must be a list of objects")
    tools = body.get("tools")
    if tools is not None and not isinstance(tools, list):
        raise BadRequest("tools must be a list")
    return messages, tools or None


def completion(body: Mapping[str, Any], reply: Mapping[str, Any]) -> Dict[str, Any]:
    """The response body of a reply.

    Args:
        body: the request's body.
        reply: the chat completion.
    """
    return {**reply, "model": body.get("model", reply.get("model", "scripted"))}


def events(body: Mapping[str, Any], reply: Mapping[str, Any]) -> Iterator[Event]:
    """The events of a streamed reply.

    Args:
        body: the request's body.
        reply: the chat completion.
    """
    whole = completion(body, reply)
    head: Dict[str, Any] = {"object": "chat.completion.chunk"}
    head.update({name: whole[name] for name in ("id", "created", "model") if name in whole})

    def chunk(index: int, delta: Mapping[str, Any], reason: Optional[str] = None) -> Event:
        choice = {"index": index, "delta": delta, "finish_reason": reason, "logprobs": None}
        return None, json.dumps({**head, "choices": [choice]}, ensure_ascii=False)

    for choice in whole["choices"]:
        index, message = choice["index"], choice["message"]
        yield chunk(index, {"role": "assistant", "content": ""})
        for piece in pieces(message.get("content") or ""):
            yield chunk(index, {"content": piece})
        for number, call in enumerate(message.get("tool_calls") or ()):
            yield chunk(index, {"tool_calls": [{**call, "index": number}]})
        yield chunk(index, {}, choice["finish_reason"])
    yield None, "[DONE]"


def pieces(text: str, size: int = 12) -> Iterator[str]:
    """A text in pieces, as a model writes it."""
    for start in range(0, len(text), size):
        yield text[start : start + size]


def error(status: int, message: str) -> Dict[str, Any]:
    """The body of an error."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def embeddings(
    body: Mapping[str, Any], texts: Sequence[str], vectors: Sequence[Sequence[float]]
) -> Dict[str, Any]:
    """The response body of texts that were embedded.

    Args:
        body: the request's body.
        texts: the texts.
        vectors: one for each.
    """
    base64_asked = body.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": index, "embedding": _encoded(each, base64_asked)}
        for index, each in enumerate(vectors)
    ]
    tokens = sum(len(each.split()) for each in texts)
    return {
        "object": "list",
        "data": data,
        "model": body.get("model", "scripted"),
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def _encoded(vector: Sequence[float], as_base64: bool) -> Any:
    if not as_base64:
        return list(vector)
    import base64
    import struct

    return base64.b64encode(struct.pack("<%df" % len(vector), *vector)).decode("ascii")


def texts_of(body: Mapping[str, Any]) -> List[str]:
    """The texts a request asks to embed.

    Args:
        body: the request's body.

    Raises:
        BadRequest: it holds no texts.
    """
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
        raise BadRequest("input must be a string or a list of strings")
    return texts
