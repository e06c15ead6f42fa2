"""The nine workloads exist at the documents' sizes, and their modules need Numba and NumPy only."""

import ast
from pathlib import Path

import numpy as np
import pytest

import kernels
from kernels.conv2d import SOBEL
from kernels.image_segmentation import THRESHOLD

SIZES = {
    "ar_forecast": {"points": 1000, "order": 5, "steps": 10},
    "conv2d": {"height": 256, "width": 256},
    "dendritic_integration": {"neurons": 10, "dendrites": 8, "inputs": 16},
    "dot_product": {"elements": 100_000},
    "image_segmentation": {"height": 256, "width": 256},
    "lstm_cell_forward": {"batch": 32, "input": 64, "hidden": 128},
    "matrix_multiply": {"rows": 256, "inner": 256, "columns": 256},
    "pixel_entropy": {"height": 512, "width": 512},
    "vector_add": {"elements": 100_000},
}
WORKLOADS = {workload.name: workload for workload in kernels.workloads()}
FILES = sorted(Path(kernels.__file__).parent.glob("*.py"))
STANDARD = {"collections", "dataclasses", "importlib", "pkgutil", "typing"}


def test_there_are_the_nine_workloads() -> None:
    assert list(WORKLOADS) == sorted(SIZES)


@pytest.mark.parametrize("name", SIZES)
def test_the_sizes_are_the_documents(name: str) -> None:
    full = WORKLOADS[name].full
    assert {key: full[key] for key in SIZES[name]} == SIZES[name]


def test_the_sobel_mask_the_window_and_the_threshold_are_the_documents() -> None:
    assert SOBEL.tolist() == [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]
    assert WORKLOADS["pixel_entropy"].first.py_func.__globals__["WINDOW"] == 16
    assert THRESHOLD == 100


@pytest.mark.parametrize("name", SIZES)
def test_inputs_are_seeded_and_float32(name: str) -> None:
    once, again = (WORKLOADS[name].make_inputs("reduced") for _ in range(2))
    for key, array in once.items():
        np.testing.assert_array_equal(array, again[key])
        assert array.dtype == np.float32 or array.ndim == 0


def test_the_full_inputs_have_the_documents_shapes() -> None:
    assert WORKLOADS["pixel_entropy"].make_inputs()["image"].shape == (512, 512)
    assert WORKLOADS["ar_forecast"].make_inputs()["history"].shape[1] == 1000
    assert WORKLOADS["lstm_cell_forward"].make_inputs()["weights_h"].shape == (4 * 128, 128)
    assert WORKLOADS["dendritic_integration"].make_inputs()["weights"].shape == (10, 8, 16)


def test_another_scale_is_refused() -> None:
    with pytest.raises(ValueError, match='not "half"'):
        WORKLOADS["vector_add"].make_inputs("half")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_module_imports_numba_numpy_and_math_only(path: Path) -> None:
    allowed = {"numba", "numpy", "math", "kernels"}
    if path.stem not in WORKLOADS:
        allowed |= STANDARD
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert {alias.name.split(".")[0] for alias in node.names} <= allowed
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert str(node.module).split(".")[0] in allowed
