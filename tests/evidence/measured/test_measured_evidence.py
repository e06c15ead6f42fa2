"""The history as evidence: the latest measurement, while the code is the same, for the device it is of."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.evidence.measured.evidence import MeasuredEvidence, measured_evidence
from advisor.model.devices import find_device
from advisor.model.history.fingerprint import Fingerprint, KernelIdentity, LineMetrics, Run, RunFacts, Timing
from advisor.model.history.identity import functions
from advisor.model.history.store import HistoryStore

TEXT = """\
from numba import cuda

@cuda.jit
def add(a, out):
    i = cuda.grid(1)
    out[i] = a[i]
"""
HASH = functions(TEXT)[0].source_hash
H200 = find_device("h200")


def fingerprint(mean: float = 2.0, grid: int = 391, known: str | None = HASH) -> Fingerprint:
    who = KernelIdentity("add", "k.py", known, ("array",), (grid, 1, 1), (256, 1, 1))
    lines = (LineMetrics("k.py", 6, "access", {"sectors_per_request": 8.0, "array": "a", "kind": "load"}),)
    timing = Timing(20, mean, mean, 0.1, mean, mean)
    metrics = {"time_mean_ms": mean, "grid_blocks": float(grid), "l2_hit_rate": 0.3, "launches": 1.0}
    return Fingerprint(who, "measured", 1, timing, metrics, lines, line=4)


def facts(device: str = "h200", executed_on: str = "NVIDIA H200", ago: float = 7200.0) -> RunFacts:
    return RunFacts("profile", "", "advisor profile k.py", time.time() - ago, device, executed_on)


def evidence(
    root: Path, run: Run, text: str = TEXT, device: str = "h200", simulated: tuple[str, ...] = ()
) -> MeasuredEvidence:
    store = HistoryStore(root)
    store.add_run(run)
    found = measured_evidence(store, root, find_device(device), {"k.py": text}, simulated)
    store.close()
    return found


def test_a_kernel_and_its_run(tmp_path: Path) -> None:
    found = evidence(tmp_path, Run(facts(), {"gpu_utilization": 0.3}, (fingerprint(),)))
    kernel, run = found.records
    assert (kernel.entity, kernel.key, kernel.owner) == ("kernel", "k.py::add@4", run.key)
    assert {name: reading.value for name, reading in kernel.readings.items()} == fingerprint().metrics
    reading = kernel.readings["l2_hit_rate"]
    assert reading.source == "measured"
    assert reading.assumptions == ("Measured on NVIDIA H200: grid 391, block 256, 2 h ago.",)
    assert run.readings["gpu_utilization"].value == 0.3
    (line,) = found.lines
    assert (line.kernel, line.line, line.array, line.kind, line.values["sectors_per_request"]) == (
        "k.py::add@4", 6, "a", "load", 8.0,
    )  # fmt: skip
    assert not found.notices


def test_lines_move_with_the_kernel(tmp_path: Path) -> None:
    found = evidence(tmp_path, Run(facts(), {}, (fingerprint(),)), "\n\n" + TEXT)
    assert found.records[0].key == "k.py::add@6"
    assert found.lines[0].line == 8


def test_changed_code_gives_a_notice_and_nothing_else(tmp_path: Path) -> None:
    found = evidence(tmp_path, Run(facts(), {}, (fingerprint(),)), TEXT.replace("a[i]", "a[i] + 1"))
    assert (found.records, found.lines) == ([], [])
    (notice,) = found.notices
    assert notice == (
        "k.py:4: add has changed since it was measured 2 h ago, so that is not used; `advisor profile k.py` "
        "again gives new numbers."
    )


def test_a_kernel_that_is_gone_gives_the_notice_too(tmp_path: Path) -> None:
    found = evidence(tmp_path, Run(facts(), {}, (fingerprint(),)), "x = 1\n")
    assert not found.records
    assert len(found.notices) == 1


def test_a_report_that_knows_no_text_is_used_and_says_so(tmp_path: Path) -> None:
    found = evidence(tmp_path, Run(facts(), {}, (fingerprint(known=None),)))
    assert "not known" in found.records[0].readings["l2_hit_rate"].assumptions[1]


def test_of_several_shapes_the_longest_counts(tmp_path: Path) -> None:
    small, large = fingerprint(1.0, 4), fingerprint(5.0, 8)
    many = replace(small, launches=100)
    found = evidence(tmp_path, Run(facts(), {}, (small, large)))
    assert found.records[0].readings["grid_blocks"].value == 8.0
    assert "the longest of 2 shapes" in found.records[0].readings["grid_blocks"].assumptions[0]
    found = evidence(tmp_path, Run(facts(), {}, (many, large)))
    assert found.records[0].readings["grid_blocks"].value == 4.0


def test_the_shape_of_a_simulated_launch_stays_its_own(tmp_path: Path) -> None:
    found = evidence(tmp_path, Run(facts(), {}, (fingerprint(),)), simulated=("k.py::add@4",))
    assert set(found.records[0].readings) == {"time_mean_ms", "l2_hit_rate"}


def test_another_device_gives_a_notice(tmp_path: Path) -> None:
    found = evidence(tmp_path, Run(facts(), {}, (fingerprint(),)), device="a100-80gb")
    assert not found.records
    assert found.notices == [
        "k.py: add was measured on h200, not on NVIDIA A100 80GB; `--device 'h200'` uses what is known there."
    ]


def test_a_gpu_that_nobody_knows_is_used(tmp_path: Path) -> None:
    found = evidence(tmp_path, Run(facts("Some GPU", "Some GPU"), {}, (fingerprint(),)))
    assert "Measured on Some GPU" in found.records[0].readings["l2_hit_rate"].assumptions[0]


@pytest.mark.parametrize("source", ["simulated", "measured"])
def test_what_ran_without_a_gpu_was_not_measured(tmp_path: Path, source: str) -> None:
    one = replace(fingerprint(), source=source)  # type: ignore[arg-type]
    found = evidence(tmp_path, Run(facts(executed_on="simt"), {}, (one,)))
    assert (found.records, found.notices) == ([], [])


def test_the_latest_measurement_counts_though_a_prediction_is_later(tmp_path: Path) -> None:
    store = HistoryStore(tmp_path)
    store.add_run(Run(facts(ago=90_000.0), {}, (fingerprint(9.0),)))
    store.add_run(Run(facts(ago=60.0), {}, (fingerprint(3.0),)))
    store.close()
    found = evidence(
        tmp_path, Run(facts(executed_on="simt"), {}, (replace(fingerprint(1.0), source="simulated"),))
    )
    assert found.records[0].readings["time_mean_ms"].value == 3.0
    assert "1 min ago" in found.records[0].readings["time_mean_ms"].assumptions[0]


def test_no_history_is_no_evidence(tmp_path: Path) -> None:
    found = measured_evidence(HistoryStore(tmp_path), tmp_path, H200, {"k.py": TEXT})
    assert (found.records, found.lines, found.notices) == ([], [], [])
    assert list(tmp_path.iterdir()) == []


def test_rates_that_rest_on_simulated_counts_say_so(tmp_path: Path) -> None:
    one = replace(fingerprint(), metrics={"achieved_bandwidth": 1e9})
    found = evidence(tmp_path, Run(facts(), {}, (one,)))
    assert "counted on the simulated GPU" in found.records[0].readings["achieved_bandwidth"].assumptions[1]


def kept(root: Path, *runs: Run) -> MeasuredEvidence:
    """The evidence for an H200 of these runs, kept in this order."""
    store = HistoryStore(root)
    for run in runs:
        store.add_run(run)
    found = measured_evidence(store, root, H200, {"k.py": TEXT})
    store.close()
    return found


def imported(ago: float = 60.0, device: str = "h200", on: str = "NVIDIA H200") -> RunFacts:
    return RunFacts("import", "ncu.csv", "advisor import ncu.csv", time.time() - ago, device, on)


def counters(grid: tuple[int, int, int] | None = (391, 1, 1), known: str | None = None) -> Fingerprint:
    """What Nsight Compute tells of a launch: no times of many runs, but an occupancy."""
    who = KernelIdentity("add", "k.py", known, (), grid, (256, 1, 1))
    return Fingerprint(who, "measured", 3, None, {"achieved_occupancy": 0.4, "l2_hit_rate": 0.6}, (), line=4)


def values(found: MeasuredEvidence) -> dict[str, object]:
    (kernel,) = [one for one in found.records if one.entity == "kernel"]
    return {name: reading.value for name, reading in kernel.readings.items()}


def test_a_later_import_hides_no_number_of_a_profile(tmp_path: Path) -> None:
    found = kept(
        tmp_path, Run(facts(), {"gpu_utilization": 0.3}, (fingerprint(),)), Run(imported(), {}, (counters(),))
    )
    assert values(found) == {
        "achieved_occupancy": 0.4, "l2_hit_rate": 0.6,
        "time_mean_ms": 2.0, "grid_blocks": 391.0, "launches": 1.0,
    }  # fmt: skip
    readings = found.records[0].readings
    assert readings["l2_hit_rate"].assumptions == (
        "Measured on NVIDIA H200: grid 391, block 256, 1 min ago (`advisor import ncu.csv`).",
        "Whether the code has changed since it was measured is not known.",
    )
    assert readings["time_mean_ms"].assumptions == ("Measured on NVIDIA H200: grid 391, block 256, 2 h ago.",)
    assert [one.values["sectors_per_request"] for one in found.lines] == [8.0]
    # What the profile tells of the run as a whole stays, too.
    _, of_import, of_profile = found.records
    assert not of_import.readings
    assert of_profile.readings["gpu_utilization"].value == 0.3


def test_a_later_profile_counts_before_an_import(tmp_path: Path) -> None:
    found = kept(
        tmp_path, Run(imported(9000.0), {}, (counters(),)), Run(facts(ago=60.0), {}, (fingerprint(),))
    )
    assert values(found)["l2_hit_rate"] == 0.3
    assert values(found)["achieved_occupancy"] == 0.4


def test_numbers_of_another_device_or_of_an_unknown_one_are_never_mixed_in(tmp_path: Path) -> None:
    measured = Run(facts(), {}, (fingerprint(),))
    elsewhere = Run(imported(90.0, "a100-80gb", "NVIDIA A100-SXM4-80GB"), {}, (counters(),))
    found = kept(
        tmp_path, measured, elsewhere, Run(imported(60.0, "unknown GPU", "unknown GPU"), {}, (counters(),))
    )
    assert values(found) == fingerprint().metrics
    assert found.notices == [
        "k.py: add has later numbers whose GPU has no device file (unknown GPU); they are not mixed with "
        "those of NVIDIA H200. `advisor import --device` says which GPU a report is of."
    ]


def test_numbers_of_another_shape_are_not_mixed_in(tmp_path: Path) -> None:
    found = kept(tmp_path, Run(facts(), {}, (fingerprint(grid=4),)), Run(imported(), {}, (counters(),)))
    assert values(found) == counters().metrics


def test_a_report_without_grids_takes_the_shape_of_the_run_before(tmp_path: Path) -> None:
    one, two = fingerprint(1.0, 4), fingerprint(5.0, 8)
    found = kept(tmp_path, Run(facts(), {}, (one, two)), Run(imported(), {}, (counters(None),)))
    assert (values(found)["grid_blocks"], values(found)["achieved_occupancy"]) == (8.0, 0.4)


def test_the_share_of_the_run_comes_from_one_run(tmp_path: Path) -> None:
    """3 launches of 6 ms together in the profile; the report has 1 launch of 40 ms, of another run."""
    profile = replace(fingerprint(), metrics={"latency_ms": 6.0, "launches": 3.0, "dram_norm": 0.5})
    report = replace(counters(), metrics={"latency_ms": 40.0})
    found = kept(
        tmp_path,
        Run(facts(), {"total_latency_ms": 10.0}, (profile,)),
        Run(imported(), {"total_latency_ms": 50.0}, (report,)),
    )
    assert values(found) == {"latency_ms": 40.0, "dram_norm": 0.5}
    kernel, *runs = found.records
    assert [(one.key == kernel.owner, one.readings["total_latency_ms"].value) for one in runs] == [
        (True, 50.0)
    ]


def test_the_text_as_it_is_again_has_its_numbers_again(tmp_path: Path) -> None:
    between = replace(fingerprint(9.0), identity=replace(fingerprint().identity, source_hash="f00d"))
    found = kept(tmp_path, Run(facts(), {}, (fingerprint(),)), Run(facts(ago=60.0), {}, (between,)))
    assert values(found)["time_mean_ms"] == 2.0
    assert not found.notices


def test_a_report_from_before_a_change_is_not_of_the_text_after_it(tmp_path: Path) -> None:
    other = replace(fingerprint(9.0), identity=replace(fingerprint().identity, source_hash="f00d"))
    found = kept(
        tmp_path,
        Run(imported(9000.0), {}, (counters(),)),
        Run(facts(ago=600.0), {}, (other,)),
        Run(facts(ago=60.0), {}, (fingerprint(),)),
    )
    assert values(found) == fingerprint().metrics
