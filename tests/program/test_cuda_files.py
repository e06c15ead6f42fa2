"""Files of CUDA C++ that a program names are read with it; what does not name them with CuPy reads none."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.evidence.source.analysis import analyse
from advisor.model.text.source_text import SourceText

KERNEL = "__global__ void add(float* x) { x[threadIdx.x] += 1; }\n"


def read(root: Path, text: str, stdin: bool = False) -> dict[str, str]:
    """The texts of files of CUDA C++ that come with a program in the folder `app`."""
    file = root / "app" / "main.py"
    file.parent.mkdir(exist_ok=True)
    given = None
    if stdin:
        given = (file, SourceText("app/main.py", text))
    else:
        file.write_text(text)
    found = analyse([] if stdin else [file], root, stdin=given)
    return {path: found.texts[path] for path in sorted(found.cuda_files)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("app/add.cu", "app/kernels/tools.cuh", "shared/far.cu", "app/other.cu"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(KERNEL)
    return tmp_path


@pytest.mark.parametrize("stdin", [False, True])
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("import cupy\ncode = open('add.cu').read()\n", "app/add.cu"),
        ('import cupy\ncode = open(os.path.join(HERE, "add.cu")).read()\n', "app/add.cu"),
        ("import cupy\ncode = (HERE / 'kernels' / 'tools.cuh').read_text()\n", "app/kernels/tools.cuh"),
        ("import cupy\ncode = open('kernels/tools.cuh').read()\n", "app/kernels/tools.cuh"),
        ("import cupy\ncode = open('shared/far.cu').read()\n", "shared/far.cu"),
    ],
)
def test_files_that_literals_name(root, text, named, stdin):
    assert read(root, text, stdin) == {named: KERNEL}


@pytest.mark.parametrize(
    "text",
    [
        "code = open('add.cu').read()\n",
        "import cupy\ncode = open('missing.cu').read()\n",
        "import cupy\n# compiled from add.cu\n",
        "import cupy\nx = cupy.cuda.Stream()\n",
        "import cupy\ncode = open('add.custom').read()\n",
    ],
)
def test_nothing_is_read_otherwise(root, text):
    assert read(root, text) == {}


def test_a_file_that_is_no_text_is_left_out(root):
    (root / "app" / "add.cu").write_bytes(b"\xff\xfe\x00")
    assert read(root, "import cupy\ncode = open('add.cu').read()\n") == {}
