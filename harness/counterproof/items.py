"""Pytest items of a suite's module: one a check and probe, one a sabotage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from counterproof.bench import Bench
from counterproof.certificate import Verdict
from counterproof.judge import CounterproofOutcome, EngineResult
from counterproof.plan import Item
from counterproof.plugin import BENCH
from counterproof.report.sanitise import clean


class SuiteFile(pytest.File):
    """A module of a suite, as far as the plan holds items of it."""

    def collect(self) -> Iterator[pytest.Item]:
        """The items, in the plan's order: engine items of a check before its counterproofs."""
        bench = self.config.stash[BENCH]
        here = self.path.resolve()
        for item in bench.plan.items:
            if item.check.file == here:
                yield CheckItem.from_parent(self, name=item.id, item=item, bench=bench)


class Unproven(Exception):  # noqa: N818  # a statement about a check
    """The check passes and proves nothing, or could not be run."""


class CheckItem(pytest.Item):
    """One item of the plan."""

    def __init__(self, *, item: Item, bench: Bench, **given: Any) -> None:
        super().__init__(**given)
        self.planned = item
        self._bench = bench

    def runtest(self) -> None:
        """Run it; the bench keeps what it found."""
        result = self._bench.run(self.planned)
        if isinstance(result, EngineResult):
            self._engine(result)
        else:
            self._counterproof(result)

    def _engine(self, result: EngineResult) -> None:
        if result.outcome is Verdict.NOT_OBSERVABLE:
            pytest.skip(f"not observable: {result.reason}")
        if result.outcome is Verdict.ERROR:
            raise Unproven(result.reason)
        if result.found is not None:
            raise result.found.violation

    def _counterproof(self, result: CounterproofOutcome) -> None:
        if result.crashed is not None:
            raise Unproven(f"under this sabotage the run broke: {result.crashed}")
        if not result.landed:
            pytest.skip(f"inapplicable: {result.message}")
        if not result.caught:
            raise Unproven(result.message)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What was violated, by which ask, without a traceback of ours."""
        if not isinstance(excinfo.value, AssertionError | Unproven):
            return super().repr_failure(excinfo, style)
        said = [f"{self.planned.check.requirement} {self.planned.check.name}: {excinfo.value}"]
        result = self._bench.results.get(self.planned.id)
        if isinstance(result, EngineResult) and result.trace is not None:
            ask = result.trace.ask
            said += [
                f"ask      {ask.question}",
                f"history  {ask.history.kind} {list(ask.history.turns)!r}",
                f"model    {ask.behaviour}",
                f"answer   {result.trace.text or result.trace.failure}",
            ]
        return "\n".join(clean(each) for each in said)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Where it stands, and its id."""
        return self.path, None, self.name
