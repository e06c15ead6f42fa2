"""The kernels of runs ranked by their time, with what could be gained and what the rules say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from advisor.check.speedup_bounds.actions import Action, Headroom, gain_of_run, ranked_actions
from advisor.check.speedup_bounds.bound import limiter_by_use
from advisor.check.speedup_bounds.tree import diagnosis_tree
from advisor.evidence.measured.run_times import time_of
from advisor.model.devices import Device
from advisor.model.findings import Finding
from advisor.model.history.fingerprint import Fingerprint, Run
from advisor.model.processes.gc_paused import gc_paused
from advisor.model.records import Source
from advisor.model.settings.check_options import CheckOptions
from advisor.runs.comparison.judged_runs import known_device, report_of_runs, source_of
from advisor.runs.comparison.numbers import comparing_numbers
from advisor.runs.comparison.ranking.kernel_places import KernelPlaces, Place
from advisor.runs.comparison.ranking.order import Advised, Step, steps_of
from advisor.runs.comparison.ranking.roofline import Bound, bound_of
from advisor.runs.comparison.times import marks_of


@dataclass(frozen=True)
class RankedShape:
    """One shape of a kernel's launch: the time of all its launches in an iteration, the bound of one."""

    fingerprint: Fingerprint
    time_ms: float | None
    bound: Bound | None

    @property
    def limit(self) -> str | None:
        """What a launch waits for: the longest of its predicted times; latencies where neither half of the
        GPU was measured to be busy; else the roofline's bound.
        """
        metrics = self.fingerprint.metrics
        predicted = metrics.get("time_limiter")
        if isinstance(predicted, str):
            return diagnosis_tree().limit_in_words(predicted)
        memory, compute = metrics.get("memory_throughput"), metrics.get("sm_throughput")
        if isinstance(memory, float) and isinstance(compute, float):
            by_use = limiter_by_use(memory, compute)
            if by_use == "latency":
                return diagnosis_tree().limit_in_words(by_use)
        return self.bound.limiter if self.bound is not None else None


@dataclass(frozen=True)
class RankedKernel:
    """A kernel with all shapes of its launches, the longest first.

    `time_ms` is that of an iteration of its run; `share` is of the time of all kernels beside it,
    `share_of_run` of the wall time where that is known, else the same. `headroom` is the speed-up that the
    roofline leaves at most, and `gain_of_run` what that would make of the whole run (G. Amdahl, 1967).
    `marks` are of "slow", "high variance" and "outliers".
    """

    name: str
    path: str | None
    place: Place
    run: Run
    shapes: tuple[RankedShape, ...]
    time_ms: float | None
    share: float | None
    share_of_run: float | None
    headroom: float | None
    gain_of_run: float | None
    marks: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def main(self) -> RankedShape:
        """The shape with the longest time."""
        return self.shapes[0]


@dataclass(frozen=True)
class Ranking:
    """The kernels of one device, measured or predicted, with the longest time first.

    `device` is that of the knowledge base, None for a GPU that has no file there; `judged_for` names the one
    whose numbers the rules used. `runs` come without fingerprints, the latest first; `wall_ms` is the time of
    their iterations together, None where some run's is not known. `findings` are those of no kernel.
    `shares` and `headroom` are as those of a check's report; where `is_checked`, findings of kernels that are
    as they were are that check's.
    """

    device_name: str
    device: Device | None
    judged_for: str
    source: Source
    runs: tuple[Run, ...]
    kernels: tuple[RankedKernel, ...]
    kernels_ms: float
    wall_ms: float | None
    findings: tuple[Finding, ...]
    steps: tuple[Step, ...]
    notes: tuple[str, ...]
    shares: Mapping[str | None, float] = field(default_factory=dict)
    headroom: Mapping[tuple[str, str | None], float] = field(default_factory=dict)
    is_checked: bool = False

    @property
    def is_measured(self) -> bool:
        """Whether times are of a GPU, not a model's."""
        return self.source == "measured"

    @property
    def known_ms(self) -> float | None:
        """The time of all kernels whose time is known together, None where no kernel's is."""
        return self.kernels_ms if any(one.time_ms is not None for one in self.kernels) else None

    @property
    def actions(self) -> list[Action]:
        """What to do, in the order of a check."""
        findings = [one for kernel in self.kernels for one in kernel.findings]
        return ranked_actions(
            [*findings, *self.findings],
            self.shares,
            headroom_of(self.headroom),
        )

    @property
    def nowhere(self) -> frozenset[str]:
        """What stands for the path of what no file is known of: runs, and kernels that reports alone name."""
        kernels = {one.place.path for one in self.kernels if one.path is None}
        return frozenset(kernels | {run.facts.command for run in self.runs})

    @property
    def untimed(self) -> int:
        """How many kernels have no known time."""
        return sum(one.time_ms is None for one in self.kernels)


def rankings(runs: Sequence[Run], options: CheckOptions) -> list[Ranking]:
    """The rankings of runs with their fingerprints: one for each device, measured before predicted.

    A kernel that several runs of a device have comes from the latest of them. Rules are those that `options`
    select; `options.device` stands for a GPU that is not in the knowledge base.
    """
    groups: dict[tuple[str, Source], list[Run]] = {}
    for run in sorted(runs, key=_latest_first):
        for source in dict.fromkeys([one.source for one in run.fingerprints] or [source_of(run)]):
            those = tuple(one for one in run.fingerprints if one.source == source)
            groups.setdefault((run.facts.device, source), []).append(replace(run, fingerprints=those))
    with gc_paused():
        found = [_ranking(device, source, group, options) for (device, source), group in groups.items()]
    return sorted(found, key=lambda one: (one.source != "measured", -max((run.id or 0) for run in one.runs)))


