"""`report`, `diff` and `budget` on measured and predicted runs, and on histories with something wrong."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from kept_history import SOURCE, facts, fingerprint, project, run

from advisor.model.history.store import HistoryStore

Advise = Callable[..., tuple[int, str, str]]
Golden = Callable[[str, str], None]
POOR = {"achieved_occupancy": 0.2, "warp_execution_efficiency": 0.5, "dram_norm": 0.3, "l2_hit_rate": 0.30}
GOOD = {"achieved_occupancy": 0.8, "warp_execution_efficiency": 0.9, "dram_norm": 0.6, "l2_hit_rate": 0.31}
NVML = {"total_latency_ms": 20.0, "gpu_utilization": 0.9, "gpu_temperature": 71.0, "thermal_throttle": 0.0}


def spread(mean: float, seed: int) -> tuple[float, ...]:
    return tuple(mean * (1.0 + ((at * seed) % 7 - 3) / 200) for at in range(20))


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HistoryStore:
    """Four runs: measured, slower, of another GPU, predicted."""
    monkeypatch.chdir(project(tmp_path))
    store = HistoryStore(tmp_path)
    tools = {"driver": "570.1", "numba-cuda": "0.30.4"}
    column = fingerprint("column_sum", spread(6.0, 2), metrics=POOR, launches=2)
    store.add_run(
        run(
            fingerprint("scale", spread(1.0, 3), metrics=GOOD),
            column,
            metrics=NVML,
            commit="a" * 40,
            toolchain=tools,
        )
    )
    slower = fingerprint("scale", spread(1.7, 5), metrics=GOOD)
    faster = fingerprint("column_sum", spread(3.0, 3), metrics=GOOD, launches=2, block=128)
    store.add_run(
        run(
            slower,
            faster,
            label="second",
            commit="b" * 40,
            toolchain={**tools, "driver": "580.2"},
            metrics=NVML,
        )
    )
    h100 = {"device": "h100-sxm", "executed_on": "NVIDIA H100 80GB HBM3", "label": "hopper"}
    store.add_run(run(fingerprint("scale", spread(0.5, 3), metrics=GOOD), **h100))
    predicted = fingerprint("scale", (0.8,), metrics=GOOD, source="simulated")
    store.add_run(
        replace(run(predicted, executed_on="simt", label="predicted"), notes=("There was no GPU.",))
    )
    store.close()
    return store


@pytest.mark.usefixtures("history")
def test_report_of_all_that_is_known(advise: Advise, golden: Golden) -> None:
    status, text, _ = advise("report")
    assert status == 0
    assert text.index("Measured on NVIDIA H100 SXM") < text.index("Measured on NVIDIA A100 80GB")
    assert text.index("Measured on NVIDIA A100 80GB") < text.index("PREDICTED for NVIDIA A100 80GB")
    golden("report-of-all.txt", text)


@pytest.mark.usefixtures("history")
def test_report_of_one_run(advise: Advise, golden: Golden) -> None:
    golden("report-first.txt", advise("report", "first")[1])
    golden("report-first.md", advise("report", "1", "--format", "markdown", "--top", "1")[1])


@pytest.mark.usefixtures("history")
def test_diff_with_significance(advise: Advise, golden: Golden) -> None:
    status, text, _ = advise("diff", "first", "second", "--fail-on-regression")
    assert status == 1
    assert "95% interval" in text
    assert "ALERT: slower" in text
    golden("diff-first-second.txt", text)


@pytest.mark.usefixtures("history")
def test_diff_of_devices_is_not_judged(advise: Advise, golden: Golden) -> None:
    status, text, _ = advise("diff", "second", "hopper", "--fail-on-regression")
    assert status == 0
    assert "the runs are of different devices" in text
    golden("diff-devices.txt", text)


@pytest.mark.usefixtures("history")
def test_diff_by_number_age_label_and_commit(advise: Advise) -> None:
    told = [
        json.loads(advise("diff", first, second, "--format", "json")[1])
        for first, second in (("1", "2"), ("latest~3", "latest~2"), ("first", "second"), ("aaaa", "bbbbbb"))
    ]
    assert all(one == told[0] for one in told)
    assert (told[0]["before"]["id"], told[0]["after"]["id"]) == (1, 2)


@pytest.mark.usefixtures("history")
def test_budget_of_measured_and_predicted(advise: Advise, golden: Golden, tmp_path: Path) -> None:
    (tmp_path / "budgets.toml").write_text(
        '[budgets]\nscale = "1.8 ms"\ncolumn_sum = { mean = "2 ms", most = "1 s" }\n'
    )
    status, text, _ = advise("budget", "--check")
    assert status == 1
    golden("budget.txt", text)
    content = json.loads(advise("budget", "predicted", "--format", "json")[1])["budgets"]
    scale = next(one for one in content if one["kernel"] == "scale")
    assert (scale["measured"], scale["predicted"], scale["status"], scale["would_be"]) == (
        None, 0.8, "no measurement", "within",
    )  # fmt: skip


def test_no_history_says_what_to_run(tmp_path: Path, advise: Advise, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project(tmp_path))
    (tmp_path / "budgets.toml").write_text('[budgets]\nscale = "1 ms"\n')
    for command in (["report"], ["diff", "1", "2"], ["budget"]):
        status, out, err = advise(*command)
        assert (status, out) == (2, "")
        assert err.count("\n") == 1
        assert "There is no history in" in err
        assert "`advisor profile PATH` or `advisor import FILE` begins one." in err
    assert not (tmp_path / ".advisor").exists()


@pytest.mark.usefixtures("history")
def test_an_unknown_run_names_the_nearest(advise: Advise) -> None:
    for command in (["report", "secnd"], ["diff", "secnd", "first"], ["budget", "secnd"]):
        Path("budgets.toml").write_text('[budgets]\nscale = "1 ms"\n')
        status, out, err = advise(*command)
        assert (status, out) == (2, "")
        assert "No run is called `secnd`. The latest are 4 (predicted), 3 (hopper)" in err
        assert err.endswith("Did you mean `second`?\n")


@pytest.mark.usefixtures("history")
@pytest.mark.parametrize("name", ["99", "latest~9", "work.txt", "", "-"])
def test_other_names_that_no_run_has(advise: Advise, name: str) -> None:
    status, _, err = advise("diff", "first", name)
    assert status == 2
    assert f"No run is called `{name}`." in err


@pytest.mark.usefixtures("history")
def test_a_file_that_is_no_report(advise: Advise) -> None:
    status, _, err = advise("diff", "first", "work.py")
    assert status == 2
    assert "work.py" in err


def test_a_store_of_a_newer_version(history: HistoryStore, advise: Advise) -> None:
    with sqlite3.connect(Path(history.name)) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    for command in (["report"], ["diff", "1", "2"]):
        status, out, err = advise(*command)
        assert (status, out) == (2, "")
        assert "newer" in err


def test_a_damaged_store(history: HistoryStore, advise: Advise) -> None:
    for ending in ("-wal", "-shm"):
        Path(f"{Path(history.name)}{ending}").unlink(missing_ok=True)
    Path(history.name).write_bytes(b"SQLite format 3\0" + os.urandom(5000))
    kept = Path(history.name).read_bytes()
    status, _, err = advise("report")
    assert status == 2
    assert "cannot be used" in err
    assert Path(history.name).read_bytes() == kept


def test_a_run_that_was_broken_off_shows_what_it_kept(history: HistoryStore, advise: Advise) -> None:
    number = history.begin(facts("broken"))
    history.add(number, fingerprint("scale", metrics=GOOD))
    history.end(number, status="broken off")
    history.begin(facts("nothing"))
    history.close()
    status, text, _ = advise("report", "broken")
    assert status == 0
    assert "it was aborted, what it had kept is shown" in text
    assert "1 kernel, 2 ms together." in text
    status, text, _ = advise("report", "nothing")
    assert "it is still running" in text
    assert "No kernel was kept." in text
    status, text, _ = advise("diff", "first", "nothing")
    assert "No kernel is in both runs." in text
    assert "only in the earlier run: column_sum, scale" in text


def test_a_history_with_runs_and_no_kernel(
    tmp_path: Path, advise: Advise, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path))
    store = HistoryStore(tmp_path)
    store.add_run(run())
    store.close()
    status, _, err = advise("report")
    assert status == 2
    assert "The history holds no kernel yet" in err


@pytest.mark.usefixtures("history")
def test_kernels_that_went_are_left_out_and_said(advise: Advise) -> None:
    Path("work.py").write_text(SOURCE.split("@cuda.jit\ndef scale")[0])
    text = advise("report")[1]
    assert "No longer in the source and left out: work.py: scale." in text
    assert "scale" in advise("report", "first")[1].split("Recommended order")[0]


@pytest.mark.usefixtures("history")
def test_a_budget_of_a_kernel_that_nobody_knows(advise: Advise) -> None:
    Path("budgets.toml").write_text('[budgets]\nscael = "1 ms"\n')
    status, out, err = advise("budget", "--check")
    assert (status, out) == (2, "")
    assert "No kernel is called `scael`, in the history or in the source." in err
    assert "budgets.toml:2:1" in err
    assert "^^^^^" in err
    assert "Did you mean `scale`?" in err


@pytest.mark.usefixtures("history")
def test_a_budget_of_a_kernel_that_was_not_measured_yet(advise: Advise) -> None:
    Path("work.py").write_text(SOURCE + SOURCE.split("\n\n\n")[1].replace("column_sum", "fresh"))
    Path("budgets.toml").write_text('[budgets]\nfresh = "1 ms"\n')
    status, text, _ = advise("budget", "--check")
    assert status == 0
    assert "no measurement" in text


@pytest.mark.usefixtures("history")
def test_scaling_over_runs_is_told(advise: Advise, history: HistoryStore) -> None:
    for grid in (100, 200, 800):
        history.add_run(
            run(fingerprint("scale", (grid / 100,) * 5, grid=grid, metrics={"dram_bytes": 8.0 * grid}))
        )
    history.close()
    text = advise("report")[1]
    assert "scale: over 4 sizes from 25600 to 204800 threads its time grows" in text


@pytest.mark.parametrize("top", ["0", "-1", "x", "9999999"])
@pytest.mark.usefixtures("history")
def test_a_wrong_number_of_kernels(advise: Advise, top: str) -> None:
    status, _, err = advise("report", f"--top={top}")
    assert status == 2
    assert "is no number of kernels" in err


def test_predictions_that_moved_by_themselves_are_said(history: HistoryStore, advise: Advise) -> None:
    slower = fingerprint("scale", (1.6,), metrics=GOOD, source="simulated")
    history.add_run(run(slower, executed_on="simt", label="new model"))
    history.close()
    status, text, _ = advise("diff", "predicted", "new model", "--fail-on-regression")
    assert status == 1
    assert "PREDICTED: every time below is a model's" in text
    assert "Source and launch are the same as before" in text
    assert "Source and launch" not in advise("diff", "first", "second")[1]


def test_a_prediction_within_the_error_of_the_model_is_no_regression(
    history: HistoryStore, advise: Advise
) -> None:
    slower = fingerprint("scale", (0.9,), metrics=GOOD, source="simulated")
    history.add_run(run(slower, executed_on="simt", label="new model"))
    history.close()
    status, text, _ = advise("diff", "predicted", "new model", "--fail-on-regression")
    assert status == 0
    assert "cannot tell (predicted)" in text
    found = json.loads(advise("diff", "predicted", "new model", "--format", "json")[1])
    assert found["kernels"][0]["time_ms"]["verdict"] == "cannot tell"


@pytest.mark.usefixtures("history")
def test_a_run_beside_itself_is_no_comparison(advise: Advise) -> None:
    status, printed, _ = advise("diff", "first", "1")
    assert status == 0
    assert "Both names mean the same run: nothing was compared with another." in printed
    assert "Both names" not in advise("diff", "first", "latest")[1]
