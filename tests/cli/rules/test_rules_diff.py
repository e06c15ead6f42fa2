"""`advisor rules diff`: verdicts that change under an edit of a rule, or under other settings."""

from __future__ import annotations

import subprocess
from pathlib import Path

import house_pack
import pytest
from program_in_process import run_advisor

KERNEL = (
    house_pack.KERNEL
    + """

@cuda.jit
def every_second(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[2 * i]
"""
)
RULE = house_pack.RULE.format(name="house-stride")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "k.py").write_text(KERNEL)
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "house-stride.rules").write_text(RULE)
    (tmp_path / "advisor.toml").write_text(
        'packs = ["house"]\nevidence = "source"\nselect = ["house-stride"]\n'
    )
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        git(tmp_path, *command)
    return tmp_path


def git(folder: Path, *argv: str) -> None:
    identity = ["-c", "user.name=tests", "-c", "user.email=tests@example.org"]
    subprocess.run(["git", *identity, *argv], cwd=folder, check=True, timeout=300)


def diff(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    return run_advisor(folder, "rules", "diff", *argv)


def test_nothing_changes_without_an_edit(project: Path) -> None:
    done = diff(project)
    assert (done.returncode, done.stdout) == (0, "No verdict changes on 2 kernels.\n"), done.stderr


def test_an_edit_of_a_threshold(project: Path) -> None:
    file = project / "house" / "house-stride.rules"
    file.write_text(RULE.replace("most = 10", "most = 7"))
    done = diff(project)
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines() == [
        "+ house-stride: access `a` in every_second (k.py:15) silent -> fires",
        "1 verdict of 1 rule changes on 2 kernels.",
    ]
    git(project, "commit", "-qam", "second")
    assert diff(project).returncode == 0
    assert diff(project, "--against", "HEAD~1").returncode == 1


def test_a_rule_that_is_new_or_gone(project: Path) -> None:
    file = project / "house" / "house-stride.rules"
    file.rename(project / "house" / "house-step.rules")
    file.with_name("house-step.rules").write_text(RULE.replace("house-stride", "house-step"))
    lines = diff(project).stdout.splitlines()
    assert lines[:2] == [
        "+ house-step: access `a` in every_fourth (k.py:8) no such rule -> fires",
        "- house-stride: access `a` in every_fourth (k.py:8) fires -> no such rule",
    ]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            "house-stride.most=20 sectors/request",
            "- house-stride: access `a` in every_fourth (k.py:8) fires -> silent",
        ),
        ("house-stride=off", "- house-stride: access `a` in every_fourth (k.py:8) fires -> silent"),
        (
            "house-stride.most=5 sectors/request",
            "+ house-stride: access `a` in every_second (k.py:15) silent -> fires",
        ),
    ],
)
def test_a_preview_of_a_setting(project: Path, change: str, expected: str) -> None:
    done = diff(project, "--set", change)
    assert done.stdout.splitlines()[0] == expected, done.stderr


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("--against", "no-such-revision"), "git knows no revision `no-such-revision`"),
        (("--set", "house-stride.mst=5"), "unknown parameter `mst`. Did you mean `most`?"),
        (("--set", "house-stride.most=500 sectors/request"), "outside its range"),
        (("--set", "house-stride"), "write RULE.PARAM=VALUE, RULE=off or RULE=level."),
    ],
)
def test_what_cannot_be_compared(project: Path, argv: tuple[str, ...], said: str) -> None:
    done = diff(project, *argv)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
