"""CuPy's universal functions, known by the names of their kernels; CuPy itself is not needed."""

from __future__ import annotations

import struct
import sys
from types import ModuleType, SimpleNamespace

import pytest

from advisor.evidence.simulated.cupy.universal_functions import UniversalFunctions
from advisor.evidence.simulated.driver.executor import ArrayOperation, PassedArray

KERNEL = "cupy_add__float32_float_float32"


def array(address: int, *shape: int) -> bytes:
    size = 1
    for extent in shape:
        size *= extent
    return struct.pack(f"<QQ{2 * len(shape)}q", address, size, *shape, *shape)


INDEXER = array(0, 1000)[8:]


@pytest.fixture
def functions(monkeypatch) -> UniversalFunctions:
    module = ModuleType("cupy")
    module.ufunc = SimpleNamespace
    module.add = SimpleNamespace(name="cupy_add", nin=2, nout=1)
    monkeypatch.setitem(sys.modules, "cupy", module)
    return UniversalFunctions()


def test_inputs_are_loaded_and_outputs_stored(functions):
    given = [array(64, 1000), array(4096, 10, 100), array(8192, 1000), INDEXER]
    loads = (PassedArray(64, 1000), PassedArray(4096, 1000))
    assert functions.operation(KERNEL, given) == ArrayOperation(loads, (PassedArray(8192, 1000),))


def test_scalars_and_single_elements_are_no_arrays(functions):
    complex_number = struct.pack("<dd", 1.0, 2.0)
    given = [complex_number, array(64, 1), array(8192, 1000), INDEXER]
    assert functions.operation(KERNEL, given) == ArrayOperation((), (PassedArray(8192, 1000),))


@pytest.mark.parametrize("kernel", ["cupy_sum", "cupy_unknown__float32", "my_kernel", "add__float32_float32"])
def test_other_kernels_are_none(functions, kernel):
    assert functions.operation(kernel, [array(64, 1000), array(8192, 1000), array(96, 10), INDEXER]) is None


def test_another_number_of_parameters_is_none(functions):
    assert functions.operation(KERNEL, [array(64, 1000), array(8192, 1000), INDEXER]) is None


def test_modules_that_are_imported_later_are_looked_at(functions, monkeypatch):
    assert functions.operation("cupy_sinc__float32_float32", [array(64, 9), array(96, 9), INDEXER]) is None
    later = ModuleType("cupy._math")
    later.sinc = SimpleNamespace(name="cupy_sinc", nin=1, nout=1)
    monkeypatch.setitem(sys.modules, "cupy._math", later)
    found = functions.operation("cupy_sinc__float32_float32", [array(64, 9), array(96, 9), INDEXER])
    assert found == ArrayOperation((PassedArray(64, 9),), (PassedArray(96, 9),))
