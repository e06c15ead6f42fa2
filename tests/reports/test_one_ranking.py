"""One ranking: `check`, `explain`, `import` and `report` in every format name the same first actions."""

from __future__ import annotations

import html
import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from program_in_process import run_advisor

from advisor.check.speedup_bounds.tree import diagnosis_tree
from advisor.fixes import with_fixes
from advisor.reports.diagnosis.actions_in_words import gain_in_words
from lsp_server.analysis.checked_text import analyse
from lsp_server.answers.pages import page_named
from lsp_server.documents.document import Document
from lsp_server.documents.workspace import WorkspaceFiles

ROOT = Path(__file__).parents[2]
WORKLOADS = sorted(
    file.stem for file in (ROOT / "kernels").glob("[a-z]*.py") if "def workload" in file.read_text("utf-8")
)
REPORTS = ("ncu-raw.csv", "ncu-details-comma.csv", "case-study-before.csv")
FIRST = diagnosis_tree().first


def printed(folder: Path, *argv: str) -> str:
    done = run_advisor(folder, *argv)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def words(text: str) -> str:
    """A text without the line ends of its page, nor its markup."""
    plain = html.unescape(re.sub(r"</?code>", "`", text))
    return re.sub(r"\s+", " ", plain.replace("`", "")).replace("- ", "-")


def page_of(folder: Path) -> str:
    assert run_advisor(folder, "report", "--html", "page.html").returncode == 0
    text = (folder / "page.html").read_text("utf-8")
    (shown,) = re.findall(r'<ol class="first">(.*?)</ol>', text, re.DOTALL)
    return words(shown)


def sentences(actions: list[dict[str, Any]]) -> list[str]:
    """What and how much of each first action, as pages say it."""
    return [words(f"[{one['rule']}]: {one['gain']}.") for one in actions[:FIRST]]


def whose(actions: list[dict[str, Any]]) -> list[tuple[str, str | None, int]]:
    return [(one["rule"], one["kernel"], one["line"]) for one in actions]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.advisor]\n")
    return tmp_path


def test_there_are_nine_workloads() -> None:
    assert len(WORKLOADS) == 9


