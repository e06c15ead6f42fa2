"""What two runs differ in: conditions, kernels, their times and metrics, and what the rules say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from advisor.check.rulebook import rulebook_for
from advisor.model.findings import Finding
from advisor.model.history.fingerprint import Fingerprint, Run
from advisor.model.processes.gc_paused import gc_paused
from advisor.model.settings.check_options import CheckOptions
from advisor.runs.comparison.judged_runs import findings_of, known_device, source_of
from advisor.runs.comparison.metric_changes import MetricChange, metric_changes
from advisor.runs.comparison.numbers import comparing_numbers
from advisor.runs.comparison.pairs import Pairs, paired
from advisor.runs.comparison.ranking.kernel_places import KernelPlaces
from advisor.runs.comparison.time_changes import TimeChange, is_judged, needed_times, time_change


@dataclass(frozen=True)
class Condition:
    """Something that holds for a whole run and is another in both: the device, a version, the commit."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class KernelChange:
    """One kernel in both runs. `changed` names what of its identity is another: "source", "grid", "block",
    "types", "dynamic shared memory", "path". `ended` and `begun` are findings that only one run has.
    """

    before: Fingerprint
    after: Fingerprint
    changed: tuple[str, ...]
    time: TimeChange | None
    metrics: tuple[MetricChange, ...]
    ended: tuple[Finding, ...]
    begun: tuple[Finding, ...]

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.after.identity.name

    @property
    def is_regression(self) -> bool:
        """Whether the kernel became slower beyond chance, or by so much that it must be told."""
        return self.time is not None and (self.time.verdict == "slower" or self.time.alert)


@dataclass(frozen=True)
class Difference:
    """What two runs differ in; they come without fingerprints.

    `why_not` says why their times are not compared, empty where they are; `needed_times` of each run it takes
    to tell a change from chance. `ended` and `begun` are findings of no kernel that only one run has.
    """

    before: Run
    after: Run
    conditions: tuple[Condition, ...]
    why_not: str
    kernels: tuple[KernelChange, ...]
    gone: tuple[Fingerprint, ...]
    new: tuple[Fingerprint, ...]
    metrics: tuple[MetricChange, ...]
    ended: tuple[Finding, ...]
    begun: tuple[Finding, ...]
    needed_times: int

    @property
    def regressions(self) -> tuple[KernelChange, ...]:
        """The kernels that became slower."""
        return tuple(one for one in self.kernels if one.is_regression)


def difference(before: Run, after: Run, options: CheckOptions) -> Difference:
    """The difference of two runs with their fingerprints; both are judged by the rules of today."""
    limits, rulebook = comparing_numbers().changes, rulebook_for(options.settings, strict=False)
    pairs = paired(before.fingerprints, after.fingerprints)
    why_not = _why_not_comparable(before, after)
    with gc_paused():
        findings = _findings(before, after, pairs, options)
    comparable = [not why_not and first.source == second.source for first, second in pairs.both]
    compared = sum(
        able and is_judged(*both, limits) for able, both in zip(comparable, pairs.both, strict=True)
    )
    kernels = []
    for able, (first, second) in zip(comparable, pairs.both, strict=True):
        ended, begun = _verdicts(findings, first.identity.name, second.identity.name)
        kernels.append(
            KernelChange(
                first,
                second,
                _changed(first, second),
                time_change(first, second, able, limits, compared),
                metric_changes(first.metrics, second.metrics, "kernel", rulebook),
                ended,
                begun,
            )
        )
    ended, begun = _verdicts(findings, None, None)
    return Difference(
        before=replace(before, fingerprints=()),
        after=replace(after, fingerprints=()),
        conditions=_conditions(before, after),
        why_not=why_not,
        kernels=tuple(sorted(_once(kernels), key=_weight)),
        gone=pairs.gone,
        new=pairs.new,
        metrics=metric_changes(before.metrics, after.metrics, "run", rulebook),
        ended=ended,
        begun=begun,
        needed_times=needed_times(limits, compared),
    )


def _why_not_comparable(before: Run, after: Run) -> str:
    if source_of(before) != source_of(after):
        return "one run was measured and the other predicted"
    if before.facts.device != after.facts.device:
        return f"the runs are of different devices, {before.facts.device} and {after.facts.device}"
    return ""


def _conditions(before: Run, after: Run) -> tuple[Condition, ...]:
    def told(run: Run) -> dict[str, str]:
        facts = run.facts
        dirty = {True: "yes", False: "no", None: "not known"}[facts.dirty]
        return {
            "device": facts.device,
            "executed on": facts.executed_on,
            "commit": facts.commit or "not known",
            "changes beside the commit": dirty,
            **facts.toolchain,
        }

    first, second = told(before), told(after)
    return tuple(
        Condition(name, first.get(name, "not known"), second.get(name, "not known"))
        for name in dict.fromkeys([*first, *second])
        if first.get(name) != second.get(name)
    )


_Findings = tuple[Sequence[Finding], Sequence[Finding]]


def _findings(before: Run, after: Run, pairs: Pairs, options: CheckOptions) -> _Findings:
    """The findings on both runs; of the source is used what is known of both versions of a kernel."""
    places = KernelPlaces(options.settings.root, options.root)
    known = {
        id(one)
        for first, second in pairs.both
        if places.place(first, before).text is not None and places.place(second, after).text is not None
        for one in (first, second)
    }
    found = []
    for run in (before, after):
        device = known_device(run.facts.device, options.device)[1]
        judged_for = replace(options, device=device.id)
        found.append(findings_of([run], source_of(run), judged_for, places, lambda one: id(one) in known))
    return found[0], found[1]


def _verdicts(
    findings: _Findings, before: str | None, after: str | None
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """The findings at a kernel, by its names, whose rule speaks in one run only; one for each rule."""
    first = _by_rule(findings[0], before)
    second = _by_rule(findings[1], after)
    return (
        tuple(first[rule] for rule in first if rule not in second),
        tuple(second[rule] for rule in second if rule not in first),
    )


def _by_rule(findings: Sequence[Finding], kernel: str | None) -> dict[str, Finding]:
    found: dict[str, Finding] = {}
    for one in findings:
        if one.kernel_concerned() == kernel:
            found.setdefault(one.rule, one)
    return found


def _changed(before: Fingerprint, after: Fingerprint) -> tuple[str, ...]:
    first, second = before.identity, after.identity
    hashes = first.source_hash, second.source_hash
    found = {
        "source": None not in hashes and hashes[0] != hashes[1],
        "path": first.path is not None and second.path is not None and first.path != second.path,
        "types": first.types != second.types,
        "grid": first.grid != second.grid,
        "block": first.block != second.block,
        "dynamic shared memory": first.dynamic_shared != second.dynamic_shared,
    }
    return tuple(name for name, is_other in found.items() if is_other)


def _once(kernels: Sequence[KernelChange]) -> list[KernelChange]:
    """The kernels, with the findings of a kernel of several shapes at the first only."""
    seen: set[tuple[str | None, str]] = set()
    found = []
    for one in kernels:
        key = one.after.identity.path, one.name
        found.append(replace(one, ended=(), begun=()) if key in seen else one)
        seen.add(key)
    return found


def _weight(one: KernelChange) -> tuple[bool, float]:
    """Regressions first, then by the time that was won or lost."""
    time = one.time
    return not one.is_regression, -abs(time.after - time.before) if time else 0.0
