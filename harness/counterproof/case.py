"""What a check sees: one engine, asked one probe, with the model playing one behaviour."""

from __future__ import annotations

import copy
from collections.abc import Callable, Container, Iterator, Sequence
from typing import Any

from counterproof.baseline import Baseline
from counterproof.check import DidNotAnswer
from counterproof.model.behaviours import COOPERATIVE, Behaviour
from counterproof.plan import applicable
from counterproof.subject import Declared, Subject
from counterproof.trace import OMITTED, Ask, History, Trace
from counterproof.worlds import Probe, WorldSpec

_DEAD = ("exited", "hung", "protocol")
"""Failures that cost a worker: an item that met one does not meet it again."""


class Case:
    """One probe of one engine, as a check is given it.

    Args:
        subject: the engine.
        probe: the probe.
        behaviour: what the scripted model does.
        twin: makes the same engine in a process of another hash seed (STA-1).
        untold: makes the same engine in a process that is never told a history (DEF-3).
        refusal: the text recorded in calibration where the probe was refused, or None.
        baseline: the recorded baseline, or None (DEF-2).
        calibrated: gives what calibration saw of the probe on the engine as it is; without it,
            this engine's own default is taken.
        kept: histories many checks ask with; one trace of each serves them all.
        memo: where those traces are kept.
    """

    def __init__(
        self,
        subject: Subject,
        probe: Probe,
        behaviour: Behaviour = COOPERATIVE,
        *,
        twin: Callable[[], Subject],
        untold: Callable[[], Subject] | None = None,
        refusal: str | None = None,
        baseline: Baseline | None = None,
        calibrated: Callable[[], Trace] | None = None,
        kept: Container[History] = (),
        memo: dict[Any, Any] | None = None,
    ) -> None:
        self.probe = probe
        self.behaviour = behaviour
        self.baseline = baseline
        self.refusal = refusal
        self.traces: list[Trace] = []
        """The traces of the example that runs, in order; the runner empties it."""
        self._ended: list[DidNotAnswer] = []
        self._subject = subject
        self._twin = twin
        self._calibrated = calibrated
        self._untold = untold
        self._kept = kept
        self._memo = {} if memo is None else memo
        self._before = subject.asks
        self._elsewhere = 0
        self._given = 0

    @property
    def ended(self) -> DidNotAnswer | None:
        """The failure that cost the worker, if one did: every further ask repeats it."""
        return self._ended[0] if self._ended else None

    @property
    def world(self) -> WorldSpec:
        """The world the engine is opened over."""
        return self._subject.world

    @property
    def declared(self) -> Declared:
        """What the adapter declares."""
        return self._subject.describe()

    @property
    def asks(self) -> int:
        """How many asks have been put for it."""
        return self._subject.asks - self._before + self._elsewhere

    def ask(
        self,
        history: History = OMITTED,
        *,
        fresh: bool = False,
        may_refuse: bool = False,
        anew: bool = False,
    ) -> Trace:
        """Put the probe's question, with a history.

        Args:
            history: the conversation before it.
            fresh: on a freshly opened engine.
            may_refuse: the engine may raise instead of answering (ROL-2 on malformed turns).
            anew: put it even where the run has put it before and keeps the trace.

        Raises:
            DidNotAnswer: it failed, and may not.
        """
        if self.ended is not None:
            raise self.ended
        if fresh or anew or history.kind == "raw" or history not in self._kept:
            return self._asked(self._subject, history, fresh=fresh, may_refuse=may_refuse)
        key = (self.probe.id, self.behaviour, history)
        if key not in self._memo:
            self._memo[key] = self._subject.ask(self.probe, history, self.behaviour)
        return self._noted(self._memo[key], may_refuse=may_refuse)

    def repeatedly(self, history: History, *, fresh: bool) -> list[Trace]:
        """Put it to the engine as it stands, twice, whatever it holds; it may be refused (ROL-4).

        Asked once for all checks of the probe: three clauses speak of the same asks.

        Args:
            history: the history, malformed as it may be.
            fresh: whether the last of three is put to an engine opened anew.

        Raises:
            DidNotAnswer: it failed otherwise than by raising.
        """
        if self.ended is not None:
            raise self.ended
        key = ("repeatedly", self.probe.id, self.behaviour, repr(history), fresh)
        if key not in self._memo:
            self._memo[key] = [
                self._subject.ask(self.probe, history, self.behaviour, fresh=anew)
                for anew in (False, False, fresh)
            ]
        return [self._noted(each, may_refuse=True) for each in self._memo[key]]

    def put(self, ask: Ask, *, may_refuse: bool = False, anew: bool = False) -> Trace:
        """Put any ask: with an exit held open, over passages labelled otherwise, in a session.

        Args:
            ask: the ask.
            may_refuse: the engine may raise instead of answering.
            anew: put it even where the run has put it before and keeps the trace.

        Raises:
            DidNotAnswer: it failed, and may not.
        """
        if self.ended is not None:
            raise self.ended
        told = [each.history for each in (ask, *(ask.session or ()))]
        raw = any(each.kind == "raw" for each in told)  # which may hold what cannot be hashed
        if anew or raw or not self._kept or any(h.turns and h not in self._kept for h in told):
            return self._noted(self._subject.put(ask), may_refuse=may_refuse)
        if ask not in self._memo:
            self._memo[ask] = self._subject.put(ask)
        return self._noted(self._memo[ask], may_refuse=may_refuse)

    def asked(self, history: History = OMITTED, **given: Any) -> Ask:
        """The probe's question as an ask.

        Args:
            history: the conversation before it.
            given: further members of the ask.
        """
        return Ask(self.probe.id, self.probe.question, history, self.behaviour, **given)

    def default(self) -> Trace:
        """The probe without history on a freshly opened engine; asked once, then remembered.

        Raises:
            DidNotAnswer: it failed.
        """
        if self.ended is not None:
            raise self.ended
        trace = self._subject.default(self.probe, self.behaviour)
        return self._noted(trace, may_refuse=False)

    def defaults(self) -> list[Trace]:
        """The default trace of every probe the engine claims: what it does over the whole world.

        A probe on which it fails is left out: that is for a case of its own.
        """
        if self.ended is not None:
            raise self.ended
        probes = applicable(self.world, self.declared)
        traces = [self._subject.default(each, self.behaviour) for each in probes]
        return [each for each in traces if each.failure is None]

    def cooperative(self) -> Trace:
        """The default with a model that cooperates, whatever this case's does: what calibrated.

        It is no ask of the example, and not among its traces; no sabotage is in it.
        """
        if self._calibrated is not None:
            return self._calibrated()
        return self._subject.default(self.probe, COOPERATIVE)

    def of(self, probe: Probe) -> Case:
        """Another probe of the same engine: what is asked of it counts among this one's traces."""
        if probe.id == self.probe.id:
            return self
        other = copy.copy(self)
        other.probe, other.refusal = probe, None
        return other

    def untold(self) -> tuple[Trace, Trace, Trace]:
        """The probe without history, three times in a process that is never told one.

        Returns:
            On a fresh engine; on the same engine again; and on the next fresh one (DEF-3).

        Raises:
            DidNotAnswer: it failed.
        """
        if self.ended is not None:
            raise self.ended
        key = ("untold", self.probe.id, self.behaviour)
        if key not in self._memo:
            subject = (self._untold or self._twin)()
            # Where the run goes on to the other probes, they are asked along: a service has to be
            # started anew to be one that was never told anything.
            probes = applicable(self.world, self.declared) if self._kept else [self.probe]
            self._elsewhere += 3 * len(probes)
            for probe in probes:
                self._memo["untold", probe.id, self.behaviour] = tuple(
                    subject.ask(probe, OMITTED, self.behaviour, fresh=fresh)
                    for fresh in (True, False, True)
                )
        first, again, next_ = (self._noted(each, may_refuse=False) for each in self._memo[key])
        return first, again, next_

    def converse(self, probes: Sequence[Probe], history: History = OMITTED) -> Iterator[Trace]:
        """Hold a conversation, each answer fed back as history (STA-4).

        Args:
            probes: what is asked, in order.
            history: what was said before.

        Raises:
            DidNotAnswer: a question failed.
        """
        if self.ended is not None:
            raise self.ended
        for trace in self._subject.converse(probes, history, self.behaviour):
            yield self._noted(trace, may_refuse=False)

    def ask_many(self, asks: Sequence[Ask], *, at_once: bool = False) -> list[Trace]:
        """Put several asks, one after the other or all at once (STA-3).

        Args:
            asks: the asks, in order.
            at_once: as the adapter declares that they may be put.

        Raises:
            DidNotAnswer: one of them failed.
        """
        if self.ended is not None:
            raise self.ended
        if not at_once:
            return [self.put(each, anew=True) for each in asks]
        traces = self._subject.ask_many(asks)
        return [self._noted(each, may_refuse=False) for each in traces]

    def words(self, count: int, key: str) -> list[str]:
        """Words that stand nowhere else, other ones each time they are asked for.

        Args:
            count: how many.
            key: what they are for, so that a run limited to one requirement draws the same.
        """
        self._given += 1
        return self._subject.words(count, f"{self.probe.id}/{key}/{self._given}")

    def description(self) -> Trace:
        """What the engine lets be described, one crossing for each seam (DEF-4)."""
        return self._noted(self._subject.description(self.probe), may_refuse=False)

    def elsewhere(self, history: History = OMITTED) -> Trace:
        """The same ask on a fresh engine in another process, with another hash seed (STA-1).

        Raises:
            DidNotAnswer: it failed.
        """
        self._elsewhere += self.ended is None
        return self._asked(self._twin(), history, fresh=True, may_refuse=False)

    def refuses(self, trace: Trace) -> bool:
        """Whether a trace refuses: it says so, or gives the refusal recorded for the probe."""
        if trace.answer is None:
            return False
        if trace.answer.refused is not None:
            return trace.answer.refused
        return self.refusal is not None and trace.text == self.refusal

    def _asked(self, subject: Subject, history: History, *, fresh: bool, may_refuse: bool) -> Trace:
        if self.ended is not None:
            raise self.ended
        trace = subject.ask(self.probe, history, self.behaviour, fresh=fresh)
        return self._noted(trace, may_refuse=may_refuse)

    def _noted(self, trace: Trace, *, may_refuse: bool) -> Trace:
        self.traces.append(trace)
        failure = trace.failure
        if failure is None or (may_refuse and failure.kind == "raised"):
            return trace
        told = DidNotAnswer(
            f"the engine gave no answer, though it answers by default: {failure}",
            trace,
            ("/failure",),
        )
        if failure.kind in _DEAD:
            self._ended.append(told)
        raise told
