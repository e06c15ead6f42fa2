"""Predicted times and achieved occupancy, calculated by hand for a device with round numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.evidence.metrics.derived.timing import derive, resource_times
from advisor.evidence.metrics.times.resources import joined_time
from advisor.model.devices import Device, find_device, load_devices
from advisor.model.records import Record
from advisor.model.text.source_text import Span

KNOWN = {
    "grid_blocks": 100.0,
    "resident_blocks": 4.0,
    "theoretical_occupancy": 0.5,
    "block_threads": 128.0,
    "issue_slots": 400.0,
}


@pytest.fixture
def device() -> Device:
    """Ten multiprocessors at 1 GHz, 1 TB/s, 64 single precision multiply-adds for each in a cycle."""
    return replace(
        find_device("A100"),
        sm_count=10,
        boost_clock=1e9,
        dram_bandwidth=1e12,
        fp32_peak=2 * 64 * 10 * 1e9,
        fp64_peak=2 * 32 * 10 * 1e9,
        arithmetic_latency=4, fp64_latency=8, special_latency=20, shared_latency=25,
        l1_latency=33, l2_latency=200, dram_latency=290, dram_share=None,
    )  # fmt: skip


def derived(device: Device, **known: float) -> dict[str, object]:
    kernel = Record("kernel", "k", "a.py", Span(1), "k")
    kernel.know("simulated", **{**KNOWN, **known})
    derive([kernel], device)
    return {name: reading.value for name, reading in kernel.readings.items() if name not in known}


@pytest.mark.parametrize(
    ("blocks", "achieved"),
    [
        (40.0, 0.5),  # one full wave of 10 * 4
        (100.0, 0.5 * 100 / 120),  # three waves, of which the last is half full
        (10.0, 0.5 * 10 / 40),  # one block on each multiprocessor
        (5.0, 0.5 * 5 / 40),
        (41.0, 0.5 * 41 / 80),
    ],
)
def test_achieved_occupancy_is_the_mean_over_the_waves(device, blocks, achieved):
    assert derived(device, grid_blocks=blocks)["achieved_occupancy"] == pytest.approx(achieved)


def test_warps_that_end_early_leave_their_places_empty(device):
    found = derived(device, grid_blocks=40.0, warp_balance=0.625)
    assert found["achieved_occupancy"] == pytest.approx(0.5 * 0.625)


LIMITS = [
    # 0.92 GB at 92% of 1 TB/s
    ("dram", {"dram_bytes": 0.92e9}, 1.0),
    # two sectors of each of ten multiprocessors in a cycle; a line written in part takes 4.4 cycles
    ("l2", {"l2_sectors": 2e7}, 1.0),
    ("l2", {"l2_sectors": 1.12e7, "partial_store_lines": 1e6}, 0.56 + 0.44),
    # a cycle for the first line of each load, a quarter for each of the others, one for each line of a store
    ("l1", {"load_requests": 4e6, "load_lines": 16e6, "store_lines": 3e6}, (4 + 12 / 4 + 3) / 10),
    # as many passes through the banks, where these take longer
    ("l1", {"load_requests": 4e6, "load_lines": 16e6, "load_wavefronts": 27e6, "store_lines": 3e6}, 3.0),
    # a warp instruction in a cycle of 32 units
    ("lsu", {"memory_requests": 1e7}, 1.0),
    # an address of constant memory in a cycle
    ("lsu", {"memory_requests": 1e7, "constant_addresses": 4e7}, 5.0),
    ("shared", {"shared_wavefronts": 1e7}, 1.0),
    ("shared", {"shared_wavefronts": 3e7, "joined_wavefronts": 1e7}, 2.0),
    # four warp instructions
    ("issue", {"issue_slots": 4e7, "grid_blocks": 80.0, "resident_blocks": 8.0}, 1.0),
    # half a warp instruction
    ("special", {"special_slots": 5e6}, 1.0),
    # 64 lanes multiply integers: two warp instructions
    ("multiply", {"multiply_slots": 2e7}, 1.0),
    # 64 lanes are two warp instructions of multiply-adds
    ("fp32", {"fp32_slots": 2e7}, 1.0),
    ("fp64", {"fp64_slots": 1e7}, 1.0),
    # one update of one element in a cycle, however many multiprocessors ask for it
    ("atomics", {"hottest_element_updates": 1e6, "hottest_slice_sectors": 1e5}, 1.0),
    ("atomics", {"hottest_element_updates": 1e5, "hottest_slice_sectors": 1e6}, 1.25),
]


@pytest.mark.parametrize(("limiter", "known", "milliseconds"), LIMITS)
def test_what_a_resource_needs_alone(device, limiter, known, milliseconds):
    kernel = Record("kernel", "k", "a.py", Span(1), "k")
    kernel.know("simulated", **{**KNOWN, **known})
    assert resource_times(kernel, device)[limiter] * 1e3 == pytest.approx(milliseconds)
    assert derived(device, **known)["time_limiter"] == limiter


def test_units_that_serve_half_a_warp_take_two_cycles(device):
    kernel = Record("kernel", "k", "a.py", Span(1), "k")
    kernel.know("simulated", **KNOWN, memory_requests=1e7)
    turing = replace(device, compute_capability="7.5")
    assert resource_times(kernel, turing)["lsu"] == 2 * resource_times(kernel, device)["lsu"]


def test_integers_are_multiplied_by_the_units_of_the_device(device):
    kernel = Record("kernel", "k", "a.py", Span(1), "k")
    kernel.know("simulated", **KNOWN, multiply_slots=1e7)
    kepler = replace(device, compute_capability="3.5")
    assert resource_times(kernel, kepler)["multiply"] == 2 * resource_times(kernel, device)["multiply"]


def test_copies_attain_the_share_of_the_device(device):
    kernel = Record("kernel", "k", "a.py", Span(1), "k")
    kernel.know("simulated", **KNOWN, dram_bytes=1e9)
    own = replace(device, dram_share=0.5)
    # 1 GB at half of 1 TB/s, and at the 92% that stand for devices without their own
    assert resource_times(kernel, own)["dram"] == pytest.approx(2e-3)
    assert resource_times(kernel, device)["dram"] == pytest.approx(1e-3 / 0.92)


def latency_cycles(device, **known) -> float:
    kernel = Record("kernel", "k", "a.py", Span(1), "k")
    kernel.know("simulated", **{**KNOWN, "grid_blocks": 40.0, **known})
    return resource_times(kernel, device)["latency"] * 1e9


def test_a_warp_stays_until_l2_has_what_it_stored(device):
    named = replace(device, l2_latency=250.0)
    without = latency_cycles(named)
    assert latency_cycles(named, stores_per_warp=1.0) == pytest.approx(without + 250)
    # however many stores there are, the warp waits for the last one; where half of the warps store, half wait
    assert latency_cycles(named, stores_per_warp=40.0) == pytest.approx(without + 250)
    assert latency_cycles(named, stores_per_warp=0.5) == pytest.approx(without + 125)


def test_resources_overlap_in_part(device):
    # The exponent is 1.5: (1 + 4 ** 1.5 + 9 ** 1.5) ** (2 / 3) of 1, 4 and 9 ms.
    times = {"dram": 1e-3, "issue": 4e-3, "latency": 9e-3}
    assert joined_time(times) == pytest.approx((1 + 8 + 27) ** (2 / 3) * 1e-3)
    assert joined_time({"dram": 3e-3}) == pytest.approx(3e-3)
    assert joined_time({}) == 0.0
    # L1 and shared memory are one unit, which serves one after the other.
    assert joined_time({"l1": 1e-3, "shared": 2e-3}) == pytest.approx(3e-3)


def test_the_slowest_stage_of_a_pipeline_sets_its_pace(device):
    # Load and store units issue to the data stage, schedulers to the units that compute.
    assert joined_time({"lsu": 2e-3, "l1": 1e-3, "shared": 2e-3}) == pytest.approx(3e-3)
    assert joined_time({"lsu": 4e-3, "l1": 1e-3, "shared": 2e-3}) == pytest.approx(4e-3)
    assert joined_time({"issue": 4e-3, "fp32": 2e-3, "special": 3e-3}) == pytest.approx(4e-3)
    both = {"issue": 1e-3, "fp64": 4e-3, "lsu": 9e-3, "shared": 1e-3}
    assert joined_time(both) == pytest.approx((8 + 27) ** (2 / 3) * 1e-3)


def test_a_time_is_never_less_than_its_longest_resource(device):
    found = derived(device, dram_bytes=0.92e9, shared_wavefronts=1e7)
    assert found["predicted_ms"] > 1.0


def test_a_tail_of_few_blocks_keeps_few_multiprocessors_busy(device):
    # 11 blocks on 10 multiprocessors take as long as 20 would: 5.5 are busy on average.
    kernel = Record("kernel", "k", "a.py", Span(1), "k")
    kernel.know("simulated", **{**KNOWN, "grid_blocks": 11.0}, shared_wavefronts=1e7)
    assert resource_times(kernel, device)["shared"] == pytest.approx(1e-3 * 10 / 5.5)


ONE_WARP = {"grid_blocks": 1.0, "block_threads": 32.0, "issue_slots": 100.0, "loads_per_warp": 40.0}
WAITS = [
    # Each load by itself, from DRAM in 290 cycles; nothing is known of the caches.
    ({}, 40 * 290),
    # Two loads in each of 20 rounds, all from DRAM, all from L2 (200), all from L1 (33).
    ({"load_rounds_per_warp": 20.0, "loads_past_l1": 1.0, "loads_past_l2": 1.0}, 20 * 290),
    ({"load_rounds_per_warp": 20.0, "loads_past_l1": 1.0, "loads_past_l2": 0.0}, 20 * 200),
    ({"load_rounds_per_warp": 20.0, "loads_past_l1": 0.0, "loads_past_l2": 0.0}, 20 * 33),
    # A tenth of the loads miss L1: a fifth of the rounds of two wait for L2.
    ({"load_rounds_per_warp": 20.0, "loads_past_l1": 0.1, "loads_past_l2": 0.0}, 20 * (0.8 * 33 + 0.2 * 200)),
    # Three quarters miss L1 and a tenth L2: every round waits for L2, a fifth of them for DRAM.
    (
        {"load_rounds_per_warp": 20.0, "loads_past_l1": 0.75, "loads_past_l2": 0.1},
        20 * (0.8 * 200 + 0.2 * 290),
    ),
    # Loads that a predicate leaves out wait for nothing.
    ({"load_rounds_per_warp": 60.0, "loads_past_l1": 1.0, "loads_past_l2": 1.0}, 40 * 290),
]


@pytest.mark.parametrize(("known", "cycles"), WAITS)
def test_one_warp_waits_for_its_loads(device, known, cycles):
    kernel = Record("kernel", "k", "a.py", Span(1), "k")
    kernel.know("simulated", **{**KNOWN, **ONE_WARP, **known})
    assert derived(device, **ONE_WARP, **known)["time_limiter"] == "latency"
    # 100 instructions of 4 cycles at 1 GHz
    assert resource_times(kernel, device)["latency"] == pytest.approx((100 * 4 + cycles) / 1e9)


def test_one_warp_waits_for_its_longest_chain(device):
    chain = {"arithmetic": 10.0, "fp64": 3.0, "special": 2.0, "shared": 4.0, "issue": 7.0}
    known = {**KNOWN, **ONE_WARP, "loads_per_warp": 0.0}
    kernel = Record("kernel", "k", "a.py", Span(1), "k")
    kernel.know("simulated", **known, **{f"chained_{kind}_steps": count for kind, count in chain.items()})
    cycles = 10 * 4 + 3 * 8 + 2 * 20 + 4 * 25 + 7
    assert resource_times(kernel, device)["latency"] == pytest.approx(cycles / 1e9)
    slow = replace(device, fp64_latency=64)
    assert resource_times(kernel, slow)["latency"] == pytest.approx((cycles + 3 * 56) / 1e9)


def test_latencies_that_a_device_file_lacks_are_said(device):
    chain = {"chained_fp64_steps": 3.0, "chained_special_steps": 0.0}
    unknown = replace(device, fp64_latency=None, special_latency=None, dram_latency=None)
    found = []
    for one in (device, unknown):
        kernel = Record("kernel", "k", "a.py", Span(1), "k")
        kernel.know("simulated", **KNOWN, **chain)
        derive([kernel], one)
        found.append(kernel.readings["predicted_ms"].assumptions)
    assert not any("8.0" in text for text in found[0])
    # A kernel without special functions or loads does not wait for them.
    assert "The latency of fp64 is that of compute capability 8.0." in found[1]


def test_the_share_of_dram_in_the_time(device):
    found = derived(device, dram_bytes=0.92e9, shared_wavefronts=4e7)
    assert found["time_limiter"] == "shared"
    # 1 ms of DRAM in the whole time.
    assert found["dram_norm"] == pytest.approx(1.0 / found["predicted_ms"])


def test_a_device_of_unknown_caches_gets_an_occupancy_but_no_time(device):
    unknown = replace(device, l2_bytes=None)
    found = derived(unknown, grid_blocks=40.0, fp32_slots=1e6)
    assert found["achieved_occupancy"] == pytest.approx(0.5)
    assert "predicted_ms" not in found
    kernel = Record("kernel", "k", "a.py", Span(1), "k")
    kernel.know("simulated", **KNOWN, fp32_slots=1e6)
    assert resource_times(kernel, unknown) == {}
    assert set(resource_times(kernel, device)) == {"issue", "fp32", "latency"}


def test_without_counts_of_the_whole_grid_there_is_no_time(device):
    kernel = Record("kernel", "k", "a.py", Span(1), "k")
    kernel.know("simulated", **{name: value for name, value in KNOWN.items() if name != "issue_slots"})
    derive([kernel], device)
    assert "predicted_ms" not in kernel.readings
    assert "achieved_occupancy" in kernel.readings


@pytest.mark.parametrize("name", load_devices())
def test_every_device_that_is_shipped_gets_a_time(name):
    found = derived(find_device(name), dram_bytes=1e9, fp32_slots=1e6, fp64_slots=1e5, l2_sectors=1e6)
    # A gigabyte takes at least as long as at the peak.
    assert found["predicted_ms"] >= 1e9 / find_device(name).dram_bandwidth * 1e3


def test_a_device_without_numbers_gets_none(device):
    assert set(derived(replace(device, sm_count=None))) == set(KNOWN)


def test_products_take_the_time_of_tensor_cores(device):
    # All ten multiprocessors are busy; 10 operations a cycle of each, of 1e6 of float16 factors.
    own = replace(device, fp16_tensor_peak=100e9)
    kernel = Record("kernel", "k", "a.py", Span(1), "k")
    kernel.know("simulated", **KNOWN, tensor_work=1e6)
    assert resource_times(kernel, own)["tensor"] == pytest.approx(1e6 / 100e9)
    found = derived(own, tensor_work=1e6)
    assert found["time_limiter"] == "tensor"
    used = found["tensor_utilization"]
    assert isinstance(used, float) and 0.9 < used < 1.0


def test_half_of_the_multiprocessors_have_half_of_the_tensor_cores(device):
    own = replace(device, fp16_tensor_peak=100e9)
    kernel = Record("kernel", "k", "a.py", Span(1), "k")
    kernel.know("simulated", **{**KNOWN, "grid_blocks": 5.0}, tensor_work=1e6)
    assert resource_times(kernel, own)["tensor"] == pytest.approx(1e6 / 50e9)


def test_without_their_rate_nothing_is_known_of_tensor_cores(device):
    own = replace(device, fp16_tensor_peak=None)
    assert "tensor_utilization" not in derived(own, tensor_work=1e6)


def test_a_kernel_without_products_has_no_time_of_tensor_cores(device):
    kernel = Record("kernel", "k", "a.py", Span(1), "k")
    kernel.know("simulated", **KNOWN)
    assert "tensor" not in resource_times(kernel, device)
    assert "tensor_utilization" not in derived(device)
    assert derived(device, tensor_share=0.0)["tensor_utilization"] == 0.0
