"""cuBLAS by NumPy: products, sums of vectors, triangular systems, and factors of batches.

https://docs.nvidia.com/cuda/cublas/
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from advisor.evidence.simulated.cupy.libraries.factors import (
    inverse_of_factors,
    lu_in_place,
    product_of_factors,
)
from advisor.evidence.simulated.cupy.libraries.library import (
    ADDRESS,
    INT,
    LONG,
    OUT_ADDRESS,
    OUT_INT,
    Library,
)
from advisor.evidence.simulated.cupy.libraries.matrices import (
    ELEMENTS,
    LEFT,
    LOWER,
    UNIT,
    Matrices,
    turned,
)

_FAILED, _NOT_SUPPORTED = 13, 15
_VERSION = 130000
# library_types.h: cudaDataType_t.
_DATA_TYPES: dict[int, Any] = {
    0: np.float32, 1: np.float64, 2: np.float16, 3: np.int8, 4: np.complex64, 5: np.complex128, 10: np.int32,
}  # fmt: skip
_OPERATIONS = (INT, INT, INT, INT, INT)


def blas(matrices: Matrices) -> Library:
    """The library, with what CuPy uses most."""
    library = Library("cublas", "libcublas.so", "cupy_backends.cuda.libs.cublas", _FAILED, _NOT_SUPPORTED)
    _Settings().offer(library)
    functions = _Blas(matrices)
    for letter, dtype in ELEMENTS.items():
        _offer_products(library, functions, letter, dtype)
        _offer_vectors(library, functions, letter, dtype)
        _offer_systems(library, functions, letter, dtype)
    a, i = ADDRESS, INT
    typed = a, i, i
    library.offer("cublasSgemmEx", functions.gemm_of_single, a, *_OPERATIONS, a, *typed, *typed, a, *typed)
    library.offer(
        "cublasGemmEx", functions.gemm_of_types, a, *_OPERATIONS, a, *typed, *typed, a, *typed, i, i
    )
    library.offer(
        "cublasGemmStridedBatchedEx", functions.gemm_of_strides,
        a, *_OPERATIONS, a, *typed, LONG, *typed, LONG, a, *typed, LONG, i, i, i,
    )  # fmt: skip
    return library


def _offer_products(library: Library, functions: _Blas, letter: str, dtype: Any) -> None:
    a, i = ADDRESS, INT
    given = a, *_OPERATIONS, a
    library.offer(f"cublas{letter}gemm_v2", partial(functions.gemm, dtype), *given, a, i, a, i, a, a, i)
    library.offer(
        f"cublas{letter}gemmBatched", partial(functions.gemm_of_batch, dtype), *given, a, i, a, i, a, a, i, i
    )
    strided = partial(functions.gemm_strided, dtype)
    library.offer(
        f"cublas{letter}gemmStridedBatched", strided, *given, a, i, LONG, a, i, LONG, a, a, i, LONG, i
    )
    library.offer(
        f"cublas{letter}gemv_v2", partial(functions.gemv, dtype), a, i, i, i, a, a, i, a, i, a, a, i
    )
    library.offer(
        f"cublas{letter}geam", partial(functions.geam, dtype), a, i, i, i, i, a, a, i, a, a, i, a, i
    )
    library.offer(f"cublas{letter}dgmm", partial(functions.dgmm, dtype), a, i, i, i, a, i, a, i, a, i)
    for name, conjugated in (("ger", False),) if letter in "SD" else (("geru", False), ("gerc", True)):
        function = partial(functions.ger, dtype, conjugated)
        library.offer(f"cublas{letter}{name}_v2", function, a, i, i, a, a, i, a, i, a, i)


def _offer_vectors(library: Library, functions: _Blas, letter: str, dtype: Any) -> None:
    a, i = ADDRESS, INT
    for name, conjugated in (("dot", False),) if letter in "SD" else (("dotu", False), ("dotc", True)):
        library.offer(
            f"cublas{letter}{name}_v2", partial(functions.dot, dtype, conjugated), a, i, a, i, a, i, a
        )
    real = {"C": "Sc", "Z": "Dz"}.get(letter, letter)
    library.offer(f"cublas{real}nrm2_v2", partial(functions.norm, dtype, 2), a, i, a, i, a)
    library.offer(f"cublas{real}asum_v2", partial(functions.norm, dtype, 1), a, i, a, i, a)
    library.offer(f"cublas{letter}axpy_v2", partial(functions.axpy, dtype), a, i, a, a, i, a, i)
    library.offer(f"cublas{letter}scal_v2", partial(functions.scal, dtype), a, i, a, a, i)
    small = letter.lower()
    library.offer(f"cublasI{small}amax_v2", partial(functions.place, dtype, np.argmax), a, i, a, i, a)
    library.offer(f"cublasI{small}amin_v2", partial(functions.place, dtype, np.argmin), a, i, a, i, a)


def _offer_systems(library: Library, functions: _Blas, letter: str, dtype: Any) -> None:
    a, i = ADDRESS, INT
    library.offer(
        f"cublas{letter}trsm_v2", partial(functions.trsm, dtype), a, i, i, i, i, i, i, a, a, i, a, i
    )
    solved = partial(functions.getrs_batch, dtype)
    library.offer(f"cublas{letter}getrsBatched", solved, a, i, i, i, a, i, a, a, i, a, i)
    library.offer(f"cublas{letter}getrfBatched", partial(functions.getrf_batch, dtype), a, i, a, i, a, a, i)
    library.offer(
        f"cublas{letter}getriBatched", partial(functions.getri_batch, dtype), a, i, a, i, a, a, i, a, i
    )


class _Settings:
    """The handle's state, which is one for all handles."""

    def __init__(self) -> None:
        self._values: dict[str, int] = {}

    def offer(self, library: Library) -> None:
        """Add what makes a handle and what sets and gives its state."""
        library.offer("cublasCreate_v2", _make, OUT_ADDRESS)
        library.offer("cublasDestroy_v2", _nothing, ADDRESS)
        library.offer("cublasGetVersion_v2", _version, ADDRESS, OUT_INT)
        library.offer("cublasSetStream_v2", partial(self._set, "stream"), ADDRESS, ADDRESS)
        library.offer("cublasGetStream_v2", partial(self._get, "stream"), ADDRESS, OUT_ADDRESS)
        library.offer("cublasSetWorkspace_v2", _nothing, ADDRESS)
        for name, suffix in (("PointerMode", "_v2"), ("MathMode", ""), ("AtomicsMode", "")):
            library.offer(f"cublasSet{name}{suffix}", partial(self._set, name), ADDRESS, INT)
            library.offer(f"cublasGet{name}{suffix}", partial(self._get, name), ADDRESS, OUT_INT)

    def _set(self, name: str, _handle: int, value: int) -> None:
        self._values[name] = value

    def _get(self, name: str, _handle: int, out: Any) -> None:
        out[0] = self._values.get(name, 0)


