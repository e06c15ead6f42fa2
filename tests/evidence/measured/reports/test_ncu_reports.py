"""Reports of Nsight Compute, with numbers computed by hand from what the files print."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.evidence.measured.reports import read_report
from advisor.evidence.measured.reports.fingerprints import merged, reading_of
from advisor.model.history.fingerprint import Fingerprint

DATA = Path(__file__).parents[3] / "data/reports"
RAW = DATA / "ncu-raw.csv"


def fingerprints(*files: Path) -> list[Fingerprint]:
    return merged(one for file in files for _, one in reading_of(read_report(file)).fingerprints)


def add() -> Fingerprint:
    return fingerprints(RAW)[0]


def test_launches_of_one_kernel_and_shape_come_together() -> None:
    found = fingerprints(RAW)
    assert [(one.identity.name, one.identity.grid, one.launches) for one in found] == [
        ("vectors.add", (65536, 1, 1), 2),
        ("transpose_naive<float>", (64, 64, 1), 1),
        ("transpose_naive<float>", (4, 4, 1), 1),
    ]
    assert found[0].identity.block == (256, 1, 1)
    assert found[1].identity.types == ("const float *", "float *", "int")


def test_times_are_milliseconds() -> None:
    timing = add().timing
    assert timing is not None
    assert timing.samples == (0.11, 0.112)
    assert timing.mean == pytest.approx(0.111)
    assert timing.deviation == pytest.approx(0.002 / 2**0.5)
    assert add().metrics["latency_ms"] == pytest.approx(0.222)


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("registers", 16),
        ("grid_blocks", 65536),  # printed as 65,536
        ("blocks_per_sm", 65536 / 108),
        ("waves_per_sm", 75.85),
        ("resident_blocks", 8),
        ("sm_throughput", 0.1621),
        ("memory_throughput", 0.9102),
        ("dram_norm", 0.9102),
        ("theoretical_occupancy", 1.0),
        ("achieved_occupancy", 0.875),
        ("warp_execution_efficiency", 1.0),  # 32 lanes of 32
        ("issue_active", 0.11),  # per cycle, not percent
        ("l2_hit_rate", 0.3334),
        ("dram_bytes", 134.22e6 + 67.11e6),  # Mbyte are decimal
        ("global_sectors_per_request", (4_194_304 + 2_097_152) / (1_048_576 + 524_288)),
        ("load_bytes_per_sector", 32),
        ("flops", 16_777_216),
        ("ai_flops_per_byte", 16_777_216 / 201.33e6),
        ("tensor_utilization", 0),
        ("stall_long_scoreboard", 60.8 / 64),
    ],
)
def test_the_raw_page(metric: str, value: float) -> None:
    assert add().metrics[metric] == pytest.approx(value, rel=1e-12)


def test_other_shapes_have_their_own_numbers() -> None:
    _, large, small = fingerprints(RAW)
    assert large.metrics["sm_throughput"] == 0.12
    assert small.metrics["sm_throughput"] == pytest.approx(0.011)
    assert large.metrics["warp_execution_efficiency"] == 31.5 / 32
    assert large.metrics["occupancy_limiter"] == "warps"  # as many as registers allow: nothing is lost
    assert small.metrics["ai_flops_per_byte"] == 0.0


def test_ranges_are_kept() -> None:
    assert [one.ranges for one in fingerprints(RAW)] == [("copy in",), ("step",), ("step",)]


def test_what_is_not_used_is_named() -> None:
    reading = reading_of(read_report(RAW))
    assert reading.unused == ("device__attribute_multiprocessor_count", "some__future_metric.sum")
    assert reading.refused == {}


def test_the_device_is_told() -> None:
    report = read_report(RAW)
    assert (report.device, report.capability) == ("NVIDIA A100-SXM4-80GB", "8.0")


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("latency_ms", 1.2345),  # 1.234,50 us
        ("sm_throughput", 0.2155),
        ("memory_throughput", 0.431),
        ("dram_norm", 0.3975),
        ("sm_active", 0.8),  # 1.200.000 of 1.500.000 cycles
        ("launch_shared_bytes", 512 + 32_770),  # 32,77 Kbyte
        ("blocks_per_sm", 2),
        ("waves_per_sm", 0.13),
        ("resident_blocks", 6),
        ("theoretical_occupancy", 0.375),
        ("achieved_occupancy", 0.124),
        ("warp_execution_efficiency", 0.75),
        ("active_lane_efficiency", 0.5),
        ("issue_active", 0.093),
        ("eligible_warps", 0.11),
        ("warp_cycles_per_instruction", 21.4),
        ("branch_efficiency", 0.9375),
        ("warp_instructions", 2_345_678),
        ("l1_hit_rate", 0.125),
        ("l2_hit_rate", 0.4825),
    ],
)
def test_the_details_page_in_a_locale_with_commas(metric: str, value: float) -> None:
    (found,) = fingerprints(DATA / "ncu-details-comma.csv")
    assert found.metrics[metric] == pytest.approx(value, rel=1e-12)
    assert found.metrics["occupancy_limiter"] == "shared memory"


def test_memory_throughput_in_bytes_is_the_bandwidth_and_not_the_share() -> None:
    reading = reading_of(read_report(DATA / "ncu-details-comma.csv"))
    assert reading.unused == ()
    ((_, found),) = reading.fingerprints
    assert found.metrics["achieved_bandwidth"] == pytest.approx(1.33025e12)
    assert found.metrics["memory_throughput"] == pytest.approx(0.431)


def test_lines_join_their_kernel() -> None:
    found = {one.identity.name: one for one in fingerprints(RAW, DATA / "ncu-source.csv")}
    assert [line.line for line in found["vectors.add"].lines] == [8, 10]
    metrics = found["vectors.add"].lines[1].metrics
    assert metrics["samples_share"] == 0.8  # 160 of 200; rows of instructions do not count again
    assert metrics["samples"] == 160
    assert metrics["stall_share"] == 0.75  # 120 of 160
    assert str(metrics["stall_reason"]).startswith("long scoreboard")
    assert (metrics["global_sectors"], metrics["ideal_global_sectors"]) == (8_000_000, 6_291_456)
    assert metrics["lanes_active"] == 1.0


def test_a_kernel_of_which_only_lines_are_known() -> None:
    found = {one.identity.name: one for one in fingerprints(DATA / "ncu-source.csv")}
    scan = found["scan_tile"]
    assert (scan.launches, scan.timing) == (0, None)
    assert scan.lines[0].metrics["shared_wavefronts"] == 32_000
    assert scan.lines[0].metrics["lanes_active"] == 0.5


def table(tmp_path: Path, metric: str, unit: str, value: str, more: str = "") -> Path:
    file = tmp_path / "report.csv"
    file.write_text(
        f'"ID","Kernel Name","Block Size","Grid Size","{metric}"\n"","","","","{unit}"\n'
        f'"0","k","(32, 1, 1)","(1, 1, 1)","{value}"\n{more}'
    )
    return file


@pytest.mark.parametrize(
    ("unit", "milliseconds"),
    [
        ("ns", 2e-3),
        ("nsecond", 2e-3),
        ("us", 2.0),
        ("usecond", 2.0),
        ("ms", 2e3),
        ("second", 2e6),
        ("s", 2e6),
    ],
)
def test_every_unit_of_time(tmp_path: Path, unit: str, milliseconds: float) -> None:
    (found,) = fingerprints(table(tmp_path, "gpu__time_duration.sum", unit, "2,000.00"))
    assert found.metrics["latency_ms"] == pytest.approx(milliseconds, rel=1e-12)


def test_a_percentage_without_its_unit_is_still_one(tmp_path: Path) -> None:
    (found,) = fingerprints(table(tmp_path, "sm__throughput.avg.pct_of_peak_sustained_elapsed", "", "0.90"))
    assert found.metrics["sm_throughput"] == pytest.approx(0.009)


@pytest.mark.parametrize(
    ("metric", "unit", "value", "reason"),
    [
        ("gpu__time_duration.sum", "", "12.00", "its unit `` does not fit latency_ms"),
        ("gpu__time_duration.sum", "parsec", "12.00", "its unit `parsec` is not known"),
        ("dram__bytes.sum", "%", "12.00", "its unit `%` does not fit dram_bytes"),
        (
            "sm__warps_active.avg.pct_of_peak_sustained_active",
            "%",
            "412.00",
            "4.12 is no value of achieved_occupancy",
        ),
    ],
)
def test_a_number_that_does_not_fit_is_refused(
    tmp_path: Path, metric: str, unit: str, value: str, reason: str
) -> None:
    reading = reading_of(read_report(table(tmp_path, metric, unit, value)))
    assert reading.refused == {metric: reason}
    assert set(reading.fingerprints[0][1].metrics) == {"launches", "grid_blocks", "block_threads"}


def test_what_is_not_available_is_unknown(tmp_path: Path) -> None:
    (found,) = fingerprints(table(tmp_path, "lts__t_sector_hit_rate.pct", "%", "n/a"))
    assert "l2_hit_rate" not in found.metrics


def test_a_little_more_than_the_whole_is_the_whole(tmp_path: Path) -> None:
    (found,) = fingerprints(
        table(tmp_path, "sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "100.31")
    )
    assert found.metrics["sm_throughput"] == 1.0


def test_operations_of_kernels_with_tensor_cores_are_not_told(tmp_path: Path) -> None:
    text = RAW.read_text().replace('"0","60.80"', '"12.00","60.80"')
    file = tmp_path / "tensor.csv"
    file.write_text(text)
    assert "ai_flops_per_byte" not in fingerprints(file)[0].metrics
    assert fingerprints(file)[0].metrics["tensor_utilization"] == 0.12


def test_shares_of_launches_are_weighted_by_their_time() -> None:
    (before,), (after,) = (fingerprints(DATA / f"case-study-{name}.csv") for name in ("before", "after"))
    # (2.00 * 8.10 + 2.00 * 10.10) / 4.00, and (0.60 * 76 + 0.30 * 70) / 0.90
    assert before.metrics["sm_throughput"] == pytest.approx(0.091)
    assert after.metrics["sm_throughput"] == pytest.approx(0.74)
    assert (before.metrics["tensor_utilization"], after.metrics["tensor_utilization"]) == (
        0.0,
        pytest.approx(0.62),
    )


def test_text_of_the_profiled_program_before_the_table_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "mixed.csv"
    file.write_text("epoch 1, loss 0.5\n==WARNING== clocks\n" + RAW.read_text())
    assert len(fingerprints(file)) == 3


def test_utf_16_as_powershell_writes_it(tmp_path: Path) -> None:
    file = tmp_path / "powershell.csv"
    file.write_text(RAW.read_text(), encoding="utf-16")
    assert fingerprints(file)[0].metrics["registers"] == 16


def test_the_bandwidth_that_a_counter_gives(tmp_path: Path) -> None:
    (found,) = fingerprints(table(tmp_path, "dram__bytes.sum.per_second", "Gbyte/s", "1,400.00"))
    assert found.metrics["achieved_bandwidth"] == pytest.approx(1.4e12)


@pytest.mark.parametrize(("unit", "value"), [("%", "80.00"), ("byte", "80.00")])
def test_a_bandwidth_in_another_unit_is_not_taken(tmp_path: Path, unit: str, value: str) -> None:
    reading = reading_of(read_report(table(tmp_path, "dram__bytes.sum.per_second", unit, value)))
    assert all("achieved_bandwidth" not in one.metrics for _, one in reading.fingerprints)


def test_sectors_of_loads_alone(tmp_path: Path) -> None:
    file = tmp_path / "loads.csv"
    counter = "l1tex__t_{}_pipe_lsu_mem_global_op_ld.sum"
    file.write_text(
        '"ID","Kernel Name","Block Size","Grid Size",'
        f'"{counter.format("sectors")}","{counter.format("requests")}"\n"","","","","sector","request"\n'
        '"0","k","(32, 1, 1)","(1, 1, 1)","3,200","100"\n'
    )
    (found,) = fingerprints(file)
    assert found.metrics["global_sectors_per_request"] == 32
