"""Folders are small enough to be known at a look: a dozen entries in `advisor`, fifteen in any other."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("advisor", "lsp_server", "benchmarks", "docs", "tests")
# A file for each example, output, decision or sample: known by its name, however many there are.
COLLECTIONS = {"examples", "golden", "decisions", "judged"}


def stands(path: Path) -> bool:
    """Whether git would know it: of a folder that was moved, only compiled modules stay where it was."""
    return path.name != "__pycache__" and (not path.is_dir() or any(stands(one) for one in path.iterdir()))


def entries(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir() if stands(one))


FOLDERS = [
    folder
    for part in PARTS
    for folder in (ROOT / part, *(ROOT / part).rglob("*/"))
    if not {"__pycache__", "node_modules", "vscode", *COLLECTIONS} & set(folder.parts)
    if folder.is_dir() and stands(folder)
]


def test_the_program_has_a_dozen_entries() -> None:
    assert len(entries(ROOT / "advisor")) <= 12


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_no_folder_has_more_than_fifteen_entries(folder: Path) -> None:
    modules = [name for name in entries(folder) if name != "__init__.py"]
    assert len(modules) <= 15, modules
