"""What `advisor check` makes of a report: exit status, output, baseline."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from advisor.model.findings import Problem
from advisor.reports.outputs import available_formats

Run = Callable[..., Any]


@pytest.mark.parametrize(
    ("severity", "argv", "status"),
    [
        ("info", [], 0),
        ("warning", [], 1),
        ("error", [], 1),
        ("info", ["--fail-level", "info"], 1),
        ("warning", ["--fail-level", "error"], 0),
        ("error", ["--exit-zero"], 0),
        ("warning", ["--config", 'fail-level="error"'], 0),
        ("warning", ["--config", 'fail-level="error"', "--fail-level", "warning"], 1),
    ],
)
def test_exit_status(advisor: Run, fake_check: Any, severity: Any, argv: list[str], status: int) -> None:
    fake_check.findings.clear()
    fake_check.find(severity=severity)
    assert advisor("check", *argv).status == status


def test_status_2_when_nothing_could_be_checked_even_with_exit_zero(advisor: Run, fake_check: Any) -> None:
    fake_check.problems = [Problem("k.py", 3, "is not valid Python")]
    fake_check.kernels = 0
    assert advisor("check").status == 2
    assert advisor("check", "--exit-zero").status == 2


def test_one_file_that_fails_beside_one_that_does_not_is_status_2(
    advisor: Run, fake_check: Any, project: Path
) -> None:
    (project / "plain.py").write_text("x = 1\n")
    fake_check.find(severity="error")
    fake_check.problems = [Problem("k.py", 3, "is not valid Python", 7)]
    outcome = advisor("check")
    assert outcome.status == 2
    assert "k.py:3:7 error[not-checked] is not valid Python" in outcome.out
    assert "--> k.py:3:7" in advisor("check", "--all").out
    assert "not everything could be checked" in outcome.out
    assert advisor("check", "--baseline", "b.json", "--write-baseline").status == 2


def test_a_kernel_that_does_not_compile_is_no_failure_of_its_file(advisor: Run, fake_check: Any) -> None:
    fake_check.findings.clear()
    fake_check.problems = [Problem("k.py", 5, "does not compile", checked=True)]
    outcome = advisor("check")
    assert outcome.status == 0
    assert "1 problem: checked with less evidence." in outcome.out
    assert "not everything" not in outcome.out


@pytest.mark.parametrize("name", available_formats())
def test_a_folder_without_python_files_says_so(
    advisor: Run, fake_check: Any, project: Path, name: str
) -> None:
    (project / "empty").mkdir()
    fake_check.findings.clear()
    for more in ([], ["--quiet"], ["k.py"]):
        outcome = advisor("check", *more, "empty", "--format", name)
        assert outcome.status == 2
        assert "no Python files in this folder" in outcome.out
        assert "empty" in outcome.out
        assert "empty:0" not in outcome.out


def test_an_excluded_folder_says_why_it_has_no_files(advisor: Run, fake_check: Any, project: Path) -> None:
    (project / "gone").mkdir()
    (project / "gone" / "k.py").write_text("x = 1\n")
    outcome = advisor("check", "gone", "--config", 'exclude=["gone/*"]')
    assert outcome.status == 2
    assert "no Python files in this folder: all are excluded" in outcome.out


def test_folders_that_were_met_before_are_not_empty(advisor: Run, fake_check: Any, project: Path) -> None:
    (project / "inner").mkdir()
    (project / "inner" / "k.py").write_text("x = 1\n")
    (project / "link").symlink_to("inner", target_is_directory=True)
    fake_check.findings.clear()
    assert advisor("check", "inner", ".", "inner", "link").status == 0


def test_quiet_prints_no_count(advisor: Run, fake_check: Any) -> None:
    fake_check.findings.clear()
    assert advisor("check", "--quiet").out == ""
    assert advisor("check", "--quiet", "--format", "concise").out == ""
    fake_check.find()
    assert len(advisor("check", "--quiet", "--format", "concise").out.splitlines()) == 1
    assert "Found" not in advisor("check", "--quiet").out


def test_every_format_prints_the_finding(advisor: Run, fake_check: Any) -> None:
    from advisor.reports.outputs import available_formats

    fake_check.findings.clear()
    fake_check.find()
    for name in available_formats():
        outcome = advisor("check", "--format", name)
        assert outcome.status == 1
        assert "slow-pow" in outcome.out, name


def test_json_says_the_device_and_the_place(advisor: Run, fake_check: Any) -> None:
    fake_check.findings.clear()
    fake_check.find()
    content = json.loads(advisor("check", "--format", "json").out)
    assert (content["version"], content["device"]) == (1, "NVIDIA T4")
    (finding,) = content["findings"]
    assert (finding["rule"], finding["path"], finding["line"], finding["column"]) == (
        "slow-pow",
        "k.py",
        6,
        5,
    )


def test_the_output_file_replaces_an_older_report(advisor: Run, fake_check: Any, project: Path) -> None:
    fake_check.findings.clear()
    fake_check.find()
    (project / "report.json").write_text("old")
    outcome = advisor("check", "--format", "json", "--output", "report.json")
    assert (outcome.status, outcome.out) == (1, "")
    assert json.loads((project / "report.json").read_text())["findings"]
    assert sorted(path.name for path in project.iterdir() if path.is_file()) == ["k.py", "report.json"]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("k.py", "refusing to overwrite a source file"),
        ("link", "refusing to overwrite a file that is being checked"),
        ("nowhere/report.txt", "does not exist"),
        (".", "is a folder"),
    ],
)
def test_the_output_never_destroys_a_source(
    advisor: Run, fake_check: Any, project: Path, target: str, message: str
) -> None:
    (project / "link").symlink_to("k.py")
    outcome = advisor("check", "--output", target)
    assert outcome.status == 2
    assert message in outcome.err
    assert (project / "k.py").read_text().startswith("from numba import cuda")


def test_a_write_that_fails_leaves_the_old_report(
    advisor: Run, fake_check: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    (project / "report.txt").write_text("old")
    monkeypatch.setattr(Path, "replace", fail)
    outcome = advisor("check", "--output", "report.txt")
    assert (outcome.status, outcome.err) == (
        2,
        "advisor: error: report.txt: cannot be written: No space left on device\n",
    )
    assert (project / "report.txt").read_text() == "old"
    assert sorted(path.name for path in project.iterdir() if path.is_file()) == ["k.py", "report.txt"]


def test_a_baseline_hides_what_it_accepts_when_lines_move_and_nothing_more(
    advisor: Run, fake_check: Any, project: Path
) -> None:
    fake_check.findings.clear()
    fake_check.find()
    outcome = advisor("check", "--baseline", "base.json", "--write-baseline")
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "base.json: 1 finding accepted.\n")
    source = project / "k.py"
    source.write_text("\n# moved\n" + source.read_text())
    fake_check.findings.clear()
    fake_check.find(line=8)
    assert advisor("check", "--baseline", "base.json").status == 0
    fake_check.findings.clear()
    fake_check.find(line=8)
    fake_check.find(line=8)
    assert advisor("check", "--baseline", "base.json").status == 1
    fake_check.findings.clear()
    fake_check.find(rule="spills", line=8)
    assert advisor("check", "--baseline", "base.json").status == 1


def test_a_baseline_says_what_is_gone_and_is_rewritten_for_the_checked_files_only(
    advisor: Run, fake_check: Any, project: Path
) -> None:
    (project / "other.py").write_text((project / "k.py").read_text())
    fake_check.findings.clear()
    fake_check.find()
    fake_check.find(path="other.py")
    advisor("check", "--baseline", "base.json", "--write-baseline")
    fake_check.findings.clear()
    assert (
        "1 of the findings in base.json no longer exist"
        in advisor("check", "k.py", "--baseline", "base.json").out
    )
    advisor("check", "k.py", "--baseline", "base.json", "--write-baseline")
    rows = json.loads((project / "base.json").read_text())["findings"]
    assert [(row["path"], row["count"]) for row in rows] == [("other.py", 1)]


@pytest.mark.parametrize("content", ["", "[]", '{"version": 2}', '{"version": 1, "findings": [{}]}'])
def test_what_is_no_baseline_is_neither_read_nor_overwritten(
    advisor: Run, fake_check: Any, project: Path, content: str
) -> None:
    (project / "notes.json").write_text(content)
    for more in ([], ["--write-baseline"]):
        outcome = advisor("check", "--baseline", "notes.json", *more)
        assert outcome.status == 2
        assert "is not a baseline of this program" in outcome.err
    assert (project / "notes.json").read_text() == content


def test_verbose_says_what_was_used(advisor: Run, fake_check: Any, project: Path) -> None:
    (project / "advisor.toml").write_text("")
    err = advisor("check", "--verbose").err
    assert f"advisor: configuration: {project / 'advisor.toml'}" in err
    assert "advisor: device: NVIDIA T4" in err


def test_no_progress_where_stderr_is_no_terminal(advisor: Run, fake_check: Any) -> None:
    assert advisor("check").err == ""


def test_all_findings_are_printed_by_all_and_counted_else(
    advisor: Run, fake_check: Any, project: Path
) -> None:
    (project / "k.py").write_text("x = 1\n" * 20)
    for line in range(1, 15):
        fake_check.find(rule=f"rule-{line}", line=line)
    short, whole = advisor("check"), advisor("check", "--all")
    assert short.status == whole.status == 1
    assert short.out.count("warning[rule-") == 10 and whole.out.count("warning[rule-") == 14
    assert "\n4 more warnings in 1 kernel: advisor check --all\n" in short.out
    assert whole.out == advisor("check", "--format", "text").out
    assert "Found 14 warnings" in short.out and "Found 14 warnings" in whole.out


def test_the_configuration_says_how_many_causes_are_shown(
    advisor: Run, fake_check: Any, project: Path
) -> None:
    (project / "advisor.toml").write_text("report-causes = 2\n")
    for line in (1, 3, 6):
        fake_check.find(rule=f"rule-{line}", line=line)
    assert advisor("check").out.count("warning[rule-") == 2
    assert advisor("check", "--config", "report-causes = 3").out.count("warning[rule-") == 3
    assert advisor("check", "--output", "report.txt").out == ""
    assert (project / "report.txt").read_text().count("warning[rule-") == 2


def test_a_short_report_leaves_out_what_the_baseline_accepts(advisor: Run, fake_check: Any) -> None:
    for line in range(1, 13):
        fake_check.find(rule=f"rule-{line}", line=6)
    assert advisor("check", "--baseline", "b.json", "--write-baseline").status == 0
    fake_check.find(rule="new", line=6)
    outcome = advisor("check", "--baseline", "b.json")
    assert outcome.status == 1 and "warning[new]" in outcome.out and "more" not in outcome.out


def test_all_and_another_format_do_not_go_together(advisor: Run, fake_check: Any) -> None:
    outcome = advisor("check", "--all", "--format", "json")
    assert outcome.status == 2 and "not allowed with argument" in outcome.err
