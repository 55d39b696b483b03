"""The fact store: figures in SQLite, looked up by entity, metric and period."""

from __future__ import annotations

import math
import sqlite3
import threading
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

from counterproof_reference.vocabulary import Vocabulary


class FactLike(Protocol):
    """Anything with the members of a :class:`Fact`."""

    @property
    def entity(self) -> str:
        """Code of the entity."""
        ...

    @property
    def metric(self) -> str:
        """Code of the metric."""
        ...

    @property
    def period(self) -> str:
        """The fiscal year, such as ``FY2025``."""
        ...

    @property
    def value(self) -> float:
        """The figure."""
        ...

    @property
    def unit(self) -> str:
        """The figure's unit."""
        ...

    @property
    def doc(self) -> str:
        """The document it stands in."""
        ...

    @property
    def locator(self) -> str:
        """Where in the document."""
        ...


@dataclass(frozen=True)
class Fact:
    """One figure.

    Args:
        entity: code of the entity it is about.
        metric: code of what it states.
        period: a fiscal year, written ``FY2025``.
        value: the figure, in ``unit``.
        unit: the figure's unit.
        doc: id of the document it stands in.
        locator: where in the document.
    """

    entity: str
    metric: str
    period: str
    value: float
    unit: str
    doc: str
    locator: str = ""


class FactStore:
    """Facts and the vocabulary they are asked for in; read only once built.

    It may be shared between threads. It closes itself when it is no longer used, and may be
    closed before, or used as a context manager.

    Args:
        facts: the figures.
        vocabulary: the names questions use; the engine's parser and gate take theirs from here.

    Raises:
        ValueError: a figure that is not finite, or two facts for the same slots.
    """

    def __init__(self, facts: Iterable[FactLike], vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._close = weakref.finalize(self, self._connection.close)
        self._connection.execute(
            "CREATE TABLE facts (entity TEXT, metric TEXT, period TEXT, value REAL NOT NULL,"
            " unit TEXT, doc TEXT, locator TEXT, PRIMARY KEY (entity, metric, period))"
        )
        for each in facts:
            slots = f"{each.entity} {each.metric} {each.period}"
            if not math.isfinite(each.value):
                raise ValueError(f"the figure for {slots} is not finite")
            try:
                self._connection.execute(
                    "INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (each.entity, each.metric, each.period, each.value, each.unit, each.doc,
                     each.locator),
                )  # fmt: skip
            except sqlite3.IntegrityError:
                raise ValueError(f"two facts for {slots}") from None

    def find(self, entity: str, metric: str, period: str) -> Fact | None:
        """The fact for these slots, or None where there is none.

        Args:
            entity: code of an entity.
            metric: code of a metric.
            period: a fiscal year, such as ``FY2025``.
        """
        with self._lock:
            row = self._connection.execute(
                "SELECT entity, metric, period, value, unit, doc, locator FROM facts"
                " WHERE entity = ? AND metric = ? AND period = ?",
                (entity, metric, period),
            ).fetchone()
        return None if row is None else Fact(*row)

    def close(self) -> None:
        """Close the database; closing twice is allowed."""
        self._close()

    def __enter__(self) -> FactStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
