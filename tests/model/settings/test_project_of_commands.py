"""A program that is run and the files that are looked at afterwards belong to one project."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.model.settings.config import command_config, load_config, program_config


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory without a project mark in it or above it."""
    folder = tmp_path / "work"
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "program.py").touch()
    monkeypatch.chdir(folder)
    if any((above / mark).exists() for above in folder.parents for mark in ("pyproject.toml", ".git")):
        pytest.skip("the folder for tests lies in a project")
    return folder


def roots(program: str) -> tuple[Path, Path]:
    """The project of a run of a program, and of another command for its file."""
    return program_config(Path(program)).root, command_config(Path(program)).root


@pytest.mark.parametrize("program", ["program.py", "below/program.py", "./below/../below/program.py"])
def test_outside_of_a_project_it_is_the_working_directory(folder, program):
    assert roots(program) == (folder, folder)


def test_a_folder_beside_the_working_directory_stands_for_itself(folder):
    (folder.parent / "beside").mkdir()
    assert command_config(folder.parent / "beside").root == folder.parent / "beside"
    # Of a program there the working directory is the project: it may be one that is installed.
    assert program_config(folder.parent / "beside" / "tool").root == folder


@pytest.mark.parametrize("mark", ["advisor.toml", "pyproject.toml", ".git"])
def test_a_project_below_the_working_directory(folder, mark):
    (folder / "below" / mark).touch()
    assert roots("below/program.py") == (folder / "below", folder / "below")
    assert program_config(None).root == folder


@pytest.mark.parametrize("mark", ["advisor.toml", "pyproject.toml", ".git"])
def test_a_project_around_the_working_directory(folder, monkeypatch, mark):
    (folder / mark).touch()
    monkeypatch.chdir(folder / "below")
    assert roots("program.py") == (folder, folder)
    assert roots("../program.py") == (folder, folder)
    assert program_config(None).root == folder


def test_a_program_in_another_project(folder, monkeypatch):
    other = folder.parent / "other"
    other.mkdir()
    (other / "advisor.toml").write_text('device = "t4"\n')
    assert program_config(other / "program.py").root == other
    assert program_config(other / "program.py").device == "t4"
    # From within a project a program elsewhere is run for that project.
    (folder / "advisor.toml").touch()
    assert program_config(other / "program.py").root == folder


def test_an_editor_has_no_working_directory(folder):
    assert load_config(folder / "below").root == folder / "below"
