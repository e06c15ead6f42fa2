"""Findings beside an expert's points: by cause, place in the list and level, on judgements made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import judged_kernels
import pytest
from findings_of_kernels import Sources, about, printed
from scoring import Kernel, Point, Standing, causes_of_rules, standing
from scoring import judged_kernels as kernels_of

SOURCE = """\
from numba import cuda

@cuda.jit
def scale(x, out):
    i = cuda.grid(1)
    out[i] = x[i] ** 0.5
    for j in range(9):
        out[i] += x[i * 9 + j]

@cuda.jit
def other(x):
    x[cuda.grid(1)] = 1.0

def launch(x, out):
    scale[30, 64](x, out)
"""
CAUSES = {
    "slow-power": frozenset({"pow_slow"}),
    "uncoalesced-access": frozenset({"uncoalesced"}),
    "grid-too-small": frozenset({"grid_too_small"}),
}


def finding(rule: str, line: int, severity: str = "warning", **more: Any) -> dict[str, Any]:
    base = {"rule": rule, "path": "a.py", "cell": None, "line": line, "column": 1, "kernel": "scale"}
    return {
        **base,
        "severity": severity,
        "message": f"{rule}!",
        "places": [],
        "related": [],
        "rank": 1,
        **more,
    }


def point(rank: int, cause: str, *lines: int) -> Point:
    return Point(rank, cause, "a.py", lines)


def scale(*points: Point) -> Kernel:
    return Kernel("who/what", "a.py", "scale", 4, points)


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    (tmp_path / "a.py").write_text(SOURCE, "utf-8")
    return Sources(tmp_path)


def rules_about(kernel: Kernel, sources: Sources, *findings: dict[str, Any]) -> list[str]:
    return [one.rule for one in about(kernel, printed({"findings": findings}, sources), sources)]


def standings(kernel: Kernel, sources: Sources, *findings: dict[str, Any]) -> list[Standing]:
    ranked = [{**one, "rank": rank} for rank, one in enumerate(findings, start=1)]
    told = about(kernel, printed({"findings": ranked}, sources), sources)
    return [standing(one, kernel, told, CAUSES) for one in kernel.points]


def test_a_point_stands_where_the_first_finding_of_its_cause_stands(sources: Sources) -> None:
    kernel = scale(point(1, "pow_slow", 6), point(2, "uncoalesced", 8))
    told = (
        finding("unchecked-index", 6, "info"),
        finding("slow-power", 6),
        finding("uncoalesced-access", 8),
    )
    assert standings(kernel, sources, *told) == [Standing(2, 2), Standing(3, 3)]


def test_a_remark_before_the_warning_of_the_same_cause_counts_for_the_place_alone(sources: Sources) -> None:
    kernel = scale(point(1, "uncoalesced", 8))
    told = (finding("uncoalesced-access", 6, "info"), finding("uncoalesced-access", 8))
    assert standings(kernel, sources, *told) == [Standing(1, 2)]


def test_a_remark_reports_a_point_but_not_as_a_warning(sources: Sources) -> None:
    kernel = scale(point(1, "pow_slow", 6))
    assert standings(kernel, sources, finding("slow-power", 6, "info")) == [Standing(1, None)]


def test_another_cause_at_the_very_line_reports_nothing(sources: Sources) -> None:
    kernel = scale(point(1, "wrong_result", 6))
    assert standings(kernel, sources, finding("slow-power", 6)) == [Standing(None, None)]


def test_the_cause_anywhere_in_the_kernel_reports_the_point(sources: Sources) -> None:
    kernel = scale(point(1, "pow_slow", 300))
    assert standings(kernel, sources, finding("slow-power", 6)) == [Standing(1, 1)]


def test_of_two_points_of_one_cause_a_finding_reports_the_one_whose_lines_it_touches(
    sources: Sources,
) -> None:
    kernel = scale(point(1, "uncoalesced", 60), point(2, "uncoalesced", 8))
    found = standings(kernel, sources, finding("uncoalesced-access", 8))
    assert found == [Standing(None, None), Standing(1, 1)]
    elsewhere = standings(kernel, sources, finding("uncoalesced-access", 4))
    assert elsewhere == [Standing(1, 1), Standing(None, None)]


def test_findings_of_another_kernel_are_not_about_this_one(sources: Sources) -> None:
    told = (finding("slow-power", 12, kernel="other"), finding("slow-power", 6))
    assert rules_about(scale(), sources, *told) == ["slow-power"]
    assert rules_about(scale(), sources, told[0]) == []


def test_a_finding_in_another_function_of_the_name_is_not_about_this_one(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE + "\n\ndef make():\n    def scale(x):\n        return x\n", "utf-8")
    sources = Sources(tmp_path)
    assert rules_about(scale(), sources, finding("slow-power", 20)) == []
    assert rules_about(scale(), sources, finding("slow-power", 6)) == ["slow-power"]


def test_a_device_function_that_is_reported_for_the_kernel_is_about_it(sources: Sources) -> None:
    assert rules_about(scale(), sources, finding("slow-power", 1)) == ["slow-power"]


def test_a_launch_is_about_the_kernel_that_it_refers_to_or_whose_expert_names_its_line(
    sources: Sources,
) -> None:
    launch = finding("grid-too-small", 15, kernel=None)
    assert rules_about(scale(), sources, launch) == []
    named = scale(point(1, "grid_too_small", 14))
    assert rules_about(named, sources, launch) == ["grid-too-small"]
    related = {**launch, "related": [{"path": "a.py", "cell": None, "line": 4}]}
    assert rules_about(scale(), sources, related) == ["grid-too-small"]


def test_findings_stand_in_the_order_of_their_ranks(sources: Sources) -> None:
    told = [finding("uncoalesced-access", 8, "info", rank=2), finding("slow-power", 6, rank=1)]
    assert rules_about(scale(), sources, *told) == ["slow-power", "uncoalesced-access"]


def test_what_is_said_of_several_lines_or_kernels_alike_is_printed_once(sources: Sources) -> None:
    lines = [finding("slow-power", line) for line in (6, 8)]
    (once,) = printed({"findings": lines}, sources)
    assert [line for _, line in once.places] == [6, 8]
    kernels = [finding("slow-power", 6, kernel=name) for name in ("scale", "other")]
    (once,) = printed({"findings": kernels}, sources)
    assert once.kernels == {"scale", "other"}
    assert len(printed({"findings": [lines[0], {**lines[1], "message": "twice!"}]}, sources)) == 2


def test_places_in_notebooks_are_lines_of_their_file(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [{**cell, "source": ["def unfinished(\n"]}, {**cell, "source": SOURCE.splitlines(keepends=True)}]
    document = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    text = json.dumps(document, indent=1)
    (tmp_path / "a.ipynb").write_text(text, "utf-8")
    lines = text.splitlines()
    power = next(at for at, line in enumerate(lines, start=1) if "** 0.5" in line)
    head = next(at for at, line in enumerate(lines, start=1) if "def scale" in line)
    sources = Sources(tmp_path)
    found = finding("slow-power", 6, path="a.ipynb", cell=2, kernel=None)
    (told,) = printed({"findings": [found]}, sources)
    assert told.places == (("a.ipynb", power),)
    kernel = Kernel("who/what", "a.ipynb", "scale", head, ())
    assert about(kernel, [told], sources) == [told]


def test_rules_of_causes_are_read_both_ways(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text('[causes]\na = ["x", "y"]\nb = ["x"]\nc = { none = "Nothing does." }\n', "utf-8")
    assert causes_of_rules(file) == {"x": {"a", "b"}, "y": {"a"}}


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two judged kernels of a repository whose report is kept; the arguments of a comparison with it."""
    rows = [
        {
            "repository": "who/what", "commit": "0" * 40, "path": "a.py", "kernel": "scale", "line": 4,
            "points": [
                {"rank": 1, "cause": "pow_slow", "lines": [6]},
                {"rank": 2, "cause": "grid_too_small", "lines": [15]},
                {"rank": 3, "cause": "wrong_result", "lines": [7]},
            ],
        },
        {
            "repository": "who/what", "commit": "0" * 40, "path": "a.py", "kernel": "other", "line": 11,
            "points": [{"rank": 1, "cause": "uncoalesced", "lines": [12]}],
        },
    ]  # fmt: skip
    told = [
        finding("unchecked-index", 5, "info", rank=1),
        finding("slow-power", 6, rank=2),
        finding("unchecked-index", 8, rank=3),
        finding("slow-power", 12, rank=4, kernel="other"),
        finding("grid-too-small", 15, "info", rank=5, kernel=None),
    ]
    data = tmp_path / "data"
    data.mkdir()
    rules = "".join(f'{cause} = ["{rule}"]\n' for rule, causes in CAUSES.items() for cause in causes)
    (data / "rules_of_causes.toml").write_text("[causes]\n" + rules, "utf-8")
    for half in ("open", "opened", "aside"):
        (data / f"{half}.json").write_text(json.dumps(rows), "utf-8")
    monkeypatch.setattr(judged_kernels, "_DATA", data)
    checkout = tmp_path / "repos" / "who+what"
    checkout.mkdir(parents=True)
    (checkout / "a.py").write_text(SOURCE, "utf-8")
    kept = tmp_path / "work" / "reports" / "who+what.default.json"
    kept.parent.mkdir(parents=True)
    kept.write_text(
        json.dumps({"seconds": 1.0, "ending": "ended", "report": {"findings": told[::-1]}}), "utf-8"
    )
    return ["judged_kernels", "--repos", str(checkout.parent), "--work", str(tmp_path / "work")]


