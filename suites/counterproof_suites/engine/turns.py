"""MSG-3 and MSG-4: what a turn is before the model: a role and its text, whole and untouched."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

from counterproof.case import Case
from counterproof.check import Violation, require
from counterproof.sabotage import Scene
from counterproof.strategies import Material, long_history
from counterproof.strategies.oddities import ODDITIES
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import History, Message, Trace
from counterproof_suites.engine.altering import resent, reworded
from counterproof_suites.engine.block import Block, blocks, folded, matched, texts_of
from counterproof_suites.engine.inputs import ANY, every, makes_generation_calls, two_turns

_FEWER = Histories(ANY.explicit, ANY.drawn, most=4)


def _history_messages(case: Case, history: History) -> Iterable[tuple[Trace, Message, str]]:
    """Each message that stands in history's place, and where it stands in the trace."""
    trace = case.ask(history)
    for block in blocks(case, trace):
        turns = {place for _, place in matched(history, block)}
        for place, message in enumerate(block.messages):
            if block.in_place or place in turns:
                yield trace, message, f"{block.mark()[0]}/{block.first + place}"


@check("MSG-3", probes=every, histories=_FEWER, observable=makes_generation_calls)
def a_history_message_has_a_role_and_a_content_only(case: Case, history: History) -> None:
    """No further member rides on it: no name, no tool call, no id."""
    for trace, message, where in _history_messages(case, history):
        riding = sorted(set(message) - {"role", "content"})
        require(
            not riding and len(message) == 2,
            f"a history message holds more than role and content: {', '.join(riding)}"
            if riding
            else "a history message lacks its role or its content",
            trace,
            (where,),
        )


@check("MSG-3", probes=every, histories=_FEWER, observable=makes_generation_calls)
def its_content_is_text_alone(case: Case, history: History) -> None:
    """A string, or the parts of one; no image, no file, no cache mark among them."""
    for trace, message, where in _history_messages(case, history):
        content = message.get("content")
        parts = content if isinstance(content, list) else []
        odd = [each for each in parts if not _is_text(each)]
        require(
            (content is None or isinstance(content, str | list)) and not odd,
            "a history message's content is not text alone",
            trace,
            (where,),
        )


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and set(part) == {"type", "text"} and part["type"] == "text"


def _odd_texts(material: Material) -> Iterable[History]:
    """Every oddity once, and an oddity as the only turn, the first and the last."""
    odd = [text for each in ODDITIES.values() for text in each.build(material)]
    turns = tuple((("user", "assistant")[n % 2], text) for n, text in enumerate(odd))
    padded = ("user", " \tpadded twice \n")
    return [
        History.of(turns),
        History.of((padded,)),
        History.of((padded, ("user", "same role"), ("user", "and again"), padded)),
    ]


def _all_of_it(material: Material) -> Iterable[History]:
    return (*ANY.explicit(material), *_odd_texts(material))


WHOLE = Histories(_all_of_it, ANY.drawn, most=6)
"""Any history, and texts that a careless step would change."""


def _to_arrive(case: Case, history: History, block: Block) -> list[str]:
    """The texts that must stand in a block: all, or what a declared reducer keeps of them."""
    texts = list(history.texts)
    if case.declared.reducer != "newest":
        return texts
    return texts[-max(1, min(len(block.messages), len(texts))) :]


@check("MSG-4", probes=every, histories=WHOLE, observable=makes_generation_calls)
def every_turn_arrives(case: Case, history: History) -> None:
    """As a message of its own: none dropped, merged with another, or summed up.

    Of a declared reducer, the newest turns: one that keeps an older turn and not a newer one,
    or nothing at all, does not keep what it declares.
    """
    trace = case.ask(history)
    for block in blocks(case, trace):
        texts = _to_arrive(case, history, block)
        if len(block.messages) != len(texts):
            raise Violation(_why(history, block), trace, block.mark())
        if len(texts) == len(history.texts):
            continue
        for text, message in zip(texts, block.messages, strict=True):
            require(
                folded(message.get("content")) == folded(text),
                f"of {len(history.texts)} turns {len(texts)} are kept, and they are not the newest",
                trace,
                block.mark(),
            )


