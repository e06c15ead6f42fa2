"""`--fix` looks again only at what its edits reach, and writes what it would with everything looked at."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from advisor.__main__ import main
from advisor.check.collectors import DefaultCollectors
from advisor.evidence.source.file_analyser import FileAnalyser

ROOT = Path(__file__).parents[3]
OPTIONS = ("--evidence", "source", "--no-cache", "--jobs", "1", "--unsafe-fixes", "--fix", "--exit-zero")
# The fix of the launch gives the kernel in the other file another block.
PROJECT = {
    "kernels.py": """\
from numba import cuda


@cuda.jit
def scale(a, out, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = a[i] ** 2


@cuda.jit
def count(values, found):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(found, values[i], 1)
""",
    "main.py": """\
import numpy as np
from numba import cuda

from kernels import count, scale


def run(n):
    a = np.zeros(n, np.float32)
    out = np.zeros(n, np.float32)
    found = np.zeros(16, np.int32)
    scale[(n + 99) // 100, 100](a, out, n)
    count[64, 100](a, found)
    return out, found
""",
    "other.py": "from kernels import scale\n# cuda\n\n\ndef f(a, n):\n    scale[n, 7](a, a, n)\n",
    "plain.py": "VALUE = 1\n",
}


def made(folder: Path) -> Path:
    folder.mkdir()
    (folder / "advisor.toml").touch()
    for name, text in PROJECT.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def copied(folder: Path) -> Path:
    folder.mkdir()
    (folder / "advisor.toml").touch()
    for name in ("dendritic_integration.py", "dot_product.py", "vector_add.py"):
        shutil.copy(ROOT / "kernels" / name, folder)
    return folder


def fixed(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, str], str]:
    """The texts afterwards, and the report."""
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["check", *OPTIONS, "."]) == 0
    return {file.name: file.read_text("utf-8") for file in folder.glob("*.py")}, capsys.readouterr().out


@pytest.mark.parametrize("project", [made, copied], ids=["small", "kernels"])
def test_the_same_is_written_as_with_all_files_looked_at_each_time(project, tmp_path, monkeypatch, capsys):
    before = {file.name: file.read_text("utf-8") for file in project(tmp_path / "before").glob("*.py")}
    looked: list[str] = []
    host = FileAnalyser.host

    def noted(self, file, *more, **options):
        looked.append(file.name)
        return host(self, file, *more, **options)

    monkeypatch.setattr(FileAnalyser, "host", noted)
    kept = fixed(project(tmp_path / "kept"), capsys)
    with_memory = len(looked)
    monkeypatch.setattr("advisor.cli.commands.check._collectors", lambda _: DefaultCollectors())
    assert kept == fixed(project(tmp_path / "again"), capsys)
    assert kept[0] != before
    if project is made:
        assert "scale[(n + 127) // 128, 128]" in kept[0]["main.py"]
    assert with_memory < len(looked) - with_memory
