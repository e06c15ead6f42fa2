"""In which order to go about findings: by steps, and within a step by what they gain for the effort."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from advisor.check.speedup_bounds.actions import Action, Headroom, action_for, gain_of_run
from advisor.model.findings import Finding
from advisor.runs.comparison.numbers import comparing_numbers


@dataclass(frozen=True)
class Advised:
    """A kernel with its findings and its share of the run."""

    name: str
    path: str | None
    share_of_run: float | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Advice:
    """A finding in the recommended order, with the gain that "Do first" and a check tell of it.

    `kernel` is None for a finding of the whole run.
    """

    action: Action
    kernel: str | None

    @property
    def finding(self) -> Finding:
        """What was found."""
        return self.action.finding

    @property
    def speedup(self) -> float | None:
        """That of the kernel, or of the run for a finding of it; None where nothing estimates it."""
        return self.action.speedup if self.action.is_estimated else None

    @property
    def gain_of_run(self) -> float | None:
        """That of all kernels together; None where it is not known."""
        return self.action.gain_of_run if self.action.is_estimated else None


@dataclass(frozen=True)
class Step:
    """A step of the recommended order, with the findings that belong to it, the most rewarding first."""

    id: str
    title: str
    text: str
    advice: tuple[Advice, ...]


def steps_of(
    kernels: Sequence[Advised],
    of_run: Sequence[Finding],
    shares: Mapping[str | None, float],
    headroom: Headroom = lambda _: None,
) -> tuple[Step, ...]:
    """All steps in the documents' order, each with its findings; `shares` and `headroom` as for actions."""
    numbers = comparing_numbers()
    ordered: dict[str, list[tuple[float, Advice]]] = {step.id: [] for step in numbers.steps}
    named = [(kernel.name, kernel.share_of_run, one) for kernel in kernels for one in kernel.findings]
    for name, share, finding in [*named, *((None, 1.0, one) for one in of_run)]:
        advice = Advice(action_for(finding, shares, headroom(finding)), name)
        step = numbers.step_of(finding.rule, finding.category)
        ordered[step].append((_reward(advice, share), advice))
    return tuple(
        Step(
            step.id, step.title, step.text, tuple(advice for _, advice in sorted(ordered[step.id], key=_rank))
        )
        for step in numbers.steps
    )


def _reward(advice: Advice, share: float | None) -> float:
    """The share of the run's time that is saved, for each minute of effort."""
    numbers = comparing_numbers()
    speedup = advice.speedup or numbers.assumed_speedup
    gain = advice.gain_of_run or gain_of_run(share or 0.0, speedup)
    minutes = numbers.effort
    return (1.0 - 1.0 / gain) / minutes.get(advice.finding.effort, max(minutes.values()))


def _rank(one: tuple[float, Advice]) -> tuple[float, str, int, str]:
    reward, advice = one
    return -reward, advice.finding.path, advice.finding.span.line, advice.finding.rule
