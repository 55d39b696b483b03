"""Engines whose exits leak: to the model (RES-2), one by one (RES-3), by label (RES-5, RES-6)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

from counterproof import World
from counterproof_reference.exits import is_restricted as own_rule
from counterproof_reference.narrative import NarrativeRetriever
from counterproof_reference.passages import PassageLike
from engines.disguise import WITH_EXITS, Ask, Asked, Message, reference_with
from engines.flawed.table import flaw

Passages = Iterable[PassageLike]


@flaw("RES-2")
def told_not_to_quote_what_is_restricted(world: World) -> Ask:
    """Shows the model what is restricted and asks it to keep that to itself (RES-2)."""
    closed = "\n".join(each.text for each in world.passages if own_rule(each.label))

    def sends(messages: list[Message], _: Asked) -> list[Message]:
        if "Passages:" not in str(messages[-1]["content"]):
            return messages
        order = f"{messages[0]['content']} Confidential, never to be quoted:\n{closed}"
        return [{**messages[0], "content": order}, *messages[1:]]

    return reference_with(world, sends=sends)


@flaw("RES-2")
def judged_before_it_is_stripped(world: World) -> Ask:
    """Has everything that was found put in order, and strips what is left (RES-2)."""
    return reference_with(world, parts={"exits.rerank": list})


@flaw("RES-2")
def words_to_search_for_taken_from_all_passages(world: World) -> Ask:
    """Asks the model for words to search with, from the best passages of a first search (RES-2)."""

    class Expanding(NarrativeRetriever):
        def retrieve(self, question: str, *, period: str | None = None) -> list[PassageLike]:
            seen = "\n".join(each.text for each in self.search(question, limit=3, period=period))
            asked = f"Name five words to search for besides: {question}\n{seen}"
            world.model.complete([{"role": "user", "content": asked}])
            return super().retrieve(question, period=period)

    return reference_with(world, parts={"adapter.NarrativeRetriever": Expanding})


@flaw("RES-2")
def context_rebuilt_around_the_cited_passages(world: World) -> Ask:
    """Widens what it cites by its neighbours in the collection, whatever their label (RES-2)."""

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        last = str(messages[-1]["content"])
        near = [
            other.text
            for at, each in enumerate(world.passages)
            if each.text in last
            for other in world.passages[at + 1 : at + 2]
        ]
        if not near:
            return messages
        return [*messages[:-1], {**messages[-1], "content": "\n".join([*near, last])}]

    return reference_with(world, sends=sends)


@flaw("RES-3", **WITH_EXITS)
def link_relies_on_rerank(world: World) -> Ask:
    """Strips before the judge, and lets through whatever comes after it (RES-3)."""
    return reference_with(world, parts={"exits.link": list})


@flaw("RES-3", **WITH_EXITS)
def rerank_relies_on_link(world: World) -> Ask:
    """Strips before generation alone (RES-3)."""
    return reference_with(world, parts={"exits.rerank": list})


@flaw("RES-3", **WITH_EXITS)
def stripped_once_is_enough(world: World) -> Ask:
    """Notes that passages were stripped, and does not do it again (RES-3)."""
    done: list[bool] = []

    def once(passages: Passages) -> list[PassageLike]:
        kept = list(passages)
        if done:
            done.clear()
            return kept
        done.append(True)
        return [each for each in kept if not own_rule(each.label)]

    def first(passages: Passages) -> list[PassageLike]:
        done.clear()
        return once(passages)

    return reference_with(world, parts={"exits.rerank": first, "exits.link": once})


@flaw("RES-3", **WITH_EXITS)
def link_holds_back_what_rerank_did(world: World) -> Ask:
    """Lists what the first exit found restricted, and goes by that at the second (RES-3)."""
    held: set[str] = set()

    def rerank(passages: Passages) -> list[PassageLike]:
        found = list(passages)
        held.clear()
        held.update(each.doc for each in found if own_rule(each.label))
        return [each for each in found if each.doc not in held]

    def link(passages: Passages) -> list[PassageLike]:
        return [each for each in passages if each.doc not in held]

    return reference_with(world, parts={"exits.rerank": rerank, "exits.link": link})


def _ruled(world: World, restricted: Callable[[str], bool]) -> Ask:
    """The reference engine with this rule at both exits."""
    return reference_with(
        world, parts={"exits.is_restricted": lambda label: restricted(str(label))}
    )


@flaw("RES-5")
def label_compared_as_it_stands(world: World) -> Ask:
    """Knows the word in any case of letters, and nothing that differs from it (RES-5)."""
    return _ruled(world, lambda label: label.upper() == "RESTRICTED")


@flaw("RES-5")
def label_stripped_and_compared(world: World) -> Ask:
    """Strips white space first; an invisible character is none (RES-5)."""
    return _ruled(world, lambda label: label.strip().upper() == "RESTRICTED")


@flaw("RES-5")
def label_normalised_and_compared(world: World) -> Ask:
    """Normalises width and strips, which leaves other scripts' letters as they are (RES-5)."""
    return _ruled(
        world, lambda label: unicodedata.normalize("NFKC", label).strip().casefold() == "restricted"
    )


