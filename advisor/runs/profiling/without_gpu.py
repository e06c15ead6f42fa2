"""Workloads without a GPU: each is run once on the SIMT machine, its times are predicted."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.model.devices import Device
from advisor.model.records import Value
from advisor.runs.profiling.compiled_facts import CompiledFacts
from advisor.runs.profiling.driver_state import why_no_gpu
from advisor.runs.profiling.kept_run import KeptRun
from advisor.runs.profiling.predicted_workload import Prediction, had_predictions, predict
from advisor.runs.profiling.profile import Findings, ProfileRequest, Progress, WorkloadProfile
from advisor.runs.profiling.totals import totals_of


def profile_without_gpu(
    request: ProfileRequest, found: Findings, kept: KeptRun, progress: Progress | None
) -> None:
    """Add predicted fingerprints, and bytes of copies, whose times no model tells."""
    device = request.device
    assert device is not None
    why = why_no_gpu() or "that was asked for"
    found.note(
        f"No GPU was measured: {why}. Times are predicted for {device.name} from one run on the simulated "
        "GPU; a prediction has no variation."
    )
    copied = {"htod": 0.0, "dtoh": 0.0}
    launches = 0
    for number, (workload, prediction) in enumerate(
        zip(request.workloads, _predictions(request, device), strict=True)
    ):
        kept.add(prediction.fingerprints)
        totals = totals_of([prediction.iteration]) if prediction.iteration else None
        for direction in copied:
            copied[direction] += totals.copies.get(direction, (0, 0.0))[0] if totals else 0.0
        launches += totals.launches if totals else 0
        found.workloads.append(
            WorkloadProfile(workload, prediction.fingerprints, totals, None, prediction.problem)
        )
        for note in prediction.notes:
            found.note(note)
        if progress:
            progress("running workloads", number + 1, len(request.workloads))
    kernels = {one.identity.name for each in found.workloads for one in each.fingerprints}
    metrics: dict[str, Value] = {
        "active_kernels": float(len(kernels)),
        "kernel_launches": float(launches),
        "transfer_htod_bytes": copied["htod"],
        "transfer_dtoh_bytes": copied["dtoh"],
    }
    found.metrics.update(metrics)


def _predictions(request: ProfileRequest, device: Device) -> Iterator[Prediction]:
    """The predictions for the workloads, in order."""
    options = request.options
    if options.executor is not None and options.executor.elsewhere:
        return had_predictions(request.workloads, device, options, options.executor)
    compiled = CompiledFacts(options)
    return (predict(one.path, one.name, device, options, compiled) for one in request.workloads)