def _make(out: Any) -> None:
    out[0] = 1


def _nothing(*_: Any) -> None:
    return None


def _version(_handle: int, out: Any) -> None:
    out[0] = _VERSION


class _Blas:
    def __init__(self, matrices: Matrices) -> None:
        self._at = matrices

    def gemm(self, dtype: Any, _handle: int, *given: Any) -> None:
        """alpha op(A) op(B) + beta C."""
        ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc = given
        self._multiply(
            (ta, tb, m, n, k), alpha, (a, dtype, lda), (b, dtype, ldb), beta, (c, dtype, ldc), dtype
        )

    def _multiply(
        self, shape: Any, alpha: int, a: Any, b: Any, beta: int, c: Any, scalars: Any, computed: Any = None
    ) -> None:
        ta, tb, m, n, k = shape
        by, plus = self._at.one(alpha, scalars), self._at.one(beta, scalars)
        out = self._at.matrix(c[0], m, n, c[2], c[1], written=True)
        first = self._at.operand(ta, a[0], m, k, a[2], a[1]).astype(computed or scalars, copy=False)
        second = self._at.operand(tb, b[0], k, n, b[2], b[1]).astype(computed or scalars, copy=False)
        product = by * (first @ second)
        out[...] = product + plus * out if plus else product

    def gemm_of_single(self, _handle: int, *given: Any) -> None:
        """The same for operands of other types, computed in float32."""
        *shape, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc = given
        self._typed(shape, alpha, (a, at, lda), (b, bt, ldb), beta, (c, ct, ldc))

    def gemm_of_types(self, _handle: int, *given: Any) -> None:
        """The same for operands of any type."""
        self.gemm_of_single(_handle, *given[:-2])

    def gemm_of_strides(self, _handle: int, *given: Any) -> None:
        """The same for matrices that lie at equal distances."""
        *shape, alpha, a, at, lda, sa, b, bt, ldb, sb, beta, c, ct, ldc, sc, count, _compute, _algorithm = (
            given
        )
        for number in range(count):
            places = [
                (address + number * step * np.dtype(_DATA_TYPES[kind]).itemsize, kind, leading)
                for address, step, kind, leading in ((a, sa, at, lda), (b, sb, bt, ldb), (c, sc, ct, ldc))
            ]
            self._typed(shape, alpha, places[0], places[1], beta, places[2])

    def _typed(self, shape: Any, alpha: int, a: Any, b: Any, beta: int, c: Any) -> None:
        first, second, out = ((one[0], _DATA_TYPES[one[1]], one[2]) for one in (a, b, c))
        exact = out[1] in (np.float64, np.complex64, np.complex128, np.int32)
        scalars = out[1] if exact else np.float32
        self._multiply(shape, alpha, first, second, beta, out, scalars)

    def gemm_of_batch(self, dtype: Any, _handle: int, *given: Any) -> None:
        """The same for matrices whose addresses are given."""
        *shape, alpha, a, lda, b, ldb, beta, c, ldc, count = given
        for one, two, out in zip(*(self._at.batch(each, count) for each in (a, b, c)), strict=True):
            self.gemm(dtype, _handle, *shape, alpha, one, lda, two, ldb, beta, out, ldc)

    def gemm_strided(self, dtype: Any, _handle: int, *given: Any) -> None:
        """The same for matrices of one type that lie at equal distances."""
        *shape, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc, count = given
        size = np.dtype(dtype).itemsize
        for number in range(count):
            one, two, out = (place + number * step * size for place, step in ((a, sa), (b, sb), (c, sc)))
            self.gemm(dtype, _handle, *shape, alpha, one, lda, two, ldb, beta, out, ldc)

    def gemv(self, dtype: Any, _handle: int, *given: Any) -> None:
        """alpha op(A) x + beta y."""
        operation, m, n, alpha, a, lda, x, step_x, beta, y, step_y = given
        matrix = turned(self._at.matrix(a, m, n, lda, dtype), operation)
        out = self._at.vector(y, matrix.shape[0], step_y, dtype, written=True)
        plus = self._at.one(beta, dtype)
        product = self._at.one(alpha, dtype) * (matrix @ self._at.vector(x, matrix.shape[1], step_x, dtype))
        out[...] = product + plus * out if plus else product

    def geam(self, dtype: Any, _handle: int, *given: Any) -> None:
        """alpha op(A) + beta op(B)."""
        ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc = given
        found = np.zeros((m, n), dtype)
        for scale, operation, place, leading in ((alpha, ta, a, lda), (beta, tb, b, ldb)):
            by = self._at.one(scale, dtype)
            if by:
                found += by * self._at.operand(operation, place, m, n, leading, dtype)
        self._at.matrix(c, m, n, ldc, dtype, written=True)[...] = found

    def dgmm(self, dtype: Any, _handle: int, *given: Any) -> None:
        """A times a diagonal matrix, from the left or the right."""
        side, m, n, a, lda, x, step, c, ldc = given
        scale = self._at.vector(x, m if side == LEFT else n, step, dtype)
        matrix = self._at.matrix(a, m, n, lda, dtype)
        found = scale[:, None] * matrix if side == LEFT else matrix * scale
        self._at.matrix(c, m, n, ldc, dtype, written=True)[...] = found

    def ger(self, dtype: Any, conjugated: bool, _handle: int, *given: Any) -> None:
        """A + alpha x y^T, or y conjugated."""
        m, n, alpha, x, step_x, y, step_y, a, lda = given
        row = self._at.vector(y, n, step_y, dtype)
        column = self._at.one(alpha, dtype) * self._at.vector(x, m, step_x, dtype)
        self._at.matrix(a, m, n, lda, dtype, written=True)[...] += np.outer(
            column, row.conj() if conjugated else row
        )

    def dot(self, dtype: Any, conjugated: bool, _handle: int, *given: Any) -> None:
        """The product of two vectors, the first conjugated or as it is."""
        n, x, step_x, y, step_y, out = given
        first = self._at.vector(x, n, step_x, dtype)
        self._at.put(
            out, dtype, np.dot(first.conj() if conjugated else first, self._at.vector(y, n, step_y, dtype))
        )

    def norm(self, dtype: Any, order: int, _handle: int, *given: Any) -> None:
        """The Euclidean norm, or the sum of absolute values (of real and imaginary parts)."""
        n, x, step, out = given
        vector = self._at.vector(x, n, step, dtype)
        found = (
            np.linalg.norm(vector) if order == 2 else np.abs(vector.real).sum() + np.abs(vector.imag).sum()
        )
        self._at.put(out, vector.real.dtype, found)

    def axpy(self, dtype: Any, _handle: int, *given: Any) -> None:
        """y + alpha x."""
        n, alpha, x, step_x, y, step_y = given
        out = self._at.vector(y, n, step_y, dtype, written=True)
        out += self._at.one(alpha, dtype) * self._at.vector(x, n, step_x, dtype)

    def scal(self, dtype: Any, _handle: int, *given: Any) -> None:
        """alpha x."""
        n, alpha, x, step = given
        out = self._at.vector(x, n, step, dtype, written=True)
        out *= self._at.one(alpha, dtype)

    def place(self, dtype: Any, choose: Any, _handle: int, *given: Any) -> None:
        """The place, from 1, of the largest or smallest absolute value."""
        n, x, step, out = given
        vector = self._at.vector(x, n, step, dtype)
        sizes = np.abs(vector.real) + np.abs(vector.imag)
        self._at.put(out, np.int32, int(choose(sizes)) + 1 if n else 0)

    def trsm(self, dtype: Any, _handle: int, *given: Any) -> None:
        """X of op(A) X = alpha B, or X op(A) = alpha B, for a triangle A; it takes the place of B."""
        side, triangle, operation, diagonal, m, n, alpha, a, lda, b, ldb = given
        size = m if side == LEFT else n
        matrix = self._at.matrix(a, size, size, lda, dtype)
        kept = np.tril(matrix) if triangle == LOWER else np.triu(matrix)
        if diagonal == UNIT:
            kept = kept - np.diag(np.diag(kept)) + np.eye(size, dtype=dtype)
        system = turned(kept, operation)
        out = self._at.matrix(b, m, n, ldb, dtype, written=True)
        right = self._at.one(alpha, dtype) * out
        out[...] = np.linalg.solve(system, right) if side == LEFT else np.linalg.solve(system.T, right.T).T

    def getrf_batch(self, dtype: Any, _handle: int, *given: Any) -> None:
        """The factors of each matrix of a batch in its place."""
        n, matrices, leading, pivots, info, count = given
        for number, address in enumerate(self._at.batch(matrices, count)):
            matrix = self._at.matrix(address, n, n, leading, dtype, written=True)
            order, state = lu_in_place(matrix, pivoted=bool(pivots))
            if pivots:
                self._at.put(pivots + 4 * n * number, np.int32, order)
            self._at.put(info + 4 * number, np.int32, state)

    def getrs_batch(self, dtype: Any, _handle: int, *given: Any) -> None:
        """The solutions of systems whose factors are given, in the places of their right sides."""
        operation, n, sides, matrices, leading, pivots, rights, leading_of, info, count = given
        pairs = zip(self._at.batch(matrices, count), self._at.batch(rights, count), strict=True)
        for number, (address, out) in enumerate(pairs):
            order = self._at.vector(pivots + 4 * n * number, n, 1, np.int32) if pivots else None
            whole = product_of_factors(self._at.matrix(address, n, n, leading, dtype), order)
            right = self._at.matrix(out, n, sides, leading_of, dtype, written=True)
            right[...] = np.linalg.solve(turned(whole, operation), right)
        self._at.put(info, np.int32, 0)

    def getri_batch(self, dtype: Any, _handle: int, *given: Any) -> None:
        """The inverse of each matrix of a batch whose factors are given."""
        n, matrices, leading, pivots, inverses, leading_of, info, count = given
        pairs = zip(self._at.batch(matrices, count), self._at.batch(inverses, count), strict=True)
        for number, (address, out) in enumerate(pairs):
            factors = self._at.matrix(address, n, n, leading, dtype)
            order = self._at.vector(pivots + 4 * n * number, n, 1, np.int32) if pivots else None
            singular = np.flatnonzero(np.diag(factors) == 0)
            if not singular.size:
                place = self._at.matrix(out, n, n, leading_of, dtype, written=True)
                place[...] = inverse_of_factors(factors, order)
            self._at.put(info + 4 * number, np.int32, int(singular[0]) + 1 if singular.size else 0)
