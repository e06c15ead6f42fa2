"""What one rule says of one kernel, or of one host function, is one finding with all its places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.check.pipeline import check
from advisor.cli.checking.baseline import apply_baseline, entries_of, read_baseline, vanished, write_baseline
from advisor.model.findings import (
    HERE_TOO,
    Evidence,
    Finding,
    Gain,
    Related,
    Report,
    Severity,
    ShowingLaunches,
)
from advisor.model.records import Source
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config
from advisor.model.text.source_text import Span
from advisor.reports.outputs import available_formats, render_report
from advisor.reports.outputs.interchange.fingerprints import fingerprints
from advisor.rules.evaluation.causes import joined_causes

HEAD = "import numpy as np\nfrom numba import cuda\n\n\n"
PROMOTED = HEAD + (
    "@cuda.jit\ndef sixteen(a, b):\n    i = cuda.grid(1)\n    if i >= a.size:\n        return\n"
    + "".join(f"    a[i] += b[i] * 1.{at:02}\n" for at in range(1, 17))
    + "\n\n"
    "def run():\n    a = np.zeros(1000, np.float32)\n    b = np.ones(1000, np.float32)\n"
    "    sixteen[8, 128](a, b)\n"
)
TRANSPOSED = HEAD + (
    "@cuda.jit\ndef eight(out, a, b):\n    i, j = cuda.grid(2)\n"
    "    if i < out.shape[0] and j < out.shape[1]:\n"
    + "".join(f"        out[i, j] += {array}[i, j] * {number}\n" for array in "ab" for number in range(4))
    + "\n\ndef run(out, a, b):\n    eight[(32, 32), (32, 8)](out, a, b)\n"
)
FIRST = PROMOTED[: PROMOTED.index("b[i] * 1.01")].count("\n") + 1


def checked(folder: Path, text: str, rule: str, evidence: Source = "source") -> Report:
    file = folder / "k.py"
    file.write_text(text, "utf-8")
    settings = Config(root=folder)
    options = CheckOptions(
        "a100-80gb", folder, evidence, settings=settings, workspace_files=(), select=(rule,), jobs=1
    )
    return check([file], options)


def lines(finding: Finding) -> list[int]:
    return [one.span.line for one in finding.at_each_place()]


def found(line: int, message: str = "It is slow.", severity: Severity = "warning", **more: object) -> Finding:
    kernel = more.pop("kernel", "k")
    place = ("k.py", Span(line, 5, line, 9), kernel, severity, "high", message)
    return Finding("r", *place, **more)  # type: ignore[arg-type]


def joined(*findings: Finding, texts: dict[str, str] | None = None) -> list[Finding]:
    return joined_causes(findings, texts or {}, {"r"})


def test_sixteen_lines_of_float64_are_one_finding_with_one_fix(tmp_path: Path) -> None:
    report = checked(tmp_path, PROMOTED, "float64-promotion", "compiled")
    (finding,) = report.findings
    assert sorted(lines(finding)) == list(range(FIRST, FIRST + 16))
    assert finding.message.endswith("In 16 places.")
    assert report.summary["findings"] == 1
    (fix,) = [one for one in finding.fixes if one.edits]
    assert [edit.text for edit in fix.edits] == [f"np.float32(1.{at:02})" for at in range(1, 17)]
    assert fix.lines == tuple(range(FIRST, FIRST + 16))


def test_accesses_of_one_index_order_are_one_finding(tmp_path: Path) -> None:
    (finding,) = checked(tmp_path, TRANSPOSED, "transposed-index").findings
    assert len(lines(finding)) == 8
    assert finding.message.endswith("In 8 places of `a` and `b`.")


def test_a_comment_takes_only_its_line_from_a_finding(tmp_path: Path) -> None:
    rows = TRANSPOSED.splitlines()
    (before,) = checked(tmp_path, TRANSPOSED, "transposed-index").findings
    for silenced in lines(before)[:2]:
        text = list(rows)
        text[silenced - 1] += "  # advisor: ignore[transposed-index] it is small"
        report = checked(tmp_path, "\n".join(text) + "\n", "transposed-index")
        (finding,) = report.findings
        assert sorted(lines(finding)) == sorted({*lines(before)} - {silenced})
        assert finding.message.endswith("In 7 places of `a` and `b`.")
        assert report.summary["suppressed"] == 1


def test_the_worst_place_is_the_most_severe_then_that_of_the_largest_number() -> None:
    cases = [
        (found(3, severity="info", weight=9.0), found(5, weight=1.0), 5),
        (found(3, weight=1.0), found(5, weight=2.0), 5),
        (found(3, gain=Gain(2.0, "about")), found(5, gain=Gain(3.0, "about")), 5),
        (found(3, evidence=(above(8.0),)), found(5, evidence=(above(16.0),)), 5),
        # What must be large is the worse the smaller it is.
        (found(3, evidence=(above(2.0),)), found(5, evidence=(above(1.0),)), 5),
        (found(3, evidence=(above(0.0),)), found(5, evidence=(above(1.0),)), 3),
        (found(5), found(3), 3),
    ]
    for one, other, line in cases:
        for group in ((one, other), (other, one)):
            (finding,) = joined(*group)
            assert lines(finding) == [line, 8 - line], (one, other)


def above(value: float) -> Evidence:
    return Evidence("m", value, "count", 4.0, "source")


def test_a_further_place_says_what_is_its_own() -> None:
    (finding,) = joined(found(3), found(7, "It is slower."), found(9), found(5, kernel="j"))[:1]
    assert finding.message == "It is slow. In 3 places."
    assert [(one.span.line, one.message) for one in finding.further_places] == [
        (7, "It is slower."),
        (9, HERE_TOO),
    ]
    own = list(finding.at_each_place())
    assert [one.message for one in own[1:]] == ["It is slower.", "It is slow. In 3 places."]
    assert not any(one.related for one in own)


def test_arrays_are_named_where_each_place_is_about_one() -> None:
    def extent(*arrays: str) -> str:
        (finding,) = joined(*(found(3 + at, array=array) for at, array in enumerate(arrays)))
        return finding.message.removeprefix("It is slow. ")

    assert extent("a", "a") == "In 2 places of `a`."
    assert extent("a", "b", "a") == "In 3 places of `a` and `b`."
    assert extent("a", "b", "c") == "In 3 places of `a`, `b` and `c`."
    assert extent("a", "b", "c", "d") == "In 4 places of 4 arrays."
    assert extent("a", "") == "In 2 places."


def test_what_it_rests_on_is_that_of_the_places_as_severe() -> None:
    launches = [ShowingLaunches(one, 3, None) for one in (1, 2)]
    (finding,) = joined(
        found(3, weight=2.0, assumptions=("`n` is large.", launches[0].in_words()), launches=launches[0]),
        found(4, weight=1.0, assumptions=("`m` is large.", launches[1].in_words()), launches=launches[1]),
        found(5, severity="info", assumptions=("Info only: it is guarded.",)),
    )
    assert finding.assumptions == ("`n` is large.", "Shown in 1 of 3 launches.", "`m` is large.")
    assert finding.launches == launches[0]


def test_launches_of_one_kernel_are_one_finding_and_point_to_it_once() -> None:
    kernel = Related("k.py", Span(1, 5, 1, 6), "kernel `k`", "k")
    other = Related("k.py", Span(9, 5, 9, 6), "kernel `j`", "j")
    found_now = joined(
        *(found(line, kernel=None, related=(kernel,)) for line in (20, 30)),
        found(31, kernel=None, related=(other,)),
    )
    assert [lines(one) for one in found_now] == [[20, 30], [31]]
    assert [one for one in found_now[0].related if not one.same_cause] == [kernel]


HOST = """x = 1
def f():
    x
    x
    def inner():
        x
