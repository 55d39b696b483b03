"""Engines that are not there: empty, constant, echoing, failing. None can pass calibration."""

from __future__ import annotations

import os
import sys
import time
from typing import Any, NoReturn

from counterproof import Answer, Source, World
from engines.disguise import Ask
from engines.hostile.table import never

NOT_AN_ADAPTER = "just a text"


@never(3, "the answer is empty")
def empty_answers(world: World) -> Ask:
    """Says nothing."""
    return lambda question, **history: Answer("")


@never(3, "returned NoneType, not Answer")
def no_answer(world: World) -> Any:
    """Returns nothing at all."""
    return lambda question, **history: None


@never(3, "the adapter returned str, not ask()")
def no_engine(world: World) -> Any:
    """Opens to something that cannot be asked."""
    return "engine"


@never(3, "is not stated")
def constant_text(world: World) -> Ask:
    """Knows one sentence."""
    return lambda question, **history: Answer("I do not know.")


@never(3, "is not stated")
def echoes_the_question(world: World) -> Ask:
    """Answers with the question."""
    return lambda question, **history: Answer(question)


@never(3, "is not stated")
def echoes_the_history(world: World) -> Ask:
    """Answers with the conversation."""
    return lambda question, **history: Answer(f"You said {history.get('history')}.")


@never(3, "nothing answers it")
def dumps_every_fact(world: World) -> Ask:
    """States all it has, whatever is asked."""
    text = "\n".join(f"{f.entity} {f.metric} {f.period}: {f.value:g}" for f in world.facts)
    sources = [Source(doc) for doc in dict.fromkeys(f.doc for f in world.facts)]
    sources += [Source(p.doc) for p in world.passages if p.label.upper() != "RESTRICTED"]
    return lambda question, **history: Answer(text, sources)


@never(3, "nothing answers it")
def ignores_the_query(world: World) -> Ask:
    """Returns every public passage for every question: a constant retriever."""
    passages = [each for each in world.passages if each.label.upper() != "RESTRICTED"]
    facts = "\n".join(f"{f.value:g}" for f in world.facts)
    search = world.watch_retrieval(lambda query, **filters: list(passages))

    def ask(question: str, **history: Any) -> Answer:
        found = search(question)
        text = "\n".join(each.text for each in found)
        return Answer(f"{text}\n{facts}", [Source(each.doc, each.locator) for each in found])

    return ask


@never(3, "RuntimeError: no")
def raises_always(world: World) -> Ask:
    """Fails whatever is asked."""

    def ask(question: str, **history: Any) -> NoReturn:
        raise RuntimeError("no")

    return ask


@never(3, "no answer in time")
def hangs_always(world: World) -> Ask:
    """Never comes back."""

    def ask(question: str, **history: Any) -> NoReturn:
        while True:
            time.sleep(60)

    return ask


@never(3, "ended with status 0")
def leaves_with_success(world: World) -> Ask:
    """Ends its process with status 0, as if all were done."""

    def ask(question: str, **history: Any) -> NoReturn:
        os._exit(0)

    return ask


@never(3, "SystemExit: 0")
def exits_with_success(world: World) -> Ask:
    """Raises ``SystemExit(0)``."""

    def ask(question: str, **history: Any) -> NoReturn:
        sys.exit(0)

    return ask


@never(3, "KeyboardInterrupt")
def interrupts(world: World) -> Ask:
    """Raises what Ctrl-C raises."""

    def ask(question: str, **history: Any) -> NoReturn:
        raise KeyboardInterrupt

    return ask
