"""Findings of a counted launch get gains that the time model predicts, and are as loud as these make them."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.check.pipeline import report_on
from advisor.model.records import Record
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config
from advisor.model.text.source_text import Span

# A million warps that each load 32 sectors from DRAM and execute next to nothing.
WARPS = 1e6
COUNTS = {
    "grid_blocks": 125_000.0, "block_threads": 256.0, "registers": 32.0, "resident_blocks": 8.0,
    "theoretical_occupancy": 1.0, "issue_slots": 1.0, "load_requests": WARPS, "load_sectors": 32 * WARPS,
    "l1_sectors": 32 * WARPS, "l2_sectors": 32 * WARPS, "dram_bytes": 32 * 32 * WARPS,
}  # fmt: skip
ACCESS = {
    "array": "image", "space": "global", "kind": "load", "lane_axis": "slow", "fast_axis_thread": True,
    "sectors_per_request": 32.0, "ideal_sectors_per_request": 4.0, "exchanged_sectors_per_request": 4.0,
    "exchange": "threadIdx.x and threadIdx.y", "sector_share": 1.0, "request_share": 1.0,
}  # fmt: skip


def report(*accesses, counts=COUNTS, policy=None, select=("transposed-index",)):
    kernel = Record("kernel", "k", "a.py", Span(1), "step")
    kernel.know("simulated", (), **counts)
    records = [kernel]
    for line, values in enumerate(accesses, 2):
        record = Record("access", f"a{line}", "a.py", Span(line), "image", "k")
        record.know("simulated", (), **{**ACCESS, **values})
        records.append(record)
    settings = Config(root=Path.cwd(), policy=policy or {})
    options = CheckOptions("a100-80gb", Path.cwd(), settings=settings, select=select)
    return report_on(records, ["access"], options, {}, ["simulated"])


def finding(*accesses, **kwargs):
    (found,) = report(*accesses, **kwargs).findings
    return found


def test_a_stream_of_32_sectors_to_4_is_eight_times_as_fast():
    found = finding({})
    assert found.severity == "warning"
    assert found.gain.basis == "predicted"
    assert found.gain.speedup == pytest.approx(8.0, rel=0.01)
    assert found.gain.low < found.gain.least <= found.gain.most < found.gain.high
    assert found.gain.in_words() == "about 8 times as fast (5.8 to 11), predicted for NVIDIA A100 80GB"


def test_a_cause_gains_what_all_its_places_gain():
    halves = [{"sector_share": 0.5}] * 2
    found = finding(*halves)
    assert len(found.further_places) == 1
    assert found.gain.speedup == pytest.approx(8.0, rel=0.01)
    assert finding({"sector_share": 0.5}).gain.speedup == pytest.approx(1 / 0.5625, rel=0.01)


def test_what_gains_nothing_is_a_remark_that_says_so():
    found = finding({"sector_share": 0.01})
    assert found.severity == "info"
    assert "Info only: removing it is predicted to save at most 1% of the kernel's time." in found.assumptions
    assert finding({"sector_share": 0.01}, policy={"negligible-gain": 1.0}).severity == "warning"


def test_of_places_that_are_not_known_nothing_is_guessed():
    found = finding({"sector_share": 0.01}, {"sector_share": None})
    assert (found.severity, found.gain.speedup) == ("warning", pytest.approx(1.01, rel=0.01))


def test_without_counts_the_estimate_of_the_rule_stands():
    found = finding({}, counts={"registers": 32.0})
    assert (found.severity, found.gain.basis, found.gain.speedup) == ("warning", "at most", 8.0)


def float64(any_device=False, left=None):
    # 16 float64 instructions of a warp beside its kilobyte: next to nothing on an A100, and most of it on an
    # RTX 4090, whose float64 rate is a 64th of that of float32.
    kernel = Record("kernel", "k", "a.py", Span(1), "step")
    slots = {"fp64_slots": 16 * WARPS, "issue_slots": 16 * WARPS, "fp64_instructions": 16.0}
    kernel.know("simulated", (), **{**COUNTS, **slots}, stated_float64=False)
    if left is not None:
        kernel.know("compiled", (), unpromoted_fp64_instructions=left)
    line = Record("line", "l", "a.py", Span(3), "line 3", "k")
    promotion = {
        "promoted_operations": 16.0, "promotion_cause": "`0.5` in line 2", "promotion_certain": True,
        "promotion_data": "on float32 data", "promotion_rounded": False,
    }  # fmt: skip
    line.know("compiled", (), fp64_instructions=16.0, **promotion)
    options = CheckOptions(
        "a100-80gb", Path.cwd(), settings=Config(root=Path.cwd()), select=("float64-promotion",),
        any_device=any_device,
    )  # fmt: skip
    (found,) = report_on([kernel, line], ["line"], options, {}, ["compiled"]).findings
    return found


def test_where_nobody_names_a_device_the_finding_says_for_which_its_gain_holds():
    named, of_any = float64(), float64(any_device=True)
    assert (named.severity, named.gain.device) == ("info", "NVIDIA A100 80GB")
    assert (of_any.severity, of_any.gain.device) == ("warning", "NVIDIA GeForce RTX 4090")
    assert of_any.gain.least > named.gain.most


def test_what_stays_float64_is_no_gain():
    # 15 of 16 float64 instructions are those of a generator of random numbers.
    all_of_them, one_of_them = float64(any_device=True, left=0.0), float64(any_device=True, left=15.0)
    assert (all_of_them.severity, one_of_them.severity) == ("warning", "info")
    assert one_of_them.gain.speedup < 1.1 < all_of_them.gain.speedup


def test_remedies_come_in_the_order_in_which_they_gain():
    # Three quarters of the sectors lie in columns; of shared memory all wavefronts are of one access.
    shared = {
        "space": "shared", "bank_conflict_ways": 32.0, "wavefront_share": 1.0, "lane_axis": None,
        "sectors_per_request": None, "ideal_sectors_per_request": None, "sector_share": None,
    }  # fmt: skip
    found = report(
        {"sector_share": 0.75}, shared, counts={**COUNTS, "shared_wavefronts": 32 * WARPS},
        select=("transposed-index", "shared-bank-conflict"),
    )  # fmt: skip
    (order,) = found.orders
    assert (order.kernel, order.path) == ("step", "a.py")
    first, second = order.steps
    assert {first.rule, second.rule} == {"transposed-index", "shared-bank-conflict"}
    assert 1.0 < first.speedup < second.speedup
    alone = {one.rule: one.gain.speedup for one in found.findings}
    assert first.speedup == pytest.approx(max(alone.values()), rel=1e-3)
    # What is left after both is not what either leaves alone.
    assert second.speedup > max(alone.values())


def test_one_remedy_alone_has_no_order():
    assert report({}).orders == []


def test_the_remedy_itself_is_no_part_of_a_report():
    assert finding({}).remedy is None
