"""rag-spine with one of its parts replaced, and the table of such engines.

A fork that breaks a promise changes a few lines of the package. Here they are changed at run
time, in the worker, before the ordinary adapter is imported, so that the adapter, which is left as
it is, gets what a fork's would. This module runs in the engine's environment: it imports the
standard library and the contract alone, and rag-spine only once an engine is loaded.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from counterproof.contract import AdapterSpec

Turn = tuple[str, str]
Message = dict[str, Any]
Function = Callable[..., Any]

PATCHES: dict[str, str] = {}
"""Adapter, and the requirement that it violates."""

MISSED: dict[str, str] = {}
"""Adapters whose violation the checks do not see yet, and what they would need to see it."""

_ADAPTER = "counterproof.adapters.ragspine"


class Patched:
    """An adapter: rag-spine's own, opened over the patched package.

    Args:
        apply: patches the package; called once, in the worker, before the adapter is imported.
    """

    def __init__(self, apply: Callable[[], None]) -> None:
        self._apply = apply
        self._adapter: Any = None
        self.__doc__ = apply.__doc__

    @property
    def __counterproof__(self) -> AdapterSpec:
        """What rag-spine's own adapter declares."""
        spec: AdapterSpec = self._patched().__counterproof__
        return spec

    def __call__(self, world: Any) -> Any:
        """Open the engine over a world."""
        return self._patched()(world)

    def _patched(self) -> Any:
        if self._adapter is None:
            assert _ADAPTER not in sys.modules, "the adapter holds the package as it was"
            self._apply()
            self._adapter = import_module(_ADAPTER).ragspine
        return self._adapter


def patch(requirement: str, *, missed: str = "") -> Callable[[Callable[[], None]], Patched]:
    """Declare an engine: rag-spine, patched by a function without arguments.

    Args:
        requirement: the requirement it violates.
        missed: what a check would need to see it, where none does yet.
    """

    def declare(apply: Callable[[], None]) -> Patched:
        target = f"{apply.__module__}:{apply.__name__}"
        PATCHES[target] = requirement
        if missed:
            MISSED[target] = missed
        return Patched(apply)

    return declare


def part(name: str) -> Any:
    """A module, class, function or value of rag-spine, such as ``agent.intent.parse_intent``."""
    owner, attribute = _owner(name)
    return getattr(owner, attribute)


def replace(name: str, value: Any) -> None:
    """Put a value in the place of a part of rag-spine that is there."""
    owner, attribute = _owner(name)
    assert hasattr(owner, attribute), f"rag-spine has no {name}"
    setattr(owner, attribute, value)


def wrap(name: str, around: Callable[..., Any]) -> None:
    """Put a function around one of rag-spine's, which it is given before the arguments."""
    inner = part(name)

    @functools.wraps(inner)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return around(inner, *args, **kwargs)

    replace(name, wrapped)


def _owner(name: str) -> tuple[Any, str]:
    """What holds a part, and its name there; of ``a.b.Class.method``, the class."""
    path, _, attribute = name.rpartition(".")
    module, _, cls = path.rpartition(".")
    if cls[:1].isupper():
        return getattr(import_module(f"ragspine.{module}"), cls), attribute
    return import_module(f"ragspine.{path}"), attribute


@dataclass
class Asked:
    """The ask that the package is at work on.

    Args:
        question: the question.
        turns: the pairs of strings of its history.
    """

    question: str = ""
    turns: list[Turn] = field(default_factory=list)

    @property
    def said(self) -> str:
        """Everything that was said before, in one text."""
        return "\n".join(text for _, text in self.turns)

    def last(self, role: str) -> str:
        """The last text of a role; empty where there is none."""
        return next((text for who, text in reversed(self.turns) if who == role), "")


def listening() -> Asked:
    """Note each ask as it comes in; the object always tells of the one at work."""
    asked = Asked()

    def noting(inner: Function, question: str, *args: Any, **kwargs: Any) -> Any:
        asked.question = question
        asked.turns = [tuple(each) for each in kwargs.get("history") or () if is_pair(each)]
        return inner(question, *args, **kwargs)

    wrap("agent.agent.answer_question", noting)
    return asked


def is_pair(turn: Any) -> bool:
    """Whether a turn is a pair of strings."""
    return (
        isinstance(turn, Sequence)
        and not isinstance(turn, str)
        and len(turn) == 2
        and all(isinstance(each, str) for each in turn)
    )


def with_turns(change: Callable[[list[Any]], list[Any]]) -> None:
    """Change the turns before they become messages."""
    wrap(
        "agent.agent._history_messages",
        lambda inner, history: inner(change(list(history)) if history else history),
    )


def with_messages(change: Callable[[list[Message], list[Turn]], list[Message]]) -> None:
    """Change the messages that history has become; called where there is history."""

    def changed(inner: Function, history: Any) -> list[Message]:
        sent: list[Message] = inner(history)
        return change(sent, list(history)) if history else sent

    wrap("agent.agent._history_messages", changed)


def with_calls(where: str, change: Callable[[list[Message], list[Message]], list[Message]]) -> None:
    """Change what the model is sent by one function of the agent, which is given history.

    Args:
        where: the function, such as ``_run_tool_loop``.
        change: given the messages of a call and those that are history.
    """
    import inspect

    names = list(inspect.signature(part(f"agent.agent.{where}")).parameters)
    provider, history = names.index("provider"), names.index("history_messages")

    def changed(inner: Function, *args: Any, **kwargs: Any) -> Any:
        given = list(args)
        given[provider] = _Sending(args[provider], args[history], change)
        return inner(*given, **kwargs)

    wrap(f"agent.agent.{where}", changed)


class _Sending:
    """A provider that changes the messages on their way."""

    def __init__(
        self,
        inner: Any,
        history: list[Message],
        change: Callable[[list[Message], list[Message]], list[Message]],
    ) -> None:
        self._inner = inner
        self._history = history
        self._change = change

    def chat(self, messages: Any, *, tools: Any = None) -> Any:
        sent = self._change(list(messages), self._history) if self._history else messages
        return self._inner.chat(sent, tools=tools)


def with_search(change: Callable[..., Any]) -> None:
    """Change how the narrative side searches.

    Args:
        change: called with the retriever's ``retrieve``, the query, the filters and the limit.
    """
    import inspect

    names = list(inspect.signature(part("agent.agent._run_narrative")).parameters)
    place = names.index("retriever")

    def changed(inner: Function, *args: Any, **kwargs: Any) -> Any:
        given = list(args)
        given[place] = _Searching(args[place], change)
        return inner(*given, **kwargs)

    wrap("agent.agent._run_narrative", changed)


class _Searching:
    """A retriever whose search is another."""

    def __init__(self, inner: Any, change: Callable[..., Any]) -> None:
        self._inner = inner
        self._change = change

    def retrieve(self, query: str, *, filters: Any = None, top_k: int = 50) -> Any:
        return self._change(self._inner.retrieve, query, filters, top_k)
