"""Numbers that a kernel's module imports from another one of the workspace are as known as its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import survey_text, value

KERNEL = """
import numpy as np
from numba import cuda
{imports}

@cuda.jit
def k(out, n):
    i = cuda.grid(1)
    t = cuda.local.array(SIZE, np.float32)
    for j in range(SIZE):
        t[j] = j * n
    out[i] = t[n % SIZE]
"""


def elements(folder: Path, imports: str) -> object:
    (folder / "numbers_of_mine.py").write_text("SIZE = 32\nimport os\nOPEN = int(os.environ['n'])\n", "utf-8")
    found = survey_text(folder, program=KERNEL.format(imports=imports)).records
    (array,) = [one for one in found if one.entity == "array" and value(one, "name") == "t"]
    return value(array, "elements")


@pytest.mark.parametrize(
    ("imports", "size"),
    [
        ("from numbers_of_mine import SIZE", 32),
        ("from numbers_of_mine import *", 32),
        ("SIZE = 32", 32),
        ("from numbers_of_mine import OPEN as SIZE", None),
        ("from elsewhere import SIZE", None),
    ],
)
def test_the_elements_of_a_local_array(tmp_path: Path, imports: str, size: int | None) -> None:
    assert elements(tmp_path, imports) == size
