"""`advisor check --diff` shows what `--fix` writes in the end, and writes nothing itself."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from advisor.__main__ import main
from advisor.check.pipeline import check
from advisor.cli.checking.fixing import edited_texts
from advisor.fixes.application import chosen
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config

KERNELS = Path(__file__).parents[3] / "kernels"
# Their fixes take several rounds: one kind of fix at a time, and what the ones before brought to light.
FILES = ("ar_forecast.py", "dendritic_integration.py")
OPTIONS = ("--evidence", "source", "--no-cache", "--jobs", "1", "--unsafe-fixes")


def texts(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text() for name in FILES}


def differences(capsys: pytest.CaptureFixture[str], *paths: str) -> tuple[int, str]:
    capsys.readouterr()
    status = main(["check", *OPTIONS, "--diff", *paths])
    return status, capsys.readouterr().out


def patched(folder: Path, difference: str) -> dict[str, str]:
    command = ["git", "apply", "-p1", "-"]
    subprocess.run(command, cwd=folder, input=difference, text=True, check=True)
    return texts(folder)


def made(folder: Path) -> Path:
    folder.mkdir()
    (folder / "advisor.toml").touch()
    for name in FILES:
        shutil.copy(KERNELS / name, folder)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return made(tmp_path / "project")


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What `--fix` makes of the project."""
    folder = made(tmp_path_factory.mktemp("fixed") / "project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        main(["check", *OPTIONS, "--fix", "--quiet", "."])
    return texts(folder)


def test_the_difference_applied_is_what_fix_writes(project, fixed, monkeypatch, capsys):
    before = texts(project)
    monkeypatch.chdir(project)
    status, difference = differences(capsys, ".")
    assert status == 1
    assert texts(project) == before
    assert sorted(one.name for one in project.iterdir()) == sorted(["advisor.toml", *FILES])
    options = CheckOptions(
        "a100-80gb", project, "source", settings=Config(root=project), jobs=1, proofs=False
    )
    report = check([project / name for name in FILES], options)
    at_once = edited_texts(report.texts, chosen(report.findings, ("safe", "needs review")))
    assert at_once and any(fixed[name] != text for name, text in at_once.items())
    assert patched(project, difference) == fixed
    assert differences(capsys, ".") == (0, "")


def test_from_a_folder_outside_of_the_project(project, fixed, monkeypatch, capsys):
    elsewhere = project.parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    _, difference = differences(capsys, "../project")
    assert difference.startswith("--- a/../project/ar_forecast.py\n+++ b/../project/ar_forecast.py\n")
    assert patched(project, difference.replace("/../project/", "/")) == fixed


def test_a_file_that_fix_leaves_alone_has_no_difference(project, monkeypatch, capsys):
    before = texts(project)
    for name in FILES:
        (project / name).chmod(0o444)
    monkeypatch.chdir(project)
    assert main(["check", *OPTIONS, "--diff", "."]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "ar_forecast.py is left as it is: it is read-only." in captured.err
    assert texts(project) == before