@pytest.mark.skipif(sys.platform != "linux", reason="simulates")
@pytest.mark.parametrize("name", WORKLOADS)
def test_a_workload(project: Path, name: str) -> None:
    shutil.copytree(ROOT / "kernels", project / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    file = f"kernels/{name}.py"
    run_advisor(project, "profile", file, "--simulate", "-q")
    (ranked,) = json.loads(printed(project, "report", "--format", "json"))["devices"]
    actions = ranked["actions"]
    assert actions

    # The command line's check, as data and as text.
    checked = json.loads(printed(project, "check", file, "--format", "json"))["findings"]
    for number, action in enumerate(actions[:FIRST], start=1):
        same = [one for one in checked if one["rank"] == number]
        assert any((one["rule"], one["line"]) == (action["rule"], action["line"]) for one in same)
    short = words(printed(project, "check", file))
    for action in actions[:FIRST]:
        if action["severity"] != "info" and (action["speedup"] or 0.0) > 1.005:
            assert (
                words(action["gain"].partition(", high")[0].partition(", medium")[0].partition(", low")[0])
                in short
            )

    # The report as text and as a page.
    text, page = words(printed(project, "report")), page_of(project)
    places = [text.index(one) for one in sentences(actions)]
    assert places == sorted(places)
    places = [page.index(one) for one in sentences(actions)]
    assert places == sorted(places)

    # The diagnosis of each kernel: its actions, in this order, with these numbers; what it waits for.
    for kernel in ranked["kernels"]:
        found = json.loads(printed(project, "explain", f"{file}::{kernel['name']}", "--format", "json"))
        own = [one for one in actions if one["kernel"] == kernel["name"]]
        assert [(one["rule"], one["line"], one["speedup"]) for one in found["actions"]] == [
            (one["rule"], one["line"], one["speedup"]) for one in own
        ]
        limit = kernel["shapes"][0]["limit"]
        assert limit == diagnosis_tree().limit_in_words(found["bound"]["parts"][0]["resource"])
        assert found["bound"]["time_ms"] == pytest.approx(kernel["shapes"][0]["timing_ms"]["mean"])


@pytest.mark.skipif(sys.platform != "linux", reason="simulates")
@pytest.mark.parametrize("name", WORKLOADS)
def test_the_editor(project: Path, name: str) -> None:
    """The editor says what a `check` says that runs none of the code: rules, lines, gains; its page of a
    kernel has the actions of `explain` in their order.
    """
    file = f"kernels/{name}.py"
    (project / "kernels").mkdir()
    for needed in (f"{name}.py", "workload.py", "__init__.py"):
        shutil.copy(ROOT / "kernels" / needed, project / "kernels" / needed)
    asked = run_advisor(project, "check", file, "--no-run", "--format", "json", synthesis=True)
    checked = json.loads(asked.stdout)["findings"]
    path = project / file
    document = Document(path.as_uri(), 1, path, project, False, path.read_text("utf-8"))
    found = analyse(document, WorkspaceFiles(), evidence="simulated")
    found = replace(found, findings=tuple(with_fixes(found.findings, found.texts, found.tables)))
    edited = {(one.rule, one.span.line): one.gain.speedup if one.gain else 0.0 for one in found.findings}
    own = [one for one in checked if one["path"] == file]
    assert own
    said = {(one["rule"], one["line"]): one["gain"]["speedup"] if one["gain"] else 0.0 for one in own}
    assert edited == pytest.approx(said, rel=2e-3)

    ranked = [(one["rank"], one["rule"], one["line"]) for one in own if one["rank"] is not None]
    for number, action in enumerate(found.actions[:FIRST], start=1):
        assert (number, action.finding.rule, action.finding.span.line) in ranked
    for kernel in {one["kernel"] for one in own if one["kernel"]}:
        target = f"{file}::{kernel}"
        asked = run_advisor(project, "explain", target, "--no-run", "--format", "json", synthesis=True)
        actions = json.loads(asked.stdout)["actions"]
        page = page_named(kernel, found).text
        shown = re.findall(r"^1\. .*? \(lines? (\d+).*?, `([\w-]+)`\): (.*)", page, re.MULTILINE)
        order = [(one["rule"], one["line"]) for one in actions]
        assert [(rule, int(line)) for line, rule, _ in shown] == order
        edited = {
            (one.finding.rule, one.finding.span.line): one
            for one in found.actions
            if one.finding.kernel_concerned() == kernel
        }
        for (line, rule, told), action in zip(shown, actions, strict=True):
            ours = edited[rule, int(line)]
            assert told.startswith(gain_in_words(ours))
            assert (ours.speedup or 0.0) == pytest.approx(action["speedup"] or 0.0, rel=2e-3)


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_of_a_profiler(project: Path, name: str) -> None:
    file = project / name
    shutil.copy(ROOT / "tests/data/reports" / name, file)
    imported = json.loads(printed(project, "import", name, "--format", "json"))
    (ranked,) = json.loads(printed(project, "report", "--format", "json"))["devices"]
    actions = ranked["actions"]
    assert actions
    first = {
        number: [(one["rule"], one["kernel"]) for one in imported["findings"] if one["rank"] == number]
        for number in range(1, FIRST + 1)
    }
    for number, action in enumerate(actions[:FIRST], start=1):
        assert (action["rule"], action["kernel"]) in first[number]
    told = words(printed(project, "import", name, "--no-store"))
    text, page = words(printed(project, "report")), page_of(project)
    for action, sentence in zip(actions[:FIRST], sentences(actions), strict=False):
        assert sentence in text
        assert sentence in page
        if action["speedup"] is not None:
            assert f"{action['speedup']:.3g} times as fast" in told
