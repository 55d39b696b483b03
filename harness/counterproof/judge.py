"""Runs one item: a check on the engine as it is, or on the engine sabotaged in one way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from counterproof.case import Case
from counterproof.certificate import Verdict
from counterproof.check import DidNotAnswer, Found, Violation, falsify
from counterproof.model.behaviours import FUZZED, Behaviour, fuzzed
from counterproof.plan import CounterproofItem, EngineItem
from counterproof.profiles import Profile
from counterproof.sabotage import landed
from counterproof.strategies import Material, fuzzed_replies
from counterproof.trace import OMITTED, Failure, History, Trace
from counterproof.worlds import Probe

MakeCase = Callable[[Probe, Behaviour], Case]


@dataclass(frozen=True)
class EngineResult:
    """What a check found on the engine.

    Args:
        outcome: PASS, FAIL, NOT_OBSERVABLE or ERROR.
        reason: why, where it is not PASS.
        examples: how many examples ran.
        asks: how many asks they made.
        found: for a failure, the example and the violation.
        trace: for a failure, the trace that shows it.
    """

    outcome: Verdict
    reason: str | None = None
    examples: int = 0
    asks: int = 0
    found: Found | None = None
    trace: Trace | None = None


@dataclass(frozen=True)
class CounterproofOutcome:
    """What a check found on the sabotaged engine.

    Args:
        landed: whether the sabotage changed anything that the kit sees.
        caught: whether the check raised a violation for it.
        message: what the check said, or why the sabotage could not land.
        crashed: what went wrong instead, if anything did; never a kill.
    """

    landed: bool
    caught: bool
    message: str
    crashed: str | None = None


@dataclass(frozen=True)
class Sample:
    """Histories drawn once for every check that draws from the same strategy.

    Args:
        key: what, with the run's seed, they were drawn by.
        histories: them.
    """

    key: str
    histories: Sequence[History]


def run_engine_item(
    item: EngineItem,
    case: Case,
    material: Material,
    witnesses: Sequence[History],
    profile: Profile,
    seed: int,
    sample: Sample | None = None,
) -> EngineResult:
    """Look for an example on which the engine violates a check.

    Args:
        item: the check, its probe and behaviour.
        case: that probe of the engine.
        material: what histories are made of.
        witnesses: the witness of each of the check's counterproofs; examples too.
        profile: how many examples are drawn.
        seed: the run's seed.
        sample: histories already drawn from the check's strategy, which other checks share.
    """
    try:
        reason = item.check.observable(case) if item.check.observable else None
    except Violation as violation:
        return EngineResult(
            Verdict.FAIL,
            violation.message,
            1,
            case.asks,
            Found(OMITTED, violation),
            violation.trace or case.traces[-1],
        )
    if reason is not None:
        return EngineResult(Verdict.NOT_OBSERVABLE, reason, asks=case.asks)
    examples = 0
    first: list[tuple[Found, Trace]] = []
    last: list[Trace] = []

    def predicate(example: Any) -> None:
        nonlocal examples
        examples += 1
        history = _take(example, item.behaviour, case)
        case.traces.clear()
        try:
            item.check.predicate(case, history)
        except Violation as violation:
            last[:] = [violation.trace or case.traces[-1]]
            if case.ended is not None and not first:
                first.append((Found(history, violation), last[0]))
            raise

    most = _drawn(item, item.behaviour, profile.examples)
    found = falsify(
        predicate,
        _examples(item, item.behaviour, material, case),
        key=sample.key if sample else item.id,
        run_seed=seed,
        examples=profile.examples if sample else most,
        explicit=_explicit(item, material, witnesses),
        sample=sample.histories[:most] if sample else None,
    )
    if found is None:
        return EngineResult(Verdict.PASS, examples=examples, asks=case.asks)
    # A worker lost: every later ask repeated that failure, so only the first was seen.
    found, trace = first[0] if first else (found, last[0])
    return EngineResult(Verdict.FAIL, found.violation.message, examples, case.asks, found, trace)


def _drawn(item: EngineItem | CounterproofItem, behaviour: Behaviour, examples: int) -> int:
    most = item.check.histories.most
    return examples if most is None or behaviour == FUZZED else min(most, examples)


def _examples(
    item: EngineItem | CounterproofItem, behaviour: Behaviour, material: Material, case: Case
) -> st.SearchStrategy[Any] | None:
    """What further examples are drawn from: histories; for a fuzzed model with its replies."""
    drawn = item.check.histories.drawn
    histories = drawn(material) if drawn else None
    if behaviour != FUZZED:
        return histories
    tools = [each for call in case.cooperative().calls for each in call.tools or ()]
    names = dict.fromkeys(str(each.get("function", each).get("name", "")) for each in tools)
    replies = fuzzed_replies(material, tools=tuple(names))
    return st.tuples(st.just(OMITTED) if histories is None else histories, replies)


def _take(example: Any, behaviour: Behaviour, *cases: Case) -> History:
    """The history of an example; the cases' model plays what the example says it does."""
    history, replies = example if isinstance(example, tuple) else (example, ())
    for case in cases:
        case.behaviour = fuzzed(*replies) if replies else behaviour
    assert isinstance(history, History)
    return history


