"""Calibration: without history the engine must yield what the world says, or nothing is judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from counterproof.mentions import states_any
from counterproof.subject import AdapterError, Subject
from counterproof.trace import Ask, Trace
from counterproof.worlds import Probe, WorldSpec


class CalibrationError(AdapterError):
    """The engine does not yield what the world says, or a declared seam is silent (exit 3)."""


_SEAMS = {
    "model": ("model",),
    "parse": ("parse",),
    "retrieval": ("query", "passages"),
    "exits": ("exit",),
    "session": ("session",),
    "signature": ("signature",),
    "service": ("response",),
    "stream": ("deltas",),
}


@dataclass(frozen=True)
class Calibration:
    """What was recorded.

    Args:
        refusals: by probe id, the text of each probe that must be refused.
    """

    refusals: dict[str, str]


def calibrate(subject: Subject, probes: Sequence[Probe]) -> Calibration:
    """Ask every probe without history, on a fresh engine, with a cooperative model.

    Args:
        subject: the engine.
        probes: the probes of the channels and claims it declares.

    Raises:
        CalibrationError: naming every probe that yields something else, and every silent seam.
        AdapterError: the engine cannot be opened.
    """
    wrong: list[str] = []
    seen: set[str] = set()
    refusals = {}
    for probe in probes:
        trace = subject.default(probe)
        seen.update(each.seam for each in trace.crossings)
        if fault := _fault(trace, probe, subject.world):
            wrong.append(f"probe {probe.id}: {fault}")
            if trace.failure is not None and trace.failure.kind == "hung":
                break  # each further probe would have to be waited for
        elif probe.refuses:
            refusals[probe.id] = trace.text
    answered = not wrong
    if answered and "session" in subject.describe().seams:
        turn = subject.put(Ask(probes[0].id, probes[0].question, session=()))
        seen.update(each.seam for each in turn.crossings)
        if turn.failure is not None:
            wrong.append(f"probe {probes[0].id}, the first turn of a session: {turn.failure}")
    if answered and "stream" in subject.describe().seams:
        streamed = subject.put(Ask(probes[0].id, probes[0].question, streamed=True))
        seen.update(key for each in streamed.crossings for key in each.data if key == "deltas")
        if streamed.failure is not None:
            wrong.append(f"probe {probes[0].id}, streamed: {streamed.failure}")
    if answered and "signature" in subject.describe().seams:
        seen.update(each.seam for each in subject.description(probes[0]).crossings)
    for seam in sorted(subject.describe().seams) if answered and not wrong else ():
        silent = [each for each in _SEAMS[seam] if each not in seen]
        if "service" in subject.describe().seams and seam == "retrieval":
            silent = [each for each in silent if each == "query"]  # its passages stay in it
        if silent:
            wrong.append(
                f"the seam {seam} is declared, and stayed silent on every probe"
                f" (nothing crossed: {', '.join(silent)}); wrap it as the guide shows, or do not"
                " declare it"
            )
    if wrong:
        raise CalibrationError("; ".join(wrong[:3]) + (" …" if len(wrong) > 3 else ""))
    return Calibration(refusals)


def _fault(trace: Trace, probe: Probe, world: WorldSpec) -> str | None:
    """What a default trace lacks of what its probe must yield, or None."""
    if trace.failure is not None:
        return f"no answer: {trace.failure}"
    if not trace.text.strip():
        return "the answer is empty"
    said = f'the answer is "{_short(trace.text)}"'
    cited = {doc for doc, _ in trace.cited}
    if probe.kind == "hit":
        missing = set(probe.values) - states_any(trace.text, probe.values)
        if missing:
            return f"{_figure(min(missing))} is not stated; {said}"
        if probe.sources and not cited & set(probe.sources):
            return f"{' or '.join(probe.sources)} is not cited, but {sorted(cited) or 'nothing'}"
    if probe.refuses:
        if cited:
            return f"nothing answers it, and {sorted(cited)} is cited; {said}"
        stated = states_any(trace.text, {fact.value for fact in world.facts})
        if stated:
            return f"nothing answers it, and {_figure(min(stated))} is stated; {said}"
        if probe.kind != "clarification" and trace.answer and trace.answer.refused is False:
            return f"nothing answers it, and refused is False; {said}"
    return None


def _figure(value: float) -> str:
    return f"{value:.15g}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 120 else flat[:119] + "…"
