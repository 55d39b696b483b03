"""A chat history as one text for a prompt, in well-formed XML, and back."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from typing import Any, NoReturn

from counterproof_reference.chat_history.errors import ChatHistoryError, PromptError
from counterproof_reference.chat_history.json_values import Json
from counterproof_reference.chat_history.messages import Call, Image, Message, Part, Result, Text

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
_ESCAPED = re.compile("[&<>\r]")


def render_prompt(messages: Iterable[Message]) -> str:
    r"""Messages as an XML element ``chat_history`` (CHH-8).

    Whatever a text holds stays text: markup and entities are escaped, and a character that XML
    cannot hold, such as a control character, is an element ``<char code="1"/>``, so that it
    neither vanishes nor makes the whole unreadable. Arguments and results are JSON. Uids and
    metadata are left out: they are not for the model.

    Args:
        messages: the messages, oldest first.

    Returns:
        The text, one line per message at least.
    """
    lines = [
        f'<message role="{each.role}"{_mark(each)}>'
        + (_element("name", each.name) if each.name is not None else "")
        + "".join(_part(part) for part in each.parts)
        + "</message>"
        for each in messages
    ]
    return "\n".join(["<chat_history>", *lines, "</chat_history>"])


def parse_prompt(text: str) -> list[Message]:
    """The messages of what :func:`render_prompt` gave.

    Args:
        text: the rendered text; space around it does not matter.

    Returns:
        Equal messages, but for metadata, under new uids.

    Raises:
        PromptError: the text is anything else. It is never taken for a single message: one odd
            character does not collapse the roles.
    """
    if not isinstance(text, str):
        raise PromptError(f"a prompt is a string, not of type {type(text).__name__}")
    parser = ET.XMLParser(target=_Builder())  # noqa: S314 (a document type, and so an entity, is refused)
    try:
        parser.feed(text.strip())
        root = parser.close()
    except (ET.ParseError, UnicodeEncodeError) as error:
        raise PromptError(f"the text is no rendered chat history: {error}") from None
    if root.tag != "chat_history" or root.attrib or _said(root.text):
        raise PromptError("the text is no rendered chat history: it is not one chat_history")
    messages = []
    for at, element in enumerate(root):
        if _said(element.tail):
            raise PromptError(f"there is text outside of messages, behind message {at}")
        messages.append(_message(element, f"message {at}"))
    return messages


class _Builder(ET.TreeBuilder):
    """Builds elements; knows no document type, whose entities could grow without bounds."""

    def doctype(self, *_: object) -> NoReturn:
        raise PromptError("a rendered chat history has no document type")


def _mark(message: Message) -> str:
    return ' summary="true"' if message.summary else ""


def _part(part: Part) -> str:
    match part:
        case Text(text):
            return _element("text", text)
        case Image(uri):
            return _element("image", uri)
        case Call():
            inside = ("id", part.id), ("name", part.name), ("arguments", part.json.text)
            return _elements("call", inside)
        case Result():
            named = [("name", part.name)] if part.name is not None else []
            return _elements("result", [("id", part.call_id), *named, ("value", part.json.text)])


def _elements(tag: str, inside: Iterable[tuple[str, str]]) -> str:
    return f"<{tag}>" + "".join(_element(name, text) for name, text in inside) + f"</{tag}>"


def _element(tag: str, text: str) -> str:
    escaped = _ESCAPED.sub(lambda found: _ESCAPES[found.group()], text)
    held = _NOT_XML.sub(lambda found: f'<char code="{ord(found.group()):x}"/>', escaped)
    return f"<{tag}>{held}</{tag}>"


def _message(element: ET.Element, where: str) -> Message:
    if element.tag != "message" or set(element.attrib) - {"role", "summary"}:
        raise PromptError(f"{where} is no message")
    if _said(element.text) or any(_said(each.tail) for each in element):
        raise PromptError(f"{where} holds text outside of its parts")
    children = list(element)
    name = None
    if children and children[0].tag == "name":
        name = _text(children.pop(0), where)
    try:
        return Message(
            element.get("role", ""),
            [_read(child, where) for child in children],
            name=name,
            summary=element.get("summary") == "true",
        )
    except PromptError:
        raise
    except ChatHistoryError as error:
        raise PromptError(f"{where}: {error}") from error


def _read(element: ET.Element, where: str) -> Part:
    if element.tag == "text":
        return Text(_text(element, where))
    if element.tag == "image":
        return Image(_text(element, where))
    fields = {child.tag: _text(child, where) for child in element}
    if element.tag == "call" and set(fields) == {"id", "name", "arguments"}:
        return Call(fields["id"], fields["name"], _json(fields["arguments"], where))
    if element.tag == "result" and set(fields) - {"name"} == {"id", "value"}:
        return Result(fields["id"], _json(fields["value"], where), fields.get("name"))
    raise PromptError(f"{where} holds {element.tag!r}, which is no part of a message")


def _json(text: str, where: str) -> Any:
    try:
        return Json(text).value
    except (ValueError, RecursionError):
        raise PromptError(f"{where} holds what should be JSON and is not") from None


def _text(element: ET.Element, where: str) -> str:
    pieces = [element.text or ""]
    for child in element:
        try:
            pieces.append(chr(int(child.attrib["code"], 16)))
        except (KeyError, ValueError, OverflowError):
            raise PromptError(f"{where} has markup in its text") from None
        if child.tag != "char":
            raise PromptError(f"{where} has markup in its text")
        pieces.append(child.tail or "")
    return "".join(pieces)


def _said(text: str | None) -> bool:
    return bool(text and text.strip())
