"""In which order to go about findings: by steps, and within a step by what they gain for the effort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.check.speedup_bounds.actions import gain_of_run
from advisor.model.findings import Finding
from advisor.runs.comparison.numbers import comparing_numbers


@dataclass(frozen=True)
class Advised:
    """A kernel with its findings: its share of the run, the speed-up that the roofline leaves at most."""

    name: str
    path: str | None
    share_of_run: float | None
    headroom: float | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Advice:
    """A finding in the recommended order.

    `kernel` is None for one of the whole run; `speedup` is that of the kernel, `gain_of_run` that of the run,
    both at most and None where they are not known.
    """

    finding: Finding
    kernel: str | None
    speedup: float | None
    gain_of_run: float | None


@dataclass(frozen=True)
class Step:
    """A step of the recommended order, with the findings that belong to it, the most rewarding first."""

    id: str
    title: str
    text: str
    advice: tuple[Advice, ...]


def steps_of(kernels: Sequence[Advised], of_run: Sequence[Finding]) -> tuple[Step, ...]:
    """All steps in the documents' order, each with its findings."""
    numbers = comparing_numbers()
    ordered: dict[str, list[tuple[float, Advice]]] = {step.id: [] for step in numbers.steps}
    for kernel in kernels:
        for finding in kernel.findings:
            advice = _advice(finding, kernel)
            reward = _reward(advice, kernel.share_of_run)
            ordered[numbers.step_of(finding.rule, finding.category)].append((reward, advice))
    for finding in of_run:
        speedup = finding.gain.speedup if finding.gain else None
        advice = Advice(finding, None, None, speedup)
        ordered[numbers.step_of(finding.rule, finding.category)].append((_reward(advice, 1.0), advice))
    return tuple(
        Step(
            step.id, step.title, step.text, tuple(advice for _, advice in sorted(ordered[step.id], key=_rank))
        )
        for step in numbers.steps
    )


def _advice(finding: Finding, kernel: Advised) -> Advice:
    """The finding's gain, which the roofline caps."""
    speedup = finding.gain.speedup if finding.gain else None
    if speedup is not None and kernel.headroom is not None:
        speedup = min(speedup, kernel.headroom)
    share = kernel.share_of_run
    gain = None if speedup is None or share is None else gain_of_run(share, speedup)
    return Advice(finding, kernel.name, speedup, gain)


def _reward(advice: Advice, share: float | None) -> float:
    """The share of the run's time that is saved, for each minute of effort."""
    numbers = comparing_numbers()
    gain = advice.gain_of_run or gain_of_run(share or 0.0, numbers.assumed_speedup)
    minutes = numbers.effort
    return (1.0 - 1.0 / gain) / minutes.get(advice.finding.effort, max(minutes.values()))


def _rank(one: tuple[float, Advice]) -> tuple[float, str, int, str]:
    reward, advice = one
    return -reward, advice.finding.path, advice.finding.span.line, advice.finding.rule
