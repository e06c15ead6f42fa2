"""cuSOLVER's dense functions by NumPy: factors, systems, eigenvalues, singular values.

https://docs.nvidia.com/cuda/cusolver/
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from advisor.evidence.simulated.cupy.device_arrays import Array
from advisor.evidence.simulated.cupy.libraries.entries import Entries, places_of
from advisor.evidence.simulated.cupy.libraries.factors import (
    left_factor,
    lu_in_place,
    product_of_factors,
    reflected,
    reflections,
)
from advisor.evidence.simulated.cupy.libraries.library import (
    ADDRESS,
    BYTE,
    DOUBLE,
    FLOAT,
    INT,
    OUT_ADDRESS,
    OUT_INT,
    OUT_SIZE,
    Library,
)
from advisor.evidence.simulated.cupy.libraries.matrices import (
    ELEMENTS,
    LEFT,
    LOWER,
    Matrices,
    turned,
    whole_of_triangle,
)

_FAILED, _NOT_SUPPORTED = 6, 9
# No function here needs room for work; the least that CuPy can allocate is asked for.
_ROOM = 1
# The library of CUDA 13, and the last one of CUDA 12: 11.7.
_NEWEST, _LAST_MINOR = 12, 7
# cusolver_common.h: cusolverEigMode_t; library_types.h: cudaDataType_t.
_VECTORS = 1
_DATA_TYPES: dict[int, Any] = {0: np.float32, 1: np.float64, 4: np.complex64, 5: np.complex128}
_LONG = ADDRESS  # int64_t of sizes, which are never negative


def solver(matrices: Matrices) -> Library:
    """The library, with what CuPy uses most."""
    library = Library(
        "cusolver", "libcusolver.so", "cupy_backends.cuda.libs.cusolver", _FAILED, _NOT_SUPPORTED,
        looked_up=("cusolverDnXgeev", "cusolverDnXgeev_bufferSize"),
    )  # fmt: skip
    for name in ("cusolverDnCreate", "cusolverSpCreate", "cusolverDnCreateParams"):
        library.offer(name, _make, OUT_ADDRESS)
    for name in ("cusolverDnDestroy", "cusolverSpDestroy", "cusolverDnDestroyParams"):
        library.offer(name, _nothing, ADDRESS)
    library.offer("cusolverDnSetStream cusolverSpSetStream", _nothing, ADDRESS, ADDRESS)
    library.offer("cusolverDnGetStream", _no_stream, ADDRESS, OUT_ADDRESS)
    library.offer("cusolverGetProperty", partial(_property, library), INT, OUT_INT)
    functions = _Solver(matrices)
    for letter, dtype in ELEMENTS.items():
        _offer(library, functions, letter, dtype)
    _offer_general(library, functions)
    return library


def _offer(library: Library, functions: _Solver, letter: str, dtype: Any) -> None:
    a, i, room = ADDRESS, INT, OUT_INT
    real = letter in "SD"

    def one(name: str, function: Any, *types: Any, asked: tuple[Any, ...] = ()) -> None:
        whole = f"cusolverDn{letter}{name}"
        library.offer(whole, partial(function, dtype), *types)
        if asked:
            library.offer(f"{whole}_bufferSize", _room, *asked, room)

    one("getrf", functions.getrf, a, i, i, a, i, a, a, a, asked=(a, i, i, a, i))
    one("getrs", functions.getrs, a, i, i, i, a, i, a, a, i, a)
    one("potrf", functions.potrf, a, i, i, a, i, a, i, a, asked=(a, i, i, a, i))
    one("potrs", functions.potrs, a, i, i, i, a, i, a, i, a)
    one("potrfBatched", functions.potrf_batch, a, i, i, a, i, a, i)
    one("geqrf", functions.geqrf, a, i, i, a, i, a, a, i, a, asked=(a, i, i, a, i))
    q = "orgqr" if real else "ungqr"
    one(q, functions.orgqr, a, i, i, i, a, i, a, a, i, a, asked=(a, i, i, i, a, i, a))
    q = "ormqr" if real else "unmqr"
    one(q, functions.ormqr, a, i, i, i, i, i, a, i, a, a, i, a, i, a, asked=(a, i, i, i, i, i, a, i, a, a, i))
    asked = a, i, i
    one("gesvd", functions.gesvd, a, BYTE, BYTE, i, i, a, i, a, a, i, a, i, a, i, a, a, asked=asked)
    e = "syevd" if real else "heevd"
    one(e, functions.syevd, a, i, i, i, a, i, a, a, i, a, asked=(a, i, i, i, a, i, a))
    e = "syevj" if real else "heevj"
    one(e, functions.syevj, a, i, i, i, a, i, a, a, i, a, a)
    tolerance = DOUBLE if letter in "DZ" else FLOAT
    sparse = partial(functions.solve_sparse, dtype)
    library.offer(f"cusolverSp{letter}csrlsvqr", sparse, a, i, i, a, a, a, a, a, tolerance, i, a, OUT_INT)
    library.offer(f"cusolverDn{letter}{e}_bufferSize", _room_before(1), a, i, i, i, a, i, a, room, a)
    batch = f"cusolverDn{letter}{e}Batched"
    library.offer(batch, partial(functions.syevj_batch, dtype), a, i, i, i, a, i, a, a, i, a, a, i)
    library.offer(f"{batch}_bufferSize", _room_before(2), a, i, i, i, a, i, a, room, a, i)


def _offer_general(library: Library, functions: _Solver) -> None:
    """The functions for all types; their sizes have 64 bits."""
    a, i, n = ADDRESS, INT, _LONG
    given = a, a, i, i, n, i, a, n, i, a, i
    library.offer("cusolverDnXsyevd_bufferSize", _rooms, *given, OUT_SIZE, OUT_SIZE)
    library.offer("cusolverDnXsyevd", functions.syevd_of_types, *given, a, n, a, n, a)
    eigen = a, a, i, i, n, i, a, n, i, a, i, a, n, i, a, n, i
    library.offer("cusolverDnXgeev_bufferSize", _rooms, *eigen, OUT_SIZE, OUT_SIZE)
    library.offer("cusolverDnXgeev", functions.geev, *eigen, a, n, a, n, a)
    library.offer("cusolverDnCreateSyevjInfo", _make, OUT_ADDRESS)
    library.offer("cusolverDnDestroySyevjInfo", _nothing, a)
    library.offer("cusolverDnXsyevjSetTolerance", _nothing, a, DOUBLE)
    library.offer("cusolverDnXsyevjSetMaxSweeps cusolverDnXsyevjSetSortEig", _nothing, a, i)


def _property(library: Library, kind: int, out: Any) -> None:
    """The version: that in the name of the file, with a minor number that has all of these functions."""
    major = int(library.files[0].rpartition(".")[2])
    out[0] = (major, _LAST_MINOR if major < _NEWEST else 0, 0)[kind]


def _make(out: Any) -> None:
    out[0] = 1


def _nothing(*_: Any) -> None:
    return None


def _no_stream(_handle: int, out: Any) -> None:
    out[0] = 0


def _room(*given: Any) -> None:
    given[-1][0] = _ROOM


def _room_before(last: int) -> Any:
    """The same where so many arguments follow."""

    def ask(*given: Any) -> None:
        given[-1 - last][0] = _ROOM

    return ask


def _rooms(*given: Any) -> None:
    given[-2][0] = given[-1][0] = _ROOM


class _Solver:
    def __init__(self, matrices: Matrices) -> None:
        self._at = matrices

    def getrf(self, dtype: Any, _handle: int, *given: Any) -> None:
        """The factors of a matrix in its place."""
        m, n, a, lda, _work, pivots, info = given
        order, state = lu_in_place(self._at.matrix(a, m, n, lda, dtype, written=True), bool(pivots))
        if pivots:
            self._at.put(pivots, np.int32, order)
        self._at.put(info, np.int32, state)

    def solve_sparse(self, dtype: Any, _handle: int, *given: Any) -> None:
        """The solution of a system in compressed rows, and the first column without a pivot, or -1."""
        n, count, _description, values, begins, inner, right, tolerance, _order, out, singular = given
        rows = places_of(self._at.vector(begins, n + 1, 1, np.int32))
        columns = self._at.vector(inner, count, 1, np.int32)
        matrix = Entries((n, n), rows, columns, self._at.vector(values, count, 1, dtype)).dense()
        small = np.flatnonzero(np.abs(np.diag(np.linalg.qr(matrix)[1])) <= tolerance)
        singular[0] = int(small[0]) if small.size else -1
        if not small.size:
            self._at.put(out, dtype, np.linalg.solve(matrix, self._at.vector(right, n, 1, dtype)))

    def getrs(self, dtype: Any, _handle: int, *given: Any) -> None:
        """The solution of a system whose factors are given, in the place of its right side."""
        operation, n, sides, a, lda, pivots, b, ldb, info = given
        order = self._at.vector(pivots, n, 1, np.int32) if pivots else None
        whole = product_of_factors(self._at.matrix(a, n, n, lda, dtype), order)
        right = self._at.matrix(b, n, sides, ldb, dtype, written=True)
        right[...] = np.linalg.solve(turned(whole, operation), right)
        self._at.put(info, np.int32, 0)

    def potrf(self, dtype: Any, _handle: int, *given: Any) -> None:
        """The Cholesky factor in the place of one triangle."""
        triangle, n, a, lda, _work, _room, info = given
        self._at.put(info, np.int32, _cholesky(self._at.matrix(a, n, n, lda, dtype, written=True), triangle))

    def potrf_batch(self, dtype: Any, _handle: int, *given: Any) -> None:
        """The same for matrices whose addresses are given."""
        triangle, n, matrices, lda, info, count = given
        states = [
            _cholesky(self._at.matrix(address, n, n, lda, dtype, written=True), triangle)
            for address in self._at.batch(matrices, count)
        ]
        self._at.put(info, np.int32, states)

    def potrs(self, dtype: Any, _handle: int, *given: Any) -> None:
        """The solution of a system whose Cholesky factor is given."""
        triangle, n, sides, a, lda, b, ldb, info = given
        matrix = self._at.matrix(a, n, n, lda, dtype)
        factor = np.tril(matrix) if triangle == LOWER else np.triu(matrix).conj().T
        right = self._at.matrix(b, n, sides, ldb, dtype, written=True)
        right[...] = np.linalg.solve(factor.conj().T, np.linalg.solve(factor, right))
        self._at.put(info, np.int32, 0)

    def geqrf(self, dtype: Any, _handle: int, *given: Any) -> None:
        """The right factor and the reflections in the place of a matrix."""
        m, n, a, lda, scales, _work, _room, info = given
        matrix = self._at.matrix(a, m, n, lda, dtype, written=True)
        packed, found = reflections(np.array(matrix))
        matrix[...] = packed
        self._at.put(scales, dtype, found)
        self._at.put(info, np.int32, 0)

    def orgqr(self, dtype: Any, _handle: int, *given: Any) -> None:
        """The left factor in the place of its reflections."""
        m, n, k, a, lda, scales, _work, _room, info = given
        matrix = self._at.matrix(a, m, n, lda, dtype, written=True)
        matrix[...] = left_factor(np.array(matrix[:, :k]), self._at.vector(scales, k, 1, dtype), n)
        self._at.put(info, np.int32, 0)

    def ormqr(self, dtype: Any, _handle: int, *given: Any) -> None:
        """A matrix times the left factor, from either side."""
        side, operation, m, n, k, a, lda, scales, c, ldc, _work, _room, info = given
        packed = self._at.matrix(a, m if side == LEFT else n, k, lda, dtype)
        out = self._at.matrix(c, m, n, ldc, dtype, written=True)
        numbers = self._at.vector(scales, k, 1, dtype)
        if side == LEFT:
            out[...] = reflected(packed, numbers, out, conjugated=operation != 0)
        else:
            out[...] = reflected(packed, numbers, out.conj().T, conjugated=operation == 0).conj().T
        self._at.put(info, np.int32, 0)

    def gesvd(self, dtype: Any, _handle: int, *given: Any) -> None:
        """Singular values, and the vectors that two letters ask for: all, the first ones, or none.

        With the letter O the first ones take the matrix's place.
        """
        left, right, m, n, a, lda, values, u, ldu, v, ldv, _work, _room, _rest, info = given
        letters, count = (chr(left), chr(right)), min(m, n)
        matrix = self._at.matrix(a, m, n, lda, dtype, written=True)
        first, found, second = np.linalg.svd(np.array(matrix), full_matrices="A" in letters)
        self._at.put(values, found.dtype, found)
        chosen = [
            vectors if letter == "A" else part
            for letter, vectors, part in zip(
                letters, (first, second), (first[:, :count], second[:count]), strict=True
            )
        ]
        places = (u, ldu), (v, ldv)
        for letter, vectors, (address, leading) in zip(letters, chosen, places, strict=True):
            rows, columns = vectors.shape
            if letter in "AS":
                self._at.matrix(address, rows, columns, leading, dtype, written=True)[...] = vectors
            elif letter == "O":
                matrix[:rows, :columns] = vectors
        self._at.put(info, np.int32, 0)

    def syevd(self, dtype: Any, _handle: int, *given: Any) -> None:
        """Eigenvalues, and where asked the vectors in the place of the matrix."""
        mode, triangle, n, a, lda, values, _work, _room, info = given
        self._eigen(dtype, mode, triangle, n, a, lda, values, info)

    def syevj(self, dtype: Any, _handle: int, *given: Any) -> None:
        """The same with parameters for a method that is not used here."""
        mode, triangle, n, a, lda, values, _work, _room, info, _parameters = given
        self._eigen(dtype, mode, triangle, n, a, lda, values, info)

    def syevj_batch(self, dtype: Any, _handle: int, *given: Any) -> None:
        """The same for matrices that lie side by side."""
        mode, triangle, n, a, lda, values, _work, _room, info, _parameters, count = given
        size = np.dtype(dtype).itemsize
        real = np.dtype(dtype).type(0).real.dtype.itemsize
        for number in range(count):
            place = a + number * lda * n * size
            found = values + number * n * real
            self._eigen(dtype, mode, triangle, n, place, lda, found, info + 4 * number)

    def geev(self, _handle: int, *given: Any) -> None:
        """Eigenvalues of any matrix, and its right vectors; of real ones two columns for each pair."""
        _parameters, _left, right, n, kind, a, lda, values_kind, values, *rest = given
        _left_kind, _left_place, _left_leading, vectors_kind, place, leading, *_, info = rest
        found, vectors = np.linalg.eig(np.array(self._at.matrix(a, n, n, lda, _DATA_TYPES[kind])))
        self._at.put(values, _DATA_TYPES[values_kind], found)
        if right == _VECTORS:
            dtype = _DATA_TYPES[vectors_kind]
            kept = vectors if np.iscomplexobj(dtype(0)) else _pairs(found, vectors)
            self._at.matrix(place, n, n, leading, dtype, written=True)[...] = kept
        self._at.put(info, np.int32, 0)

    def syevd_of_types(self, _handle: int, *given: Any) -> None:
        """The same for matrices of any type."""
        _parameters, mode, triangle, n, kind, a, lda, _values_kind, values, _computed, *rest = given
        self._eigen(_DATA_TYPES[kind], mode, triangle, n, a, lda, values, rest[-1])

    def _eigen(
        self, dtype: Any, mode: int, triangle: int, n: int, a: int, lda: int, values: int, info: int
    ) -> None:
        matrix = self._at.matrix(a, n, n, lda, dtype, written=True)
        found, vectors = np.linalg.eigh(whole_of_triangle(matrix, triangle))
        if mode == _VECTORS:
            matrix[...] = vectors
        self._at.put(values, found.dtype, found)
        self._at.put(info, np.int32, 0)


def _pairs(values: Array, vectors: Array) -> Array:
    """Vectors of a real matrix as LAPACK keeps them: real and imaginary part of the first of each pair."""
    found = np.array(vectors.real)
    for number in np.flatnonzero(values.imag > 0):
        found[:, number + 1] = vectors[:, number].imag
    return found


def _cholesky(matrix: Array, triangle: int) -> int:
    """0, or the first leading part of the matrix, by its size, that is not positive."""
    whole = whole_of_triangle(matrix, triangle)
    try:
        factor = np.linalg.cholesky(whole)
    except np.linalg.LinAlgError:
        sizes = range(1, len(whole) + 1)
        return next((size for size in sizes if np.linalg.eigvalsh(whole[:size, :size])[0] <= 0), len(whole))
    if triangle == LOWER:
        matrix[...] = factor + np.triu(matrix, 1)
    else:
        matrix[...] = factor.conj().T + np.tril(matrix, -1)
    return 0
