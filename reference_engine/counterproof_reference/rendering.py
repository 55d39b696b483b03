"""Answers as text: rendered from facts and passages, in the language of the question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby

from counterproof_reference.facts import Fact
from counterproof_reference.narrative import Explanation
from counterproof_reference.narrative_prompt import citation
from counterproof_reference.result import Source
from counterproof_reference.text import is_chinese
from counterproof_reference.tool_loop import Lookup
from counterproof_reference.vocabulary import Vocabulary

_TEXTS = {
    "figure": ("{e} {m}, {p}: {v} {u}", "{e} {p} {m}：{v} {u}"),
    "missing": (
        "{e} {m}, {p}: not found; no figure is stated.",
        "{e} {p} {m}：未找到，不给出数字。",
    ),
    "change": ("Change in {e} {m}, {p} to {q}: {v} {u}", "{e} {m} {p} 至 {q} 的变化：{v} {u}"),
    "assumed": ("The question leaves it open; assumed: {v}.", "问题未指明，按以下假定作答：{v}。"),
    "which": ("Which figure do you mean?", "请问要查哪一项指标？"),
    "which of": ("Which figure do you mean: {v}?", "请问要查哪一项指标：{v}？"),
    "narrower": (
        "That asks for too many figures at once; please ask for fewer.",
        "一次要查的数字太多，请缩小范围。",
    ),
    "out of scope": (
        "That is outside what this assistant may speak of.",
        "该问题超出可回答的范围。",
    ),
    "nothing": (
        "None of the available passages answers that; nothing is stated.",
        "现有资料没有相关内容，不作说明。",
    ),
    "no model": (
        "The language model did not reply, so the question was not answered.",
        "语言模型没有应答，未能回答该问题。",
    ),
    "quoted": ("The passages say:", "资料原文："),
    "sources": ("Sources: ", "来源："),
}


@dataclass(frozen=True)
class Rendered:
    """A piece of an answer.

    Args:
        text: with citations.
        plain: without them.
        sources: what is cited.
    """

    text: str
    plain: str
    sources: tuple[Source, ...] = ()

    def __add__(self, other: Rendered) -> Rendered:
        sources = tuple(dict.fromkeys((*self.sources, *other.sources)))
        return Rendered(f"{self.text}\n\n{other.text}", f"{self.plain}\n\n{other.plain}", sources)


class Renderer:
    """Renders in the language of one question.

    Args:
        question: the raw question.
        vocabulary: display names.
    """

    def __init__(self, question: str, vocabulary: Vocabulary) -> None:
        self._chinese = is_chinese(question)
        self._vocabulary = vocabulary

    def fixed(self, name: str) -> Rendered:
        """One of the engine's own sentences, such as ``out of scope``.

        Args:
            name: which.
        """
        return Rendered(self._say(name), self._say(name))

    def which_metric(self) -> Rendered:
        """The question back: which metric is meant."""
        names = [
            self._vocabulary.metric_name(each.code, chinese=self._chinese)
            for each in self._vocabulary.metrics
        ]
        if not names:
            return self.fixed("which")
        text = self._say("which of", v=("、" if self._chinese else ", ").join(names))
        return Rendered(text, text)

    def figures(
        self, lookups: Sequence[Lookup], assumed_entity: str | None, assumed_period: str | None
    ) -> Rendered:
        """The figures that were looked up, one line each, and how they changed between two years.

        Args:
            lookups: what was found for each slot of the question.
            assumed_entity: code of the entity the engine assumed, if it did.
            assumed_period: the fiscal year it assumed, if it did.
        """
        lines = [self._line(each) for each in lookups]
        lines += [(text, text) for text in self._changes(lookups)]
        if assumed_entity or assumed_period:
            names = [self._entity(assumed_entity)] if assumed_entity else []
            names += [assumed_period] if assumed_period else []
            text = self._say("assumed", v=("、" if self._chinese else ", ").join(names))
            lines.append((text, text))
        hits = [each.fact for each in lookups if each.fact]
        sources = dict.fromkeys(Source(fact.doc, fact.locator) for fact in hits)
        texts, plains = zip(*lines, strict=True)
        return Rendered("\n".join(texts), "\n".join(plains), tuple(sources))

    def explanation(self, explanation: Explanation) -> Rendered:
        """What the narrative channel has to say, with the passages it rests on.

        Args:
            explanation: its words; where it has none, the answer is that nothing was found.
        """
        if explanation.text is None:
            return self.fixed("nothing")
        places = dict.fromkeys(citation(each.doc, each.locator) for each in explanation.passages)
        sources = dict.fromkeys(Source(each.doc, each.locator) for each in explanation.passages)
        if explanation.quoted:
            plain = "\n".join(each.text for each in explanation.passages)
            heading = self._say("quoted")
            text, plain = f"{heading}\n{explanation.text}", f"{heading}\n{plain}"
        else:
            plain = explanation.text
            text = f"{plain}\n\n{self._say('sources')}{' '.join(places)}"
        return Rendered(text, plain, tuple(sources))

    def _line(self, lookup: Lookup) -> tuple[str, str]:
        slot, fact = lookup.slot, lookup.fact
        names = {"e": self._entity(slot.entity), "m": self._metric(slot.metric), "p": slot.period}
        if fact is None:
            text = self._say("missing", **names)
            return text, text
        plain = self._say("figure", **names, v=_number(_exact(fact)), u=fact.unit)
        return f"{plain} {citation(fact.doc, fact.locator)}", plain

    def _changes(self, lookups: Sequence[Lookup]) -> Iterator[str]:
        def axis(lookup: Lookup) -> tuple[str, str]:
            return lookup.slot.entity, lookup.slot.metric

        for (entity, metric), group in groupby(sorted(lookups, key=axis), key=axis):
            facts = sorted((x.fact for x in group if x.fact), key=lambda fact: fact.period)
            if len(facts) == 2 and facts[0].unit == facts[1].unit:
                change = _exact(facts[1]) - _exact(facts[0])
                yield self._say(
                    "change",
                    e=self._entity(entity),
                    m=self._metric(metric),
                    p=facts[0].period,
                    q=facts[1].period,
                    v=("+" if change > 0 else "") + _number(change),
                    u=facts[0].unit,
                )

    def _entity(self, code: str) -> str:
        return self._vocabulary.entity_name(code, chinese=self._chinese)

    def _metric(self, code: str) -> str:
        return self._vocabulary.metric_name(code, chinese=self._chinese)

    def _say(self, name: str, **parts: str) -> str:
        return _TEXTS[name][self._chinese].format(**parts)


def missing_all(lookups: Sequence[Lookup]) -> bool:
    """Whether nothing was found for any slot."""
    return all(each.fact is None for each in lookups)


def _exact(fact: Fact) -> Decimal:
    # By its shortest text, so that 0.3 - 0.1 is 0.2 and not what binary fractions make of it.
    return Decimal(repr(fact.value))


def _number(value: Decimal) -> str:
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
