"""What two runs differ in."""

from __future__ import annotations

from pathlib import Path

import pytest
from kept_history import SOURCE, fingerprint, options, project, run

from advisor.cli.reporting.difference_page import difference_page
from advisor.evidence.metrics.prediction_error import prediction_error
from advisor.model.history.fingerprint import Run
from advisor.runs.comparison.differences import Difference, difference

POOR = {"achieved_occupancy": 0.2, "warp_execution_efficiency": 0.5}
GOOD = {"achieved_occupancy": 0.8, "warp_execution_efficiency": 0.9}


def between(folder: Path, before: Run, after: Run) -> Difference:
    return difference(before, after, options(folder))


def test_two_alike_runs_have_none(tmp_path: Path) -> None:
    project(tmp_path)
    found = between(tmp_path, run(fingerprint(metrics=POOR)), run(fingerprint(metrics=POOR), number=2))
    (kernel,) = found.kernels
    assert (found.conditions, found.why_not, found.regressions, found.metrics) == ((), "", (), ())
    assert (kernel.changed, kernel.metrics, kernel.ended, kernel.begun) == ((), (), (), ())


def test_source_launch_and_conditions(tmp_path: Path) -> None:
    before = run(fingerprint(), commit="a" * 40, toolchain={"driver": "570", "numba-cuda": "0.30"})
    after = run(
        fingerprint(source_hash="f" * 16, block=128), number=2, commit="b" * 40,
        toolchain={"driver": "580", "numba-cuda": "0.30"},
    )  # fmt: skip
    found = between(project(tmp_path), before, after)
    assert found.kernels[0].changed == ("source", "block")
    told = {one.name: (one.before, one.after) for one in found.conditions}
    assert told == {"commit": ("a" * 40, "b" * 40), "driver": ("570", "580")}


def test_verdicts_of_rules_that_changed(tmp_path: Path) -> None:
    project(tmp_path)
    found = between(tmp_path, run(fingerprint(metrics=POOR)), run(fingerprint(metrics=GOOD), number=2))
    (kernel,) = found.kernels
    assert [one.rule for one in kernel.ended] == ["low-occupancy"]
    assert kernel.begun == ()
    back = between(tmp_path, run(fingerprint(metrics=GOOD)), run(fingerprint(metrics=POOR), number=2))
    assert [one.rule for one in back.kernels[0].begun] == ["low-occupancy"]


def test_verdicts_on_the_whole_run(tmp_path: Path) -> None:
    idle = {"gpu_utilization": 0.1, "active_kernels": 3.0}
    busy = {"gpu_utilization": 0.9, "active_kernels": 3.0}
    found = between(project(tmp_path), run(metrics=idle), run(metrics=busy, number=2))
    assert [one.rule for one in found.ended] == ["gpu-underused"]
    assert [(one.name, one.before, one.after) for one in found.metrics] == [("gpu_utilization", 0.1, 0.9)]


def test_metrics_that_changed_the_largest_first(tmp_path: Path) -> None:
    before = {
        "l2_hit_rate": 0.50,
        "registers": 40.0,
        "achieved_occupancy": 0.5,
        "flops": 1e6,
        "latency_ms": 1.0,
    }
    after = {
        "l2_hit_rate": 0.90,
        "registers": 64.0,
        "achieved_occupancy": 0.51,
        "flops": 1.01e6,
        "latency_ms": 9.0,
    }
    found = between(
        project(tmp_path), run(fingerprint(metrics=before)), run(fingerprint(metrics=after), number=2)
    )
    assert [one.name for one in found.kernels[0].metrics] == ["l2_hit_rate", "registers"]


def test_a_text_that_changed_is_told(tmp_path: Path) -> None:
    before, after = {"occupancy_limiter": "registers"}, {"occupancy_limiter": "warps"}
    found = between(
        project(tmp_path), run(fingerprint(metrics=before)), run(fingerprint(metrics=after), number=2)
    )
    (change,) = found.kernels[0].metrics
    assert (change.before, change.after) == ("registers", "warps")


def test_other_devices_are_said_and_not_judged(tmp_path: Path) -> None:
    after = run(
        fingerprint(samples=(9.0,) * 20), number=2, device="h100-sxm", executed_on="NVIDIA H100 80GB HBM3"
    )
    found = between(project(tmp_path), run(fingerprint()), after)
    assert found.why_not == "the runs are of different devices, a100-80gb and h100-sxm"
    assert found.kernels[0].time is not None
    assert found.kernels[0].time.verdict == "not comparable"
    assert found.regressions == ()