class C:
    async def g(self):
        x
x
"""


def test_outside_of_kernels_a_cause_is_in_one_function() -> None:
    every = [found(line, kernel=None) for line in (1, 3, 4, 6, 9, 10)]
    assert [lines(one) for one in joined(*every, texts={"k.py": HOST})] == [[1, 10], [3, 4], [6], [9]]
    broken = {"k.py": f"{HOST}def (:\n"}
    assert [lines(one) for one in joined(*every, texts=broken)] == [[1, 10], [3, 4], [6], [9]]


def test_files_have_causes_of_their_own_and_other_rules_none() -> None:
    from dataclasses import replace

    one, other = found(3), replace(found(4), path="other.py")
    assert joined(one, other) == [one, other]
    remarks = [replace(found(line), rule="unused-suppression") for line in (3, 4)]
    assert joined(*remarks) == remarks


TEXT = "def k(a):\n    a[0]\n    a[1]\n    a[2]\n    a[3]\n"


def report_of(*places: int, text: str = TEXT) -> Report:
    findings = joined(*(found(line, f"Slow {line}.") for line in places))
    return Report("A100", findings, texts={"k.py": text})


def test_an_accepted_finding_stays_accepted_with_one_place_more(tmp_path: Path) -> None:
    file = tmp_path / "b.json"
    assert write_baseline(file, report_of(2, 3), ["k.py"]) == 1
    for places, left in (((2, 3), 0), ((2, 3, 4), 0), ((3, 4), 0), ((4, 5), 1)):
        report = report_of(*places)
        apply_baseline(report, read_baseline(file))
        assert len(report.findings) == left, places
        assert report.summary["in_baseline"] == 1 - left


def test_a_baseline_with_an_entry_for_each_line_counts_for_the_whole_kernel(tmp_path: Path) -> None:
    file = tmp_path / "b.json"
    row = {"path": "k.py", "rule": "r", "kernel": "k", "text": "a[1]", "count": 1}
    file.write_text(json.dumps({"version": 1, "findings": [row, {**row, "text": "a[9]"}]}))
    report = report_of(2, 3)
    accepted = read_baseline(file)
    entries = [entry for one in report.findings for entry in entries_of(one, report.texts)]
    assert vanished(accepted, entries, ["k.py"]) == 0
    assert vanished(accepted, [], ["k.py"]) == 1
    apply_baseline(report, accepted)
    assert report.findings == []


def test_a_fingerprint_stays_when_another_place_becomes_the_worst() -> None:
    before, after = report_of(2, 3), report_of(3, 4, text=TEXT.replace("a[1]", "a[7]"))
    assert fingerprints(before) == fingerprints(after)


def test_sarif_has_the_further_places_as_related_locations() -> None:
    log = json.loads(render_report("sarif", report_of(2, 3, 5), {}))
    (result,) = log["runs"][0]["results"]
    told = [
        (one["physicalLocation"]["region"]["startLine"], one["message"]["text"])
        for one in result["relatedLocations"]
    ]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 2
    assert told == [(3, "Slow 3."), (5, "Slow 5.")]


def test_json_lists_the_places() -> None:
    (finding,) = json.loads(render_report("json", report_of(2, 3), {}))["findings"]
    assert finding["places"] == [{"path": "k.py", "cell": None, "line": 3, "message": "Slow 3."}]


@pytest.mark.parametrize("name", available_formats())
def test_each_format_tells_one_finding_with_its_further_lines(name: str) -> None:
    text = render_report(name, report_of(2, 3, 5), {})
    assert text.count("In 3 places") >= 1
    assert "3" in text and "5" in text
    if name not in ("json", "json-lines", "sarif", "short", "text"):
        assert "Also in lines 3, 5." in text
