"""Fixes of a check of more files than are held parsed at once."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from advisor.check.pipeline import check_with_tables
from advisor.fixes import place, with_fixes
from advisor.fixes.support.edits.source_module import SourceModule, read_module
from advisor.model.findings import Finding
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config
from advisor.model.text.source_text import Span

FILES = 3 * place._MOST_MODULES

KERNEL = """\
import numpy as np
from numba import cuda
{imports}

@cuda.jit
def scale_{number}(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = {value}


def run():
    scale_{number}[1, 32](cuda.to_device(np.ones(32, np.{dtype})))
"""
SHARED = "from numba import cuda\n\n\n@cuda.jit(device=True)\ndef half(x):\n    return x * 0.5\n"


def constant_line(path: str, line: int, kernel: str | None) -> Finding:
    """A float64 constant in an assignment that is all of a line."""
    span = Span(line, 9, line, 9 + len("a[i] = a[i] * 0.5"))
    return Finding("float64-promotion", path, span, kernel, "warning", "high", "m", "w", ())


def written(
    folder: Path, dtypes: list[str], value: str = "a[i] * 0.5", imports: str = ""
) -> tuple[dict[str, str], list[Path]]:
    """The texts of one kernel and one launch each, by path, and their files."""
    texts = {
        f"k{number:03}.py": KERNEL.format(number=number, dtype=dtype, value=value, imports=imports)
        for number, dtype in enumerate(dtypes)
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return texts, [folder / name for name in texts]


def fixed_files(findings: list[Finding]) -> list[int]:
    """The numbers of the files whose constants would be written as float32."""
    return [int(one.path[1:4]) for one in findings if any(fix.id == "float32-constants" for fix in one.fixes)]


def test_each_file_is_read_once_and_few_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dtypes = ["float64" if number % 5 == 0 else "float32" for number in range(FILES)]
    texts, files = written(tmp_path, dtypes)
    options = CheckOptions(
        "a100-80gb", tmp_path, "source", settings=Config(root=tmp_path), workspace_files=()
    )
    tables = check_with_tables(files, options).tables
    read: list[str] = []

    def noted(text: str, unread: frozenset[int], path: str) -> SourceModule | None:
        read.append(path)
        return read_module(text, unread, path)

    monkeypatch.setattr(place, "read_module", noted)
    findings = [constant_line(path, 9, f"scale_{int(path[1:4])}") for path in texts]
    gc.collect()
    before = sum(isinstance(one, SourceModule) for one in gc.get_objects())
    gc.disable()
    try:
        found = with_fixes(findings, texts, tables)
        after = sum(isinstance(one, SourceModule) for one in gc.get_objects())
    finally:
        gc.enable()
    assert fixed_files(found) == [number for number in range(FILES) if number % 5]
    assert read == sorted(texts)
    assert after - before <= 2 * place._MOST_MODULES


def test_a_function_of_another_file_is_left_alone_where_one_of_many_launches_passes_float64(
    tmp_path: Path,
) -> None:
    for last, expected in (("float32", True), ("float64", False)):
        dtypes = [*["float32"] * (place._MOST_MODULES + 1), last]
        texts, files = written(tmp_path, dtypes, "half(a[i])", "from shared import half\n")
        texts["shared.py"] = SHARED.replace("from numba", "import numpy as np\nfrom numba")
        (tmp_path / "shared.py").write_text(texts["shared.py"])
        options = CheckOptions(
            "a100-80gb", tmp_path, "source", settings=Config(root=tmp_path), workspace_files=()
        )
        tables = check_with_tables([*files, tmp_path / "shared.py"], options).tables
        at = Span(7, 5, 7, 19)
        finding = Finding("float64-promotion", "shared.py", at, "scale_0", "warning", "high", "m", "w", ())
        (found,) = with_fixes([finding], texts, tables)
        assert any(fix.id == "float32-constants" for fix in found.fixes) is expected
