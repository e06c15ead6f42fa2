"""Launches of several kernels with one grid and block have one cause: one finding with all of them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from advisor.check.pipeline import check
from advisor.cli.checking.baseline import apply_baseline, entries_of
from advisor.model.findings import HERE_TOO, Finding, Report
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config
from advisor.reports.outputs import available_formats, render_report

KERNELS = "import numpy as np\nfrom numba import cuda\n\n\n" + "".join(
    f"@cuda.jit\ndef {name}(a):\n    i = cuda.grid(1)\n    if i < a.size:\n        a[i] += {number}\n\n\n"
    for number, name in enumerate(("one", "two", "three"))
)
SHARED = (
    "def run(a):\n    blocks, threads = 4096, 100\n    one[blocks, threads](a)\n    two[blocks, threads](a)\n"
)


def checked(folder: Path, host: str, rule: str = "block-not-warp-multiple") -> Report:
    file = folder / "k.py"
    file.write_text(KERNELS + host, "utf-8")
    settings = Config(root=folder)
    options = CheckOptions(
        "a100-80gb", folder, "source", settings=settings, workspace_files=(), select=(rule,), jobs=1
    )
    return check([file], options)


def lines(finding: Finding) -> list[int]:
    return sorted(one.span.line for one in finding.at_each_place())


def host_line(line: int) -> int:
    return KERNELS.count("\n") + line


def test_two_kernels_with_one_block_are_one_finding(tmp_path: Path) -> None:
    (finding,) = checked(tmp_path, SHARED).findings
    assert lines(finding) == [host_line(3), host_line(4)]
    assert finding.message.endswith("In 2 launches of 2 kernels.")
    assert [(one.kernel, one.message) for one in finding.further_places] == [("two", HERE_TOO)]
    names = [one.message for one in finding.related if not one.same_cause]
    assert names == ["kernel `one`", "kernel `two`"]


def test_each_place_names_its_own_kernel(tmp_path: Path) -> None:
    (finding,) = checked(tmp_path, SHARED).findings
    first, second = finding.at_each_place()
    assert "block of `one`" in first.message
    assert "block of `two`" in second.message


def test_launches_of_a_kernel_and_of_another_one_are_counted_together(tmp_path: Path) -> None:
    (finding,) = checked(tmp_path, SHARED + "    one[blocks, threads](a)\n").findings
    assert lines(finding) == [host_line(number) for number in (3, 4, 5)]
    assert finding.message.endswith("In 3 launches of 2 kernels.")
    assert "places" not in finding.message


@pytest.mark.parametrize(
    "host",
    [
        "def run(a):\n    one[4096, 100](a)\n    two[4096, 104](a)\n",
        "def run(a):\n    n = 100\n    one[4096, n](a)\n    n = 104\n    two[4096, n](a)\n",
        "def run(a):\n    one[4096, 100](a)\n\n\ndef other(a):\n    two[4096, 100](a)\n",
        "def run(a):\n    f = one[4096, 100]\n    f(a)\n    two[4096, 100](a)\n",
    ],
    ids=["other numbers", "a name that changes", "another function", "not in the brackets of the call"],
)
def test_other_configurations_are_findings_of_their_own(tmp_path: Path, host: str) -> None:
    found = checked(tmp_path, host).findings
    assert len(found) == 2
    assert not any(one.further_places for one in found)


def test_a_name_that_changes_elsewhere_is_one_configuration(tmp_path: Path) -> None:
    host = "def run(a):\n    n = 100\n    one[4096, n](a)\n    two[4096, n](a)\n"
    host += "    n = 104\n    three[4096, n](a)\n"
    assert sorted(map(lines, checked(tmp_path, host).findings)) == [
        [host_line(3), host_line(4)],
        [host_line(6)],
    ]


def test_the_stream_is_no_part_of_it(tmp_path: Path) -> None:
    host = "def run(a, s):\n    one[4096, 100, s](a)\n    two[4096, 100](a)\n"
    (finding,) = checked(tmp_path, host).findings
    assert lines(finding) == [host_line(2), host_line(3)]


def test_what_lies_in_the_arguments_is_told_of_each_kernel(tmp_path: Path) -> None:
    host = "def run():\n    a = np.zeros(10)\n    one[4096, 128](a, a)\n    two[4096, 128](a, a)\n"
    found = checked(tmp_path, host, "launch-with-other-arguments").findings
    assert [lines(one) for one in found] == [[host_line(3)], [host_line(4)]]


def test_all_formats_show_each_launch(tmp_path: Path) -> None:
    report = checked(tmp_path, SHARED)
    for name in available_formats():
        text = render_report(name, report, {})
        assert str(host_line(3)) in text and str(host_line(4)) in text, name
    (result,) = json.loads(render_report("sarif", report, {}))["runs"][0]["results"]
    own = [one["physicalLocation"]["region"]["startLine"] for one in result["relatedLocations"]]
    assert host_line(4) in own
    (shown,) = json.loads(render_report("json", report, {}))["findings"]
    assert [place["line"] for place in shown["places"]] == [host_line(4)]


def test_a_baseline_of_one_launch_accepts_the_finding(tmp_path: Path) -> None:
    report = checked(tmp_path, SHARED)
    for entry in entries_of(report.findings[0], report.texts):
        again = checked(tmp_path, SHARED)
        apply_baseline(again, Counter([entry]))
        assert not again.findings
