"""What an engine is opened over, as one value, and how it is read from a file."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from counterproof_reference.facts import Fact
from counterproof_reference.passages import Passage
from counterproof_reference.vocabulary import Term, Vocabulary


class KnowledgeError(ValueError):
    """A knowledge file that cannot be used; the message names the entry to mend."""


@dataclass(frozen=True)
class Knowledge:
    """Names, facts and passages.

    Args:
        entities: what facts are about; the first is assumed where a question names none.
        metrics: what facts state.
        facts: the figures.
        passages: the narrative text, with labels.
        out_of_scope: names the engine refuses to speak of.
    """

    entities: tuple[Term, ...]
    metrics: tuple[Term, ...]
    facts: tuple[Fact, ...] = ()
    passages: tuple[Passage, ...] = ()
    out_of_scope: tuple[str, ...] = ()

    def vocabulary(self) -> Vocabulary:
        """The names as the engine uses them.

        Raises:
            ValueError: see :class:`Vocabulary`.
        """
        return Vocabulary(self.entities, self.metrics, self.out_of_scope)


def load(path: Path) -> Knowledge:
    """Read knowledge from a JSON file with the members of :class:`Knowledge`.

    Args:
        path: the file.

    Raises:
        KnowledgeError: it cannot be read, is not JSON, or does not have that form.
    """
    try:
        return TypeAdapter(Knowledge).validate_json(path.read_bytes())
    except OSError as error:
        raise KnowledgeError(f"{path.name}: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        where = f"{path.name}: {place}" if place else path.name
        raise KnowledgeError(f"{where}: {first['msg']}") from None
