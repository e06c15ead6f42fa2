"""What the counts of a launch tell of a Triton kernel and of its lines, by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from advisor.evidence.metrics.joining import join
from advisor.evidence.metrics.triton_times import note_triton_times
from advisor.evidence.simulated.launches.judged_launch import Counted
from advisor.evidence.simulated.launches.readings.triton_readings import (
    is_triton,
    tell_triton_kernel,
    triton_line_readings,
)
from advisor.evidence.simulated.launches.store import LaunchRow
from advisor.evidence.simulated.simt.counts import AccessCounts, Statistics
from advisor.model.devices import find_device
from advisor.model.records import Record
from advisor.model.text.source_text import Span

DEVICE = find_device("a100-80gb")
GRID, BLOCK = (100, 1, 1), (128, 1, 1)
ROW = LaunchRow(1, "k", "k.py", 1, "", "k.py", 9, GRID, BLOCK, 0, [], 0, 0.0, 0.0)


def access(line: int, array: str, kind: str, space: str = "global", **counts: Any) -> AccessCounts:
    return AccessCounts("k.py", line, array, space, kind, **counts)


def counted(*accesses: AccessCounts, code: dict[str, Any] | None = None) -> Statistics:
    return Statistics(
        GRID, BLOCK, 100, 100, 4, True, warps=400, warp_instructions=20_000, lane_instructions=640_000,
        slots={"integer": 20_000}, loaded_sectors=1600, shared_bytes=2048, accesses=list(accesses),
        code=code or {},
    )  # fmt: skip


# 400 warps that load 32 elements of four bytes, in HALF 16 of them through a mask.
HALF = access(
    5, "x", "load", requests=400, executions=400, lanes=6400, bytes=25_600, sectors=800, ideal=800, lines=400,
    looked_up=400, l1_sectors=800, l2_sectors=800, past_l1=400, past_l2=400, l1_wavefronts=400,
)  # fmt: skip
FULL = access(
    7, "o", "store", requests=400, executions=400, lanes=12_800, bytes=51_200, sectors=1600, ideal=1600,
    lines=400, l2_sectors=1600,
)  # fmt: skip
# Threads with four elements each, of which a request takes one.
APART = access(
    6, "w", "load", requests=400, executions=400, lanes=12_800, bytes=51_200, sectors=6400, ideal=1600,
    steps=[16],
)  # fmt: skip


def told(statistics: Statistics) -> Record:
    record = Record("triton_kernel", "k.py::k@1", "k.py", Span(1), "k")
    tell_triton_kernel(record, Counted(ROW, statistics, 1), DEVICE, True, ("told",))
    return record


def lines(*accesses: AccessCounts) -> dict[tuple[str, int, str, str], dict[str, Any]]:
    readings = triton_line_readings("k.py::k@1", counted(*accesses), lambda path, line: (path, line), ())
    return {
        (one.entity, one.line, one.array, one.kind): {
            name: value for name, value in one.values.items() if value is not None and name != "kind"
        }
        for one in readings
    }


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (["*fp32", "i32", "constexpr[8]"], True),
        (["array(float32, 1d, C)", "int64"], False),
        (["int64"], False),
        ([], False),
    ],
)
def test_a_star_tells_triton(types: list[str], expected: bool):
    arguments = [{"name": "x", "type": one} for one in types]
    assert is_triton([replace(ROW, arguments=arguments)]) is expected


def test_lanes_that_a_mask_lets_through():
    assert lines(HALF)["triton_access", 5, "x", "load"]["active_lanes"] == 0.5
    assert lines(FULL)["triton_access", 7, "o", "store"]["active_lanes"] == 1.0


def test_warps_that_a_mask_leaves_out_count():
    some = access(5, "x", "load", requests=100, executions=400, lanes=3200, sectors=400, ideal=400)
    assert lines(some)["triton_access", 5, "x", "load"]["active_lanes"] == 0.25


def test_records_of_earlier_versions_say_nothing_of_lanes():
    old = access(5, "x", "load", requests=400, lanes=6400, sectors=800, ideal=800)
    assert "active_lanes" not in lines(old)["triton_access", 5, "x", "load"]


def test_elements_one_by_one():
    found = lines(APART)["triton_access", 6, "w", "load"]
    assert (found["sectors_per_request"], found["ideal_sectors_per_request"]) == (16.0, 4.0)
    assert found["thread_stride"] == 4.0
    assert found["sector_share"] == 1.0


def test_an_access_that_no_warp_made():
    assert lines(access(5, "x", "load", executions=400)) == {("triton_access", 5, "x", "load"): {}}


def test_an_exchange_through_shared_memory():
    store = access(8, "global_smem", "store", "shared", requests=100, wavefronts=400, ideal_wavefronts=100)
    load = access(8, "global_smem", "load", "shared", requests=100, wavefronts=100, ideal_wavefronts=100)
    found = lines(store, load)
    assert found["triton_exchange", 8, "global_smem", "store"] == {
        "requests": 100.0, "bank_conflict_ways": 4.0, "wavefront_share": 0.8,
    }  # fmt: skip
    assert found["triton_exchange", 8, "global_smem", "load"]["bank_conflict_ways"] == 1.0


def test_local_memory_and_atomics_are_no_accesses_of_blocks():
    assert lines(access(5, "", "load", "local", requests=1), access(5, "h", "atomic", requests=1)) == {}


def test_what_is_known_of_the_code():
    code = {"registers": 40, "spill_store_bytes": 8, "spill_load_bytes": 12, "target": ""}
    record = told(counted(HALF, FULL, code=code))
    values = {name: record.value(name) for name in code if name != "target"}
    assert values == {"registers": 40.0, "spill_store_bytes": 8.0, "spill_load_bytes": 12.0}
    assert record.readings["registers"].source == "compiled"
    assert (record.value("programs"), record.value("warps"), record.value("shared_bytes")) == (100, 4, 2048)
    assert record.value("active_lanes") == 0.75
    assert record.readings["programs"].assumptions == ("told",)


def test_code_for_another_gpu_is_said():
    record = told(counted(HALF, code={"registers": 40, "target": "sm_80"}))
    (_, words) = record.readings["active_lanes"].assumptions
    assert words == "The launch ran code for sm_80, for the machine does not execute all that is made for it."


def test_code_of_which_no_assembler_tells():
    record = told(counted(HALF, code={"registers": None, "target": ""}))
    assert "registers" not in record.readings


def test_occupancy_and_time_are_those_of_the_models():
    record = told(counted(HALF, FULL, code={"registers": 128, "target": ""}))
    note_triton_times({"triton_kernel": {record.key: record}}, DEVICE)
    # 65,536 registers of an SM, 128 for each of 128 threads: four programs of four warps, 64 warps fit.
    assert record.value("theoretical_occupancy") == 0.25
    assert (record.value("occupancy_limiter"), record.value("resident_blocks")) == ("registers", 4.0)
    time = record.value("predicted_ms")
    assert isinstance(time, float) and time > 0
    # What remedies gain is computed from it.
    assert record.value("memory_requests") == 800.0


def of_products(slots: dict[str, int], flops: dict[str, int], products: dict[str, int]) -> Record:
    record = told(
        replace(counted(HALF, FULL, code={"registers": 32}), slots=slots, flops=flops, products=products)
    )
    note_triton_times({"triton_kernel": {record.key: record}}, DEVICE)
    return record


def test_the_share_of_tensor_cores_is_counted_from_their_products():
    # 3 of 4 operations are products of float16 factors.
    record = of_products(
        {"tensor": 1000, "fp32": 100}, {"f16": 3_000_000, "f32": 1_000_000}, {"f16": 3_000_000}
    )
    assert (record.value("tensor_share"), record.value("tensor_work")) == (0.75, 3e6)
    used = record.value("tensor_utilization")
    assert isinstance(used, float) and 0.0 < used < 1.0


def test_products_of_other_factors_take_other_times():
    record = of_products(
        {"tensor": 1000}, {"tf32": 1_000_000, "f64": 1_000}, {"tf32": 1_000_000, "f64": 1_000}
    )
    assert (record.value("tensor_share"), record.value("tensor_work")) == (1.0, 2e6 + 16e3)


def test_products_of_integers_have_no_floating_point_operations_and_count():
    record = of_products({"tensor": 1000}, {"f32": 1_000_000}, {"s8": 3_000_000})
    assert (record.value("tensor_share"), record.value("tensor_work")) == (0.75, 1.5e6)


def test_without_products_tensor_cores_do_nothing():
    record = of_products({"fp32": 100}, {"f32": 1_000_000}, {})
    assert (record.value("tensor_share"), record.value("tensor_utilization")) == (0.0, 0.0)
    assert "tensor_work" not in record.readings


def test_records_of_earlier_versions_do_not_say_what_tensor_cores_did():
    record = of_products({"tensor": 1000}, {"f16": 128_000}, {})
    assert "tensor_share" not in record.readings and "tensor_utilization" not in record.readings


def test_without_floating_point_operations_there_is_no_share():
    assert "tensor_share" not in of_products({"integer": 100}, {}, {}).readings


def test_a_kernel_without_a_launch_has_no_time():
    record = Record("triton_kernel", "k", "k.py", Span(1), "k")
    record.know("source", launched=True)
    note_triton_times({"triton_kernel": {"k": record}}, DEVICE)
    assert list(record.readings) == ["launched"]


def source_access(line: int, label: str, kind: str) -> Record:
    record = Record("triton_access", f"{label} {kind}", "k.py", Span(line), label, "k.py::k@1")
    record.know("source", kind=kind)
    return record


def test_counts_go_to_the_load_or_store_of_their_pointer():
    readings = triton_line_readings(
        "k.py::k@1", counted(HALF, access(5, "y", "load", requests=1, executions=1, lanes=32)),
        lambda path, line: (path, line), (),
    )  # fmt: skip
    records = [source_access(5, "x", "load"), source_access(5, "y", "load"), source_access(5, "x", "store")]
    found = {one.key: one.value("active_lanes") for one in join(records, readings, "simulated")}
    assert found == {"x load": 0.5, "y load": 1.0}


def test_what_the_source_does_not_know_stands_alone():
    readings = triton_line_readings("k.py::k@1", counted(HALF), lambda path, line: (path, line), ())
    (alone,) = join([source_access(9, "x", "load")], readings, "simulated")
    assert (alone.label, alone.span.line, alone.value("kind"), alone.owner) == ("x", 5, "load", "k.py::k@1")