def _explicit(
    item: EngineItem | CounterproofItem, material: Material, witnesses: Sequence[History]
) -> list[History]:
    kept: list[History] = []  # raw histories hold what cannot be hashed
    for each in (*item.check.histories.explicit(material), *witnesses):
        if each not in kept:
            kept.append(each)
    return kept


def run_counterproof_item(
    item: CounterproofItem,
    sabotaged: MakeCase,
    clean: MakeCase,
    material: Material,
    profile: Profile,
    seed: int,
) -> CounterproofOutcome:
    """Run a check on the sabotaged engine: landed, crashed, caught, in this order.

    The witness runs first, on each probe where the sabotage may show; further examples only
    where it landed and was not caught.

    Args:
        item: the check and the sabotage.
        sabotaged: makes a case of the sabotaged engine.
        clean: makes a case of the engine as it is.
        material: what histories are made of.
        profile: how many further examples are drawn.
        seed: the run's seed.
    """
    witness = item.counterproof.witness(material)
    places = [(p, b) for p in item.probes for b in item.check.behaviours]
    trial = _Trial(item, sabotaged, clean)
    if not places:
        return CounterproofOutcome(False, False, "no probe that the engine claims shows it")
    on: tuple[Probe, Behaviour] | None = None
    for probe, behaviour in places:
        if trial.decides(probe, behaviour, [witness]):
            return trial.outcome
        on = on or ((probe, behaviour) if trial.landed else None)
    if on is not None:
        probe, behaviour = on
        trial.decides(
            probe,
            behaviour,
            _explicit(item, material, ()),
            lambda predicate: falsify(
                predicate,
                _examples(item, behaviour, material, clean(probe, behaviour)),
                key=item.id,
                run_seed=seed,
                examples=_drawn(item, behaviour, profile.sabotaged),
                shrink=False,
            ),
        )
    return trial.outcome


def _alike(failure: Failure, other: Failure | None) -> bool:
    """Whether two asks failed in one way; an exception raised twice has other frames."""
    told = (failure.kind, failure.type, failure.message)
    return other is not None and told == (other.kind, other.type, other.message)


class _Trial:
    """A sabotage on trial: what has been seen of it so far."""

    def __init__(self, item: CounterproofItem, sabotaged: MakeCase, clean: MakeCase) -> None:
        self._item = item
        self._sabotaged = sabotaged
        self._clean = clean
        self.landed = False
        self._altered = False
        self._caught: str | None = None
        self._crashed: str | None = None

    def decides(
        self,
        probe: Probe,
        behaviour: Behaviour,
        histories: Sequence[History],
        further: Callable[[Callable[[Any], None]], object] | None = None,
    ) -> bool:
        """Whether these examples decide it: a crash, or a landed sabotage that is caught."""
        case, clean = self._sabotaged(probe, behaviour), self._clean(probe, behaviour)
        for history in histories:
            if self._one(case, clean, history):
                return True
        if further is not None:

            def predicate(example: Any) -> None:
                if self._one(case, clean, _take(example, behaviour, case, clean)):
                    raise Violation("decided")

            further(predicate)
        return self._caught is not None or self._crashed is not None

    def _one(self, case: Case, clean: Case, history: History) -> bool:
        case.traces.clear()
        violation: Violation | None = None
        try:
            observable = self._item.check.observable
            if observable is None or observable(clean) is None:
                self._item.check.predicate(case, history)
        except Violation as raised:
            violation = raised
        except Exception as error:  # noqa: BLE001  # a crash of the check is reported, never a kill
            self._crashed = f"the check itself failed: {type(error).__name__}: {error}"
        here = [each for each in case.traces if each.altered]
        self._altered = self._altered or bool(here)
        landed_here = any(landed(self._same(clean, each), each) for each in here)
        self.landed = self.landed or landed_here
        crash = self._crash(case, clean, violation)
        if crash is not None:
            self._crashed = crash
        if self._crashed is None and violation is not None and landed_here:
            self._caught = violation.message
        return self._caught is not None or self._crashed is not None

    def _crash(self, case: Case, clean: Case, violation: Violation | None) -> str | None:
        """The failure of the sabotaged engine that the clean one does not have."""
        if self._item.counterproof.crashes:
            return None
        for trace in case.traces:
            if trace.failure is not None and not _alike(
                trace.failure, self._same(clean, trace).failure
            ):
                return str(trace.failure)
        if isinstance(violation, DidNotAnswer):
            return violation.message
        return None

    def _same(self, clean: Case, trace: Trace) -> Trace:
        """The same ask on the engine as it is."""
        try:
            if not trace.ask.ordinary:
                return clean.put(trace.ask, may_refuse=True)
            clean = clean.of(clean.world.probe(trace.ask.probe))
            if trace.ask.history == OMITTED:
                return clean.default()
            return clean.ask(trace.ask.history, may_refuse=True)
        except DidNotAnswer as failed:
            return failed.trace or trace

    @property
    def outcome(self) -> CounterproofOutcome:
        """What has been seen."""
        caught = self._caught is not None and self._crashed is None
        message = self._caught or (
            "it landed, and the check did not catch it" if self.landed else self._why_not()
        )
        return CounterproofOutcome(self.landed, caught, message, self._crashed)

    def _why_not(self) -> str:
        if not self._altered:
            return "nothing to alter: the engine does not come by there"
        return "altered, but nothing after it changed: the engine does not use what crosses there"
