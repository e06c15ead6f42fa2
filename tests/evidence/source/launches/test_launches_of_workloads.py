"""Launches that stand in a workload, and launches of a notebook's kernel that is defined again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from surveying import records, value

from advisor.evidence.source.analysis import analyse

KERNEL = "@cuda.jit\ndef k(a):\n    a[cuda.grid(1)] = 1\n\n\n"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("workload", True),
        ("workload_large", True),
        ("main", False),
        ("workloads", False),
        ("my_workload", False),
    ],
)
def test_a_workload_is_told_by_its_name(tmp_path: Path, name: str, told: bool) -> None:
    (launch,) = records(tmp_path, "launch", f"{KERNEL}def {name}():\n    k[8, 64](np.zeros(512))\n")
    assert value(launch, "in_workload") is told


def test_device_arrays_elsewhere_by_the_name_of_the_kernel_in_a_notebook(tmp_path: Path) -> None:
    cells = [
        "from numba import cuda\nimport numpy as np\n", KERNEL, "x = np.zeros(1000000)\nk[4096, 256](x)\n",
        KERNEL, "d = cuda.to_device(x)\nk[4096, 256](d)\n",
    ]  # fmt: skip
    written = [
        {"cell_type": "code", "source": text, "metadata": {}, "outputs": [], "execution_count": None}
        for text in cells
    ]
    file = tmp_path / "n.ipynb"
    file.write_text(json.dumps({"cells": written, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    launches = [one for one in analyse([file], tmp_path).records if one.entity == "launch"]
    assert [value(one, "device_arrays_elsewhere") for one in launches] == [True, False]


def test_in_a_module_two_kernels_of_one_name_are_two(tmp_path: Path) -> None:
    inner = "    @cuda.jit\n    def k(a):\n        a[cuda.grid(1)] = 1\n"
    text = f"def first(x: 'np.ndarray'):\n{inner}    k[4096, 256](np.zeros(1000000))\n\n\n"
    text += f"def second():\n{inner}    k[4096, 256](cuda.device_array(1000000))\n"
    launches = records(tmp_path, "launch", text)
    assert [value(one, "device_arrays_elsewhere") for one in launches] == [False, False]
