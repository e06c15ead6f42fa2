"""What kernels wrote is kept: fields of records by themselves, and arrays that no access names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from advisor.evidence.simulated.launches.array_types import array_dtype
from advisor.evidence.simulated.launches.recording.kept_outputs import read_outputs
from advisor.evidence.simulated.launches.store import LaunchStore
from advisor.evidence.simulated.launches.workloads import KeptOutputs, find_workloads

WORKLOADS = """
import numpy as np
from numba import cuda, float32, void

point = np.dtype([("x", np.float32), ("n", np.int32)])


@cuda.jit
def records(points):
    i = cuda.grid(1)
    if i < points.size:
        points[i]["x"] = i * 0.5
        points[i]["n"] = i


@cuda.jit(void(float32[:], float32[:]))
def stated(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + 1


def workload_records():
    records[1, 32](np.zeros(4, point))


def workload_stated():
    stated[1, 32](np.arange(4, dtype=np.float32), np.zeros(4, np.float32))
"""


@pytest.fixture
def kept(tmp_path: Path):
    file = tmp_path / "k.py"
    file.write_text(WORKLOADS, encoding="utf-8")

    def of(name: str) -> tuple[bool, dict[str, np.ndarray]]:
        (workload,) = [one for one in find_workloads("k.py", WORKLOADS) if one.name == name]
        folder = tmp_path / name
        folder.mkdir()
        store = LaunchStore(tmp_path, tmp_path / "record")
        assert workload.run(store, "a100-80gb", 60.0, None, KeptOutputs(folder, 1 << 20)) == ""
        store.close()
        return read_outputs(folder)

    return of


def test_each_field_of_records(kept):
    whole, arrays = kept("workload_records")
    assert whole
    assert {name: value.tolist() for name, value in arrays.items()} == {
        "records:1:points.x": [0.0, 0.5, 1.0, 1.5],
        "records:1:points.n": [0, 1, 2, 3],
    }


def test_arrays_of_a_kernel_with_a_signature(kept):
    whole, arrays = kept("workload_stated")
    assert whole
    assert arrays["stated:1:out"].tolist() == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    "kind",
    [
        np.dtype("float32"),
        np.dtype([("x", "<f4"), ("n", "<i4")]),
        np.dtype([("x", "i1"), ("y", "<f8")], align=True),
        np.dtype([("inner", [("a", "<f4")]), ("v", "<f4", (3,))]),
    ],
)
def test_a_type_comes_back_from_its_text(kind):
    assert array_dtype(str(kind)) == kind


@pytest.mark.parametrize("text", [None, "", "float128x", "[('x',", "__import__('os')", "record"])
def test_other_texts_are_no_type(text):
    assert array_dtype(text) is None
