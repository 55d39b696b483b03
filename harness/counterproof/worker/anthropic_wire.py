"""The Anthropic wire: messages, turned into the kit's own shape and back."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from counterproof.worker.openai_wire import BadRequest, Event, pieces

_REASONS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}


def asked(body: Mapping[str, Any]) -> Tuple[List[Dict[str, Any]], Optional[List[Any]]]:
    """The messages and tools a request holds, in the kit's own shape.

    Args:
        body: the request's body.

    Raises:
        BadRequest: it holds no messages.
    """
    given = body.get("messages")
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise BadRequest("messages must be a list of objects")
    messages: List[Dict[str, Any]] = []
    if body.get("system"):
        messages.append({"role": "system", "content": _text(body["system"])})
    for each in given:
        messages += _turned(each)
    tools = [_tool(each) for each in body.get("tools") or ()]
    return messages, tools or None


def _turned(message: Mapping[str, Any]) -> Iterator[Dict[str, Any]]:
    """One message as those it is: tool results stand apart, before what the user says."""
    role, content = message.get("role"), message.get("content")
    if isinstance(content, str):
        yield {"role": role, "content": content}
        return
    if not isinstance(content, list):
        raise BadRequest("content must be a string or a list of blocks")
    blocks = [each if isinstance(each, dict) else {} for each in content]
    for each in blocks:
        if each.get("type") == "tool_result":
            yield {
                "role": "tool",
                "tool_call_id": each.get("tool_use_id"),
                "content": _text(each.get("content", "")),
            }
    calls = [_call(each) for each in blocks if each.get("type") == "tool_use"]
    rest = [each for each in blocks if each.get("type") not in ("tool_result", "tool_use")]
    if not rest and not calls:
        return
    said = _text(rest) if all(each.get("type") == "text" for each in rest) else rest
    turned: Dict[str, Any] = {"role": role, "content": said if rest else None}
    if calls:
        turned["tool_calls"] = calls
    yield turned


def _call(block: Mapping[str, Any]) -> Dict[str, Any]:
    arguments = json.dumps(block.get("input", {}), ensure_ascii=False)
    function = {"name": block.get("name"), "arguments": arguments}
    return {"id": block.get("id"), "type": "function", "function": function}


def _text(content: Any) -> str:
    """The text of a string, or of a list of text blocks; what is neither, as JSON."""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(
        isinstance(each, dict) and isinstance(each.get("text"), str) for each in content
    ):
        return "\n".join(each["text"] for each in content)
    return json.dumps(content, ensure_ascii=False)


def _tool(tool: Any) -> Dict[str, Any]:
    if not isinstance(tool, dict):
        raise BadRequest("tools must be a list of objects")
    function = {"name": tool.get("name"), "parameters": tool.get("input_schema") or {}}
    if tool.get("description"):
        function["description"] = tool["description"]
    return {"type": "function", "function": function}


def completion(body: Mapping[str, Any], reply: Mapping[str, Any]) -> Dict[str, Any]:
    """The response body of a reply.

    Args:
        body: the request's body.
        reply: the chat completion.
    """
    choice = next(iter(reply["choices"]), None)
    content = [] if choice is None else list(_blocks(choice["message"]))
    reason = "end_turn" if choice is None else _REASONS.get(choice["finish_reason"], "end_turn")
    return {
        "id": "msg_%s" % str(reply.get("id", "1")).replace("chatcmpl-", ""),
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _blocks(message: Mapping[str, Any]) -> Iterator[Dict[str, Any]]:
    if message.get("content"):
        yield {"type": "text", "text": message["content"]}
    for call in message.get("tool_calls") or ():
        function = call["function"]
        yield {
            "type": "tool_use",
            "id": call.get("id") or "",
            "name": function["name"],
            "input": _input(function["arguments"]),
        }


def _input(arguments: str) -> Any:
    """Arguments as this wire has them: an object; what is none stands in one."""
    try:
        value = json.loads(arguments)
    except ValueError:
        return {"malformed": arguments}
    return value if isinstance(value, dict) else {"value": value}


def events(body: Mapping[str, Any], reply: Mapping[str, Any]) -> Iterator[Event]:
    """The events of a streamed reply.

    Args:
        body: the request's body.
        reply: the chat completion.
    """
    whole = completion(body, reply)

    def event(name: str, **data: Any) -> Event:
        return name, json.dumps({"type": name, **data}, ensure_ascii=False)

    start = {**whole, "content": [], "stop_reason": None}
    yield event("message_start", message=start)
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            yield event("content_block_start", index=index, content_block={**block, "text": ""})
            for piece in pieces(block["text"]):
                yield event(
                    "content_block_delta", index=index, delta={"type": "text_delta", "text": piece}
                )
        else:
            yield event("content_block_start", index=index, content_block={**block, "input": {}})
            part = json.dumps(block["input"], ensure_ascii=False)
            delta = {"type": "input_json_delta", "partial_json": part}
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    yield event(
        "message_delta",
        delta={"stop_reason": whole["stop_reason"], "stop_sequence": None},
        usage={"output_tokens": 1},
    )
    yield event("message_stop")


def error(status: int, message: str) -> Dict[str, Any]:
    """The body of an error."""
    kind = "invalid_request_error" if status < 500 else "api_error"
    return {"type": "error", "error": {"type": kind, "message": message}}
