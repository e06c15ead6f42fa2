"""Code that only looks like CUDA gives no kernels; beside it real kernels are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.check.pipeline import check
from advisor.evidence.source.analysis import analyse
from advisor.model.settings.check_options import CheckOptions

LOOK_ALIKES = {
    "a local module named cuda": {
        "cuda": "def jit(function):\n    return function\n\ndef grid(n):\n    return 0\n",
        "program": "import cuda\n\n@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n    a[64 * i] **= 0.5\n",
    },
    "a mock for the documentation": {
        "conf": "import sys\nfrom unittest.mock import MagicMock\nsys.modules['numba.cuda'] = MagicMock()\n"
        "cuda = MagicMock()\nprint(cuda.grid(1), cuda.jit, 'numba')\n",
    },
    "a class with the same names": {
        "backend": "import numba\n\nclass cuda:\n    @staticmethod\n    def jit(f):\n        return f\n"
        "    @staticmethod\n    def grid(n):\n        return n\n\n@cuda.jit\ndef k(a):\n"
        "    i = cuda.grid(1)\n    a[64 * i] += a[64 * i] ** 0.5\n",
    },
    "stubs without bodies": {
        "stubs": "from numba import cuda\n\n@cuda.jit\ndef k(a, b): ...\n\n"
        "@cuda.jit(device=True)\ndef f(x): ...\n"
        "\ndef launch(a: object) -> None: ...\n",
    },
    "CuPy's raw kernels": {
        "raw": "import cupy\n\nCODE = '''\nextern \"C\" __global__ void k(float* a, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) a[64 * i] = pow(a[64 * i], 0.5);\n}\n'''\n"
        "k = cupy.RawKernel(CODE, 'k')\n\ndef main(a):\n    k((8,), (128,), (a, a.size))\n",
    },
    "code in strings": {
        "generated": "TEMPLATE = '''\nfrom numba import cuda\n@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n"
        "    a[64 * i] = a[64 * i] ** 0.5\n'''\n\ndef write(path):\n    path.write_text(TEMPLATE)\n",
    },
    "a host function with the kernel's habits": {
        "host": "from numba import cuda, njit\n\n@njit\ndef k(a, threadIdx, blockIdx):\n"
        "    i = threadIdx + blockIdx\n"
        "    a[64 * i] = a[64 * i] ** 0.5\n",
    },
    "the simulator's own stand-ins": {
        "simulated": "class FakeCUDAModule:\n    def grid(self, n):\n        return 0\n\n"
        "    def syncthreads(self):\n"
        "        return None\n\nnumba = cuda = FakeCUDAModule()\nif cuda.grid(1) == 0:\n"
        "    cuda.syncthreads()\n",
    },
}


@pytest.mark.parametrize("files", LOOK_ALIKES.values(), ids=LOOK_ALIKES.keys())
def test_look_alikes_are_met_with_silence(tmp_path: Path, files: dict[str, str]) -> None:
    paths = []
    for name, text in files.items():
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        paths.append(path)
    report = check(paths, CheckOptions(device="a100-80gb", root=tmp_path, evidence="source"))
    assert [finding.rule for finding in report.findings] == []
    assert report.problems == []


def test_a_kernel_of_numba_in_a_module_of_that_name_is_found(tmp_path: Path) -> None:
    file = tmp_path / "cuda.py"
    file.write_text(
        "from numba import cuda\n\n@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n    a[64 * i] = 1\n"
    )
    assert [one.label for one in analyse([file], tmp_path).records if one.entity == "kernel"] == ["k"]


def test_generated_code_of_thousands_of_statements_is_read_once(tmp_path: Path) -> None:
    head = "from numba import cuda\n\n@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n"
    lines = [f"    a[i + {number}] = a[i + {number + 1}] * 2\n" for number in range(3000)]
    file = tmp_path / "generated.py"
    file.write_text(head + "".join(lines))
    found = analyse([file], tmp_path)
    assert found.problems == []
    assert sum(one.entity == "access" for one in found.records) == 6000
