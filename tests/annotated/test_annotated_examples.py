"""Small kernels, annotated by hand with what an expert would say at each line, against what `check` says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.check.kernel_marks import read_marks
from advisor.check.rulebook import rulebook_for
from advisor.model.errors import UsageError
from advisor.model.findings import SEVERITIES, Report
from advisor.model.settings.config import Config
from advisor.reports.rule_pages.evidence import least_evidence

Reports = Callable[[Path], Report]
FILES = sorted((Path(__file__).parent / "examples").glob("*.py"))
WARNING = SEVERITIES.index("warning")

# What these speak of appears only when a program runs.
DECIDED_BY_EXECUTION = {
    "tensor-cores-little-used",
    "triton-product-outside-tensor-cores",
    "triton-tensor-cores-little-used",
    "access-out-of-bounds",
    "absent-lane",
    "barrier-not-reached",
    "exact-special-functions",
    "flag-without-fence",
    "global-memory-race",
    "misaligned-access",
    "lane-outside-mask",
    "plain-access-beside-atomic",
    "scattered-requests",
    "intermediate-arrays",
    "value-awaited-often",
    "triton-access-out-of-bounds",
    "triton-bank-conflicts",
    "triton-elements-one-by-one",
    "triton-low-occupancy",
    "triton-masked-lanes",
    "triton-race-between-programs",
    "triton-register-spills",
    "shared-memory-race",
    "index-overflow",
    "instructions-outweigh-arithmetic",
    "uninitialised-global-memory",
    "uninitialised-shared-memory",
    "unwritten-memory-copied",
    "gpu-underused",
    "high-memcpy-share",
    "launch-bound",
    "low-occupancy",
    "memory-bound",
    "poor-l2-locality",
    "range-loop",
    "warp-divergence",
}
# What these speak of does not compile.
REJECTED_BY_COMPILER = {"kernel-not-compilable", "undefined-name"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_findings_stand_where_they_are_annotated(reports: Reports, file: Path) -> None:
    marks = read_marks(file)
    report = reports(file)
    found = {
        (finding.rule, span.line): finding
        for finding in report.findings
        if finding.path == file.name
        for span in (finding.span, *(further.span for further in finding.further_places))
    }
    hits = {(mark.rule, mark.line) for mark in marks if mark.expected == "hit"}
    silent = {(mark.rule, mark.line) for mark in marks if mark.expected == "ok"}
    loud = {place for place, finding in found.items() if SEVERITIES.index(finding.severity) >= WARNING}
    assert (hits - found.keys(), silent & found.keys(), loud - hits) == (set(), set(), set())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_all_examples_compile(reports: Reports, file: Path) -> None:
    report = reports(file)
    assert [one for one in report.problems if one.path == file.name] == []
    assert report.notices == []


def test_every_rule_that_needs_no_execution_is_annotated_both_ways() -> None:
    marks = [mark for file in FILES for mark in read_marks(file)]
    rulebook = rulebook_for(Config())
    shipped = {rule.id for rule in rulebook.rules}
    assert shipped >= DECIDED_BY_EXECUTION
    measured = {rule.id for rule in rulebook.rules if least_evidence(rule, rulebook) == "measured"}
    for expected in ("hit", "ok"):
        annotated = {mark.rule for mark in marks if mark.expected == expected}
        assert annotated == shipped - DECIDED_BY_EXECUTION - REJECTED_BY_COMPILER - measured


def test_silence_is_annotated_at_least_as_often_as_findings() -> None:
    counts = Counter(mark.expected for file in FILES for mark in read_marks(file))
    assert counts["ok"] >= counts["hit"] > 50


@pytest.mark.parametrize("comment", ["# hit slow-power", "# ok: Slow Power", "#hit: slow-power", "# hit:"])
def test_an_annotation_that_cannot_be_read_is_an_error(tmp_path: Path, comment: str) -> None:
    file = tmp_path / "example.py"
    file.write_text(f"x = 1  {comment}\n", "utf-8")
    with pytest.raises(UsageError, match=r"example\.py:1: this annotation cannot be read"):
        read_marks(file)
