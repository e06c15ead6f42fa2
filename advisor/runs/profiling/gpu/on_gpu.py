"""Workloads on a GPU: timed by events, with NVML beside them and Nsight Compute behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from statistics import median
from typing import Any

from advisor.evidence.measured.nvml import Nvml, Sample, Sampler, run_metrics
from advisor.evidence.simulated.launches.workloads import WorkloadFunction
from advisor.model.errors import EvidenceUnavailable
from advisor.model.history.fingerprint import KernelIdentity
from advisor.model.records import Value
from advisor.runs.profiling.compiled_facts import CompiledFacts
from advisor.runs.profiling.driver_state import driver_cuda_version
from advisor.runs.profiling.gpu.counters import Counters, count
from advisor.runs.profiling.gpu.measured_workload import measure, measured_fingerprints
from advisor.runs.profiling.kept_run import KeptRun
from advisor.runs.profiling.numbers import profiling_numbers
from advisor.runs.profiling.predicted_workload import predict
from advisor.runs.profiling.profile import (
    Findings,
    ProfileRequest,
    Progress,
    WorkloadProfile,
    by_file,
    root_of,
)
from advisor.runs.profiling.totals import measured_run_metrics
from advisor.runs.profiling.worker.identities import identity_of
from advisor.runs.profiling.worker.process import RunFailed, WorkerProcess

_COUNTED = ("dram_bytes", "flops")


def profile_on_gpu(
    request: ProfileRequest, found: Findings, kept: KeptRun, progress: Progress | None
) -> None:
    """Add measured fingerprints, the host's side of the run and NVML's samples."""
    watch = _Watch(found)
    compiled = CompiledFacts(request.options)
    seconds = request.options.settings.workload_seconds
    simulate = request.options.device if request.simulated_driver else ""
    done = 0
    for path, workloads in by_file(request.workloads).items():
        try:
            with WorkerProcess(root_of(request), path, seconds, simulate) as worker:
                found.host["gpu"] = _gpu(worker)
                watch.begin(worker)
                for workload in workloads:
                    one = _workload(request, worker, workload, found, compiled)
                    found.workloads.append(one)
                    kept.add(one.fingerprints)
                    done += 1
                    if progress:
                        progress("measuring workloads", done, len(request.workloads))
                watch.end()
        except RunFailed as error:
            left = workloads[sum(one.workload.path == path for one in found.workloads) :]
            found.workloads += [WorkloadProfile(one, problem=str(error)) for one in left]
            watch.end()
    _totals(found)
    watch.close()


def _gpu(worker: WorkerProcess) -> dict[str, Any]:
    """The GPU that a worker uses; a failure at the start tells which CUDA the driver knows."""
    try:
        return worker.gpu()
    except RunFailed as error:
        version = driver_cuda_version()
        known = (
            f" (the driver knows CUDA {version}; it may be too old for this numba-cuda)" if version else ""
        )
        raise RunFailed(f"CUDA could not be used: {error}{known}") from None


def _workload(
    request: ProfileRequest,
    worker: WorkerProcess,
    workload: WorkloadFunction,
    found: Findings,
    compiled: CompiledFacts,
) -> WorkloadProfile:
    measurement = measure(worker, workload.name, request.amount)
    if not measurement.iterations:
        return WorkloadProfile(workload, problem=measurement.problem)
    counted = _counters(request, workload, found)
    metrics = {who: found for (_, who), found in counted.metrics.items()}
    basis = metrics or _simulated_counts(request, workload, found, compiled)
    fingerprints = measured_fingerprints(
        measurement.iterations,
        worker.kernels,
        request.device,
        lambda kernel: basis.get(identity_of(kernel), {}),
    )
    fingerprints = [
        replace(
            one,
            metrics={**metrics.get(one.identity, {}), **one.metrics},
            lines=counted.lines.get((workload.name, one.identity), ()),
        )
        for one in fingerprints
    ]
    totals = measurement.totals
    if totals.untimed:
        found.note(f"{totals.untimed} launches and copies of {workload.name} could not be timed by events.")
    return WorkloadProfile(workload, tuple(fingerprints), totals, measurement.slowdown, measurement.problem)


def _counters(request: ProfileRequest, workload: WorkloadFunction, found: Findings) -> Counters:
    """What hardware counters give of a workload's kernels; why not is noted."""
    if request.ncu is None:
        return Counters()
    if not request.ncu:
        found.note("Hardware counters were not read: Nsight Compute (`ncu`) is not on PATH; --ncu names it.")
        return Counters()
    simulate = request.options.device if request.simulated_driver else ""
    counted = count(request.ncu, root_of(request), workload.path, [workload.name], simulate)
    if counted.problem:
        found.note(f"Hardware counters were not read: {counted.problem}")
    return counted


