"""Programs that launch their kernels several times, run on the simulated GPU: which launches decide."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from advisor_command import AdvisorCommand

from advisor.check.kernel_marks import read_marks

FILES = sorted((Path(__file__).parent / "programs").glob("*.py"))
PREDICTED = "of the kernel's predicted time."


@pytest.fixture(scope="session")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """What a check says of each program, by its name."""
    if sys.platform != "linux":
        pytest.skip("the simulated driver needs Linux")
    root = tmp_path_factory.mktemp("programs")
    (root / ".git").mkdir()
    for file in FILES:
        shutil.copy(file, root / file.name)
    advise = AdvisorCommand(tmp_path_factory.mktemp("home"))
    done = advise("check", "--device", "a100-80gb", "--format", "json", ".", cwd=root)
    report = json.loads(done.out)
    assert report["errors"] == []
    found: dict[str, list[dict[str, Any]]] = {file.stem: [] for file in FILES}
    for one in report["findings"]:
        found[Path(one["path"]).stem].append(one)
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_findings_stand_where_they_are_annotated(findings, file):
    found = {(one["rule"], one["line"]) for one in findings[file.stem]}
    marks = read_marks(file)
    hits = {(mark.rule, mark.line) for mark in marks if mark.expected == "hit"}
    silent = {(mark.rule, mark.line) for mark in marks if mark.expected == "ok"}
    assert (hits - found, silent & found) == (set(), set())


def test_silence_is_annotated_at_least_as_often_as_findings():
    expected = [mark.expected for file in FILES for mark in read_marks(file)]
    assert expected.count("ok") >= expected.count("hit") >= 3


def test_a_finding_says_how_many_launches_show_it(findings):
    (one,) = [one for one in findings["uncoalesced_when_it_counts"] if one["rule"] == "uncoalesced-access"]
    # A warp reads 32 elements of 4 bytes 128 bytes apart: a sector for each.
    assert {item["metric"]: item["value"] for item in one["evidence"]}["sectors_per_request"] == 32.0
    launches = one["launches"]
    assert (launches["showing"], launches["of"]) == (1, 2)
    assert 0.5 < launches["share_of_time"] < 1.0
    (words,) = [text for text in one["assumptions"] if text.startswith("Shown in")]
    assert words.startswith("Shown in 1 of 2 launches, ")
    assert words.endswith(PREDICTED)


def test_a_defect_says_so_too(findings):
    (one,) = [one for one in findings["race_of_a_light_launch"] if one["rule"] == "shared-memory-race"]
    assert "Shown in 1 of 2 launches." in one["assumptions"]


def test_what_the_source_shows_says_nothing_of_launches(findings):
    (one,) = [one for one in findings["small_grid_of_the_longest_launch"] if one["rule"] == "grid-too-small"]
    assert one["launches"] is None
