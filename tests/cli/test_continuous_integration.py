"""The action for GitHub, the template for GitLab and the hooks for pre-commit: their shell is run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
KERNEL = """\
from numba import cuda


@cuda.jit
def first(out):
    if cuda.threadIdx.x == 0:
        out[0] = 1
"""
FAULT = "\n\n@cuda.jit\ndef waits(out):\n    cuda.syncthreads\n    out[cuda.grid(1)] = 1\n"
# What a composite action may have, after https://docs.github.com/actions/reference/metadata-syntax-for-github-actions
ACTION_KEYS = {"name", "description", "author", "branding", "inputs", "outputs", "runs"}
STEP_KEYS = {
    "name",
    "id",
    "if",
    "shell",
    "env",
    "run",
    "working-directory",
    "continue-on-error",
    "uses",
    "with",
}


def _action() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    return content


def _step(name: str) -> dict[str, Any]:
    (found,) = [one for one in _action()["runs"]["steps"] if one["name"] == name]
    return dict(found)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a fault that its first commit had not, and the program where the action puts it."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "k.py").write_text(KERNEL)
    (folder / "advisor.toml").write_text("synthesis = false\nevidence = 'source'\n")
    for command in ("init -q", "add .", "commit -qm one"):
        name = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *name, *shlex.split(command)], cwd=folder, check=True)
    (folder / "k.py").write_text(KERNEL + FAULT)
    bin = tmp_path / "kernel-advisor" / "bin"
    bin.mkdir(parents=True)
    for file, command in (
        (bin / "advisor", f'exec {shlex.quote(sys.executable)} -m advisor "$@"'),
        (bin / "gh", f'printf "%s\\n" "$@" > {shlex.quote(str(tmp_path / "gh"))}'),
    ):
        file.write_text(f"#!/bin/sh\n{command}\n")
        file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return folder


Shell = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def shell(repository: Path, tmp_path: Path) -> Shell:
    def run(script: str, **variables: str) -> subprocess.CompletedProcess[str]:
        given = {
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        }
        # How GitHub runs `shell: bash`.
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script]
        return subprocess.run(
            command, cwd=repository, env={**os.environ, **given, **variables}, capture_output=True, text=True
        )

    return run


def test_the_action_is_a_composite_one() -> None:
    action = _action()
    assert set(action) <= ACTION_KEYS and {"name", "description", "runs"} <= set(action)
    assert action["runs"]["using"] == "composite"
    assert all(one.keys() <= {"description", "required", "default"} for one in action["inputs"].values())
    assert all(one.keys() == {"description", "value"} for one in action["outputs"].values())
    ids = {step["id"] for step in action["runs"]["steps"] if "id" in step}
    for step in action["runs"]["steps"]:
        assert set(step) <= STEP_KEYS
        assert step["shell"] == "bash" and step["run"]
        # An input that were written into the script would be shell of whoever chose it.
        assert "${{" not in step["run"]
        named = re.findall(r"inputs\.([\w-]+)", str(step))
        assert set(named) <= set(action["inputs"])
    assert set(re.findall(r"steps\.(\w+)\.", str(action))) <= ids


def test_the_check_annotates_and_keeps_its_status(shell: Shell, tmp_path: Path, repository: Path) -> None:
    variables = {
        "PATHS": ". k.py",
        "DEVICE": "h100-sxm",
        "FAIL_LEVEL": "",
        "RUN": "false",
        "SARIF": "out.sarif",
    }
    done = shell(_step("Check")["run"], **variables)
    assert done.returncode == 0, done.stderr
    assert "::error file=k.py,line=12," in done.stdout and "function-not-called" in done.stdout
    assert (tmp_path / "output").read_text() == "status=1\n"
    assert '"ruleId": "function-not-called"' in (repository / "out.sarif").read_text()
    assert shell(_step("Verdict")["run"], STATUS="1").returncode == 1
    assert shell(_step("Verdict")["run"], STATUS="0").returncode == 0


def test_paths_of_an_input_are_no_shell(shell: Shell, repository: Path) -> None:
    variables = {"DEVICE": "", "FAIL_LEVEL": "", "RUN": "false", "SARIF": ""}
    shell(_step("Check")["run"], PATHS="k.py $(touch ran) ; touch ran", **variables)
    assert not (repository / "ran").exists()


def test_the_changes_come_as_a_summary_and_a_comment(shell: Shell, tmp_path: Path) -> None:
    done = shell(_step("Changes since the base")["run"], PATHS=".", DEVICE="", RUN="false", BASE="HEAD")
    assert done.returncode == 0, done.stderr
    summary = (tmp_path / "summary").read_text()
    assert (
        summary.startswith("## Kernel Advisor: changes since HEAD (") and "`function-not-called`" in summary
    )
    file = (tmp_path / "output").read_text().strip().removeprefix("file=")
    assert Path(file).read_text() == summary
    told = shell(_step("Comment on the pull request")["run"], NUMBER="7", REPOSITORY="a/b", FILE=file)
    assert told.returncode == 0
    assert (tmp_path / "gh").read_text().split()[:5] == ["pr", "comment", "7", "--repo", "a/b"]


def test_changes_that_cannot_be_told_are_a_warning(shell: Shell, tmp_path: Path) -> None:
    step = _step("Changes since the base")["run"].replace("git fetch", "true")
    done = shell(step, PATHS=".", DEVICE="", RUN="false", BASE="nowhere")
    assert done.returncode == 0 and "::warning title=Kernel Advisor::" in done.stdout
    assert not (tmp_path / "output").exists()


def test_the_template_for_gitlab(shell: Shell, repository: Path) -> None:
    text = (ROOT / "templates" / "kernel-advisor.yml").read_text("utf-8")
    head, job = yaml.safe_load_all(text)
    inputs = head["spec"]["inputs"]
    assert set(re.findall(r"\$\[\[ inputs\.(\w+) \]\]", text)) == set(inputs)
    job = job["kernel-advisor"]
    variables = {"ADVISOR_PATHS": ".", "ADVISOR_OPTIONS": inputs["options"]["default"]}
    done = shell("\n".join(job["script"]), CI_MERGE_REQUEST_DIFF_BASE_SHA="HEAD", **variables)
    assert done.returncode == 1
    report = repository / job["artifacts"]["reports"]["codequality"]
    assert '"check_name": "function-not-called"' in report.read_text()
    assert "`function-not-called`" in (repository / "kernel-advisor-changes.md").read_text()
    assert shell("\n".join(job["script"]), **{**variables, "ADVISOR_PATHS": "nowhere.py"}).returncode != 0


def test_the_hooks_of_pre_commit(shell: Shell, repository: Path) -> None:
    hooks = {one["id"]: one for one in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    assert all({"id", "name", "entry", "language"} <= set(one) for one in hooks.values())
    (repository / "plain.py").write_text("SIZE = 1\n")
    (repository / "a.rules").write_text("/// Nothing.\n")
    entry = hooks["kernel-advisor"]["entry"]
    failing = shell(f"{entry} plain.py k.py")
    assert failing.returncode == 1 and "\nk.py:12:" in failing.stdout
    assert shell(f"{entry} plain.py").returncode == 0
    assert shell(f"{hooks['kernel-advisor-rules']['entry']} a.rules").returncode == 0
