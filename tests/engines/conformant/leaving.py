"""Engines that keep what is restricted inside in another way, or hold other conversations."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from counterproof import Session, World
from counterproof.contract import Port
from counterproof_reference.exits import is_restricted
from counterproof_reference.result import EngineResult
from counterproof_reference.session import ConversationSession, Remembered
from engines.conformant.table import conformant
from engines.disguise import WITH_EXITS, WITH_SESSION, Ask, reference_with


@conformant(**WITH_EXITS)
def judge_that_is_no_model(world: World) -> Ask:
    """Puts passages in order by rule; its exit before that shows nowhere else."""
    return reference_with(world, parts={"judging.ModelJudge": lambda provider: None})


@conformant(**WITH_EXITS)
def restricted_passages_never_indexed(world: World) -> Ask:
    """Leaves out of its index what may not leave; its exits have nothing to strip."""
    kept = tuple(each for each in world.passages if not is_restricted(each.label))
    return reference_with(dataclasses.replace(world, passages=kept))


@dataclass(frozen=True)
class OneExit:
    """Lets the kit see one exit; the other is crossed without a word."""

    port: Port
    name: str | None

    def cross(self, seam: str, data: Mapping[str, Any]) -> Any:
        """Pass on what crosses, but for the other exit."""
        if seam == "exit" and data["name"] != self.name:
            return {"released": list(range(len(data["released"])))}
        return self.port.cross(seam, data)


def behind(world: World, name: str | None) -> World:
    """The world, at a port that lets this exit alone be seen; None for neither."""
    return dataclasses.replace(world, _port=OneExit(world._port, name))


@conformant(**WITH_EXITS)
def link_is_the_only_exit_seen(world: World) -> Ask:
    """Lets the exit to generation be watched, and none to a judge."""
    return reference_with(behind(world, "link"))


@conformant()
def odd_labels_refused_at_the_door(world: World) -> Ask:
    """Opens over no collection with a label it does not know."""
    for each in world.passages:
        if each.label.lower() not in ("public", "internal", "restricted"):
            raise ValueError(f"{each.doc}: {each.label!a} is no label")
    return reference_with(world)


def _with_session(world: World, **changed: Any) -> Ask:
    """The reference engine, its sessions changed in some members."""
    inner = reference_with(world)
    make = world._sessions[-1]
    world.session(
        lambda: dataclasses.replace(
            made := make(), **{name: change(made) for name, change in changed.items()}
        )
    )
    return inner


@conformant(**WITH_SESSION)
def turns_without_a_history(world: World) -> Ask:
    """Holds conversations whose turns take a question and nothing else."""
    return _with_session(
        world,
        ask=lambda made: lambda question: made.ask(question),
        takes_history=lambda made: False,
    )


@conformant(**WITH_SESSION)
def questions_remembered(world: World) -> Ask:
    """Remembers, beside its slots, the last question that was answered, in its own spelling."""

    class Session(ConversationSession):
        last = ""

        def ask(self, question: str, *, history: Any = None) -> EngineResult:
            result = super().ask(question, history=history)
            if not result.refused and result.clarification is None:
                self.last = question.upper()
            return result

        @property
        def remembered(self) -> Remembered:
            own = super().remembered
            return _WithQuestion(own.entity, own.period, self.last)

    return reference_with(world, parts={"adapter.ConversationSession": Session})


@dataclass(frozen=True)
class _WithQuestion(Remembered):
    """What is remembered, and the question it comes from."""

    question: str = ""


@conformant(**WITH_SESSION)
def asynchronous_turns(world: World) -> Ask:
    """Answers each turn of a conversation in a coroutine."""

    def asking(made: Session) -> Any:
        async def ask(question: str, **history: Any) -> Any:
            return made.ask(question, **history)

        return ask

    return _with_session(world, ask=asking)


@conformant(**WITH_SESSION)
def conversations_that_inherit_nothing(world: World) -> Ask:
    """Holds conversations, and answers each turn as it stands."""

    def as_it_stands(question: str, *rest: object) -> str:
        return question

    return reference_with(world, parts={"session.completed": as_it_stands})