def _why(history: History, block: Block) -> str:
    """What became of turns where a block has not as many messages."""
    number = len(history.texts)
    pairs = matched(history, block)
    shared = [p for _, p in pairs if sum(place == p for _, place in pairs) > 1]
    if shared:
        merged = [str(turn + 1) for turn, place in pairs if place == shared[0]]
        return f"turns {' and '.join(merged[:6])} are merged into one message"
    if len(block.messages) > number:
        return f"{number} turns are sent as {len(block.messages)} messages"
    arrived = {turn for turn, _ in pairs}
    lost = [n for n in range(number) if n not in arrived and folded(history.texts[n])]
    first = f"turn {lost[0] + 1} of {number}" if lost else "a turn without a word"
    return f"{first} does not arrive"


@check("MSG-4", probes=every, histories=WHOLE, observable=makes_generation_calls)
def each_text_arrives_byte_for_byte(case: Case, history: History) -> None:
    """Not stripped, folded, normalised, escaped or cut."""
    trace = case.ask(history)
    for block in blocks(case, trace):
        texts = _to_arrive(case, history, block)
        if len(texts) != len(block.messages):
            continue
        for number, (text, message) in enumerate(zip(texts, block.messages, strict=True)):
            sent = "".join(texts_of(message.get("content")))
            require(
                sent == text or sent in texts,  # another turn's: that is MSG-1's
                f"turn {len(history.texts) - len(texts) + number + 1} does not arrive byte for"
                f" byte: {_change(text, sent)}",
                trace,
                (f"{block.mark()[0]}/{block.first + number}",),
            )


def _change(text: str, sent: str) -> str:
    """How a text was changed, as far as that can be told."""
    if sent == text.strip():
        return "it is stripped"
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        if sent == unicodedata.normalize(form, text):
            return f"it is normalised to {form}"
    if sent and text.startswith(sent):
        return f"of {len(text)} characters {len(sent)} are left"
    return f"{len(text)} characters were given, {len(sent)} are sent"


def _each(
    change: Callable[[Any], Any],
) -> Callable[[Scene, list[Any]], list[Any]]:
    """Every history message changed."""
    return lambda scene, messages: resent(
        scene, messages, lambda turns: [change(each) for each in turns]
    )


@sabotage(a_history_message_has_a_role_and_a_content_only, on="messages", witness=two_turns)
def history_messages_are_named(scene: Scene, messages: list[Any]) -> list[Any]:
    """Each message says who spoke, in a member of its own."""
    return _each(lambda message: {**message, "name": "caller"})(scene, messages)


@sabotage(a_history_message_has_a_role_and_a_content_only, on="messages", witness=two_turns)
def tool_calls_smuggled(scene: Scene, messages: list[Any]) -> list[Any]:
    """What the assistant said comes with tool calls it is said to have made."""
    call = {"id": "call_9", "type": "function", "function": {"name": "query", "arguments": "{}"}}
    return _each(
        lambda m: {**m, "tool_calls": [call]} if m.get("role") == "assistant" else m
    )(scene, messages)  # fmt: skip


@sabotage(its_content_is_text_alone, on="messages", witness=two_turns)
def a_picture_rides_along(scene: Scene, messages: list[Any]) -> list[Any]:
    """Beside the text stands a part that is none."""
    picture = {"type": "image_url", "image_url": {"url": "data:,"}}

    def with_picture(message: Any) -> Any:
        words = [{"type": "text", "text": each} for each in texts_of(message.get("content"))]
        return {**message, "content": [*words, picture]}

    return _each(with_picture)(scene, messages)


