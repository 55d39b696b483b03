"""MSG-1 and MSG-2: where history stands before the model, and the question after it."""

from __future__ import annotations

from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.sabotage import Scene
from counterproof.suite import check, sabotage
from counterproof.trace import History, ModelCall
from counterproof_suites.engine.altering import last_user, resent, split, with_last_user
from counterproof_suites.engine.block import (
    blocks,
    crossing_of,
    folded,
    in_the_words_own_order,
    matched,
    texts_of,
)
from counterproof_suites.engine.inputs import ANY, every, makes_generation_calls, two_turns


@check("MSG-1", probes=every, histories=ANY, observable=makes_generation_calls)
def every_generation_call_holds_history(case: Case, history: History) -> None:
    """There are the calls there are by default, and history arrives in each of them.

    An engine may remember the reply to messages it has sent before: a fresh one has to ask.
    """
    default, trace = case.default(), case.ask(history)
    if len(trace.generation_calls) != len(default.generation_calls):
        trace = case.ask(history, fresh=True)
    require(
        len(trace.generation_calls) == len(default.generation_calls),
        f"with this history the engine makes {len(trace.generation_calls)} generation calls,"
        f" without it {len(default.generation_calls)}",
        trace,
    )
    turns = [each for each in map(folded, history.texts) if each]
    if not turns:
        return
    for number, (own, call) in enumerate(
        zip(default.generation_calls, trace.generation_calls, strict=True), 1
    ):
        beyond = [each for each in _texts(call) if each not in _texts(own)]
        held = any(turn in text for text in beyond for turn in turns)
        longer = len(call.messages) > len(own.messages)
        require(
            held or longer,
            f"history does not arrive in generation call {number}",
            trace,
            (f"/crossings/{crossing_of(trace, call)}/messages",),
        )


@check("MSG-1", probes=every, histories=ANY, observable=makes_generation_calls)
def history_stands_after_the_system_prompt_and_before_the_question(
    case: Case, history: History
) -> None:
    """What stands around it is the default call's, and it is history that stands there."""
    trace = case.ask(history)
    for block in blocks(case, trace):
        require(
            block.in_place,
            "something else than history stands outside its place between the leading system"
            " messages and the default's next message",
            trace,
            block.mark(),
        )
        known = {place for _, place in matched(history, block)}
        for place, message in enumerate(block.messages):
            require(
                place in known or not folded(message.get("content")),
                "a message that is no turn of history stands in history's place",
                trace,
                (f"{block.mark()[0]}/{block.first + place}",),
            )


@check("MSG-1", probes=every, histories=ANY, observable=makes_generation_calls)
def history_is_in_order(case: Case, history: History) -> None:
    """Turns stand in the order they were given."""
    trace = case.ask(history)
    for block in blocks(case, trace):
        for turns in (
            [turn for turn, _ in matched(history, block)],
            in_the_words_own_order(history, block),
        ):
            require(
                turns == sorted(turns),
                f"history's turns stand in another order: {[each + 1 for each in turns]}",
                trace,
                block.mark(),
            )


@check("MSG-2", probes=every, histories=ANY, observable=makes_generation_calls)
def the_last_user_message_is_the_defaults(case: Case, history: History) -> None:
    """Byte for byte what it is without history."""
    trace = case.ask(history)
    pairs = zip(case.default().generation_calls, trace.generation_calls, strict=False)
    for own, call in pairs:
        place = last_user(call.messages)
        wanted = own.messages[last_user(own.messages)] if last_user(own.messages) >= 0 else None
        found = call.messages[place] if place >= 0 else None
        require(
            trace.mask(found) == trace.mask(wanted),
            "the last user message is another than without history",
            trace,
            (f"/crossings/{crossing_of(trace, call)}/messages/{max(place, 0)}",),
        )


@check("MSG-2", probes=every, histories=ANY, observable=makes_generation_calls)
def the_last_user_message_contains_the_question(case: Case, history: History) -> None:
    """The question stands in it whole."""
    trace = case.ask(history)
    for call in trace.generation_calls:
        place = last_user(call.messages)
        texts = texts_of(call.messages[place].get("content")) if place >= 0 else []
        require(
            any(trace.ask.question in each for each in (*texts, "".join(texts))),
            "the last user message does not contain the question",
            trace,
            (f"/crossings/{crossing_of(trace, call)}/messages/{max(place, 0)}",),
        )


def _texts(call: ModelCall) -> list[str]:
    return [folded(each.get("content")) for each in call.messages]


@sabotage(
    history_stands_after_the_system_prompt_and_before_the_question, on="messages", witness=two_turns
)
def history_before_the_system_prompt(scene: Scene, messages: list[Any]) -> list[Any]:
    """History opens the message list."""
    turns, rest = split(scene, messages)
    return turns + rest


@sabotage(
    history_stands_after_the_system_prompt_and_before_the_question, on="messages", witness=two_turns
)
def history_after_the_question(scene: Scene, messages: list[Any]) -> list[Any]:
    """History closes the message list."""
    turns, rest = split(scene, messages)
    return rest + turns


@sabotage(history_is_in_order, on="messages", witness=two_turns)
def history_reversed(scene: Scene, messages: list[Any]) -> list[Any]:
    """The newest turn first."""
    return resent(scene, messages, lambda turns: turns[::-1])


@sabotage(history_is_in_order, on="messages", witness=two_turns)
def history_reversed_in_one_message(scene: Scene, messages: list[Any]) -> list[Any]:
    """The conversation is retold in one message, the newest turn first."""
    told = "\n".join(scene.said[::-1])
    return resent(scene, messages, lambda turns: [{"role": "user", "content": told}])


@sabotage(every_generation_call_holds_history, on="messages", witness=two_turns)
def history_dropped_everywhere(scene: Scene, messages: list[Any]) -> list[Any]:
    """No call gets it."""
    return split(scene, messages)[1]


@sabotage(every_generation_call_holds_history, on="messages", witness=two_turns)
def history_dropped_in_the_tool_loop(scene: Scene, messages: list[Any]) -> list[Any]:
    """The first call gets it, those after it do not."""
    first = not any(each.seam == "model" for each in scene.crossings)
    return messages if first else split(scene, messages)[1]


@sabotage(the_last_user_message_is_the_defaults, on="messages", witness=two_turns)
def history_spliced_into_the_last_user_message(scene: Scene, messages: list[Any]) -> list[Any]:
    """The question's message tells the conversation before it asks."""
    if not scene.said:
        return messages
    return with_last_user(messages, lambda text: f"{' '.join(scene.said)}\n{text}")


@sabotage(the_last_user_message_contains_the_question, on="messages", witness=two_turns)
def question_rewritten_with_history(scene: Scene, messages: list[Any]) -> list[Any]:
    """The question's message holds a rewriting of it instead."""
    if not scene.said:
        return messages
    asked, other = scene.ask.question, f"Going on from: {scene.said[-1]}"
    return with_last_user(messages, lambda text: text.replace(asked, other))
