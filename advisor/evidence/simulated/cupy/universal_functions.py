"""CuPy's universal functions, told by the names of their kernels: which arrays each loads and stores.

The kernel of `cupy.add` for three float32 is called `cupy_add__float32_float32_float32`. Its parameters
are the inputs, the outputs and the number of elements; an array is passed as its address, its number of
elements, its shape and its strides (`CArray` of cupy/_core/include/cupy/carray.cuh).
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator, Sequence

from advisor.evidence.simulated.driver.executor import ArrayOperation, PassedArray

_ADDRESS_AND_SIZE = struct.Struct("<QQ")
# With one axis at least: what is smaller may be a complex number.
_LEAST_BYTES = 32


class UniversalFunctions:
    """The functions that the imported modules of CuPy have, looked for again when there are more modules."""

    def __init__(self) -> None:
        self._numbers: dict[str, tuple[int, int]] = {}
        self._modules = 0

    def operation(self, kernel: str, parameters: Sequence[bytes]) -> ArrayOperation | None:
        """What a launch of a kernel with these parameters does; None for one of no universal function."""
        name, types, _ = kernel.partition("__")
        numbers = self._of(name) if types else None
        if numbers is None or sum(numbers) + 1 != len(parameters):
            return None
        inputs, outputs = parameters[: numbers[0]], parameters[numbers[0] : -1]
        return ArrayOperation(tuple(_arrays(inputs)), tuple(_arrays(outputs)))

    def _of(self, name: str) -> tuple[int, int] | None:
        modules = [one for key, one in list(sys.modules.items()) if key.partition(".")[0] == "cupy"]
        if name not in self._numbers and len(modules) != self._modules:
            self._modules = len(modules)
            kind = sys.modules["cupy"].ufunc
            for module in modules:
                found = [one for one in list(vars(module).values()) if isinstance(one, kind)]
                self._numbers |= {one.name: (one.nin, one.nout) for one in found}
        return self._numbers.get(name)


def _arrays(parameters: Sequence[bytes]) -> Iterator[PassedArray]:
    for one in parameters:
        if len(one) >= _LEAST_BYTES:
            address, elements = _ADDRESS_AND_SIZE.unpack_from(one)
            if elements > 1:
                yield PassedArray(address, elements)
