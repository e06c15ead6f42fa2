"""Exports of Nsight Systems: the SQLite file of several versions, and the CSV reports of nsys stats."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from nsys_export import PROCESS, THREAD, Export, launch_bound_run

from advisor.evidence.measured.reports import read_report
from advisor.evidence.measured.reports.fingerprints import Reading, reading_of
from advisor.evidence.measured.reports.timelines import nvtx_ranges

DATA = Path(__file__).parents[3] / "data/reports"


def reading(path: Path) -> Reading:
    return reading_of(read_report(path))


@pytest.mark.parametrize("launch", ["cuLaunchKernel", "cudaLaunchKernel_v7000", "cuLaunchKernelEx"])
def test_the_numbers_of_a_run(tmp_path: Path, launch: str) -> None:
    metrics = reading(launch_bound_run(tmp_path / "run.sqlite", launch)).metrics
    assert metrics == pytest.approx(
        {
            "total_latency_ms": 1.0,
            "gpu_utilization": 0.06,  # six kernels of 10 of 1,000 us
            "longest_gap_ms": 0.115,  # from the last copy at 140 to the first kernel at 255 us
            "active_kernels": 2,
            "kernel_launches": 6,
            "api_launch_overhead_ms": 0.72,
            "synchronisation_ms": 0.09,
            "allocation_ms": 0.04,
            "memcpy_htod_ms": 0.1,
            "memcpy_dtoh_ms": 0.05,
            "memcpy_dtod_ms": 0.0,
            "pageable_copy_ms": 0.05,
            "memset_ms": 0.0,
        }
    )


def test_the_kernels_of_a_run(tmp_path: Path) -> None:
    (_, axpy), (_, norm) = reading(launch_bound_run(tmp_path / "run.sqlite")).fingerprints[:2]
    assert (axpy.identity.name, axpy.identity.types) == ("axpy", ("float", "float *"))
    assert (axpy.identity.grid, axpy.identity.block) == ((64, 1, 1), (128, 1, 1))
    assert axpy.metrics["registers"] == 40
    assert axpy.metrics["launch_shared_bytes"] == 1024 + 2048
    assert axpy.metrics["blocks_per_sm"] == 64 / 132
    assert axpy.identity.dynamic_shared == 2048
    assert axpy.timing is not None
    assert axpy.timing.mean == pytest.approx(0.01)
    assert norm.metrics["block_threads"] == 128


def test_ranges_of_the_launching_thread(tmp_path: Path) -> None:
    """The calls at 140 and 260 us lie in both ranges, those at 380 … 620 in `epoch`, that at 740 in none."""
    found = reading(launch_bound_run(tmp_path / "run.sqlite")).fingerprints
    ranges = {(name.split("(")[0], one.ranges): one.launches for name, one in found}
    assert ranges == {
        ("axpy", ("epoch", "step")): 3,
        ("axpy", ("epoch",)): 1,
        ("norm", ("epoch",)): 1,
        ("norm", ()): 1,
    }


def test_an_older_version_lacks_columns(tmp_path: Path) -> None:
    path = launch_bound_run(tmp_path / "old.sqlite", old=True)
    report = read_report(path)
    assert any("lacks registersPerThread" in note for note in report.notes)
    assert any("pageable" in note for note in report.notes)
    found = reading(path)
    assert "pageable_copy_ms" not in found.metrics
    assert found.metrics["memcpy_htod_ms"] == pytest.approx(0.1)
    assert "registers" not in found.fingerprints[0][1].metrics
    assert found.fingerprints[0][1].metrics["grid_blocks"] == 64


def test_copies_that_overlap_count_once(tmp_path: Path) -> None:
    export = Export(tmp_path / "run.sqlite")
    export.copy(0, 100, 1, 1, 2)
    export.copy(50, 120, 1, 1, 2)
    export.kernel(120, 200, "k", (1, 1, 1), (32, 1, 1))
    assert reading(export.write()).metrics["memcpy_htod_ms"] == pytest.approx(0.12)


def test_threads_at_the_same_time_do_not_add_up(tmp_path: Path) -> None:
    export = Export(tmp_path / "run.sqlite")
    export.call(0, 80, "cudaLaunchKernel", 1)
    export.call(0, 90, "cudaLaunchKernel", 2, thread=THREAD + 1)
    export.kernel(90, 100, "k", (1, 1, 1), (32, 1, 1), 1)
    found = reading(export.write())
    assert found.metrics["api_launch_overhead_ms"] == pytest.approx(0.09)


def test_without_calls_nothing_is_said_of_the_host(tmp_path: Path) -> None:
    export = Export(tmp_path / "run.sqlite")
    export.kernel(0, 100, "k", (1, 1, 1), (32, 1, 1))
    path = export.write()
    metrics = reading(path).metrics
    assert "api_launch_overhead_ms" not in metrics
    assert metrics["memcpy_htod_ms"] == 0.0  # a table is made where there are copies: there are none
    assert any("no calls" in note for note in read_report(path).notes)


def test_another_process_has_the_same_correlations(tmp_path: Path) -> None:
    export = Export(tmp_path / "run.sqlite")
    export.call(10, 20, "cuLaunchKernel", 1, thread=(0x99 << 24) | 3)
    export.call(30, 40, "cuLaunchKernel", 1)
    export.ranges = [(5, 25, "theirs", (0x99 << 24) | 3), (25, 50, "ours", THREAD)]
    export.kernel(60, 70, "k", (1, 1, 1), (32, 1, 1), 1)
    assert PROCESS == THREAD >> 24 << 24
    assert reading(export.write()).fingerprints[0][1].ranges == ("ours",)


def test_the_device_and_the_version_are_told(tmp_path: Path) -> None:
    report = read_report(launch_bound_run(tmp_path / "run.sqlite"))
    assert (report.device, report.capability) == ("NVIDIA H200", "9.0")
    assert report.toolchain == {"nsys export product version": "2025.1.1"}


def test_several_reports_in_one_file_of_nsys_stats() -> None:
    found = reading(DATA / "nsys-stats.csv")
    assert found.metrics == pytest.approx(
        {
            "active_kernels": 2,
            "kernel_launches": 1000,
            "api_launch_overhead_ms": 7.0,
            "synchronisation_ms": 0.0,
            "allocation_ms": 1.0,
            "memcpy_htod_ms": 1.5,
            "memcpy_dtoh_ms": 1.0,
            "memcpy_dtod_ms": 0.0,
        }
    )
    name, axpy = found.fingerprints[0]
    assert name == "void axpy<float>(float, const float *, float *)"
    assert (axpy.launches, axpy.metrics["latency_ms"]) == (900, 3.0)
    assert axpy.timing is not None
    assert (axpy.timing.mean, axpy.timing.deviation) == (pytest.approx(3.3333e-3), pytest.approx(0.2105e-3))
    assert found.unused == ()


def test_sizes_of_copies_are_kept_beside() -> None:
    copies = {one["direction"]: one["bytes"] for one in read_report(DATA / "nsys-stats.csv").host["copies"]}
    assert copies == {"htod": 12_583_000, "dtoh": 8_389_000}


def test_the_trace_of_the_gpu() -> None:
    found = reading(DATA / "nsys-gpu-trace.csv")
    assert found.metrics == pytest.approx(
        {
            "total_latency_ms": 1.0,  # 1,000,000 … 2,000,000 ns
            "gpu_utilization": 0.15,
            "longest_gap_ms": 0.18,
            "active_kernels": 1,
            "kernel_launches": 2,
            "memcpy_htod_ms": 0.4,
            "memcpy_dtoh_ms": 0.1,
            "memcpy_dtod_ms": 0.0,
            "pageable_copy_ms": 0.4,
            "memset_ms": 0.02,
        }
    )
    norm = found.fingerprints[0][1]
    assert (norm.launches, norm.metrics["registers"], norm.identity.grid) == (2, 32, (16, 1, 1))
    assert norm.metrics["launch_shared_bytes"] == pytest.approx(2000)  # 0.002 MB
    assert read_report(DATA / "nsys-gpu-trace.csv").device == "NVIDIA L4"


def test_how_launches_begin(tmp_path: Path) -> None:
    path = tmp_path / "exec.csv"
    columns = "Count,QCount,TAvg (ns),AAvg (ns),KAvg (ns),KMed (ns),KMin (ns),KMax (ns),KStdDev (ns)"
    path.write_text(
        f'{columns},API Name,Kernel Name\n4,4,9,5000,2000,1900,1000,4000,90,cuLaunchKernel,"k(int)"\n'
    )
    found = reading(path)
    ((name, kernel),) = found.fingerprints
    assert (name, kernel.launches, kernel.metrics["latency_ms"]) == ("k(int)", 4, pytest.approx(0.008))
    assert kernel.timing is not None and kernel.timing.most == pytest.approx(0.004)
    assert found.metrics["api_launch_overhead_ms"] == pytest.approx(0.02)
    assert found.unused == ()


def test_a_launch_finds_its_ranges_however_late_its_kernel_begins(tmp_path: Path) -> None:
    """Ten launches at once in `step`, whose kernels of 100 us come one after the other, most after its end.

    The calls of another process have the same correlations, and stand in no range.
    """
    export = Export(tmp_path / "queue.sqlite")
    for number in range(10):
        export.call(10 + number, 11 + number, "cudaLaunchKernel_v7000", number)
        export.call(10 + number, 11 + number, "cudaLaunchKernel_v7000", number, THREAD + (1 << 24))
        export.kernel(50 + 100 * number, 150 + 100 * number, "f(float *)", (1, 1, 1), (32, 1, 1), number)
    export.ranges = [(5, 30, "step", THREAD)]
    (found,) = reading(export.write()).fingerprints
    assert (found[1].ranges, found[1].launches) == (("step",), 10)


def test_of_two_ranges_that_begin_together_the_longer_one_is_outside(tmp_path: Path) -> None:
    export = Export(tmp_path / "nested.sqlite")
    for number, at in enumerate((10, 20, 30)):
        export.call(at, at + 1, "cuLaunchKernel", number)
        export.kernel(100 + 10 * number, 105 + 10 * number, f"k{number}(int)", (1, 1, 1), (32, 1, 1), number)
    # A range is open at its begin, and closed at its end.
    export.ranges = [(10, 20, "inner", THREAD), (10, 30, "outer", THREAD)]
    names = {name: one.ranges for name, one in reading(export.write()).fingerprints}
    assert names == {"k0(int)": ("outer", "inner"), "k1(int)": ("outer",), "k2(int)": ()}


TRACE = "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Device,Name\n"


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0, 2)])
def test_a_trace_of_the_gpu_may_have_any_order(tmp_path: Path, order: tuple[int, ...]) -> None:
    """Stretches of 0 to 10, 5 to 15, 40 to 50 and 90 to 100 us: 35 us of 100, and a gap of 40."""
    rows = [f"{start}000,10000,{start},8,1,1,64,1,1,NVIDIA L4 (0),k(int)\n" for start in (0, 5, 40, 90)]
    path = tmp_path / "trace.csv"
    path.write_text(TRACE + "".join(rows[at] for at in order))
    found = reading(path)
    assert found.metrics["total_latency_ms"] == pytest.approx(0.1)
    assert found.metrics["gpu_utilization"] == pytest.approx(0.35)
    assert found.metrics["longest_gap_ms"] == pytest.approx(0.04)
    assert found.fingerprints[0][1].launches == 4


def test_a_long_trace_takes_little_more_than_eight_bytes_for_a_launch(tmp_path: Path) -> None:
    def peak(launches: int) -> int:
        path = tmp_path / f"{launches}.csv"
        rows = (f"{at * 9},5,{at},8,1,1,64,1,1,NVIDIA L4 (0),k(int)\n" for at in range(launches))
        path.write_text(TRACE + "".join(rows))
        tracemalloc.start()
        read_report(path)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    assert (peak(12_000) - peak(2_000)) / 10_000 < 24


def test_a_long_database_takes_little_more_than_eight_bytes_for_a_launch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Launches that wait: calls are read 10 ms ahead, which are 500 of 20 us.
    monkeypatch.setattr(nvtx_ranges, "_MOST_WAITING", 1_000)

    def peak(launches: int) -> int:
        export = Export(tmp_path / f"{launches}.sqlite")
        for number in range(launches):
            at = 20 * number
            export.call(at, at + 5, "cudaLaunchKernel_v7000", number)
            export.kernel(at + 6, at + 9, "k(int)", (8, 1, 1), (64, 1, 1), number)
        export.ranges = [(0, 20 * launches, "epoch", THREAD)]
        export.write()
        tracemalloc.start()
        (found,) = read_report(export.path).launches
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (found.launches, found.ranges) == (launches, ("epoch",))
        return used

    # Python's memory alone: what SQLite sorts goes to files.
    assert (peak(12_000) - peak(2_000)) / 10_000 < 24
