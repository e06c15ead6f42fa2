"""One ranking where a report of a profiler measured kernels of the project: `check`, `explain`, `report` and
the editor name the same first actions, with the same numbers, limits and boundness.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from program_in_process import run_advisor
from pygls.workspace import PositionCodec

from advisor.check.speedup_bounds.tree import diagnosis_tree
from advisor.reports.diagnosis.actions_in_words import gain_in_words
from lsp_server.analysis.analyst import Analyst
from lsp_server.analysis.checked_text import Analysis
from lsp_server.analysis.refinement import Stop
from lsp_server.answers.diagnostics import diagnostics_of
from lsp_server.answers.pages import page_named
from lsp_server.documents.document import Document
from lsp_server.numbers.lenses import lenses
from lsp_server.protocol.positions import Positions

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="makes up launches")

DATA = Path(__file__).parents[1] / "data/reports"
FIRST = diagnosis_tree().first
# What a report calls the limit of a launch, by the class that a diagnosis gives its kernel.
LIMITS = {
    "memory": {"memory system", "DRAM bandwidth"},
    "compute": {"units of the SMs", "float32 peak"},
    "latency": {"latency"},
}


@dataclass(frozen=True)
class Imported:
    """Reports of one run, the device that they are of, and the text of the kernel that they measured.

    `other_time` is a time of the reports and what it is here.
    """

    files: tuple[str, ...]
    device: str
    kernel: str
    file: str
    text: str
    mapped: str = ""
    other_time: tuple[str, str] = ("", "")


VECTORS = """\
from numba import cuda


@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:

        out[i] = x[i] + y[i]
"""
LAYER = """\
from numba import cuda


