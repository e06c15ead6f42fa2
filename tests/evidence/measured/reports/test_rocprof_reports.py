"""Sums and traces of AMD's rocprof and rocprofv3."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from advisor.evidence.measured.reports import read_report
from advisor.evidence.measured.reports.fingerprints import reading_of
from advisor.model.errors import UsageError

SUMS = '"Name","Calls","TotalDurationNs","AverageNs","Percentage"'
TRACE = (
    '"Kernel_Name","Start_Timestamp","End_Timestamp","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z"'
)
SIZES = '"Grid_Size_X","Grid_Size_Y","Grid_Size_Z"'


def written(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "results.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_sums_of_kernels(tmp_path: Path) -> None:
    found = reading_of(read_report(written(tmp_path, SUMS, '"k(int*) [clone .kd]",4,8000000,2000000,100.0')))
    ((name, kernel),) = found.fingerprints
    assert (name, kernel.launches, kernel.metrics["latency_ms"]) == ("k(int*)", 4, 8.0)
    assert kernel.timing is None  # a mean alone is no distribution
    assert (found.metrics["active_kernels"], found.metrics["kernel_launches"]) == (1, 4)


def test_sums_of_calls_and_copies(tmp_path: Path) -> None:
    lines = ["hipMalloc,2,3000000,1500000,50", "hipLaunchKernel,5,1000000,200000,20"]
    lines += ["MEMORY_COPY_HOST_TO_DEVICE,1,2000000,2000000,20", "CopyDeviceToHost,1,4000000,4000000,10"]
    found = reading_of(read_report(written(tmp_path, SUMS, *lines))).metrics
    assert (found["allocation_ms"], found["api_launch_overhead_ms"]) == (3.0, 1.0)
    assert (found["memcpy_htod_ms"], found["memcpy_dtoh_ms"]) == (2.0, 4.0)
    assert "active_kernels" not in found


def test_a_trace_of_version_3(tmp_path: Path) -> None:
    rows = ['"k",1000000,3000000,64,1,1,1000,2,1', '"k",5000000,6000000,64,1,1,1000,2,1']
    found = reading_of(read_report(written(tmp_path, f"{TRACE},{SIZES}", *rows)))
    ((_, kernel),) = found.fingerprints
    assert (kernel.identity.grid, kernel.identity.block) == ((16, 2, 1), (64, 1, 1))
    assert (kernel.metrics["time_mean_ms"], kernel.metrics["launches"]) == (1.5, 2.0)
    assert not {"grid_blocks", "block_threads"} & set(kernel.metrics)
    assert (found.metrics["total_latency_ms"], found.metrics["gpu_utilization"]) == (5.0, pytest.approx(0.6))


def test_a_trace_in_another_order_has_the_same_times(tmp_path: Path) -> None:
    rows = ['"k",1000000,3000000,64,1,1,1000,2,1', '"k",5000000,6000000,64,1,1,1000,2,1']
    found = [
        reading_of(read_report(written(tmp_path, f"{TRACE},{SIZES}", *some))).metrics
        for some in (rows, rows[::-1])
    ]
    assert found[0] == found[1]


def test_a_long_trace_takes_little_more_than_eight_bytes_for_a_launch(tmp_path: Path) -> None:
    def peak(launches: int) -> int:
        rows = (f'"k",{at * 9},{at * 9 + 5},64,1,1,1000,2,1' for at in range(launches))
        path = written(tmp_path, f"{TRACE},{SIZES}", *rows)
        tracemalloc.start()
        read_report(path)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    assert (peak(12_000) - peak(2_000)) / 10_000 < 24


def test_a_trace_of_version_1(tmp_path: Path) -> None:
    row = '0,"k.kd",8192,256,10,1000000,3000000'
    path = written(tmp_path, '"Index","KernelName","grd","wgr","DispatchNs","BeginNs","EndNs"', row)
    ((name, kernel),) = reading_of(read_report(path)).fingerprints
    assert (name, kernel.identity.grid, kernel.metrics["latency_ms"]) == ("k", (32, 1, 1), 2.0)


def test_traces_of_calls_and_copies(tmp_path: Path) -> None:
    calls = '"Domain","Function","Thread_Id","Start_Timestamp","End_Timestamp"'
    path = written(tmp_path, calls, '"HIP","hipFree",7,0,2000000', '"HIP","hipFree",8,0,5000000')
    assert reading_of(read_report(path)).metrics["allocation_ms"] == 5.0
    copies = '"Kind","Direction","Start_Timestamp","End_Timestamp"'
    path = written(tmp_path, copies, '"MEMORY_COPY","MEMORY_COPY_DEVICE_TO_HOST",0,2000000')
    assert reading_of(read_report(path)).metrics["memcpy_dtoh_ms"] == 2.0


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('"k",4,8000000', r"results.csv:2: a row has 3 columns where the heading has 5"),
        ('"k",4,much,2,3', r"results.csv:2: `much` in the column TotalDurationNs is no number"),
        ("", r"holds no kernels, calls or copies"),
    ],
)
def test_damaged_tables(tmp_path: Path, row: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_report(written(tmp_path, SUMS, row))