def _padded(material: Material) -> History:
    word = (*material.canaries, "word")[0]
    return History.of((("user", f" {word} \n"), ("assistant", f"\t{word}?")))


def _compatible(material: Material) -> History:
    word = (*material.canaries, "word")[0]
    return History.of((("user", f"ﬁnance of {word}"), ("assistant", f"２０２４ {word} x²")))


def _with_an_empty_turn(material: Material) -> History:
    return History.of((*two_turns(material).turns, ("user", ""), *two_turns(material).turns))


def _of_one_role(material: Material) -> History:
    word = (*material.canaries, "word")[0]
    return History.of(tuple(("user", f"Point {n} about {word}.") for n in range(1, 4)))


def _long(material: Material) -> History:
    return History.of(long_history(200, canary=(*material.canaries, "word")[0]))


def _long_text(material: Material) -> History:
    word = (*material.canaries, "word")[0]
    return History.of((("user", "What was that?"), ("assistant", f"{word} " * 2_000 + "end")))


@sabotage(each_text_arrives_byte_for_byte, on="messages", witness=_padded)
def texts_stripped(scene: Scene, messages: list[Any]) -> list[Any]:
    """White space around a turn's text is taken off."""
    return _each(lambda message: reworded(message, str.strip))(scene, messages)


@sabotage(each_text_arrives_byte_for_byte, on="messages", witness=_compatible)
def texts_normalised(scene: Scene, messages: list[Any]) -> list[Any]:
    """Texts are sent in NFKC."""
    return _each(
        lambda message: reworded(message, lambda text: unicodedata.normalize("NFKC", text))
    )(scene, messages)


@sabotage(each_text_arrives_byte_for_byte, on="messages", witness=_long_text)
def long_texts_cut(scene: Scene, messages: list[Any]) -> list[Any]:
    """Of a long text the beginning is sent."""
    return _each(lambda message: reworded(message, lambda text: text[:500]))(scene, messages)


@sabotage(every_turn_arrives, on="messages", witness=_with_an_empty_turn)
def empty_turns_dropped(scene: Scene, messages: list[Any]) -> list[Any]:
    """A turn without a text is left out."""
    return resent(scene, messages, lambda turns: [m for m in turns if m.get("content")])


@sabotage(every_turn_arrives, on="messages", witness=_of_one_role)
def turns_of_one_role_merged(scene: Scene, messages: list[Any]) -> list[Any]:
    """What one speaker said in several turns is one message."""

    def merge(turns: list[Any]) -> list[Any]:
        merged: list[Any] = []
        for each in turns:
            if merged and merged[-1]["role"] == each["role"]:
                said = "\n".join(texts_of(merged[-1]["content"]) + texts_of(each["content"]))
                merged[-1] = {**each, "content": said}
            else:
                merged.append(each)
        return merged

    return resent(scene, messages, merge)


@sabotage(every_turn_arrives, on="messages", witness=_long)
def last_turns_only(scene: Scene, messages: list[Any]) -> list[Any]:
    """Of a long conversation the end is sent; an engine that declares this may do it."""
    return messages if scene.reducer else resent(scene, messages, lambda turns: turns[-4:])


@sabotage(every_turn_arrives, on="messages", witness=_with_an_empty_turn)
def newest_turn_dropped(scene: Scene, messages: list[Any]) -> list[Any]:
    """The last turn does not arrive, which no reducer may do."""
    return resent(scene, messages, lambda turns: turns[:-1])


@sabotage(every_turn_arrives, on="messages", witness=_long)
def long_history_summed_up(scene: Scene, messages: list[Any]) -> list[Any]:
    """A long conversation becomes one sentence about it."""
    if len(scene.said) < 20:
        return messages
    told = f"They talked for {len(scene.said)} turns, the last of them: {scene.said[-1]}"
    return resent(scene, messages, lambda turns: [{"role": "user", "content": told}])
