"""Kernels that a file brings to CuPy as literals of CUDA C++, and what the compiler makes of them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from advisor.evidence.source.kernels.cuda_kernels import cuda_kernels

TEXT = "__global__ void add(float* x) { x[threadIdx.x] += 1; }"


def kernels(tmp_path, text: str):
    file = tmp_path / "main.py"
    file.write_text(dedent(text))
    found = cuda_kernels(file, "main.py")
    return [(one.label, one.span.line) for one in found.records], found.units


@pytest.mark.parametrize(
    "text",
    [
        f"import cupy as cp\nk = cp.RawKernel('{TEXT}', 'add')\n",
        f"import cupy\nk = cupy.RawModule(code='{TEXT}').get_function('add')\n",
        f"from cupy import RawKernel\nRawKernel(code='{TEXT}', name='add', options=('-DN=1',))\n",
        f"import cupy\nCODE = '{TEXT}'\ndef f():\n    return cupy.RawKernel(CODE, 'add')\n",
    ],
)
def test_literals_that_cupy_is_given(tmp_path, text):
    found, units = kernels(tmp_path, text)
    line = text[: text.index("__global__")].count("\n") + 1
    assert found == [("add", line)]
    assert units[0].cuda is not None and units[0].cuda.text == TEXT
    assert units[0].obstacle == ""


@pytest.mark.parametrize(
    "text",
    [
        f"import other\nk = other.RawKernel('{TEXT}', 'add')\n",  # not CuPy's
        f"import cupy\nk = cupy.RawKernel('{TEXT}'.replace('1', '2'), 'add')\n",  # put together
        f"import cupy\nCODE = '{TEXT}'\nCODE = CODE + ' '\nk = cupy.RawKernel(CODE, 'add')\n",
        f"import cupy\nk = cupy.RawKernel('{TEXT}', 'sub')\n",  # has no such kernel
        "import cupy\nk = cupy.RawKernel('__global__ void add(float*);', 'add')\n",  # declared only
        "import cupy\nk = cupy.RawKernel('// x\\n__global__ void add() {}', 'add')\n",  # lines of no file
    ],
)
def test_texts_of_which_nothing_is_told(tmp_path, text):
    assert kernels(tmp_path, text) == ([], [])


def test_templates_by_their_instances(tmp_path):
    found, _ = kernels(
        tmp_path,
        """\
        import cupy
        CODE = '''
        template <typename T> __global__ void one(T* x) { x[0] = 1; }
        extern "C" __global__ void two(int* x) { x[0] = 1; }
        '''
        cupy.RawModule(code=CODE, name_expressions=("one<float>", "one<int>"))
        cupy.RawModule(code=CODE)
        """,
    )
    assert found == [("one<float>", 3), ("one<int>", 3), ("two", 4)]


def test_options_that_are_not_written_are_an_obstacle(tmp_path):
    _, units = kernels(tmp_path, f"import cupy\nk = cupy.RawKernel('{TEXT}', 'add', options=given)\n")
    assert units[0].obstacle == "the options of its compiler are not literals"