def test_measured_and_predicted_are_not_compared(tmp_path: Path) -> None:
    predicted = run(fingerprint(samples=(9.0,), source="simulated"), number=2, executed_on="simt")
    found = between(project(tmp_path), run(fingerprint()), predicted)
    assert found.why_not == "one run was measured and the other predicted"
    assert found.regressions == ()


def test_regressions_come_first(tmp_path: Path) -> None:
    before = run(fingerprint("scale", (1.0,) * 20), fingerprint("column_sum", (90.0,) * 20))
    after = run(fingerprint("scale", (1.2,) * 20), fingerprint("column_sum", (9.0,) * 20), number=2)
    found = between(project(tmp_path), before, after)
    assert [one.name for one in found.kernels] == ["scale", "column_sum"]
    assert [one.name for one in found.regressions] == ["scale"]


def test_new_and_gone_kernels(tmp_path: Path) -> None:
    found = between(
        project(tmp_path), run(fingerprint("scale"), fingerprint("old")),
        run(fingerprint("scale"), fingerprint("new"), number=2),
    )  # fmt: skip
    assert [one.identity.name for one in found.gone] == ["old"]
    assert [one.identity.name for one in found.new] == ["new"]


def test_what_only_one_side_knows_of_the_source_changes_no_verdict(tmp_path: Path) -> None:
    """The earlier text is lost: rules that need the code's structure are asked of neither run."""
    project(tmp_path)
    changed = SOURCE.replace("+ 1.0", "+ 2.0")
    before = run(fingerprint("column_sum", text=changed, metrics=POOR))
    found = between(tmp_path, before, run(fingerprint("column_sum", metrics=POOR), number=2))
    assert (found.kernels[0].changed, found.kernels[0].ended, found.kernels[0].begun) == (("source",), (), ())


def test_runs_without_kernels(tmp_path: Path) -> None:
    found = between(tmp_path, run(status="broken off"), run(number=2))
    assert (found.kernels, found.gone, found.new) == ((), (), ())


def test_many_kernels_are_told_apart_from_chance_together(tmp_path: Path) -> None:
    """Five times of each run tell one kernel from chance, not each of seven: 2 / 252 is above 0.05 / 7."""
    project(tmp_path)
    names = [f"kernel{number}" for number in range(7)]
    before, after = (run(*(fingerprint(name, (mean,) * 5) for name in names)) for mean in (2.0, 2.5))
    found = between(tmp_path, before, after)
    assert {one.time.verdict for one in found.kernels if one.time} == {"not known"}
    assert found.needed_times == 6
    alone = [run(*one.fingerprints[:1]) for one in (before, after)]
    assert [one.time.verdict for one in between(tmp_path, *alone).kernels if one.time] == ["slower"]


def predicted_page(folder: Path, before: float, after: float) -> str:
    runs = [
        run(fingerprint(samples=(time,), source="simulated"), number=number, executed_on="simt")
        for number, time in enumerate((before, after), start=1)
    ]
    return difference_page(between(project(folder), *runs), markdown=False)


def test_predicted_changes_are_called_so(tmp_path: Path) -> None:
    slower = predicted_page(tmp_path, 2.0, 6.0)
    assert "1 kernel is predicted to be slower. ALERT: scale predicted to take at least 1.5" in slower
    assert "became" not in slower and "error" not in slower
    assert "No kernel is predicted to be slower or faster." in predicted_page(tmp_path, 6.0, 6.0)


@pytest.mark.parametrize("after", [5.5, 6.5])
def test_predicted_changes_within_the_error_of_the_model_are_left_open(tmp_path: Path, after: float) -> None:
    nearly = " ".join(predicted_page(tmp_path, 6.0, after).split())
    error = prediction_error()
    said = f"One change lies within the model's error, a factor of {error.ratio}: cannot tell."
    assert f"No kernel is predicted to be slower or faster. {said}" in nearly
    assert "cannot tell (predicted)" in nearly
    assert f"{error.share:.0%} interval" in nearly
    assert f"{6.0 / after / error.ratio:.2f} .. {6.0 / after * error.ratio:.2f}" in nearly
