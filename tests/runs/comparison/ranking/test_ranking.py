"""Kernels by time and gain, for each device."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from kept_history import fingerprint, options, project, run

from advisor.cli.reporting.ranking_page import ranking_page
from advisor.model.history.fingerprint import Fingerprint, KernelIdentity
from advisor.runs.comparison.ranking.present_kernels import without_gone
from advisor.runs.comparison.ranking.ranking import RankedShape, rankings
from advisor.runs.comparison.ranking.roofline import Bound


def test_shares_rooms_and_gains(tmp_path: Path) -> None:
    project(tmp_path)
    slow = fingerprint("column_sum", (6.0,) * 20, metrics={"dram_norm": 0.5})
    quick = fingerprint("scale", (1.0,) * 20, metrics={"dram_norm": 1.0}, launches=2)
    (found,) = rankings([run(quick, slow, metrics={"total_latency_ms": 16.0})], options(tmp_path))
    assert [kernel.name for kernel in found.kernels] == ["column_sum", "scale"]
    first, second = found.kernels
    assert (found.kernels_ms, found.wall_ms) == (8.0, 16.0)
    assert (first.share, first.share_of_run) == (0.75, 0.375)
    assert (first.headroom, first.gain_of_run) == (2.0, pytest.approx(1 / (0.625 + 0.1875)))
    assert (second.time_ms, second.headroom, second.gain_of_run) == (2.0, 1.0, 1.0)
    assert (first.marks, second.marks) == (("slow",), ())
    assert first.place.line == 5
    assert found.is_measured


def test_without_a_wall_time_the_kernels_are_the_run(tmp_path: Path) -> None:
    project(tmp_path)
    (found,) = rankings([run(fingerprint(metrics={"dram_norm": 0.25}))], options(tmp_path))
    assert found.wall_ms is None
    assert found.kernels[0].gain_of_run == 4.0


def test_a_wall_time_below_that_of_the_kernels_is_none(tmp_path: Path) -> None:
    (found,) = rankings([run(fingerprint(), metrics={"total_latency_ms": 0.5})], options(project(tmp_path)))
    assert found.wall_ms is None


def test_shapes_of_one_kernel_are_one_entry(tmp_path: Path) -> None:
    small = fingerprint(samples=(1.0,) * 5, grid=100, metrics={"dram_norm": 0.5})
    large = fingerprint(samples=(3.0,) * 5, grid=300, metrics={"dram_norm": 1.0})
    (found,) = rankings([run(small, large)], options(project(tmp_path)))
    (kernel,) = found.kernels
    assert kernel.time_ms == 4.0
    assert [shape.time_ms for shape in kernel.shapes] == [3.0, 1.0]
    assert kernel.headroom == pytest.approx(4.0 / 3.5)


def test_variance_and_outliers_are_marked_when_measured(tmp_path: Path) -> None:
    wild = fingerprint(samples=(1.0,) * 9 + (4.0,))
    predicted = replace(wild, source="simulated")
    opts = options(project(tmp_path))
    assert rankings([run(wild)], opts)[0].kernels[0].marks == ("high variance", "outliers")
    assert rankings([run(predicted, executed_on="simt")], opts)[0].kernels[0].marks == ()


def test_findings_rest_on_the_source_and_the_numbers_together(tmp_path: Path) -> None:
    project(tmp_path)
    one = fingerprint("scale", metrics={"achieved_occupancy": 0.2, "warp_execution_efficiency": 0.5})
    (found,) = rankings([run(one)], options(tmp_path))
    (kernel,) = found.kernels
    assert [finding.rule for finding in kernel.findings] == ["low-occupancy"]
    assert {(finding.path, finding.span.line) for finding in kernel.findings} == {("work.py", 12)}


def test_a_comment_in_the_source_silences(tmp_path: Path) -> None:
    text = (Path(__file__).parents[1] / "silenced.py.txt").read_text()
    project(tmp_path, text)
    metrics = {"achieved_occupancy": 0.2, "warp_execution_efficiency": 0.5}
    (found,) = rankings([run(fingerprint("scale", text=text, metrics=metrics))], options(tmp_path))
    assert found.kernels[0].findings == ()


def test_devices_come_apart_and_measured_ones_first(tmp_path: Path) -> None:
    opts = options(project(tmp_path))
    runs = [
        run(fingerprint(source="simulated"), number=3, executed_on="simt"),
        run(fingerprint(), number=1),
        run(fingerprint(), number=2, device="h100-sxm", executed_on="NVIDIA H100 80GB HBM3"),
    ]
    told = [(one.device_name, one.is_measured) for one in rankings(runs, opts)]
    assert told == [("NVIDIA H100 SXM", True), ("NVIDIA A100 80GB", True), ("NVIDIA A100 80GB", False)]


def test_profiles_of_several_machines_come_together(tmp_path: Path) -> None:
    early = run(fingerprint("scale", (9.0,) * 5), fingerprint("column_sum"), number=1, label="node a")
    late = run(fingerprint("scale", (1.0,) * 5), number=2, label="node b")
    (found,) = rankings([early, late], options(project(tmp_path)))
    assert [(kernel.name, kernel.time_ms, kernel.run.id) for kernel in found.kernels] == [
        ("column_sum", 2.0, 1), ("scale", 1.0, 2),
    ]  # fmt: skip
    assert [one.id for one in found.runs] == [2, 1]


def test_a_gpu_without_a_file_is_judged_for_the_default(tmp_path: Path) -> None:
    strange = run(fingerprint(metrics={"dram_bytes": 1e9}), device="Quadro 4000", executed_on="Quadro 4000")
    (found,) = rankings([strange], options(project(tmp_path)))
    assert (found.device_name, found.device, found.judged_for) == ("Quadro 4000", None, "NVIDIA A100 80GB")
    assert found.kernels[0].headroom is None


def test_a_run_without_kernels_has_an_empty_ranking(tmp_path: Path) -> None:
    (found,) = rankings([run(status="broken off")], options(tmp_path))
    assert (found.kernels, found.kernels_ms, found.wall_ms) == ((), 0.0, None)


def test_kernels_that_changed_and_went(tmp_path: Path) -> None:
    project(tmp_path)
    those = run(fingerprint("scale", source_hash="0" * 16), fingerprint("lost"), fingerprint("column_sum"))
    (found,) = rankings([those], options(tmp_path))
    assert {kernel.name: kernel.place.state for kernel in found.kernels} == {
        "scale": "changed", "lost": "gone", "column_sum": "same",
    }  # fmt: skip
    kept, gone = without_gone([those], options(tmp_path))
    assert [one.identity.name for one in kept[0].fingerprints] == ["scale", "column_sum"]
    assert gone == ["work.py: lost"]


def test_where_no_kernel_is_in_the_source_all_stay(tmp_path: Path) -> None:
    those = [run(fingerprint("lost", path="away.py"))]
    assert without_gone(those, options(tmp_path)) == (those, [])


def test_times_that_are_not_known_are_no_zero(tmp_path: Path) -> None:
    opts = options(project(tmp_path))
    untimed = [fingerprint(name, samples=()) for name in ("scale", "column_sum")]
    (found,) = rankings([run(*untimed)], opts)
    assert (found.known_ms, found.untimed) == (None, 2)
    assert "2 kernels, whose times are not known." in ranking_page([found], [], [], [], 9, False)
    (found,) = rankings([run(untimed[0], fingerprint("column_sum", (3.0,) * 5))], opts)
    assert (found.known_ms, found.untimed) == (3.0, 1)
    assert "2 kernels, 3 ms together without 1 whose time is not known." in ranking_page(
        [found], [], [], [], 9, False
    )


@pytest.mark.parametrize(
    ("metrics", "limit"),
    [
        ({"time_limiter": "atomics"}, "atomics"),
        ({"time_limiter": "shared"}, "shared memory"),
        ({}, "DRAM bandwidth"),
    ],
)
def test_a_predicted_limit_is_the_models_and_not_the_rooflines(metrics, limit):
    fingerprint = Fingerprint(KernelIdentity("k"), "simulated", 1, None, metrics)
    assert RankedShape(fingerprint, 1.0, Bound(0.1, "DRAM bandwidth", 10.0)).limit == limit


def test_a_limit_that_is_not_known_is_none():
    assert RankedShape(Fingerprint(KernelIdentity("k"), "measured", 1, None, {}), 1.0, None).limit is None