def _latest_first(run: Run) -> tuple[int, float]:
    return -(run.id or 0), -run.facts.started


def _ranking(name: str, source: Source, group: Sequence[Run], options: CheckOptions) -> Ranking:
    runs = _without_earlier_kernels(group)
    device, judged_for = known_device(name, options.device)
    places = KernelPlaces(options.settings.root, options.root)
    report = report_of_runs(runs, source, replace(options, device=judged_for.id), places)
    findings = report.findings
    total = sum(time for run in runs for time in map(time_of, run.fingerprints) if time is not None)
    wall = _wall(runs, total)
    ranked = [
        _kernel(run, those, places, device, total, wall or total, findings)
        for run in runs
        for those in _by_kernel(run.fingerprints)
    ]
    ranked.sort(key=lambda one: (one.time_ms is None, -(one.time_ms or 0.0), one.path or "", one.name))
    own = {id(finding) for kernel in ranked for finding in kernel.findings}
    others = tuple(finding for finding in findings if id(finding) not in own)
    return Ranking(
        device_name=judged_for.name if device else name,
        device=device,
        judged_for=judged_for.name,
        source=source,
        runs=tuple(replace(run, fingerprints=()) for run in runs),
        kernels=tuple(ranked),
        kernels_ms=total,
        wall_ms=wall,
        findings=others,
        steps=steps_of([advised(one) for one in ranked], others, report.shares, headroom_of(report.headroom)),
        notes=tuple(dict.fromkeys(note for run in runs for note in run.notes)),
        shares=report.shares,
        headroom=report.headroom,
    )


def _without_earlier_kernels(group: Sequence[Run]) -> list[Run]:
    """The runs, latest first, each with the kernels that no later one has."""
    seen: set[tuple[str | None, str]] = set()
    found = []
    for run in group:
        those = tuple(one for one in run.fingerprints if _who(one) not in seen)
        seen.update(map(_who, those))
        found.append(replace(run, fingerprints=those))
    return [run for run in found if run.fingerprints] or found[:1]


def _who(one: Fingerprint) -> tuple[str | None, str]:
    return one.identity.path, one.identity.name


def _by_kernel(fingerprints: Sequence[Fingerprint]) -> list[list[Fingerprint]]:
    found: dict[tuple[str | None, str], list[Fingerprint]] = {}
    for one in fingerprints:
        found.setdefault(_who(one), []).append(one)
    return list(found.values())


def _wall(runs: Sequence[Run], kernels_ms: float) -> float | None:
    """The wall time of an iteration of the runs, where all tell one that their kernels fit into."""
    times = [run.metrics.get("total_latency_ms") for run in runs]
    known = [float(time) for time in times if isinstance(time, int | float)]
    if len(known) < len(times) or sum(known) < kernels_ms:
        return None
    return sum(known)


def _kernel(
    run: Run,
    those: Sequence[Fingerprint],
    places: KernelPlaces,
    device: Device | None,
    kernels_ms: float,
    run_ms: float,
    findings: Sequence[Finding],
) -> RankedKernel:
    shapes = [RankedShape(one, time_of(one), bound_of(one, device)) for one in those]
    shapes.sort(key=lambda one: -(one.time_ms or 0.0))
    first = shapes[0].fingerprint
    place = places.place(first, run)
    times = [one.time_ms for one in shapes if one.time_ms is not None]
    time = sum(times) if times else None
    share = time / run_ms if time is not None and run_ms > 0.0 else None
    headroom = _headroom(shapes)
    limits = comparing_numbers().kernels
    return RankedKernel(
        name=first.identity.name,
        path=first.identity.path,
        place=place,
        run=replace(run, fingerprints=()),
        shapes=tuple(shapes),
        time_ms=time,
        share=time / kernels_ms if time is not None and kernels_ms > 0.0 else None,
        share_of_run=share,
        headroom=headroom,
        gain_of_run=None if headroom is None or share is None else gain_of_run(share, headroom),
        marks=tuple(dict.fromkeys(mark for one in those for mark in marks_of(one, limits))),
        findings=tuple(one for one in findings if _concerns(one, place, first.identity.name)),
    )


def _concerns(finding: Finding, place: Place, kernel: str) -> bool:
    """Whether a finding lies in a kernel, or at a launch or copy that belongs to it."""
    if finding.kernel is not None:
        return finding.kernel == kernel and finding.path == place.path
    return any(one.kernel == kernel and one.path == place.path for one in finding.related)


def _headroom(shapes: Sequence[RankedShape]) -> float | None:
    """The speed-up that is left at most over all shapes, None where a shape with a time has no bound."""
    now = least = 0.0
    for one in shapes:
        if one.time_ms is None:
            continue
        if one.bound is None:
            return None
        now, least = now + one.time_ms, least + one.time_ms / one.bound.headroom
    return now / least if least > 0.0 else None


def advised(kernel: RankedKernel) -> Advised:
    """What the recommended order takes of a kernel."""
    return Advised(kernel.name, kernel.path, kernel.share_of_run, kernel.findings)


def headroom_of(known: Mapping[tuple[str, str | None], float]) -> Headroom:
    """The speed-up that is left for a finding's remedy, from what is known of rules and kernels."""
    return lambda one: known.get((one.rule, one.kernel_concerned()))