def _simulated_counts(
    request: ProfileRequest,
    workload: WorkloadFunction,
    found: Findings,
    compiled: CompiledFacts,
) -> Mapping[KernelIdentity, Mapping[str, Value]]:
    """Bytes and operations as the SIMT machine counts them, for rates without hardware counters."""
    device = request.device
    if not request.counts or device is None:
        return {}
    prediction = predict(workload.path, workload.name, device, request.options, compiled)
    if prediction.problem:
        found.note(f"Bytes and operations of {workload.name} are unknown: {prediction.problem}")
        return {}
    found.note(
        "Bytes and operations were counted on the simulated GPU, as there were no hardware counters: "
        "bandwidths and rates rest on its cache model and on measured times."
    )
    return {
        one.identity: {name: one.metrics[name] for name in _COUNTED if name in one.metrics}
        for one in prediction.fingerprints
    }


def _totals(found: Findings) -> None:
    totals = [one.totals for one in found.workloads if one.totals is not None]
    kernels = {one.identity.name for each in found.workloads for one in each.fingerprints}
    found.metrics.update(measured_run_metrics(totals, len(kernels)))
    slowdowns = [one.slowdown for one in found.workloads if one.slowdown is not None]
    if slowdowns:
        found.metrics["profiling_slowdown"] = median(slowdowns)


class _Watch:
    """NVML beside the workloads; where it is not there, the reason is noted."""

    def __init__(self, found: Findings) -> None:
        self._found = found
        self._samples: list[Sample] = []
        self._own: set[int] = set()
        self._nvml: Nvml | None = None
        self._sampler: Sampler | None = None
        self._asked = False

    def begin(self, worker: WorkerProcess) -> None:
        """Sample from here on. The GPU is the one that the worker uses."""
        self._own.add(worker.process_id)
        if not self._asked:
            self._asked = True
            self._open(str(self._found.host.get("gpu", {}).get("uuid", "")))
        if self._nvml is not None:
            self._sampler = Sampler(self._nvml, profiling_numbers().nvml_interval_ms / 1e3)

    def _open(self, uuid: str) -> None:
        try:
            self._nvml = Nvml(uuid if uuid.startswith("GPU-") else 0)
        except EvidenceUnavailable as error:
            self._found.note(f"{error} {error.remedy}".strip())

    def end(self) -> None:
        """Sample no more."""
        if self._sampler is None:
            return
        self._samples += self._sampler.stop()
        if self._sampler.problem:
            self._found.note(self._sampler.problem)
        self._sampler = None

    def close(self) -> None:
        """Add what was seen to the run."""
        if self._nvml is None:
            return
        facts = self._nvml.facts()
        self._found.metrics.update(run_metrics(self._samples, facts, self._own))
        step = max(1, len(self._samples) // profiling_numbers().most_nvml_samples)
        self._found.host["nvml"] = {
            "facts": asdict(facts),
            "samples": [asdict(one) for one in self._samples[::step]],
        }
        self._nvml.close()