def test_the_totals_of_two_kernels(
    judged: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "numbers.json"
    arguments = [*judged, "--half", "open", "--causes", "--misses", "--json", str(file)]
    monkeypatch.setattr("sys.argv", arguments)
    assert judged_kernels.main() == 0
    numbers = json.loads(file.read_text("utf-8"))
    first = numbers["points"]["first"]
    # By rank the power is the second finding of its kernel; what the other kernel is told is not its point.
    assert first == {
        "points": 2, "of a cause with rules": 2, "first finding": 0, "warning among first three": 1,
        "warning": 1, "any level": 1, "not reported": 1,
    }  # fmt: skip
    assert numbers["points"]["second"]["any level"] == 1 and numbers["points"]["second"]["warning"] == 0
    third = numbers["points"]["third"]
    assert third["not reported"] == 1 and third["of a cause with rules"] == 0
    assert numbers["kernels"] == 2 and numbers["kernels without findings"] == 0
    assert numbers["findings of a kernel"] == {"all": 5, "median": 2.5, "worst": 4}
    assert numbers["warnings of a kernel"] == {"all": 3, "median": 1.5, "worst": 2}
    # The index that is not checked, and the power of the other kernel.
    assert numbers["warnings beside the points"] == 2
    page = capsys.readouterr().out
    assert "| `pow_slow` | 1 | 1 | 0 | 1 | 0 | 0 | 0 | 1 |" in page
    assert "a.py:11 other: uncoalesced [12]: not reported; told warning slow-power 12" in page


def test_the_half_that_was_set_aside_gives_totals_only(
    judged: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", [*judged, "--half", "aside"])
    assert judged_kernels.main() == 0
    assert "pow_slow" not in capsys.readouterr().out
    for asked in ("--misses", "--causes"):
        monkeypatch.setattr("sys.argv", [*judged, "--half", "aside", asked])
        with pytest.raises(SystemExit):
            judged_kernels.main()


def test_a_repository_that_is_not_there_is_a_failure(
    judged: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "repos" / "who+what" / "a.py").unlink()
    (tmp_path / "repos" / "who+what").rmdir()
    monkeypatch.setattr("sys.argv", [*judged, "--half", "open"])
    assert judged_kernels.main() == 1
    assert "who/what is not below" in capsys.readouterr().err


def test_the_points_of_a_row_lie_in_its_file_unless_they_name_another() -> None:
    points = [
        {"rank": 1, "cause": "a", "lines": [2]},
        {"rank": 2, "cause": "b", "lines": [3], "path": "host.py"},
    ]
    row = {"repository": "r", "path": "a.py", "kernel": "k", "line": 1, "points": points}
    (kernel,) = kernels_of([row])
    assert [one.path for one in kernel.points] == ["a.py", "host.py"]
