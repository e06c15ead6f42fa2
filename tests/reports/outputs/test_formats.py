"""What holds for the formats beyond their golden files: shapes, limits, escaping, what they import."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from sample_reports import CONSTANT_GRID, PROMOTED, REPORTS, RULES, UNCOALESCED, full_report, odd_report

from advisor.model.errors import UsageError
from advisor.model.findings import Evidence, Finding, Problem, Report, Unrecognised
from advisor.model.text.source_text import Span
from advisor.reports import outputs
from advisor.reports.outputs import RenderOptions, available_formats, load_format, render_report
from advisor.rules.evaluation.causes import joined_causes

FORMATS = available_formats()
REPOSITORY = Path(__file__).resolve().parents[3]


def rendered(name: str, report: Report) -> str:
    return render_report(name, report, RULES)


def test_the_promised_formats_are_there() -> None:
    assert set(FORMATS) >= {
        "concise", "github", "gitlab", "json", "json-lines", "junit", "markdown", "sarif", "text",
    }  # fmt: skip


def test_an_unknown_format_is_wrong_use() -> None:
    with pytest.raises(UsageError, match=r"There is no output format 'yaml'\. Formats: .*concise, .*github"):
        load_format("yaml")


def test_a_module_is_all_that_a_new_format_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module is the one that CONTRIBUTING shows, as it stands there."""
    page = (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8").split("## An output format")[1]
    shown = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert shown is not None
    (tmp_path / "place_and_rule.py").write_text(shown[1], encoding="utf-8")
    monkeypatch.setattr(outputs, "__path__", [*outputs.__path__, str(tmp_path)])
    try:
        assert "place-and-rule" in available_formats()
        for made in REPORTS.values():
            text = rendered("place-and-rule", made())
            assert len(text.splitlines()) == len(made().findings) + len(made().problems)
            assert not [character for character in text if ord(character) < 32 and character != "\n"]
        bad = Report("x", [replace(CONSTANT_GRID, path="bad\udcff.py")])
        assert (
            rendered("place-and-rule", bad)
            .encode("utf-8")
            .endswith(b": " + CONSTANT_GRID.rule.encode() + b"\n")
        )
    finally:
        sys.modules.pop("advisor.reports.outputs.place_and_rule", None)


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("name", FORMATS)
def test_no_control_character_reaches_the_reader(name: str, report: str) -> None:
    text = rendered(name, REPORTS[report]())
    assert not [character for character in text if ord(character) < 32 and character != "\n"]
    assert "\u202e" not in text or name == "junit"


@pytest.mark.parametrize("name", FORMATS)
def test_names_that_cannot_be_encoded_do_no_harm(name: str) -> None:
    report = Report(
        "x", [replace(CONSTANT_GRID, path="bad\udcff.py")], [Problem("bad\udcff.py", 1, "no \udcff")]
    )
    assert b"bad" in rendered(name, report).encode("utf-8")


@pytest.mark.parametrize("name", ["json", "json-lines", "sarif", "gitlab"])
def test_the_json_formats_are_pure_ascii(name: str) -> None:
    assert rendered(name, odd_report()).isascii()


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "text"])
def test_no_other_format_loads_what_draws_on_terminals(name: str) -> None:
    program = (
        "import sys; from advisor.model.findings import Report;"
        "from advisor.reports.outputs import render_report;"
        f"render_report({name!r}, Report('x'), {{}}); sys.exit('rich' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)


def test_a_plain_text_report_does_without_the_tables_of_wide_characters() -> None:
    program = (
        "import sys; from advisor.model.findings import Finding, Report;"
        "from advisor.reports.outputs import render_report;"
        "from advisor.model.text.source_text import Span;"
        "f = Finding('r', 'a.py', Span(1), None, 'info', 'low', 'm');"
        "render_report('text', Report('x', [f], texts={'a.py': 'x = 1'}), {});"
        "sys.exit('rich' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)


# json and json-lines


def test_the_json_shape_is_the_contract() -> None:
    content = json.loads(rendered("json", full_report()))
    assert content["version"] == 1
    assert content["device"] == "NVIDIA A100 80GB"
    first = content["findings"][0]
    promised = {
        "rule": "uncoalesced-access", "path": "kernels/matmul.py", "line": 11, "column": 18, "end_line": 11,
        "end_column": 25, "kernel": "matmul", "severity": "warning", "confidence": "high",
        "message": UNCOALESCED.message, "gain": {"speedup": 3.2, "basis": "at most"},
        "assumptions": list(UNCOALESCED.assumptions),
        "fixes": [
            {"title": "Swap i and j", "safety": "safe"}, {"title": "Transpose a", "safety": "needs review"},
        ],
        "url": UNCOALESCED.url,
    }  # fmt: skip
    assert {key: first[key] for key in promised} == promised
    assert first["evidence"][1] == {
        "metric": "used_share", "value": 0.125, "unit": "ratio", "threshold": 0.5, "source": "compiled",
    }  # fmt: skip
    assert content["findings"][1]["gain"] is None
    assert content["findings"][2]["kernel"] is None
    assert content["errors"] == [
        {
            "path": "kernels/broken.py", "cell": None, "line": 3, "column": 9,
            "message": "The file does not parse: invalid syntax.", "checked": False,
        }
    ]  # fmt: skip
    assert content["summary"] == {
        "findings": 3, "by_severity": {"error": 1, "warning": 1, "info": 1}, "errors": 1, "files": 2,
    }  # fmt: skip


def test_numbers_that_json_lacks_are_null() -> None:
    evidence = tuple(
        Evidence("m", value, "count", None, "source")
        for value in (float("nan"), float("inf"), 2.0, 0.5, True, "a")
    )
    report = Report("x", [replace(CONSTANT_GRID, evidence=evidence)])
    values = [item["value"] for item in json.loads(rendered("json", report))["findings"][0]["evidence"]]
    assert values == [None, None, 2, 0.5, True, "a"]
    rendered("sarif", report)


def test_json_lines_are_one_object_each() -> None:
    rows = [json.loads(line) for line in rendered("json-lines", full_report()).splitlines()]
    assert [row["type"] for row in rows] == ["finding", "finding", "finding", "error", "notice", "summary"]
    assert rows[0]["rule"] == "uncoalesced-access"


# github


def test_a_message_cannot_start_a_command_of_its_own() -> None:
    finding = replace(CONSTANT_GRID, message="a\n::error::b\r\n::warning::c %0A")
    lines = rendered("github", Report("x", [finding])).splitlines()
    assert len(lines) == 1
    assert lines[0].endswith("::a%0A::error::b%0A::warning::c %250A")


def test_a_path_cannot_add_a_property() -> None:
    finding = replace(CONSTANT_GRID, path="a,line=7::x%.py")
    assert rendered("github", Report("x", [finding])).startswith(
        "::notice file=a%2Cline=7%3A%3Ax%25.py,line=15,col=8,endLine=15,endColumn=16,title=constant-grid::"
    )


# gitlab and junit


def test_gitlab_fingerprints_differ() -> None:
    issues = json.loads(rendered("gitlab", odd_report()))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == 14


def test_junit_counts_what_it_holds() -> None:
    root = ElementTree.fromstring(rendered("junit", full_report()))
    counts = [(suite.get("name"), suite.get("failures"), suite.get("errors")) for suite in root]
    assert counts == [
        ("kernels/broken.py", "0", "1"), ("kernels/matmul.py", "2", "0"), ("notices", "0", "0"),
    ]  # fmt: skip


def test_junit_without_findings_passes() -> None:
    root = ElementTree.fromstring(rendered("junit", Report("x")))
    assert len(root.findall("testsuite/testcase")) == 1
    assert not root.findall(".//failure")


# markdown


def test_a_fence_is_longer_than_the_ticks_in_the_source() -> None:
    text = 'x = """\n````\n"""\n'
    finding = replace(CONSTANT_GRID, path="a.py", span=Span(2, 1, 2, 5))
    assert "\n`````text\n" in rendered("markdown", Report("x", [finding], texts={"a.py": text}))


def test_code_in_messages_stays_code_and_markup_is_literal() -> None:
    report = Report("x", [replace(CONSTANT_GRID, message="`a[i_1]` not *b* <script>")])
    assert "\n`a[i_1]` not \\*b\\* \\<script\\>\n" in rendered("markdown", report)


def test_a_pipe_does_not_break_the_table() -> None:
    report = Report("x", problems=[Problem("a|b.py", 1, "either | or `x|y`")])
    assert "\n| `a\\|b.py:1:1` | either \\| or `x\\|y` |\n" in rendered("markdown", report)


# text


def test_the_undecided_rules_are_named_only_in_the_statistics() -> None:
    short = render_report("text", full_report(), RULES, RenderOptions())
    assert "2 rules could not be decided for lack of evidence; --statistics says what is missing." in short
    assert "l2_hit_rate" not in short
    long = render_report("text", full_report(), RULES, RenderOptions(statistics=True))
    assert "needs l2_hit_rate and dram_norm (from measured evidence)" in long
    assert "--statistics" not in long


def test_statistics_of_a_clean_report() -> None:
    assert "No rule fired, and every rule was decided." in render_report(
        "text", Report("x"), {}, RenderOptions(statistics=True)
    )


def test_without_colours_there_are_no_escapes() -> None:
    assert "\x1b" not in render_report("text", full_report(), RULES, RenderOptions(color=False))


def test_colours_only_colour() -> None:
    plain = render_report("text", full_report(), RULES, RenderOptions(color=False))
    coloured = render_report("text", full_report(), RULES, RenderOptions(color=True))
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


def test_the_title_falls_back_to_the_catalogue() -> None:
    text = render_report("text", Report("x", [PROMOTED]), RULES, RenderOptions(statistics=True))
    assert "1  error  float64-promotion  Arithmetic in float64" in text


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_source_lines_stay_within_the_width(width: int) -> None:
    from rich.cells import cell_len

    lines = render_report("text", odd_report(), RULES, RenderOptions(width=width)).splitlines()
    drawn = [line for line in lines if re.match(r" *\d* \|", line)]
    assert drawn
    assert max(map(cell_len, drawn)) <= max(width, 20)


def test_a_finding_with_everything_wrong_about_its_place() -> None:
    finding = Finding("r", "a.py", Span(1, 9, 1, 3), None, "info", "low", "m")
    assert "^" in rendered("text", Report("x", [finding], texts={"a.py": "abc\n"}))


def test_people_read_of_a_device_function_once_and_machines_for_each_kernel() -> None:
    kernels = [replace(UNCOALESCED, kernel=name) for name in ("a", "b", "c", "d")]
    other = replace(UNCOALESCED, kernel="a", message="Another thing.")
    report = Report("A100", findings=[*kernels, other])
    assert rendered("concise", report).count(UNCOALESCED.rule) == 2
    assert "Found 2 warnings" in rendered("concise", report)
    assert len(json.loads(rendered("json", report))["findings"]) == 5


def test_the_text_names_the_further_lines_of_a_finding() -> None:
    lines = [replace(UNCOALESCED, span=Span(line, 5, line, 9)) for line in (3, 4, 4, 7)]
    others = [replace(lines[0], span=Span(line), message=f"As bad in {line}.") for line in range(10, 20)]
    found = joined_causes([*lines, *others], {}, {UNCOALESCED.rule})
    report = Report("A100", findings=found, texts={UNCOALESCED.path: "a = 1234\n" * 20})
    text = rendered("text", report)
    assert text.count(f"[{UNCOALESCED.rule}]") == 1
    assert "the same in lines 4, 7" in text
    assert "As bad in 17." in text
    assert "As bad in 18." not in text
    assert "similar in lines 18, 19" in text
    assert rendered("concise", report).count(UNCOALESCED.rule) == 1


# what was not recognised

UNRECOGNISED = Unrecognised("kernels/made.py", (12, 40))


@pytest.mark.parametrize(
    ("name", "part"),
    [
        (
            "text",
            "note: kernels/made.py:12: 2 uses of cuda.jit were not recognised as kernels: lines 12, 40.",
        ),
        ("concise", "note: kernels/made.py:12: 2 uses of cuda.jit"),
        ("markdown", "kernels/made.py:12: 2 uses of cuda.jit"),
        ("json", '"kernels/made.py:12: 2 uses of cuda.jit'),
        ("json-lines", '{"type": "notice", "message": "kernels/made.py:12: 2 uses of cuda.jit'),
        ("sarif", '"kernels/made.py:12: 2 uses of cuda.jit'),
        ("github", "::notice file=kernels/made.py,line=12,title=not recognised::2 uses of cuda.jit"),
        ("gitlab", '"check_name": "not-recognised"'),
        ("junit", "<system-out>kernels/made.py:12: 2 uses of cuda.jit"),
    ],
)
def test_every_format_says_what_was_not_recognised(name: str, part: str) -> None:
    report = Report("x", notices=[UNRECOGNISED.as_notice()], unrecognised=[UNRECOGNISED])
    assert part in rendered(name, report)


def test_on_a_narrow_terminal_the_kernel_stands_below_a_long_place():
    finding = replace(
        PROMOTED, path="packages/solver/backends/numba/elementwise.py", kernel="scaled_sums_of_rows"
    )
    report = Report("x", [finding])
    place = f"--> {finding.path}:{finding.span.line}:{finding.span.column}"
    for terminal, width, told in (
        (False, 80, f"{place} in kernel scaled_sums_of_rows\n"),
        (True, 140, f"{place} in kernel scaled_sums_of_rows\n"),
        (True, 80, f"{place}\n      in kernel scaled_sums_of_rows\n"),
    ):
        found = render_report("text", report, RULES, RenderOptions(width=width, terminal=terminal))
        assert told in found
