"""Caches that hold nonsense: thrown away, and the result is that of a fresh run."""

from __future__ import annotations

from pathlib import Path

import pytest
from advisor_command import AdvisorCommand, Outcome, contents

DAMAGES = {
    "empty": lambda data: b"",
    "half": lambda data: data[: len(data) // 2],
    "noise": lambda data: bytes(range(256)) * (len(data) // 256 + 1),
    "text": lambda data: b"{}\n",
    "middle": lambda data: data[: len(data) // 3] + b"\xff" * (len(data) // 3) + data[2 * (len(data) // 3) :],
}


def run(folder: Path, workspace: Path, evidence: str) -> Outcome:
    return AdvisorCommand(folder / "home").check("--evidence", evidence, cwd=workspace)


def kept_files(folder: Path, workspace: Path) -> list[Path]:
    """The files of both caches: the workspace's results and the user's rules."""
    found = [path for path in (workspace / ".advisor").rglob("*") if path.is_file()]
    rules = [path for path in (folder / "home" / "cache").rglob("*") if path.is_file()]
    assert [path.name for path in found if path.suffix == ".sqlite3"]
    assert rules
    return found + rules


@pytest.mark.parametrize(
    ("evidence", "damage"),
    [*(("source", damage) for damage in DAMAGES), ("compiled", "half"), ("compiled", "noise")],
)
def test_damaged_caches_change_nothing(
    tmp_path: Path, compiler: None, workspace: Path, evidence: str, damage: str
) -> None:
    (tmp_path / "home").mkdir()
    before = contents(workspace)
    fresh = run(tmp_path, workspace, evidence)
    assert fresh.status == 1
    for path in kept_files(tmp_path, workspace):
        path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert run(tmp_path, workspace, evidence) == fresh
    # What replaced the damage serves the next run.
    assert run(tmp_path, workspace, evidence) == fresh
    assert contents(workspace) == before


def test_folders_where_files_of_the_cache_should_be(tmp_path: Path, workspace: Path) -> None:
    (tmp_path / "home").mkdir()
    fresh = run(tmp_path, workspace, "source")
    for path in kept_files(tmp_path, workspace):
        path.unlink()
        path.mkdir()
    assert run(tmp_path, workspace, "source") == fresh


def test_a_file_where_the_cache_folder_should_be(tmp_path: Path, workspace: Path) -> None:
    (tmp_path / "home").mkdir()
    fresh = run(tmp_path, workspace, "source")
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    (other / "good.py").write_bytes((workspace / "good.py").read_bytes())
    (other / ".advisor").write_text("mine\n")
    outcome = run(tmp_path, other, "source")
    assert (outcome.status, outcome.places) == (fresh.status, fresh.places)
    assert (other / ".advisor").read_text() == "mine\n"
