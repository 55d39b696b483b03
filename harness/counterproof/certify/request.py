"""What a user asks for, checked before anything runs."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from counterproof import engines, suite
from counterproof.baseline import Baseline, BaselineError
from counterproof.bench import Bench, Setting
from counterproof.catalogue import SuiteError
from counterproof.known import KnownError, KnownFailures, read_known
from counterproof.profiles import PROFILES
from counterproof.subject import Declared
from counterproof.transport import Target
from counterproof.worker import link
from counterproof.worlds import WorldError, WorldSpec, another_world, builtin_world


class RequestError(Exception):
    """Something asked for cannot be; the message says what, and what to do (exit 2)."""


@dataclass(frozen=True)
class ServiceOptions:
    """How a service is reached, as asked for.

    Args:
        start: the command that starts it.
        mapping: the file that says how it is spoken to.
        headers: ``NAME=VALUE`` each.
        model_port: the port the model is played at.
        remote: whether the address may be of another machine.
    """

    start: str | None = None
    mapping: str | None = None
    headers: tuple[str, ...] = field(default=(), repr=False)
    model_port: int | None = None
    remote: bool = False

    @property
    def first(self) -> str:
        """The first option that was given."""
        given = {
            "--start": self.start,
            "--mapping": self.mapping,
            "--header": self.headers,
            "--model-port": self.model_port,
            "--remote": self.remote,
        }
        return next(name for name, value in given.items() if value not in (None, (), False))


def is_address(target: str) -> bool:
    """Whether a target is the address of a service."""
    return target.startswith(("http://", "https://"))


@dataclass(frozen=True)
class Request:
    """One run, as asked for.

    Args:
        target: a name of an installed engine, or ``module:attribute``.
        profile: ``gate``, ``certify`` or ``audit``.
        only: ids the run is limited to; empty for all.
        seed: seed of everything generated.
        world_seed: seed of the world's values.
        python: interpreter of the engine's own environment, or None for ours.
        baseline: folder of a recorded baseline; None for the one that ships, if one does.
        service: how the service at ``target`` is reached, where that is an address.
        known: file of the vendor's known failures, or None.
    """

    target: str
    profile: str = "certify"
    only: tuple[str, ...] = ()
    seed: int = 0
    world_seed: int = 0
    python: str | None = None
    baseline: str | None = None
    service: ServiceOptions | None = None
    known: str | None = None

    def bench(self, *, baseline: bool = True) -> Bench:
        """The engine set up for the run.

        Args:
            baseline: whether to look for a recorded baseline.

        Raises:
            RequestError: an unknown engine, requirement, interpreter or profile, a world or a
                baseline that does not fit.
            AdapterError: the adapter or the calibration failed.
        """
        if self.profile not in PROFILES:
            raise RequestError(f"--profile {self.profile}: give one of {', '.join(PROFILES)}")
        try:
            return Bench(
                Setting(
                    target=self.where(),
                    world=self.world,
                    suite=self.suite(),
                    profile=PROFILES[self.profile],
                    seed=self.seed,
                    rehearsal=another_world(self.world_seed),
                    baseline=self._baseline if baseline else lambda _: None,
                )
            )
        except (BaselineError, WorldError, SuiteError) as error:
            raise RequestError(str(error)) from None

    @property
    def world(self) -> WorldSpec:
        """The world the engine is certified over."""
        return builtin_world(self.world_seed)

    def where(self) -> Target:
        """The adapter and its interpreter.

        Raises:
            RequestError: an unknown engine, or no such interpreter.
        """
        if is_address(self.target):
            return self._service()
        if self.service is not None:
            raise RequestError(
                f"{self.service.first}: it is for a service; give its address, such as"
                " http://127.0.0.1:8123, in place of"
                f" {self.target}"
            )
        try:
            adapter = engines.adapter_of(self.target)
        except engines.UnknownEngine as error:
            raise RequestError(str(error)) from None
        if self.python is not None and not (
            os.path.isfile(self.python) and os.access(self.python, os.X_OK)
        ):
            raise RequestError(f"--python {self.python}: there is no such program")
        return link.Target(adapter, self.python and str(Path(self.python).absolute()))

    def _service(self) -> Target:
        if self.python is not None:
            raise RequestError("--python: a service runs in its own process; see --start")
        try:
            from counterproof.service.options import target_of
        except ImportError as error:
            raise RequestError(
                f"certifying a service needs {error.name}, which is not installed: install"
                " counterproof[service]"
            ) from None
        try:
            return target_of(self.target, self.service or ServiceOptions())
        except ValueError as error:
            raise RequestError(str(error)) from None

    def suite(self) -> suite.Suite:
        """The requirements to check.

        Raises:
            RequestError: an id that no installed suite holds.
        """
        every = suite.installed()
        if not self.only:
            return every
        try:
            return every.limited(self.only)
        except KeyError as error:
            raise RequestError(
                f"--only {error.args[0]}: no installed suite holds this requirement;"
                " `counterproof requirements` lists them"
            ) from None

    def known_failures(self, on: date) -> KnownFailures:
        """The failures the vendor knows of; none without a file.

        Args:
            on: the day they are judged at.

        Raises:
            RequestError: the file cannot be used.
        """
        if self.known is None:
            return KnownFailures()
        try:
            return read_known(Path(self.known), suite.installed(), on)
        except (KnownError, SuiteError) as error:
            raise RequestError(str(error)) from None

    def _baseline(self, declared: Declared) -> Baseline | None:
        digest = self.world.digest
        if self.baseline is not None:
            return Baseline.read(Path(self.baseline), declared.name, digest)
        shipped = engines.shipped_baseline(self.target)
        if shipped is None:
            return None
        try:
            return Baseline.read(shipped, declared.name, digest)
        except BaselineError:
            return None  # it is bound to the default world; over another there is none