@flaw("RES-5")
def label_searched_for_the_word(world: World) -> Ask:
    """Looks for the word anywhere in the label, letters of other kinds left out (RES-5)."""
    return _ruled(world, lambda label: "restricted" in re.sub("[^a-z]", "", label.lower()))


def _plainly(label: str) -> str:
    """A label's letters; one with a character that is not ASCII is taken for a disguise (RES-5)."""
    return "restricted" if not label.isascii() else re.sub("[^a-z]", "", label.lower())


@flaw("RES-6")
def unknown_labels_let_through(world: World) -> Ask:
    """Holds back the word in any disguise, and nothing else (RES-6)."""
    return _ruled(world, lambda label: _plainly(label) == "restricted")


@flaw("RES-6")
def no_label_means_public(world: World) -> Ask:
    """Takes what bears no label for public (RES-6)."""
    return _ruled(world, lambda label: own_rule(label.strip() or "public"))


@flaw("RES-6")
def a_list_of_closed_labels(world: World) -> Ask:
    """Knows several words for closed, of which there is always one more (RES-6)."""
    closed = {"restricted", "secret", "confidential", "unknown", ""}
    return _ruled(world, lambda label: _plainly(label) in closed)


@flaw("RES-6")
def public_anywhere_in_the_label(world: World) -> Ask:
    """Looks for the word public, and finds it in what is not public (RES-6)."""
    return _ruled(
        world, lambda label: not re.search(r"\b(public|internal)\b", label, re.IGNORECASE)
    )


def _speaks_of(asked: Asked, passage: Any) -> bool:
    return passage.doc in asked.said or passage.text in asked.said


@flaw("RES-4")
def released_once_history_names_it(world: World) -> Ask:
    """Opens both exits for a document a turn names (RES-4)."""
    asked = Asked()

    def strip(passages: Passages) -> list[PassageLike]:
        return [p for p in passages if not own_rule(p.label) or _speaks_of(asked, p)]

    return reference_with(world, asked=asked, parts={"exits.link": strip, "exits.rerank": strip})


@flaw("RES-4")
def documents_of_the_conversation_opened(world: World) -> Ask:
    """Puts before the model what history names, as an attachment of the user's (RES-4)."""

    def sends(messages: list[Message], asked: Asked) -> list[Message]:
        named = [each.text for each in world.passages if each.doc in asked.said]
        if not named or "Passages:" not in str(messages[-1]["content"]):
            return messages
        opened = "\n".join(["Documents of this conversation:", *named])
        return [messages[0], {"role": "system", "content": opened}, *messages[1:]]

    return reference_with(world, sends=sends)
