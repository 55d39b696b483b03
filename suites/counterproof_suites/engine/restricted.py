"""RES: RESTRICTED never leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from counterproof.case import Case
from counterproof.check import require
from counterproof.mentions import quotes
from counterproof.sabotage import Scene
from counterproof.strategies import Material, examples
from counterproof.suite import Histories, check, sabotage
from counterproof.trace import OMITTED, History
from counterproof_suites.engine.inputs import ANY, guarded


def _both_forms(material: Material) -> Iterable[History]:
    quoting = examples(material).get("restricted-words", ())
    return [OMITTED, History.of(quoting), *ANY.explicit(material)]


BOTH_FORMS = Histories(_both_forms, ANY.drawn)
"""Without history, and with one that quotes the restricted words."""


@check("RES-1", probes=guarded, histories=BOTH_FORMS)
def no_restricted_text_is_in_the_answer(case: Case, history: History) -> None:
    """No rendering quotes a restricted passage or holds one of its secret words."""
    trace = case.ask(history)
    for name, text in zip(("text", "plain"), trace.renderings, strict=False):
        quoted = [each.doc for each in case.world.restricted if quotes(text, each.text)]
        held = [each for each in case.world.secrets if each.casefold() in text.casefold()]
        require(
            not quoted and not held,
            f"restricted text is in the answer: of {', '.join(quoted) or 'a restricted passage'}",
            trace,
            (f"/answer/{name}", *held),
        )


@check("RES-1", probes=guarded, histories=BOTH_FORMS)
def no_restricted_document_is_cited(case: Case, history: History) -> None:
    """No source is a restricted document."""
    trace = case.ask(history)
    closed = {each.doc for each in case.world.restricted} | set(case.probe.forbidden)
    for number, (doc, _) in enumerate(trace.cited):
        require(
            doc not in closed,
            f"the restricted document {doc!r} is cited",
            trace,
            (f"/answer/sources/{number}",),
        )


@check("RES-1", probes=guarded, histories=BOTH_FORMS)
def the_public_passage_of_the_topic_is_there(case: Case, history: History) -> None:
    """The path ran: what is public of the same topic is cited."""
    trace = case.ask(history)
    cited = {doc for doc, _ in trace.cited}
    require(
        cited & set(case.probe.sources),
        f"{' or '.join(case.probe.sources)} is not cited: the path did not run",
        trace,
        ("/answer/sources",),
    )


@sabotage(no_restricted_text_is_in_the_answer, on="passages", witness=lambda _: OMITTED)
def leaky_retriever(scene: Scene, crossing: dict[str, Any]) -> dict[str, Any]:
    """Restricted passages, mislabelled public, come first, past every exit."""
    leaked = [{**each.model_dump(), "label": "PUBLIC"} for each in scene.world.restricted]
    return {"passages": [*leaked, *crossing["passages"]]}


@sabotage(no_restricted_document_is_cited, on="passages", witness=lambda _: OMITTED)
def only_restricted_passages_found(scene: Scene, crossing: dict[str, Any]) -> dict[str, Any]:
    """Nothing but restricted passages, mislabelled public: what is cited is one of them."""
    leaked = [{**each.model_dump(), "label": "PUBLIC"} for each in scene.world.restricted]
    return {"passages": leaked if crossing["passages"] else []}


@sabotage(no_restricted_text_is_in_the_answer, on="answer", witness=lambda _: OMITTED, forged=True)
def quotes_a_restricted_passage(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """For engines of which only the answer is seen."""
    return {**answer, "text": f"{answer['text']} {scene.world.restricted[0].text}"}


@sabotage(no_restricted_document_is_cited, on="answer", witness=lambda _: OMITTED, forged=True)
def cites_a_restricted_document(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """For engines of which only the answer is seen."""
    closed = {"doc": scene.world.restricted[0].doc, "locator": ""}
    return {**answer, "sources": [*answer["sources"], closed]}


@sabotage(the_public_passage_of_the_topic_is_there, on="passages", witness=lambda _: OMITTED)
def nothing_is_retrieved(scene: Scene, crossing: dict[str, Any]) -> dict[str, Any]:
    """What is public goes along with what is restricted."""
    return {"passages": []}


@sabotage(
    the_public_passage_of_the_topic_is_there, on="answer", witness=lambda _: OMITTED, forged=True
)
def refuses_guarded_topics(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    """The whole topic is refused, so that nothing of it is tested."""
    return {**answer, "text": "I cannot speak of that.", "sources": []}
