"""SARIF: valid against the official schema, and what GitHub asks beyond it."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from sample_reports import CONSTANT_GRID, PROMOTED, REPORTS, RULES, UNCOALESCED, full_report, odd_report

from advisor.model.findings import Finding, Related, Report
from advisor.model.text.source_text import Span
from advisor.reports.outputs import render_report, sarif
from advisor.reports.outputs.sarif import MOST_LOCATIONS, MOST_RESULTS

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "data/schemas" / "sarif-schema-2.1.0.json").read_text(encoding="utf-8")
)


def log(report: Report) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(render_report("sarif", report, RULES))
    return content


def run_of(report: Report) -> dict[str, Any]:
    run: dict[str, Any] = log(report)["runs"][0]
    return run


@pytest.mark.parametrize("report", REPORTS)
def test_the_log_is_valid(report: str) -> None:
    jsonschema.Draft4Validator(SCHEMA).validate(log(REPORTS[report]()))


def test_the_schema_is_the_official_one_and_can_fail() -> None:
    assert SCHEMA["id"].endswith("/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json")
    broken = log(full_report())
    broken["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft4Validator(SCHEMA).validate(broken)


@pytest.mark.parametrize(
    ("path", "uri", "base"),
    [
        ("kernels/matmul.py", "kernels/matmul.py", True),
        ("a b,c#d?e%.py", "a%20b,c%23d%3Fe%25.py", True),
        ("ünïcode.py", "%C3%BCn%C3%AFcode.py", True),
        ("a:b.py", "a%3Ab.py", True),
        ("../up.py", "../up.py", True),
        ("/tmp/a b.py", "file:///tmp/a%20b.py", False),
        ("C:/data/a b.py", "file:///C:/data/a%20b.py", False),
        ("bad\udcff.py", "bad%FF.py", True),
    ],
)
def test_paths_become_uris(path: str, uri: str, base: bool) -> None:
    result = run_of(Report("x", [replace(CONSTANT_GRID, path=path)]))["results"][0]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact["uri"] == uri
    assert ("uriBaseId" in artifact) is base


def test_every_result_points_at_its_rule() -> None:
    run = run_of(full_report())
    rules = run["tool"]["driver"]["rules"]
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == [
        result["ruleId"] for result in run["results"]
    ]
    assert [result["level"] for result in run["results"]] == ["warning", "error", "note"]


def test_a_rule_brings_its_page() -> None:
    rules = {rule["id"]: rule for rule in run_of(full_report())["tool"]["driver"]["rules"]}
    known = rules["uncoalesced-access"]
    assert known["helpUri"] == RULES["uncoalesced-access"].url
    assert known["help"]["markdown"].startswith("# Uncoalesced access\n\nNeighbouring lanes")
    assert known["properties"]["tags"] == ["performance", "gpu", "memory"]
    assert known["properties"]["precision"] == "high"
    unknown = rules["constant-grid"]
    assert "helpUri" not in unknown
    assert unknown["shortDescription"]["text"] == "constant-grid"


def test_the_precision_is_that_of_the_least_certain_finding() -> None:
    findings = [PROMOTED, replace(PROMOTED, confidence="low"), replace(PROMOTED, confidence="high")]
    rules = run_of(Report("x", findings))["tool"]["driver"]["rules"]
    assert rules[0]["properties"]["precision"] == "low"


def test_columns_are_counted_in_characters() -> None:
    run = run_of(odd_report())
    assert run["columnKind"] == "unicodeCodePoints"
    region = run["results"][1]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 3, "startColumn": 18, "endLine": 3, "endColumn": 21}


def test_related_places_are_numbered() -> None:
    related = run_of(Report("x", [UNCOALESCED]))["results"][0]["relatedLocations"]
    assert [(place["id"], place["message"]["text"]) for place in related] == [(1, "launched here")]


def fingerprint(report: Report, at: int = 0) -> str:
    found = run_of(report)["results"][at]["partialFingerprints"]["primaryLocationLineHash"]
    assert re.fullmatch(r"[0-9a-f]{16}:\d+", found)
    return str(found)


def placed(text: str, *lines: int) -> Report:
    findings = [Finding("rule", "a.py", Span(line), "k", "info", "low", "m") for line in lines]
    return Report("x", findings, texts={"a.py": text})


def test_a_fingerprint_outlives_lines_above_and_new_indentation() -> None:
    assert fingerprint(placed("x = 1\n", 1)) == fingerprint(placed("\n\n    x  =  1\n", 3))


def test_a_fingerprint_changes_with_the_line_outside_of_kernels_only() -> None:
    one, other = placed("x = 1\n", 1), placed("x = 2\n", 1)
    assert fingerprint(one) == fingerprint(other)
    for report in (one, other):
        report.findings = [replace(finding, kernel=None) for finding in report.findings]
    assert fingerprint(one) != fingerprint(other)


def test_equal_lines_have_fingerprints_of_their_own() -> None:
    report = placed("x = 1\nx = 1\n", 1, 2)
    first, second = fingerprint(report, 0), fingerprint(report, 1)
    assert first.split(":")[0] == second.split(":")[0]
    assert (first.split(":")[1], second.split(":")[1]) == ("1", "2")


def test_the_gravest_findings_stay_when_there_are_too_many() -> None:
    findings = [replace(CONSTANT_GRID, span=Span(line)) for line in range(1, MOST_RESULTS + 11)]
    findings.append(PROMOTED)
    run = run_of(Report("x", findings))
    assert len(run["results"]) == MOST_RESULTS
    assert run["results"][-1]["ruleId"] == PROMOTED.rule
    notice = run["invocations"][0]["toolExecutionNotifications"][-1]["message"]["text"]
    assert notice == "11 findings of lower rank left out: a run holds 25,000 results."


def test_a_file_that_github_would_refuse_is_made_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = [
        replace(CONSTANT_GRID, span=Span(line), message=f"{line * 7919} blocks") for line in range(200)
    ]
    report = Report("x", [*findings, PROMOTED])
    whole = render_report("sarif", report, RULES)
    monkeypatch.setattr(sarif, "MOST_BYTES", len(gzip.compress(whole.encode())) // 3)
    text = render_report("sarif", report, RULES)
    assert len(gzip.compress(text.encode())) <= sarif.MOST_BYTES
    run = json.loads(text)["runs"][0]
    assert 10 < len(run["results"]) < 101 and run["results"][-1]["ruleId"] == PROMOTED.rule
    notice = run["invocations"][0]["toolExecutionNotifications"][-1]["message"]["text"]
    assert notice.startswith(f"{201 - len(run['results'])} findings of lower rank left out: GitHub takes ")


def test_what_github_counts_stays_below_its_limits() -> None:
    places = tuple(Related("a.py", Span(line), "here too") for line in range(1, 2001))
    run = run_of(Report("x", [replace(PROMOTED, related=places)]))
    (result,) = run["results"]
    assert len(result["locations"]) + len(result["relatedLocations"]) == MOST_LOCATIONS
    assert all(len(rule["properties"]["tags"]) <= 10 for rule in run["tool"]["driver"]["rules"])
    assert (
        len(result["partialFingerprints"]) >= 1 and "primaryLocationLineHash" in result["partialFingerprints"]
    )


def test_no_notice_when_all_fit() -> None:
    assert run_of(Report("x", [PROMOTED]))["invocations"][0]["toolExecutionNotifications"] == []
