"""How long a run took whose report does not say it: what it took at least, and that this is assumed."""

from __future__ import annotations

import pytest

from advisor.evidence.measured.reports.records import records_of
from advisor.model.history.fingerprint import Fingerprint, KernelIdentity, Run, RunFacts

FACTS = RunFacts("import", "r", "advisor import r.csv", 0.0, "unknown GPU", "unknown GPU")
KERNELS = tuple(
    Fingerprint(KernelIdentity(name), "measured", 10, None, {"latency_ms": time})
    for name, time in (("axpy", 3.0), ("norm", 1.0))
)


@pytest.mark.parametrize(
    ("metrics", "length", "words"),
    [
        ({}, 4.0, "the time of its kernels stands for it."),
        ({"kernel_launches": 20.0}, 4.0, "the time of its kernels stands for it."),
        ({"memcpy_htod_ms": 1.5, "memcpy_dtoh_ms": 1.0}, 6.5, "its kernels and copies stands for it."),
        (
            {"memcpy_htod_ms": 2.5, "api_launch_overhead_ms": 6.0},
            6.5,
            "its kernels and copies stands for it.",
        ),
        (
            {"memcpy_htod_ms": 2.5, "api_launch_overhead_ms": 7.0, "allocation_ms": 1.0},
            8.0,
            "its kernels, or of the calls of the host, which is longer, stands for it.",
        ),
    ],
)
def test_a_run_takes_what_its_parts_take(metrics: dict[str, float], length: float, words: str) -> None:
    reading = records_of(Run(FACTS, metrics, KERNELS), "r.csv")[0].readings["total_latency_ms"]
    assert reading.value == length
    assert reading.assumptions[0].endswith(words)


def test_what_the_report_says_counts() -> None:
    reading = records_of(Run(FACTS, {"total_latency_ms": 50.0}, KERNELS), "r.csv")[0].readings[
        "total_latency_ms"
    ]
    assert (reading.value, reading.assumptions) == (50.0, ())


def test_without_any_time_of_a_kernel_nothing_stands_for_it() -> None:
    assert "total_latency_ms" not in records_of(Run(FACTS, {"memcpy_htod_ms": 2.0}), "r.csv")[0].readings
