"""The names the engine knows: entities, metrics, and what it must not speak of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from counterproof_reference.text import CJK, fold, is_cjk, visible

_WORD_STARTS = rf"(?:(?<![^\W_])|(?<=[{CJK}]))"
_WORD_ENDS = rf"(?:(?![^\W_])|(?=[{CJK}]))"


class Name(Protocol):
    """Anything with a code and spellings; the first spelling is the English display name."""

    @property
    def code(self) -> str:
        """The code facts use."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The spellings questions use."""
        ...


@dataclass(frozen=True)
class Term:
    """An entity or a metric.

    Args:
        code: the code facts use, such as ``HK``.
        names: the spellings questions use; the first is the English display name.
    """

    code: str
    names: tuple[str, ...]


class Vocabulary:
    """What questions may name. It never changes once built.

    Args:
        entities: what facts are about; the first is assumed where a question names none.
        metrics: what facts state.
        out_of_scope: names the engine refuses to speak of (PAR-4).

    Raises:
        ValueError: no entity, or a name without a spelling.
    """

    def __init__(
        self,
        entities: Iterable[Name],
        metrics: Iterable[Name],
        out_of_scope: Iterable[str] = (),
    ) -> None:
        self.entities = tuple(Term(each.code, tuple(each.names)) for each in entities)
        self.metrics = tuple(Term(each.code, tuple(each.names)) for each in metrics)
        self.out_of_scope = tuple(out_of_scope)
        if not self.entities:
            raise ValueError("a vocabulary needs at least one entity")
        for term in (*self.entities, *self.metrics):
            if not any(name.strip() for name in term.names):
                raise ValueError(f"{term.code!r} has no spelling")

    @property
    def home(self) -> str:
        """Code of the entity that is assumed where a question names none."""
        return self.entities[0].code

    def entities_in(self, text: str) -> tuple[str, ...]:
        """Codes of the entities a text names, in its order.

        Args:
            text: raw text.
        """
        return self._entity_names.found_in(text)

    def metrics_in(self, text: str) -> tuple[str, ...]:
        """Codes of the metrics a text names, in its order.

        Args:
            text: raw text.
        """
        return self._metric_names.found_in(text)

    def entity(self, name: str) -> str | None:
        """Code of the entity a tool argument names, if it is one; the whole text must name it."""
        return self._entity_names.exactly(name)

    def metric(self, name: str) -> str | None:
        """Code of the metric a tool argument names, if it is one; the whole text must name it."""
        return self._metric_names.exactly(name)

    def without_names(self, text: str) -> tuple[str, list[str]]:
        """A text's folded rest once its names are taken out, and one token for each name.

        The tokens are the same whatever the spelling or language, so that a question about
        香港 finds a passage about Hong Kong.

        Args:
            text: raw text.
        """
        rest, entities = self._entity_names.taken_from(visible(text))
        rest, metrics = self._metric_names.taken_from(rest)
        return rest.casefold(), [*(f"§e{n}" for n in entities), *(f"§m{n}" for n in metrics)]

    def entity_name(self, code: str, *, chinese: bool) -> str:
        """The display name of an entity, in Chinese where there is one and it is wanted."""
        return self._entity_names.display(code, chinese=chinese)

    def metric_name(self, code: str, *, chinese: bool) -> str:
        """The display name of a metric, in Chinese where there is one and it is wanted."""
        return self._metric_names.display(code, chinese=chinese)

    @cached_property
    def _entity_names(self) -> _Names:
        return _Names(self.entities)

    @cached_property
    def _metric_names(self) -> _Names:
        return _Names(self.metrics)


class _Names:
    """The spellings of one kind of name, and where they stand in a text."""

    def __init__(self, terms: tuple[Term, ...]) -> None:
        self._terms = terms
        self._by_name: dict[str, int] = {}
        spellings: list[tuple[str, str]] = []
        for number, term in enumerate(terms):
            for name in term.names:
                self._by_name.setdefault(_compact(name), number)
                spellings.append((_compact(name), f"(?i:{_spelled(name)})"))
            # A code such as IT or US is also a common word: in a text it counts in its own case.
            self._by_name.setdefault(_compact(term.code), number)
            if len(term.code) > 1:
                spellings.append((term.code, _spelled(term.code)))
        spellings.sort(key=lambda each: (-len(each[0]), each[0]))
        self._pattern = re.compile("|".join(p for _, p in spellings) or r"(?!)")

    def exactly(self, name: str) -> str | None:
        number = self._by_name.get(_compact(name))
        return None if number is None else self._terms[number].code

    def found_in(self, text: str) -> tuple[str, ...]:
        numbers = self.taken_from(visible(text))[1]
        return tuple(dict.fromkeys(self._terms[number].code for number in numbers))

    def taken_from(self, text: str) -> tuple[str, list[int]]:
        numbers: list[int] = []

        def take(match: re.Match[str]) -> str:
            name = _compact(match.group())
            number = self._by_name.get(name, self._by_name.get(name.removesuffix("s")))
            assert number is not None, "the pattern is made of the same names"
            numbers.append(number)
            return " "

        return self._pattern.sub(take, text), numbers

    def display(self, code: str, *, chinese: bool) -> str:
        names = next((each.names for each in self._terms if each.code == code), (code,))
        if chinese:
            return next((name for name in names if is_cjk(name)), names[0])
        return names[0]


def _compact(name: str) -> str:
    return re.sub(r"\s+", "", fold(name))


def _spelled(name: str) -> str:
    """A name as a regular expression: whole words only, any spacing, an English plural too."""
    parts = [re.escape(part) for part in visible(name).split()]
    starts = "" if is_cjk(parts[0]) else _WORD_STARTS
    ends = "" if is_cjk(parts[-1][-1]) else rf"s?{_WORD_ENDS}"
    return starts + r"\s*".join(parts) + ends
