"""Vectors and matrices of BLAS and LAPACK: column after column, with gaps, at addresses of the device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from advisor.evidence.simulated.cupy.device_arrays import Array, DeviceArrays

# The letter in the names of functions for elements of each type.
ELEMENTS: dict[str, Any] = {"S": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128}
# cublas_api.h: cublasOperation_t, cublasFillMode_t, cublasSideMode_t, cublasDiagType_t.
_TRANSPOSED, _CONJUGATED = 1, 2
LOWER, LEFT, UNIT = 0, 0, 1


class Matrices:
    """Gives arrays for the arguments of such functions; those that are written are noted as written."""

    def __init__(self, arrays: DeviceArrays) -> None:
        self._arrays = arrays

    def one(self, address: int, dtype: Any) -> Any:
        """A scalar at an address of either side."""
        return self._arrays.at(address, dtype, (1,))[0]

    def put(self, address: int, dtype: Any, value: Any) -> None:
        """Write a scalar, or several numbers side by side, where an address is given."""
        if address:
            numbers = np.atleast_1d(value)
            self._arrays.to_write(address, dtype, numbers.shape)[...] = numbers

    def vector(self, address: int, count: int, step: int, dtype: Any, written: bool = False) -> Array:
        """Elements that lie `step` apart, backwards where it is negative."""
        if count <= 0:
            return np.empty(0, dtype)
        get = self._arrays.to_write if written else self._arrays.at
        return get(address, dtype, ((count - 1) * abs(step) + 1,))[:: step or 1]

    def matrix(
        self, address: int, rows: int, columns: int, leading: int, dtype: Any, written: bool = False
    ) -> Array:  # fmt: skip
        """A matrix whose columns begin `leading` elements apart."""
        if rows <= 0 or columns <= 0:
            return np.empty((max(rows, 0), max(columns, 0)), dtype)
        get = self._arrays.to_write if written else self._arrays.at
        flat = get(address, dtype, (leading * (columns - 1) + rows,))
        item = flat.itemsize
        return np.lib.stride_tricks.as_strided(flat, (rows, columns), (item, leading * item))

    def operand(
        self, operation: int, address: int, rows: int, columns: int, leading: int, dtype: Any
    ) -> Array:
        """A matrix of so many rows and columns, which lies transposed or conjugated where that is asked."""
        if operation not in (_TRANSPOSED, _CONJUGATED):
            return self.matrix(address, rows, columns, leading, dtype)
        return turned(self.matrix(address, columns, rows, leading, dtype), operation)

    def batch(self, address: int, count: int) -> Iterator[int]:
        """The addresses of the matrices of a batch, which lie side by side at an address."""
        return (int(one) for one in self._arrays.at(address, np.uint64, (count,)))


def turned(matrix: Array, operation: int) -> Array:
    """The matrix as it is, transposed, or conjugated and transposed."""
    if operation == _TRANSPOSED:
        return np.asarray(matrix.T)
    return np.asarray(matrix.conj().T) if operation == _CONJUGATED else matrix


def whole_of_triangle(matrix: Array, triangle: int) -> Array:
    """The symmetric (Hermitian) matrix of which one triangle is given."""
    part = np.tril(matrix, -1) if triangle == LOWER else np.triu(matrix, 1)
    return np.asarray(part + part.conj().T + np.diag(np.diag(matrix).real.astype(matrix.dtype)))
