"""Everything one run stands on: the engine's workers, its world, the plan; and it runs an item."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from counterproof.baseline import Baseline
from counterproof.calibration import Calibration, CalibrationError, calibrate
from counterproof.case import Case
from counterproof.certificate import Verdict
from counterproof.check import drawn
from counterproof.judge import (
    CounterproofOutcome,
    EngineResult,
    Sample,
    run_counterproof_item,
    run_engine_item,
)
from counterproof.model.behaviours import FUZZED, Behaviour
from counterproof.plan import EngineItem, Item, Plan, applicable
from counterproof.profiles import Profile
from counterproof.strategies import Material
from counterproof.subject import Declared, Subject
from counterproof.suite import Check, Suite
from counterproof.trace import History
from counterproof.transport import Target
from counterproof.worlds import Probe, WorldSpec

Result = EngineResult | CounterproofOutcome
_OTHER_HASH_SEED = 1


@dataclass(frozen=True)
class Setting:
    """What a run is asked for.

    Args:
        target: the adapter and its interpreter.
        world: the world.
        suite: the requirements to check.
        profile: how deep.
        seed: seed of everything generated.
        baseline: finds the recorded baseline for what the adapter declares, or gives None.
        rehearsal: a second world the engine must be calibrated over, or None: an engine that
            learnt the first one's answers by heart does not know this one's. It is drawn at
            random, so that nobody can know it; nothing of it stands in the certificate.
    """

    target: Target
    world: WorldSpec
    suite: Suite
    profile: Profile
    seed: int
    baseline: Callable[[Declared], Baseline | None] = lambda _: None
    rehearsal: WorldSpec | None = None


class Bench:
    """An engine set up for a run: calibrated, planned, and asked item by item.

    The engine as it is and the sabotaged one live in two workers, so that nothing a sabotage
    leaves behind reaches a verdict.

    Args:
        setting: what the run is asked for.

    Raises:
        AdapterError: the adapter cannot be loaded or opened, or calibration failed.
        WorldError: the world lacks probes for what the adapter declares.
        BaselineError: the baseline is not this engine's.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.results: dict[str, Result] = {}
        self._memo: dict[Any, Any] = {}
        self._samples: dict[Any, Sample] = {}
        self._connection = setting.target.connect()
        link, world = self._connection.link, setting.world
        self._clean, self._broken = Subject(link(), world), Subject(link(), world)
        self._twins = [Subject(link(hash_seed=_OTHER_HASH_SEED), world) for _ in range(2)]
        self._untold = Subject(link(untold=True), world)
        try:
            self.declared = self._clean.describe()
            setting.world.require(self.declared.channels, self.declared.claims)
            self.baseline = setting.baseline(self.declared)
            self.calibration: Calibration = calibrate(self._clean, self.probes)
            self._rehearse()
            self.digest = self._measured()
            self.plan = Plan.of(
                setting.suite, self.declared, setting.world, baseline=self.baseline is not None
            )
        except BaseException:
            self.close()
            raise

    @cached_property
    def probes(self) -> list[Probe]:
        """The probes of the channels and claims the adapter declares."""
        return applicable(self.setting.world, self.declared)

    @cached_property
    def material(self) -> Material:
        """What histories are made of."""
        return material_of(self.setting.world)

    def run(self, item: Item) -> Result:
        """Run one item, and keep what it found under the item's id."""
        try:
            result = self._engine(item) if isinstance(item, EngineItem) else self._counter(item)
        except Exception as error:  # noqa: BLE001  # whatever the kit cannot do is an ERROR verdict
            message = f"{type(error).__name__}: {error}"
            result = (
                EngineResult(Verdict.ERROR, message)
                if isinstance(item, EngineItem)
                else CounterproofOutcome(False, False, message, crashed=message)
            )
        self.results[item.id] = result
        return result

    def default_bytes(self, probe: Probe) -> bytes:
        """The canonical bytes of a probe's default trace."""
        return self._clean.default(probe).bytes

    def close(self) -> None:
        """End every worker."""
        for subject in (self._clean, self._broken, *self._twins, self._untold):
            subject.close()
        self._connection.close()

    def _engine(self, item: EngineItem) -> EngineResult:
        case = self._clean_case(item.probe, item.behaviour)
        return run_engine_item(
            item,
            case,
            self.material,
            self._witnesses(item.check),
            self.setting.profile,
            self.setting.seed,
            self._sample(item),
        )

    def _sample(self, item: EngineItem) -> Sample | None:
        """The histories a check's strategy gives for a probe, drawn once for all its checks.

        None where the run is so deep that they would have to be held for too long, and where
        the model's replies are drawn along with them.
        """
        draws, profile = item.check.histories.drawn, self.setting.profile
        if draws is None or item.behaviour == FUZZED or not profile.shares:
            return None
        key = f"{draws.__module__}.{draws.__qualname__}/{item.probe.id}"
        if (draws, item.probe.id) not in self._samples:
            histories = drawn(
                draws(self.material),
                key=key,
                run_seed=self.setting.seed,
                examples=profile.examples,
            )
            self._samples[draws, item.probe.id] = Sample(key, histories)
            self._shared.update(each for each in histories if each.kind != "raw" and each.turns)
        return self._samples[draws, item.probe.id]

    def _counter(self, item: Item) -> CounterproofOutcome:
        assert not isinstance(item, EngineItem)
        if why := self._needless(item.check):
            return CounterproofOutcome(False, False, f"not run: {why}")
        sabotage = item.counterproof.sabotage
        broken = self._broken.under(sabotage)
        broken_twin = cache(lambda: self._twins[1].under(sabotage))
        broken_untold = cache(lambda: self._untold.under(sabotage))

        return run_counterproof_item(
            item,
            lambda probe, behaviour: Case(
                broken,
                probe,
                behaviour,
                twin=broken_twin,
                untold=broken_untold,
                **self._known(probe),
            ),
            self._clean_case,
            self.material,
            self.setting.profile,
            self.setting.seed,
        )

    def _needless(self, check: Check) -> str | None:
        """Why a counterproof of a check would prove nothing, as far as its own items have run."""
        own = [each.id for each in self.plan.of_check(check) if isinstance(each, EngineItem)]
        found = [self.results[each] for each in own if each in self.results]
        outcomes = {each.outcome for each in found if isinstance(each, EngineResult)}
        if Verdict.FAIL in outcomes:
            return "the engine itself fails this check"
        if len(found) == len(own) and Verdict.PASS not in outcomes:
            return "the check cannot be observed on this engine"
        return None

    def _clean_case(self, probe: Probe, behaviour: Behaviour) -> Case:
        return Case(
            self._clean,
            probe,
            behaviour,
            twin=lambda: self._twins[0],
            untold=lambda: self._untold,
            kept=self._shared,
            memo=self._memo,
            **self._known(probe),
        )

    def _known(self, probe: Probe) -> dict[str, Any]:
        """What was recorded of a probe before anything was judged."""
        return {
            "refusal": self.calibration.refusals.get(probe.id),
            "baseline": self.baseline,
            "calibrated": lambda: self._clean.default(probe),
        }

    @cached_property
    def _shared(self) -> set[History]:
        """Histories that more than one check asks with: explicit examples, witnesses, samples."""
        suite, material = self.setting.suite, self.material
        explicit = [h for check in suite.checks for h in check.histories.explicit(material)]
        witnesses = [each.witness(material) for each in suite.counterproofs]
        return {h for h in (*explicit, *witnesses) if h.turns and h.kind != "raw"}

    def _witnesses(self, check: Check) -> list[History]:
        return [each.witness(self.material) for each in self.setting.suite.by_check[check.id]]

    def _rehearse(self) -> None:
        other = self.setting.rehearsal
        if other is None or "worlds" in self.declared.lacks:
            return
        subject = Subject(self._connection.link(), other)
        try:
            calibrate(subject, applicable(other, self.declared))
        except CalibrationError as error:
            raise CalibrationError(
                f"over a second world (as with --world-seed {other.seed}) the engine does not"
                f" yield what that world says, so its answers come from elsewhere: {error}"
            ) from None
        finally:
            subject.close()

    def _measured(self) -> str | None:
        """SHA-256 over the source of every module loaded for the engine, by module name."""
        whole = hashlib.sha256()
        files = self._clean.files()
        if not files:
            return None  # nothing of it is here
        for name in sorted(files):
            try:
                data = Path(files[name]).read_bytes()
            except OSError:
                return None
            whole.update(f"{name}\0{len(data)}\0".encode() + data)
        return whole.hexdigest()


def material_of(world: WorldSpec) -> Material:
    """What histories are made of, taken from a world."""
    return Material(
        entities=tuple(name for each in world.entities for name in each.names),
        periods=tuple(dict.fromkeys([*(f.period for f in world.facts), "FY2099"])),
        metrics=tuple(name for each in world.metrics for name in each.names),
        figures=tuple(str(each) for each in world.canary_figures),
        canaries=world.canaries,
        restricted=tuple(each.text for each in world.restricted),
        out_of_scope=world.out_of_scope,
        passages=tuple(each.text for each in world.passages if not each.restricted),
        documents=tuple(
            dict.fromkeys([p.doc for p in world.passages] + [f.doc for f in world.facts])
        ),
    )
