"""What findings are worth: the time model asked for each cause, and for those of a kernel in sequence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from advisor.check.speedup_bounds.actions import gain_of_run
from advisor.check.speedup_bounds.bound import record_of
from advisor.evidence.metrics.tables import Tables
from advisor.evidence.metrics.times.counterfactual import Gain as CountedGain
from advisor.evidence.metrics.times.filled_device import filled_device
from advisor.evidence.metrics.times.launch_counts import LaunchCounts, counts_of
from advisor.evidence.metrics.times.other_devices import on_another_device
from advisor.evidence.metrics.times.remedy_gain import remedy_gain
from advisor.evidence.simulated.synthesis.result import Synthesis
from advisor.model.devices import Device
from advisor.model.findings import REMARK, WARNING, Finding, Gain, RemedyOrder, RemedyStep
from advisor.model.remedies import CountChange
from advisor.rules.policy import GainPolicy

# So many remedies of a kernel are asked for in sequence.
_MOST_STEPS = 8


@dataclass
class KernelCounts:
    """The counts of kernels by their keys: those of the launch that was recorded, or of a grid that fills a
    device where launches were made up.

    `recorded_on` is the device that recorded launches were counted for; what passes the caches of another is
    known within bounds.
    """

    tables: Tables
    syntheses: Mapping[str, Synthesis]
    recorded_on: Device
    _known: dict[tuple[str, str], tuple[LaunchCounts, ...]] = field(default_factory=dict)

    def of(self, kernel: str, device: Device) -> tuple[LaunchCounts, ...]:
        """The counts that a kernel may have on a device, none where they are not known."""
        key = kernel, device.id
        if key not in self._known:
            self._known[key] = self._counts(kernel, device)
        return self._known[key]

    def label_and_path(self, kernel: str) -> tuple[str, str]:
        """A kernel's name and file."""
        table = self.tables["kernel"]
        row = table.keys.index(kernel)
        return table.labels[row], table.paths[row]

    def _counts(self, kernel: str, device: Device) -> tuple[LaunchCounts, ...]:
        table = self.tables.get("kernel")
        if table is None or kernel not in table.keys:
            return ()
        record = record_of(table, table.keys.index(kernel))
        recorded = counts_of(record)
        if recorded.is_complete:
            if device.id == self.recorded_on.id:
                return (recorded,)
            rereads = record.value("dram_rereads")
            return on_another_device(recorded, float(rereads) if isinstance(rereads, float) else None, device)
        made_up = self.syntheses.get(kernel)
        if made_up is None or not made_up.work:
            return ()
        registers = record.value("registers")
        known = float(registers) if isinstance(registers, int | float) else None
        return filled_device(made_up.work, known, device).possible


@dataclass(frozen=True)
class Worth:
    """Asks what remedies gain, on each of some devices."""

    counts: KernelCounts
    devices: Sequence[Device]

    def gain(self, finding: Finding) -> Gain | None:
        """The gain of a finding's remedy, at all its places, on the device where it is largest for certain.

        None where the rule states no count, or where no number is known for one.
        """
        remedy = finding.remedy
        if remedy is None or not remedy.changes:
            return None
        found = []
        for device in self.devices:
            gain = remedy_gain(remedy.changes, self.counts.of(remedy.kernel, device), device)
            if gain is not None:
                found.append((device, gain))
        if not found:
            return None
        device, gain = max(found, key=lambda one: (one[1].least, one[1].ratio))
        most = max(one.most for _, one in found)
        return _told(gain, most, device)

    def orders(self, findings: Iterable[Finding], negligible: float) -> list[RemedyOrder]:
        """For each kernel with several remedies that gain something, what to do first and what is left then.

        The first is the one that gains most alone, the next the one that gains most after it. Remedies that
        no longer gain anything to speak of, `negligible` and less, are left out.
        """
        by_kernel: dict[str, list[Finding]] = defaultdict(list)
        for one in findings:
            if (
                one.remedy is not None
                and one.remedy.changes
                and one.gain is not None
                and one.gain.is_predicted
            ):
                by_kernel[one.remedy.kernel].append(one)
        found = []
        for kernel, several in by_kernel.items():
            steps = self._steps(kernel, several, negligible) if len(several) > 1 else ()
            if len(steps) > 1:
                found.append(RemedyOrder(*self.counts.label_and_path(kernel), self.devices[0].name, steps))
        return found

    def _steps(self, kernel: str, findings: Sequence[Finding], negligible: float) -> tuple[RemedyStep, ...]:
        device, waiting = self.devices[0], list(findings)
        possible = self.counts.of(kernel, device)
        done: list[CountChange] = []
        steps: list[RemedyStep] = []
        reached = 1.0
        while waiting and len(steps) < _MOST_STEPS:
            asked = [(remedy_gain((*done, *_changes(one)), possible, device), one) for one in waiting]
            known = [(gain.ratio, gain, one) for gain, one in asked if gain is not None]
            if not known:
                break
            ratio, gain, chosen = max(known, key=lambda one: one[0])
            if ratio < reached * negligible:
                break
            steps.append(_step(chosen, gain))
            done += _changes(chosen)
            reached = ratio
            waiting.remove(chosen)
        return tuple(steps)


def with_gains(findings: Iterable[Finding], worth: Worth) -> list[Finding]:
    """The findings with the gains that the time model predicts; others keep what their rules state."""
    found = []
    for one in findings:
        gain = worth.gain(one)
        found.append(one if gain is None else replace(one, gain=gain))
    return found


def with_gains_of_run(findings: Iterable[Finding], shares: Mapping[str | None, float]) -> list[Finding]:
    """The findings whose gain is predicted with what it makes of the run, where the kernel's share of it is
    known.
    """
    found = []
    for one in findings:
        share = shares.get(one.kernel_concerned())
        if share is None or one.gain is None or not one.gain.is_predicted:
            found.append(one)
        else:
            found.append(replace(one, gain=replace(one.gain, of_run=gain_of_run(share, one.gain.speedup))))
    return found


def with_levels(findings: Iterable[Finding], policy: GainPolicy) -> list[Finding]:
    """The findings as loud as their gains make them, each with the reason."""
    found = []
    for one in findings:
        level = policy.level_of(one)
        if level is None:
            found.append(one)
            continue
        severity, reason = level
        word = REMARK if severity == "info" else WARNING
        found.append(replace(one, severity=severity, assumptions=(*one.assumptions, f"{word}: {reason}.")))
    return found


def _changes(finding: Finding) -> tuple[CountChange, ...]:
    return () if finding.remedy is None else finding.remedy.changes


def _step(finding: Finding, gain: CountedGain) -> RemedyStep:
    return RemedyStep(finding.rule, finding.path, finding.span.line, gain.least, gain.most, gain.left)


def _told(gain: CountedGain, most: float, device: Device) -> Gain:
    interval = gain.interval
    return Gain(
        round(gain.ratio, 3), "predicted", gain.least, most, interval.low, interval.high, device.name, None,
        gain.left,
    )  # fmt: skip
