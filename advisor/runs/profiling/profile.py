"""Profiles the workloads of files: measured on a GPU, predicted without one, and kept in the history."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from advisor.evidence.simulated.launches.workloads import WorkloadFunction
from advisor.model.devices import Device, find_device
from advisor.model.errors import UsageError
from advisor.model.history.fingerprint import Fingerprint, Run, RunFacts
from advisor.model.history.identity import git_state, toolchain
from advisor.model.history.store import history_of
from advisor.model.records import Value
from advisor.model.settings.check_options import CheckOptions
from advisor.runs.profiling.gpu.measured_workload import Amount
from advisor.runs.profiling.kept_run import KeptRun
from advisor.runs.profiling.totals import Totals

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class ProfileRequest:
    """What to profile and how. `gpu` is the GPU's name, empty where times are to be predicted; `ncu` is the
    path of Nsight Compute, empty where there is none, None where no counters are wanted. `simulated_driver`
    puts the SIMT machine in the GPU's place, whose events time this machine only: it is there to try the way
    of measuring.
    """

    workloads: Sequence[WorkloadFunction]
    options: CheckOptions
    command: str
    label: str
    amount: Amount
    gpu: str = ""
    named_device: bool = False
    ncu: str | None = ""
    counts: bool = True
    keep: bool = True
    simulated_driver: bool = False

    @property
    def device(self) -> Device | None:
        """The device whose peaks count: the one that was named, else the GPU's, None for one not known."""
        if not self.gpu or self.named_device or self.simulated_driver:
            return find_device(self.options.device)
        try:
            return find_device(self.gpu)
        except UsageError:
            return None


@dataclass(frozen=True)
class WorkloadProfile:
    """What was found of one workload; `problem` says what ended it early, an empty text where nothing did."""

    workload: WorkloadFunction
    fingerprints: tuple[Fingerprint, ...] = ()
    totals: Totals | None = None
    slowdown: float | None = None
    problem: str = ""


@dataclass
class Profile:
    """A profile: its run, as the history keeps it, and its workloads. `store_problem` says why not all of it
    was kept.
    """

    run: Run
    workloads: list[WorkloadProfile]
    store_problem: str = ""

    @property
    def is_measured(self) -> bool:
        """Whether a GPU was measured."""
        return self.run.facts.executed_on != "simt"


@dataclass
class Findings:
    """What the way of profiling adds to: workloads, notes, metrics of the run, samples of the host's side."""

    workloads: list[WorkloadProfile] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    metrics: dict[str, Value] = field(default_factory=dict)
    host: dict[str, Any] = field(default_factory=dict)
    tools: dict[str, str] = field(default_factory=dict)

    def note(self, text: str) -> None:
        """Add a note once."""
        if text not in self.notes:
            self.notes.append(text)


def profile(request: ProfileRequest, progress: Progress | None = None) -> Profile:
    """The profile of all workloads; raises UsageError for an unknown device or where there is no workload."""
    if not request.workloads:
        raise UsageError(
            "There is no workload in these files: a function `workload()` or `workload_…()` at the top of a "
            "file, callable without arguments, that launches its kernels with typical data."
        )
    facts = _facts(request)
    found = Findings()
    store = history_of(request.options.settings) if request.keep else None
    with KeptRun(store, facts) as kept:
        _way(request)(request, found, kept, progress)
        status = "failed" if all(one.problem for one in found.workloads) else "done"
        kept.end(found.metrics, found.notes, found.host, status)
    fingerprints = tuple(one for workload in found.workloads for one in workload.fingerprints)
    run = Run(facts, found.metrics, fingerprints, tuple(found.notes), found.host, kept.number, status)
    return Profile(run, found.workloads, kept.problem)


Way = Callable[[ProfileRequest, Findings, KeptRun, "Progress | None"], None]


def _way(request: ProfileRequest) -> Way:
    if request.gpu or request.simulated_driver:
        from advisor.runs.profiling.gpu.on_gpu import profile_on_gpu

        return profile_on_gpu
    from advisor.runs.profiling.without_gpu import profile_without_gpu

    return profile_without_gpu


def _facts(request: ProfileRequest) -> RunFacts:
    root = request.options.settings.root
    commit, dirty = git_state(root)
    device = request.device
    return RunFacts(
        kind="profile",
        label=request.label,
        command=request.command,
        started=time.time(),
        device=device.id if device is not None else request.gpu,
        executed_on=request.gpu or "simt",
        toolchain=toolchain(_driver() if request.gpu else None),
        commit=commit,
        dirty=dirty,
    )


def _driver() -> Mapping[str, str]:
    """The driver's version, as NVML tells it."""
    from advisor.evidence.measured.nvml import Nvml
    from advisor.model.errors import EvidenceUnavailable

    try:
        with Nvml() as nvml:
            return {"driver": nvml.facts().driver}
    except EvidenceUnavailable:
        return {}


def by_file(workloads: Sequence[WorkloadFunction]) -> dict[str, list[WorkloadFunction]]:
    """Workloads by their files, in order."""
    found: dict[str, list[WorkloadFunction]] = {}
    for one in workloads:
        found.setdefault(one.path, []).append(one)
    return found


def root_of(request: ProfileRequest) -> Path:
    """The project's root, that all paths are relative to."""
    return request.options.settings.root
