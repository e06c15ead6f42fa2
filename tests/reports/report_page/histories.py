"""Histories for tests of the page, written by hand: nothing in them was measured anywhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from advisor.model.history.fingerprint import Fingerprint, KernelIdentity, LineMetrics, Run, RunFacts, Timing
from advisor.model.history.identity import functions
from advisor.model.history.store import HistoryStore

PATH = "work/blur.py"
SOURCE = """from numba import cuda


@cuda.jit
def blur(image, result):
    x, y = cuda.grid(2)
    if x < image.shape[0] and y < image.shape[1]:
        total = 0.0
        for step in range(-2, 3):
            total += image[x, (y + step) % image.shape[1]]
        result[x, y] = total / 5.0


@cuda.jit
def scale(values, factor):
    i = cuda.grid(1)
    if i < values.size:
        values[i] *= factor


def workload():
    import numpy as np

    image = cuda.to_device(np.ones((512, 512), np.float32))
    result = cuda.device_array_like(image)
    blur[(32, 32), (16, 16)](image, result)
    scale[1024, 256](result.ravel(), np.float32(2.0))
"""
DAY = 86_400.0
START = 1_760_000_000.0


def write_project(root: Path) -> Path:
    """The folder of a project with two kernels and nothing in its history."""
    (root / "work").mkdir(parents=True)
    (root / PATH).write_text(SOURCE, encoding="utf-8")
    (root / "advisor.toml").write_text("", encoding="utf-8")
    return root


def timing(mean: float, deviation: float = 0.02) -> Timing:
    return Timing(20, mean, mean, mean * deviation, mean * 0.95, mean * 1.1)


def fingerprint(name: str, mean: float | None, **more: Any) -> Fingerprint:
    known = {one.name: one for one in functions(SOURCE)}
    block = (16, 16, 1) if name == "blur" else (256, 1, 1)
    grid = (32, 32, 1) if name == "blur" else (1024, 1, 1)
    one = Fingerprint(
        KernelIdentity(
            name,
            PATH,
            known[name].source_hash if name in known else None,
            ("array(float32, 2d, C)",),
            grid,
            block,
        ),
        "measured",
        1,
        None if mean is None else timing(mean),
        line=known[name].line if name in known else None,
    )
    return replace(one, **more)


# 2 ms: 4e9 FLOP and 1e9 byte are 4 FLOP/byte, 2e12 FLOP/s and 5e11 byte/s.
BLUR_METRICS = {"flops": 4e9, "dram_bytes": 1e9, "ai_flops_per_byte": 4.0, "achieved_flop_rate": 2e12}
SCALE_METRICS = {"flops": 262_144.0, "dram_bytes": 2_097_152.0}
BLUR_LINES = (
    LineMetrics(PATH, 7, "branch", {"divided": 0.25}),
    LineMetrics(
        PATH, 10, "line", {"samples_share": 0.75, "stall_reason": "long_scoreboard", "stall_share": 0.5}
    ),
    LineMetrics(PATH, 10, "access", {"kind": "load", "requests": 1000.0, "sectors_per_request": 16.0}),
    LineMetrics(PATH, 11, "line", {"samples_share": 0.25}),
    LineMetrics(PATH, 11, "access", {"kind": "load", "requests": 200.0, "sectors_per_request": 4.0}),
    LineMetrics(PATH, 11, "access", {"kind": "store", "requests": 200.0, "sectors_per_request": 8.0}),
    LineMetrics(PATH, 11, "access", {"kind": "update", "requests": 400.0, "sectors_per_request": 6.0}),
)


def facts(number: int, device: str = "h100-sxm", executed_on: str = "NVIDIA H100 80GB HBM3") -> RunFacts:
    return RunFacts(
        "profile", f"night {number}", "advisor profile work", START + number * DAY, device, executed_on,
        {"driver": "570.86", "numba-cuda": "0.20"}, f"{number:02d}c0ffee" + "0" * 30, False,
    )  # fmt: skip


def nvml() -> dict[str, Any]:
    return {
        "facts": {
            "name": "NVIDIA H100 80GB HBM3", "driver": "570.86", "memory": 85_520_809_984,
            "max_sm_clock": 1.98e9, "max_memory_clock": 2.619e9, "power_limit": 700.0,
        },
        "samples": [
            {
                "time": START + step * 0.05, "utilization": min(1.0, step / 20), "memory_utilization": 0.3,
                "sm_clock": 1.98e9 - (4e8 if 40 < step < 60 else 0.0), "memory_clock": 2.619e9,
                "reasons": ["software power cap"] if 40 < step < 60 else [], "temperature": 40.0 + step / 4,
                "power": 200.0 + 4.5 * step, "memory_used": 2_147_483_648, "processes": [],
            }
            for step in range(100)
        ],
    }  # fmt: skip


# The times of blur in ten nights: 2 ms, from the eighth on 4 ms, which is twice as long.
BLUR_TIMES = (2.0, 2.1, 1.9, 2.0, 2.0, 2.1, 2.0, 4.0, 4.0, 4.0)


def add_measured(store: HistoryStore, last_blur: float = 2.0) -> None:
    """Keep ten measured runs, the last with samples of NVML and numbers of lines."""
    for night, mean in enumerate(BLUR_TIMES, 1):
        is_last = night == len(BLUR_TIMES)
        those = (
            fingerprint(
                "blur",
                last_blur if is_last else mean,
                metrics=BLUR_METRICS,
                lines=BLUR_LINES if is_last else (),
            ),
            fingerprint("scale", 0.5, metrics=SCALE_METRICS, launches=4),
        )
        host = {"nvml": nvml()} if is_last else {}
        store.add_run(Run(facts(night), {}, those, ("Made by hand.",), host))


def add_predicted(store: HistoryStore, device: str = "h100-sxm", slower: float = 1.0) -> None:
    """Keep one predicted run, whose counts suffice for the model of times."""
    counts = {
        "flops": 4e9, "dram_bytes": 1e9, "ai_flops_per_byte": 4.0,
        "grid_blocks": 1024.0, "block_threads": 256.0,
        "resident_blocks": 8.0, "theoretical_occupancy": 1.0, "issue_slots": 1e6, "l1_sectors": 1e6,
        "l2_sectors": 1e5, "predicted_ms": 0.3,
    }  # fmt: skip
    one = fingerprint("blur", 0.3 * slower, source="simulated", metrics=counts, lines=BLUR_LINES)
    store.add_run(Run(facts(11, device, "simt"), {}, (one,), ("There was no GPU.",)))