@cuda.jit
def layer(a, b, bias, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        total = bias[j]
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        out[i, j] = max(total, 0.0)
"""
ROWS = """\
from numba import cuda


@cuda.jit
def sums(values, out):
    i = cuda.grid(1)
    if i < out.size:
        total = values[i, 0]
        for j in range(1, values.shape[1]):
            total += values[i, j]
        out[i] = total
"""
TURNED = """\
from numba import cuda


@cuda.jit
def transpose(a, out):
    i, j = cuda.grid(2)
    if i < out.shape[1] and j < out.shape[0]:
        out[j, i] = a[i, j]
"""
REPORTS = {
    "counters and lines": Imported(
        ("ncu-raw.csv", "ncu-source.csv"), "a100-80gb", "add", "vectors.py", VECTORS
    ),
    "a layer that starves": Imported(
        ("case-study-before.csv",),
        "a100-80gb",
        "layer",
        "layer.py",
        LAYER,
        "matmul_bias_relu.*=layer.py::layer",
    ),
    "details with commas": Imported(
        ("ncu-details-comma.csv",), "h100-pcie", "sums", "rows.py", ROWS, "reduce_rows.*=rows.py::sums"
    ),
    "two shapes": Imported(
        ("ncu-raw.csv",),
        "a100-80gb",
        "transpose",
        "turned.py",
        TURNED,
        "transpose_naive.*=turned.py::transpose",
        ('"6.50"', '"60.00"'),
    ),
}


@pytest.fixture(params=REPORTS)
def imported(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Imported]:
    """A project with one kernel, judged by what a report measured of it."""
    given = REPORTS[request.param]
    (tmp_path / ".git").mkdir()
    settings = f'[tool.advisor]\nevidence = "measured"\ndevice = "{given.device}"\n'
    (tmp_path / "pyproject.toml").write_text(settings)
    (tmp_path / given.file).write_text(given.text)
    for name in given.files:
        (tmp_path / name).write_text((DATA / name).read_text("utf-8").replace(*given.other_time), "utf-8")
    mapped = ("--map", given.mapped) if given.mapped else ()
    done = run_advisor(tmp_path, "import", *given.files, "--device", given.device, "-q", *mapped)
    assert done.returncode == 0, done.stderr
    return tmp_path, given


def data(folder: Path, *argv: str) -> Any:
    done = run_advisor(folder, *argv, "--format", "json", synthesis=True)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def in_editor(folder: Path, given: Imported) -> Analysis:
    """What the editor knows of the file at last."""
    analyst, path = Analyst(), folder / given.file
    document = Document(path.as_uri(), 1, path, folder, False, given.text)
    try:
        analyst.from_source(document)
        found = None
        while found is None or not found.complete:
            found = analyst.later(document, "synthesised", Stop())
        return found
    finally:
        analyst.close()


def test_the_same_first_actions(imported: tuple[Path, Imported]) -> None:
    folder, given = imported
    (ranked,) = data(folder, "report")["devices"]
    own = [one for one in ranked["actions"] if one["kernel"] == given.kernel]
    assert own

    # The command line's check, in the order of its ranks.
    checked = data(folder, "check", given.file)["findings"]
    assert any(one["source"] == "measured" for each in checked for one in each["evidence"])
    ranks = {(one["rule"], one["line"]): one["rank"] for one in checked}
    first = own[: min(FIRST, len(own))]
    order = [ranks[one["rule"], one["line"]] for one in first]
    assert order == list(range(1, len(first) + 1))

    # The diagnosis: actions, gains of the kernel and of the run, what the kernel waits for, its time.
    found = data(folder, "explain", f"{given.file}::{given.kernel}")
    numbers = [(one["rule"], one["line"], one["speedup"], one["gain_of_run"]) for one in found["actions"]]
    assert numbers == [(one["rule"], one["line"], one["speedup"], one["gain_of_run"]) for one in own]
    (kernel,) = [one for one in ranked["kernels"] if one["name"] == given.kernel]
    assert kernel["shapes"][0]["limit"] in LIMITS[found["bound"]["class"]]
    assert found["bound"]["time_ms"] == pytest.approx(kernel["shapes"][0]["timing_ms"]["mean"])
    assert found["share_of_run"] == pytest.approx(kernel["share"])

    # The editor: its findings, its page of the kernel, and what stands over it.
    edited = in_editor(folder, given)
    assert edited.evidence == "measured"
    actions = [one for one in edited.actions if one.finding.kernel_concerned() == given.kernel]
    assert [(one.finding.rule, one.finding.span.line) for one in actions] == [
        (one["rule"], one["line"]) for one in own
    ]
    assert [one.speedup for one in actions] == pytest.approx([one["speedup"] for one in own])
    assert [one.gain_of_run for one in actions] == pytest.approx([one["gain_of_run"] for one in own])
    positions = Positions(edited.document.source, PositionCodec())
    shown = {(str(one.code), one.range.start.line + 1) for one in diagnostics_of(edited, positions)}
    assert {(one["rule"], one["line"]) for one in own} <= shown
    page = page_named(given.kernel, edited).text
    told = re.findall(r"^1\. .*? \(lines? .*?, `([\w-]+)`\): (.*)", page, re.MULTILINE)
    assert [rule for rule, _ in told] == [one["rule"] for one in own]
    for (_, words), action in zip(told, actions, strict=True):
        assert words.startswith(gain_in_words(action))
    (lens,) = lenses(edited)
    title = next(one.title for one in diagnosis_tree().classes if one.id == found["bound"]["class"])
    assert re.search(rf"measured [\d.]+ [mun]s \({title}\)", lens.numbers)
    assert "from measured run, " in lens.numbers


@pytest.mark.parametrize(("time", "share"), [("60.00", 0.4), ("6.50", None)])
def test_what_another_shape_shows_is_told_from_a_quarter_of_the_time_on(
    tmp_path: Path, time: str, share: float | None
) -> None:
    """Of 16 blocks in the shorter shape one wave is filled to 7%; it takes 60 of 150 us, or 6.5 of 96.5."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "turned.py").write_text(TURNED)
    text = (DATA / "ncu-raw.csv").read_text("utf-8").replace('"6.50"', f'"{time}"')
    (tmp_path / "report.csv").write_text(text)
    mapped = ("--map", REPORTS["two shapes"].mapped)
    assert run_advisor(tmp_path, "import", "report.csv", "--device", "a100-80gb", *mapped).returncode == 0
    checked = data(tmp_path, "check", "turned.py", "--evidence", "measured", "--device", "a100-80gb")
    found = [one for one in checked["findings"] if one["rule"] == "few-waves"]
    assert [one["launches"]["share_of_time"] for one in found] == [pytest.approx(share)] * bool(share)
    assert any("grid 4 x 4" in text for one in found for text in one["assumptions"]) == bool(share)


def test_without_the_setting_nothing_of_the_history_is_told(imported: tuple[Path, Imported]) -> None:
    folder, given = imported
    (folder / "pyproject.toml").write_text(f'[tool.advisor]\ndevice = "{given.device}"\n')
    edited = in_editor(folder, given)
    assert edited.evidence == "simulated"
    assert not any(one.source == "measured" for each in edited.findings for one in each.evidence)
    (lens,) = lenses(edited)
    assert "measured" not in lens.numbers
