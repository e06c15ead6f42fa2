"""The answer of `simulate`: what launches of workloads show on the simulated GPU, or how a program ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# What is told of a kernel beside its time, where it is known.
_TOLD = (
    "achieved_occupancy", "occupancy_limiter", "registers", "shared_bytes", "global_sectors_per_request",
    "coalescing_efficiency", "warp_execution_efficiency", "l1_hit_rate", "l2_hit_rate", "dram_bytes",
    "shared_wavefronts", "flops", "fp64_slots",
)  # fmt: skip
_MOST_LINES = 40


@dataclass(frozen=True)
class Measure:
    """A number of a kernel with its unit."""

    name: str
    value: bool | int | float | str
    unit: str


@dataclass(frozen=True)
class LaunchedKernel:
    """A kernel as it was launched, its predicted time in ms of one launch, and what was counted."""

    path: str
    line: int
    kernel: str
    workload: str
    launches: int
    grid: list[int]
    block: list[int]
    types: list[str]
    predicted_ms: float | None
    limited_by: str | None
    numbers: list[Measure]


@dataclass(frozen=True)
class SimulateAnswer:
    """The kernels of the workloads that ran, or the end of a program and what it wrote last."""

    device: str
    kernels: list[LaunchedKernel] = field(default_factory=list)
    exit_status: int | None = None
    output: str | None = None
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def workloads_answer(profile: Mapping[str, Any], units: Mapping[str, str]) -> SimulateAnswer:
    """The output of `advisor profile --simulate` in short."""
    workloads = profile["workloads"]
    return SimulateAnswer(
        device=profile["device"],
        kernels=[_kernel(one, work["name"], units) for work in workloads for one in work["kernels"]],
        problems=[
            f"{one['path']}:{one['line']}: {one['name']}: {one['problem']}"
            for one in workloads
            if one["problem"]
        ],
        notes=list(profile["notes"]),
    )


def _kernel(kernel: Mapping[str, Any], workload: str, units: Mapping[str, str]) -> LaunchedKernel:
    metrics = kernel["metrics"]
    return LaunchedKernel(
        path=kernel["path"],
        line=kernel["line"],
        kernel=kernel["name"],
        workload=workload,
        launches=kernel["launches"],
        grid=kernel["grid"],
        block=kernel["block"],
        types=kernel["types"],
        predicted_ms=metrics.get("predicted_ms"),
        limited_by=metrics.get("time_limiter"),
        numbers=[Measure(name, metrics[name], units.get(name, "")) for name in _TOLD if name in metrics],
    )


def program_answer(device: str, status: int, out: str, err: str) -> SimulateAnswer:
    """How a program ended that `advisor run` has run, and the last lines that it wrote."""
    said = [*out.splitlines(), *err.splitlines()]
    note = "Its launches are recorded: `check` and `explain` use them from now on, without running it again."
    return SimulateAnswer(device, exit_status=status, output="\n".join(said[-_MOST_LINES:]), notes=[note])
