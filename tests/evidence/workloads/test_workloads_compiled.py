"""The machine code of the workloads: what the first versions show and the improved ones must not."""

import re
import sys
from typing import Any

import numpy as np
import pytest
from numba import cuda, typeof

import kernels

WORKLOADS = {workload.name: workload for workload in kernels.workloads()}
FLOAT64 = re.compile(r"^\s*(?!mov|ld|st)\S*\.f64\b.*$", re.MULTILINE)
LOCAL_MEMORY = re.compile(r"^\s*(?:ld|st)\.local\b.*$", re.MULTILINE)
INTEGER_DIVISION = re.compile(r"^\s*(?:div|rem)\.[su](?:32|64)\b.*$", re.MULTILINE)


class DeviceArray(np.ndarray):
    """Stands in for an array on the device, where there is none."""

    def copy_to_host(self) -> np.ndarray:
        return np.asarray(self)


class LaunchRecorder:
    """Stands in for a kernel and keeps the argument types it is launched with."""

    def __init__(self) -> None:
        self.signature: tuple[Any, ...] = ()

    def __getitem__(self, configuration: object) -> Any:
        return self.launch

    def launch(self, *arguments: Any) -> None:
        plain = [np.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        self.signature = tuple(typeof(argument) for argument in plain)


@pytest.fixture(autouse=True)
def toolchain(monkeypatch: pytest.MonkeyPatch) -> None:
    pathfinder = pytest.importorskip("cuda.pathfinder", reason="NVIDIA's compiler wheels are not installed")
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed")
    try:
        pathfinder.load_nvidia_dynamic_lib("nvvm")
    except pathfinder.DynamicLibNotFoundError:
        pytest.skip("the wheel nvidia-nvvm is not installed")
    monkeypatch.setattr(cuda, "to_device", lambda array: array.view(DeviceArray))
    monkeypatch.setattr(cuda, "device_array", lambda shape, dtype: np.zeros(shape, dtype).view(DeviceArray))


def machine_code(name: str, version: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The PTX of a workload's kernel for the argument types its own host function launches it with."""
    workload = WORKLOADS[name]
    kernel = getattr(workload, version)
    recorder = LaunchRecorder()
    monkeypatch.setattr(sys.modules[f"kernels.{name}"], kernel.__name__, recorder)
    getattr(workload, f"run_{version}")(workload.make_inputs("reduced"))
    ptx, _ = cuda.compile(
        kernel.py_func, recorder.signature, cc=(9, 0), abi="numba", output="ptx", lineinfo=True
    )
    return str(ptx)


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_improved_version_has_no_float64_local_memory_or_division(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ptx = machine_code(name, "improved", monkeypatch)
    assert FLOAT64.findall(ptx) == []
    assert LOCAL_MEMORY.findall(ptx) == []
    assert INTEGER_DIVISION.findall(ptx) == []


@pytest.mark.parametrize(
    "name", ["dendritic_integration", "lstm_cell_forward", "matrix_multiply", "pixel_entropy"]
)
def test_the_first_version_computes_in_float64(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert FLOAT64.search(machine_code(name, "first", monkeypatch))


def test_the_first_entropy_keeps_its_histogram_in_local_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    assert LOCAL_MEMORY.search(machine_code("pixel_entropy", "first", monkeypatch))


def test_the_first_segmentation_divides_for_each_pixel(monkeypatch: pytest.MonkeyPatch) -> None:
    assert INTEGER_DIVISION.search(machine_code("image_segmentation", "first", monkeypatch))
