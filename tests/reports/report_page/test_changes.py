"""What changed since an earlier run: on the page, in the text and in JSON, from one computation."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import histories
import pytest
from page_reading import Page

from advisor.__main__ import main
from advisor.model.history.fingerprint import Fingerprint, Run, Timing
from advisor.model.history.store import HistoryStore

Make = Callable[[], Page]
POOR = {"achieved_occupancy": 0.2, "warp_execution_efficiency": 0.5}
GOOD = {"achieved_occupancy": 0.8, "warp_execution_efficiency": 0.9}


def timed(*samples: float) -> Timing:
    mean = sum(samples) / len(samples)
    return Timing(len(samples), mean, mean, 0.01, min(samples), max(samples), samples)


def kept(store: HistoryStore, label: str, night: int, *those: Fingerprint, device: str = "h100-sxm") -> int:
    facts = replace(histories.facts(night, device), label=label)
    return store.add_run(Run(facts, {}, those))


def blur(mean: float, metrics: dict[str, float]) -> Fingerprint:
    times = timed(*(mean * factor for factor in (0.99, 1.0, 1.01, 0.995, 1.005, 1.0)))
    return histories.fingerprint("blur", mean, metrics=metrics, timing=times)


@pytest.fixture
def twice(project: Path, store: HistoryStore, monkeypatch: pytest.MonkeyPatch) -> Path:
    kept(store, "nightly", 1, blur(4.0, POOR))
    kept(store, "branch", 2, blur(9.0, POOR))
    kept(store, "nightly", 3, blur(2.0, GOOD))
    store.close()
    monkeypatch.chdir(project)
    return project


def test_the_run_before_of_the_same_label(twice: Path, page: Make) -> None:
    found = page()
    assert "Changed since run 1 (nightly)" in found.words
    row = found.table("Time of a launch before").row("blur")
    # 4 ms to 2 ms.
    assert (row["before"], row["after"], row["speed-up"], row["verdict"]) == (
        "4 ms",
        "2 ms",
        "2.00 x",
        "faster",
    )
    reasons = {one[1]: one[2:] for one in found.table("What else is different").rows}
    assert reasons["achieved_occupancy"] == ["20%", "80%"]
    gone = [one[:4] for one in found.table("Findings that are new").rows]
    assert ["gone", "warning", "blur", "low-occupancy"] in gone
    assert not [one for one in gone if one[0] == "new"]


def test_without_that_label_the_latest_run_with_a_kernel_of_it(store: HistoryStore, page: Make) -> None:
    kept(store, "a", 1, blur(4.0, POOR))
    kept(store, "b", 2, blur(3.0, POOR))
    kept(store, "c", 3, histories.fingerprint("scale", 1.0))
    kept(store, "d", 4, blur(2.0, POOR))
    store.close()
    assert "Changed since run 2 (b)" in page().words


@pytest.mark.parametrize("device", ["a100-80gb", "h100-sxm"])
def test_a_first_run_is_compared_with_none(store: HistoryStore, page: Make, device: str) -> None:
    name = "scale" if device == "h100-sxm" else "blur"
    kept(store, "nightly", 1, replace(histories.fingerprint(name, 4.0)), device=device)
    kept(store, "nightly", 2, blur(2.0, POOR))
    store.close()
    found = page()
    assert "Changed since" not in found.words
    assert "changes" not in [target.get("href") for _, target in found.tags]


def test_a_run_that_took_as_long(store: HistoryStore, page: Make) -> None:
    kept(store, "", 1, blur(2.0, POOR))
    kept(store, "", 2, blur(2.0, POOR))
    store.close()
    found = page()
    assert "No kernel became slower or faster beyond chance. 1 kernel without a difference of time." in (
        " ".join(found.words.split())
    )
    assert not [one for one in found.tables if one.name.startswith("What else")]


def test_another_run_can_be_named(twice: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--html", "page.html", "--since", "branch"]) == 0
    found = Page((twice / "page.html").read_text("utf-8"))
    assert found.table("Time of a launch before").row("blur")["before"] == "9 ms"
    capsys.readouterr()
    assert main(["report", "--since", "branch", "--format", "json"]) == 0
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert (change["before"]["label"], change["kernels"][0]["time_ms"]["before"]) == (
        "branch",
        pytest.approx(9.0),
    )
    assert main(["diff", "branch", "latest", "--format", "json"]) == 0
    diff = json.loads(capsys.readouterr().out)
    assert {name: value for name, value in diff.items() if name != "version"} == change
    assert main(["diff", "branch", "latest"]) == 0
    told = capsys.readouterr().out
    assert main(["report", "--since", "branch"]) == 0
    assert capsys.readouterr().out.endswith(told)


@pytest.mark.parametrize(
    ("since", "message"), [("nigtly", "Did you mean `nightly`"), ("latest", "no other run of this report")]
)
def test_runs_that_cannot_be_compared(
    twice: Path, capsys: pytest.CaptureFixture[str], since: str, message: str
) -> None:
    assert main(["report", "--since", since]) == 2
    assert message in capsys.readouterr().err


def test_reports_without_it_say_nothing_of_changes(twice: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["changes"] == []
