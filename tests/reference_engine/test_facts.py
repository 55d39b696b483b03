"""The fact store."""

from __future__ import annotations

import gc
import sqlite3
import threading

import pytest

from counterproof_reference.facts import Fact, FactStore
from reference_engine.doubles import FACTS, VOCABULARY


class TestFactStore:
    def test_a_fact_is_found_by_its_slots(self, store: FactStore) -> None:
        """All three of them."""
        assert store.find("HK", "REVENUE", "FY2025") == FACTS[2]
        assert store.find("SH", "REVENUE", "FY2025") is None
        assert store.find("HK", "REVENUE' OR '1'='1", "FY2025") is None

    def test_two_facts_for_the_same_slots_are_refused(self) -> None:
        """The error names them."""
        with pytest.raises(ValueError, match="two facts for HK REVENUE FY2024"):
            FactStore([FACTS[1], FACTS[1]], VOCABULARY)

    @pytest.mark.parametrize("value", [float("nan"), float("inf")])
    def test_a_figure_must_be_finite(self, value: float) -> None:
        """The error names its slots."""
        with pytest.raises(ValueError, match="HK REVENUE FY2020 is not finite"):
            FactStore([Fact("HK", "REVENUE", "FY2020", value, "", "d")], VOCABULARY)

    def test_threads_may_share_it(self, store: FactStore) -> None:
        """A store belongs to no thread."""
        found: list[Fact | None] = []
        threads = [
            threading.Thread(target=lambda: found.append(store.find("HK", "REVENUE", "FY2025")))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [FACTS[2]] * 8 == found

    def test_it_is_closed_by_its_context_and_when_it_is_dropped(self) -> None:
        """No connection is left open."""
        with FactStore([], VOCABULARY) as closed:
            connection = closed._connection
        with pytest.raises(sqlite3.ProgrammingError):
            connection.execute("SELECT 1")
        dropped = FactStore([], VOCABULARY)
        connection = dropped._connection
        del dropped
        gc.collect()
        with pytest.raises(sqlite3.ProgrammingError):
            connection.execute("SELECT 1")
