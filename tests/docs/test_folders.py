"""Folders are small enough to be known at a look: a dozen entries in `advisor`, fifteen in any other."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("advisor", "lsp_server", "benchmarks", "docs", "tests")
# A file for each example, output, decision or sample: known by its name, however many there are.
COLLECTIONS = {"examples", "golden", "decisions", "judged"}
FOLDERS = [
    folder
    for part in PARTS
    for folder in (ROOT / part, *(ROOT / part).rglob("*/"))
    if folder.is_dir() and not {"__pycache__", "node_modules", "vscode", *COLLECTIONS} & set(folder.parts)
]


def entries(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir() if one.name != "__pycache__")


def test_the_program_has_a_dozen_entries() -> None:
    assert len(entries(ROOT / "advisor")) <= 12


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_no_folder_has_more_than_fifteen_entries(folder: Path) -> None:
    modules = [name for name in entries(folder) if name != "__init__.py"]
    assert len(modules) <= 15, modules
