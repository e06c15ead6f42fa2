"""The tools answer what the commands say."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from served_tools import answers, tools_of

_SHORT = 6000  # characters of an answer on one kernel


def test_six_tools_are_offered_which_say_what_they_may_do(project: Path) -> None:
    tools = tools_of(project)
    assert set(tools) == {"check", "explain", "what_if", "simulate", "verify", "rules"}
    reading = {name for name, tool in tools.items() if tool.annotations.read_only_hint}
    assert reading == {"check", "explain", "what_if", "rules"}
    assert all(tool.output_schema and tool.description for tool in tools.values())
    assert all(not tool.annotations.read_only_hint for tool in (tools["simulate"], tools["verify"]))


def test_what_may_run_without_asking_is_no_tool_that_only_reads(project: Path) -> None:
    tools = tools_of(project, "--allow-run")
    assert {name for name, tool in tools.items() if tool.annotations.read_only_hint} == {"rules"}


def test_check_says_what_the_command_says(project: Path) -> None:
    (answer,) = answers(project, [("check", {"paths": ["rows.py"], "most": 50})])
    command = [sys.executable, "-m", "advisor", "check", "rows.py", "--no-run", "--format", "json"]
    report = json.loads(subprocess.run(command, cwd=project, capture_output=True, check=False).stdout)
    assert not answer.failed
    keys = ("rule", "path", "line", "column", "kernel", "severity", "confidence", "message")
    told = [tuple(one[key] for key in keys) for one in answer.content["findings"]]
    assert told and sorted(told) == sorted(tuple(one[key] for key in keys) for one in report["findings"])
    assert answer.content["device"] == report["device"]
    assert answer.content["notices"] == report["notices"]
    by_rule = {one["rule"]: one for one in report["findings"]}
    for finding in answer.content["findings"]:
        same = by_rule[finding["rule"]]
        assert finding["source"] == same["url"]
        numbers = [(one["name"], one["value"], one["unit"], one["source"]) for one in finding["numbers"]]
        assert numbers == [
            (one["metric"], one["value"], one["unit"], one["source"]) for one in same["evidence"]
        ]
        edits = [edit for fix in same["fixes"] for edit in fix.get("edits", ())]
        offered = [edit for fix in finding["fixes"] for edit in fix["edits"]]
        assert [(one["start"], one["end"], one["text"]) for one in offered] == [
            (one["start"], one["end"], one["text"]) for one in edits
        ]
    assert len(json.dumps(answer.content)) < _SHORT


def test_check_leaves_out_what_is_beyond_the_limit(plain_project: Path) -> None:
    project = plain_project
    kernel = (project / "rows.py").read_text().partition("def workload")[0]
    for number in range(3):
        (project / f"more{number}.py").write_text(kernel)
    (answer,) = answers(project, [("check", {"most": 1})])
    assert len(answer.content["findings"]) == 1
    assert answer.content["left_out"] + 1 == sum(answer.content["by_severity"].values())


def test_a_file_that_cannot_be_checked_is_told(project: Path) -> None:
    (project / "broken.py").write_text("from numba import cuda\n\n@cuda.jit\ndef k(a:\n")
    (answer,) = answers(project, [("check", {"paths": ["broken.py"]})])
    assert [one["path"] for one in answer.content["errors"]] == ["broken.py"]


def test_rules_are_found_shown_and_asked(project: Path) -> None:
    found, page, why, wrong, half, option = answers(
        project,
        [
            ("rules", {"words": "uncoalesced"}),
            ("rules", {"rule": "uncoalesced-access"}),
            ("rules", {"rule": "uncoalesced-access", "kernel": "rows.py::copy_rows"}),
            ("explain", {"name": "uncoalesced-acess"}),
            ("rules", {"kernel": "rows.py::copy_rows"}),
            ("rules", {"rule": "--help"}),
        ],
    )
    assert [one["id"] for one in found.content["rules"]] == ["uncoalesced-access"]
    assert "sectors of 32 bytes" in page.content["page"]
    verdicts = why.content["why"]
    assert {one["verdict"] for one in verdicts} == {"fires"} and {one["line"] for one in verdicts} == {10}
    assert any("a.sectors_per_request = " in text for text in verdicts[0]["conditions"])
    assert any("at most 8 sectors/request" in text for text in verdicts[0]["would_change"])
    assert wrong.failed and "Did you mean `uncoalesced-access`?" in wrong.text
    assert half.failed and "goes with `rule`" in half.text
    assert option.failed and "there is no rule `--help`" in option.text


def test_what_if_predicts_without_running_or_writing(plain_project: Path) -> None:
    project = plain_project
    before = (project / "rows.py").read_text()
    edits = [
        {"path": "rows.py", "old": "out[i, k] = x[i, k]", "text": "cuda.syncthreads; out[i, k] = x[i, k]"}
    ]
    same = [{"path": "rows.py", "old": "i = cuda.grid(1)", "text": "i = cuda.grid(1) + 0"}]
    doubt = [{"path": "rows.py", "old": "x[i, k]", "text": ""}, {"path": "rows.py", "old": "i", "text": "j"}]
    changed, kept, twice = answers(
        project,
        [("what_if", {"edits": edits}), ("what_if", {"edits": same}), ("what_if", {"edits": doubt})],
    )
    assert [one["rule"] for one in changed.content["new"]] == ["function-not-called"]
    assert changed.content["stay"] and not changed.content["gone"]
    assert not kept.content["new"] and not kept.content["gone"]
    assert twice.failed and "`old` has to be there once" in twice.text
    assert (project / "rows.py").read_text() == before
    assert sorted(one.name for one in project.iterdir()) == [".advisor", ".git", "advisor.toml", "rows.py"]
