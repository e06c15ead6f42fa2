"""An executor for the tests of the driver: kernels are Python functions over NumPy views of device memory.

A kernel's function is found by the name of the Python kernel. It gets one value for each parameter of the
Python kernel: arrays as views (shape, strides and address taken from the parameters' bytes, not from the
note), scalars as Python numbers.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from advisor.evidence.simulated.driver import KernelFault, LaunchNote, device_properties, install
from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, parameter_offsets
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.model.devices import find_device

_SCALARS = {
    "int8": "b", "uint8": "B", "bool": "?", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
    "int64": "q", "uint64": "Q", "float16": "e", "float32": "f", "float64": "d",
}  # fmt: skip


class NumpyMachine:
    """Notes every launch; runs those whose kernel has a function in `kernels`."""

    def __init__(self) -> None:
        self.memory = DeviceMemory()
        self.kernels: dict[str, Callable[..., Any]] = {}
        self.launches: list[tuple[Launch, LaunchNote]] = []
        self.texts: list[str] = []
        self.variables: dict[tuple[str, str], int] = {}

    def kernel(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A decorator: the NumPy form of the kernel of the same name."""
        self.kernels[function.__name__] = function
        return function

    def variable(self, ptx: str, name: str) -> int:
        key = (ptx, name)
        if key not in self.variables:
            self.variables[key] = self.memory.allocate(read_ptx(ptx).variables[name].size)
        return self.variables[key]

    def refusal(self, ptx: str, kernel: str) -> None:
        pass

    def copied_to_host(self, *_: object) -> None:
        """Copies are not looked at."""

    def library_read(self, *_: object) -> None:
        """Neither are those of array libraries."""

    def launch(self, ptx: str, kernel: str, launch: Launch, note: LaunchNote) -> None:
        self.launches.append((launch, note))
        self.texts.append(ptx)
        function = self.kernels.get(note.function.rpartition(".")[2])
        if function is None:
            return
        parameters = read_ptx(ptx).functions[kernel].parameters
        offsets, _ = parameter_offsets(parameters)
        values = [launch.parameters[offsets[one.name] :][: one.size] for one in parameters]
        arguments = []
        for argument in note.arguments:
            if argument.shape is None:
                arguments.append(_scalar(argument.type, values))
            else:
                arguments.append(self._array(argument, values))
        if values:
            raise KernelFault(f"{len(values)} parameters are left")
        function(*arguments)

    def _array(self, argument: Any, values: list[bytes]) -> np.ndarray:
        dtype = np.dtype(eval(argument.dtype) if argument.dtype[0] in "[{" else argument.dtype)
        if argument.type.startswith("Record"):
            return _view(int.from_bytes(values.pop(0), "little"), (), (), dtype)
        dimensions = len(argument.shape)
        numbers = [int.from_bytes(values.pop(0), "little", signed=True) for _ in range(5 + 2 * dimensions)]
        assert numbers[:2] == [0, 0]
        assert numbers[3] == dtype.itemsize
        shape, strides = tuple(numbers[5 : 5 + dimensions]), tuple(numbers[5 + dimensions :])
        assert numbers[2] == int(np.prod(shape, dtype=np.int64))
        if numbers[2]:
            for end in (argument.address, argument.address + argument.size - 1):
                self.memory.view(end, 1)
        return _view(numbers[4], shape, strides, dtype)


def _scalar(kind: str, values: list[bytes]) -> Any:
    if kind.startswith("complex"):
        form = "f" if kind == "complex64" else "d"
        return complex(*(struct.unpack(f"<{form}", values.pop(0))[0] for _ in range(2)))
    return struct.unpack(f"<{_SCALARS[kind]}", values.pop(0))[0]


def _view(address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    interface = {"data": (address, False), "shape": shape, "strides": strides or None, "typestr": dtype.str}
    if dtype.names:
        interface["descr"] = dtype.descr
    holder = type("Holder", (), {"__array_interface__": {**interface, "version": 3}})()
    return np.asarray(holder)


def start(device: str = "a100-40gb") -> NumpyMachine:
    """A machine that numba.cuda in this process works on."""
    machine = NumpyMachine()
    install(machine, device_properties(find_device(device)))
    return machine
