"""The documents' case study: use of the SMs from 9.1% to 74%, of the tensor cores from 0 to 62%."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

REPORTS = Path(__file__).parents[2] / "data/reports"
BEFORE, AFTER = REPORTS / "case-study-before.csv", REPORTS / "case-study-after.csv"
Advise = Callable[..., tuple[int, str, str]]
Golden = Callable[[str, str], None]


@pytest.fixture
def study(tmp_path: Path, advise: Advise, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "advisor.toml").write_text("")
    for file in (BEFORE, AFTER):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    for label, file in (("before", BEFORE), ("after", AFTER)):
        assert advise("import", file.name, "--label", label)[0] == 0
    return tmp_path


@pytest.mark.usefixtures("study")
def test_diff_tells_the_story(advise: Advise, golden: Golden) -> None:
    status, text, _ = advise("diff", "before", "after")
    assert status == 0
    for told in (
        "sm_throughput: 9.1% -> 74%", "tensor_utilization: 0% -> 62%", "4.44 x", "no longer [few-waves]",
    ):  # fmt: skip
        assert told in text
    golden("case-study-diff.txt", text)


@pytest.mark.usefixtures("study")
def test_diff_as_markdown(advise: Advise, golden: Golden) -> None:
    golden("case-study-diff.md", advise("diff", "before", "after", "--format", "markdown")[1])


@pytest.mark.usefixtures("study")
def test_diff_as_json(advise: Advise) -> None:
    content = json.loads(advise("diff", "before", "after", "--format", "json")[1])
    (kernel,) = content["kernels"]
    assert kernel["time_ms"]["ratio"] == pytest.approx(0.225)
    assert kernel["time_ms"]["verdict"] == "not known"
    told = {change["name"]: (change["before"], change["after"]) for change in kernel["metrics"]}
    assert told["sm_throughput"] == (pytest.approx(0.091), pytest.approx(0.74))
    assert [finding["rule"] for finding in kernel["findings_ended"]] == [
        "few-waves",
        "kernel-above-time-target",
    ]


@pytest.mark.usefixtures("study")
def test_the_files_themselves_tell_the_same(advise: Advise) -> None:
    kept = advise("diff", "before", "after")[1].split("\n", 1)[1]
    of_files = advise("diff", "case-study-before.csv", "case-study-after.csv")[1].split("\n", 1)[1]
    assert of_files == kept


@pytest.mark.usefixtures("study")
def test_the_other_way_round_is_a_regression(advise: Advise) -> None:
    status, text, _ = advise("diff", "after", "before", "--fail-on-regression")
    assert status == 1
    assert "ALERT: matmul_bias_relu took at least 1.5 times as long as before." in text
    assert "new [few-waves]" in text
    assert advise("diff", "after", "before")[0] == 0
    assert advise("diff", "before", "after", "--fail-on-regression")[0] == 0


@pytest.mark.usefixtures("study")
@pytest.mark.parametrize("kind", ["text", "markdown"])
def test_report_of_the_first_run(advise: Advise, golden: Golden, kind: str) -> None:
    status, text, _ = advise("report", "before", "--format", kind)
    assert status == 0
    assert "few-waves" in text
    golden(f"case-study-report.{'txt' if kind == 'text' else 'md'}", text)


def test_budget_of_both(study: Path, advise: Advise, golden: Golden) -> None:
    (study / "budgets.toml").write_text('[budgets]\nmatmul_bias_relu = "500 us"\n')
    assert advise("budget", "--check")[0] == 0
    status, text, _ = advise("budget", "before", "--check")
    assert status == 1
    golden("case-study-budget.txt", text)
    assert advise("budget", "before")[0] == 0


@pytest.mark.usefixtures("study")
def test_report_as_json(advise: Advise) -> None:
    content = json.loads(advise("report", "--format", "json")[1])
    (device,) = content["devices"]
    assert (device["basis"], device["kernels_ms"]) == ("measured", pytest.approx(0.9))
    assert device["kernels"][0]["run"] == 2
    assert device["steps"][0]["id"] == "profile"


@pytest.mark.parametrize("name", ["case-study-report.txt", "case-study-diff.txt", "case-study-budget.txt"])
def test_the_documentation_shows_what_is_printed(name: str) -> None:
    text = (Path(__file__).parents[3] / "docs/history.md").read_text()
    printed = (Path(__file__).parent / "golden" / name).read_text()
    assert printed in re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "TIME", text)
