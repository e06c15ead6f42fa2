"""cuSPARSE by NumPy: conversions, orders, sums and products of sparse matrices whose indices begin with 0.

https://docs.nvidia.com/cuda/cusparse/
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from advisor.evidence.simulated.cupy.device_arrays import Array
from advisor.evidence.simulated.cupy.libraries.entries import Entries, offsets, places_of
from advisor.evidence.simulated.cupy.libraries.library import (
    ADDRESS,
    INT,
    OUT_ADDRESS,
    OUT_INT,
    OUT_SIZE,
    Library,
)
from advisor.evidence.simulated.cupy.libraries.matrices import ELEMENTS, Matrices, turned

_FAILED, _NOT_SUPPORTED = 6, 10
_VERSION = 12000
_ROOM = 1
# cusparse.h: cusparseIndexType_t, cusparseOrder_t; library_types.h: cudaDataType_t.
_INDEX_TYPES: dict[int, Any] = {2: np.int32, 3: np.int64}
_ROWS_SIDE_BY_SIDE = 2
_DATA_TYPES: dict[int, Any] = {0: np.float32, 1: np.float64, 4: np.complex64, 5: np.complex128}
# CuPy looks these up while it is imported.
_LOOKED_UP = (
    "CreateCsc", "SpMatSetAttribute",
    "SparseToDense_bufferSize", "SparseToDense",
    "DenseToSparse_bufferSize", "DenseToSparse_analysis", "DenseToSparse_convert",
    "SpSM_createDescr", "SpSM_destroyDescr", "SpSM_bufferSize", "SpSM_analysis", "SpSM_solve",
)  # fmt: skip


@dataclass(frozen=True)
class _Described:
    """A vector or matrix: its form, sizes, and the addresses of indices and values."""

    form: str
    sizes: tuple[int, ...]
    values: int
    dtype: Any
    count: int = 0
    outer: int = 0
    inner: int = 0
    index: Any = np.int32


def sparse(matrices: Matrices) -> Library:
    """The library, with what CuPy's conversions and products use."""
    texts: dict[str, Callable[[int], str]] = dict.fromkeys(
        ("cusparseGetErrorName", "cusparseGetErrorString"), _error
    )
    library = Library(
        "cusparse", "libcusparse.so", "cupy_backends.cuda.libs.cusparse", _FAILED, _NOT_SUPPORTED,
        looked_up=tuple(f"cusparse{name}" for name in _LOOKED_UP), texts=texts,
    )  # fmt: skip
    a, i = ADDRESS, INT
    library.offer("cusparseCreate cusparseCreateMatDescr", _make, OUT_ADDRESS)
    library.offer("cusparseDestroy cusparseDestroyMatDescr", _nothing, a)
    library.offer("cusparseSetStream", _nothing, a, a)
    library.offer("cusparseSetPointerMode cusparseSetMatType cusparseSetMatIndexBase", _nothing, a, i)
    library.offer("cusparseSetMatFillMode cusparseSetMatDiagType", _nothing, a, i)
    library.offer("cusparseGetVersion", _version, a, OUT_INT)
    functions = _Sparse(matrices)
    _offer_descriptions(library, functions)
    _offer_products(library, functions)
    _offer_conversions(library, functions)
    for letter, dtype in ELEMENTS.items():
        part = i, a, a, a
        given = a, i, i, a, a, *part, a, a, *part, a, a, a, a
        library.offer(f"cusparse{letter}csrgeam2_bufferSizeExt", _room, *given, OUT_SIZE)
        library.offer(f"cusparse{letter}csrgeam2", partial(functions.sum, dtype), *given, a)
    library.offer("cusparseXcsrgeam2Nnz", functions.count_of_sum, a, i, i, a, i, a, a, a, i, a, a, a, a, a, a)
    return library


def _offer_descriptions(library: Library, functions: _Sparse) -> None:
    a, i, out = ADDRESS, INT, OUT_ADDRESS
    library.offer("cusparseCreateDnVec", functions.create_vector, out, a, a, i)
    library.offer("cusparseCreateSpVec", functions.create_sparse_vector, out, a, a, a, a, i, i, i)
    library.offer("cusparseCreateDnMat", functions.create_dense, out, a, a, a, a, i, i)
    compressed = out, a, a, a, a, a, a, i, i, i, i
    library.offer("cusparseCreateCsr", partial(functions.create_compressed, "csr"), *compressed)
    library.offer("cusparseCreateCsc", partial(functions.create_compressed, "csc"), *compressed)
    library.offer("cusparseCreateCoo", functions.create_places, out, a, a, a, a, a, a, i, i, i)
    for kind in ("DnVec", "SpVec", "DnMat", "SpMat"):
        library.offer(f"cusparseDestroy{kind}", functions.destroy, a)


def _offer_products(library: Library, functions: _Sparse) -> None:
    a, i = ADDRESS, INT
    given: tuple[Any, ...] = (a, i, a, a, a, a, a, i, i)
    library.offer("cusparseSpMV_bufferSize", _room, *given, OUT_SIZE)
    library.offer("cusparseSpMV", functions.times_vector, *given, a)
    given = a, i, i, a, a, a, a, a, i, i
    library.offer("cusparseSpMM_bufferSize", _room, *given, OUT_SIZE)
    library.offer("cusparseSpMM", functions.times_dense, *given, a)
    library.offer("cusparseSpGEMM_createDescr", _make, OUT_ADDRESS)
    library.offer("cusparseSpGEMM_destroyDescr", _nothing, a)
    given = a, i, i, a, a, a, a, a, i, i, a
    library.offer("cusparseSpGEMM_workEstimation", _room_of_work, *given, OUT_SIZE, a)
    library.offer("cusparseSpGEMM_compute", functions.multiply, *given, OUT_SIZE, a)
    library.offer("cusparseSpGEMM_copy", functions.copy_product, *given)
    library.offer("cusparseSpMatGetSize", functions.size, a, OUT_ADDRESS, OUT_ADDRESS, OUT_ADDRESS)
    library.offer("cusparseCsrSetPointers", functions.set_pointers, a, a, a, a)


def _offer_conversions(library: Library, functions: _Sparse) -> None:
    a, i = ADDRESS, INT
    library.offer("cusparseSparseToDense_bufferSize", _room, a, a, a, i, OUT_SIZE)
    library.offer("cusparseSparseToDense", functions.to_dense, a, a, a, i, a)
    library.offer("cusparseDenseToSparse_bufferSize", _room, a, a, a, i, OUT_SIZE)
    library.offer("cusparseDenseToSparse_analysis", functions.look_through, a, a, a, i, a)
    library.offer("cusparseDenseToSparse_convert", functions.copy_elements, a, a, a, i, a)
    library.offer("cusparseCscSetPointers", functions.set_pointers, a, a, a, a)
    library.offer("cusparseCooSetPointers", functions.set_pointers, a, a, a, a)
    library.offer("cusparseGather", functions.gather, a, a, a)
    library.offer("cusparseXcoo2csr", functions.compress, a, a, i, i, a, i)
    library.offer("cusparseXcsr2coo", functions.expand, a, a, i, i, a, i)
    given = a, i, i, i, a, a, a, a, a, a, i, i, i, i
    library.offer("cusparseCsr2cscEx2_bufferSize", _room, *given, OUT_SIZE)
    library.offer("cusparseCsr2cscEx2", functions.exchange, *given, a)
    library.offer("cusparseCreateIdentityPermutation", functions.count_up, a, i, a)
    library.offer("cusparseXcoosort_bufferSizeExt", _room, a, i, i, i, a, a, OUT_SIZE)
    for name, first in (("Row", 0), ("Column", 1)):
        library.offer(f"cusparseXcoosortBy{name}", partial(functions.order, first), a, i, i, i, a, a, a, a)
    for name, rows in (("csr", True), ("csc", False)):
        library.offer(f"cusparseX{name}sort_bufferSizeExt", _room, a, i, i, i, a, a, OUT_SIZE)
        function = partial(functions.order_within, rows)
        library.offer(f"cusparseX{name}sort", function, a, i, i, i, a, a, a, a, a)


def _error(status: int) -> str:
    """What a result is called (cusparse.h, cusparseStatus_t)."""
    names = {0: "SUCCESS", _FAILED: "EXECUTION_FAILED", _NOT_SUPPORTED: "NOT_SUPPORTED"}
    return f"CUSPARSE_STATUS_{names.get(status, status)}"


def _make(out: Any) -> None:
    out[0] = 1


def _nothing(*_: Any) -> None:
    return None


def _version(_handle: int, out: Any) -> None:
    out[0] = _VERSION


def _room(*given: Any) -> None:
    given[-1][0] = _ROOM


def _room_of_work(*given: Any) -> None:
    given[-2][0] = _ROOM


class _Sparse:
    def __init__(self, matrices: Matrices) -> None:
        self._at = matrices
        self._described: dict[int, _Described] = {}
        self._products: dict[int, Entries] = {}
        self._created = 0

    def _keep(self, out: Any, described: _Described) -> None:
        self._created += 1
        self._described[self._created] = described
        out[0] = self._created

    def create_vector(self, out: Any, size: int, values: int, kind: int) -> None:
        """A dense vector."""
        self._keep(out, _Described("vector", (size,), values, _DATA_TYPES[kind]))

    def create_sparse_vector(self, out: Any, *given: int) -> None:
        """A vector of some of its elements."""
        size, count, places, values, index, _base, kind = given
        self._keep(
            out,
            _Described(
                "places", (size,), values, _DATA_TYPES[kind], count, inner=places, index=_INDEX_TYPES[index]
            ),
        )

    def create_dense(self, out: Any, *given: int) -> None:
        """A dense matrix, of columns or rows that begin so many elements apart."""
        rows, columns, leading, values, kind, order = given
        form = "rows" if order == _ROWS_SIDE_BY_SIDE else "columns"
        self._keep(out, _Described(form, (rows, columns, leading), values, _DATA_TYPES[kind]))

    def create_compressed(self, form: str, out: Any, *given: int) -> None:
        """A matrix of compressed rows or columns."""
        rows, columns, count, outer, inner, values, index, _inner_index, _base, kind = given
        sizes, dtype = (rows, columns), _DATA_TYPES[kind]
        self._keep(out, _Described(form, sizes, values, dtype, count, outer, inner, _INDEX_TYPES[index]))

    def create_places(self, out: Any, *given: int) -> None:
        """A matrix of elements with their rows and columns."""
        rows, columns, count, outer, inner, values, index, _base, kind = given
        sizes, dtype = (rows, columns), _DATA_TYPES[kind]
        self._keep(out, _Described("coo", sizes, values, dtype, count, outer, inner, _INDEX_TYPES[index]))

    def destroy(self, number: int) -> None:
        """Forget a description."""
        self._described.pop(number, None)
        self._products.pop(number, None)

    def size(self, number: int, rows: Any, columns: Any, count: Any) -> None:
        """The sizes of a sparse matrix, and how many elements it has."""
        described = self._described[number]
        rows[0], columns[0], count[0] = *described.sizes, described.count

    def set_pointers(self, number: int, outer: int, inner: int, values: int) -> None:
        """Where the compressed rows of a matrix lie."""
        found = replace(self._described[number], outer=outer, inner=inner, values=values)
        self._described[number] = found

    def _entries(self, number: int) -> Entries:
        one = self._described[number]
        inner = self._at.vector(one.inner, one.count, 1, one.index)
        values = self._at.vector(one.values, one.count, 1, one.dtype)
        if one.form == "coo":
            return Entries(one.sizes, self._at.vector(one.outer, one.count, 1, one.index), inner, values)
        lines = one.sizes[0] if one.form == "csr" else one.sizes[1]
        outer = places_of(self._at.vector(one.outer, lines + 1, 1, one.index))
        found = (outer, inner) if one.form == "csr" else (inner, outer)
        return Entries(one.sizes, *found, values)

    def _dense(self, number: int, written: bool = False) -> Array:
        one = self._described[number]
        if one.form == "vector":
            return self._at.vector(one.values, one.sizes[0], 1, one.dtype, written)
        rows, columns, leading = one.sizes
        if one.form == "rows":
            return np.asarray(self._at.matrix(one.values, columns, rows, leading, one.dtype, written).T)
        return self._at.matrix(one.values, rows, columns, leading, one.dtype, written)

    def times_vector(self, _handle: int, operation: int, *given: int) -> None:
        """alpha op(A) x + beta y."""
        alpha, a, x, beta, y, *_ = given
        self._times(operation, alpha, a, self._dense(x), beta, y)

    def times_dense(self, _handle: int, operation: int, other: int, *given: int) -> None:
        """alpha op(A) op(B) + beta C."""
        alpha, a, b, beta, c, *_ = given
        self._times(operation, alpha, a, turned(self._dense(b), other), beta, c)

    def _times(self, operation: int, alpha: int, a: int, right: Array, beta: int, target: int) -> None:
        out = self._dense(target, written=True)
        dtype = self._described[a].dtype
        plus = self._at.one(beta, dtype)
        product = self._at.one(alpha, dtype) * self._entries(a).turned(operation).times(right)
        out[...] = product + plus * out if plus else product

    def multiply(self, _handle: int, first: int, second: int, *given: Any) -> None:
        """The elements of alpha op(A) op(B), which are kept; their number is C's."""
        alpha, a, b, _beta, c, _type, _algorithm, _description, room, work = given
        room[0] = _ROOM
        if not work:
            return
        one, two = self._entries(a).turned(first), self._entries(b).turned(second)
        product = one.product(two, self._at.one(alpha, self._described[a].dtype))
        self._products[c] = product
        self._described[c] = replace(self._described[c], count=len(product.values))

    def copy_product(self, *given: Any) -> None:
        """Write the elements that are kept."""
        self._write(given[7])

    def _write(self, number: int) -> None:
        """Write the elements of a matrix to where it is described to lie; they are ordered by its lines."""
        one, kept = self._described[number], self._products[number]
        lines, places = (kept.columns, kept.rows) if one.form == "csc" else (kept.rows, kept.columns)
        count = one.sizes[1] if one.form == "csc" else one.sizes[0]
        self._at.put(one.outer, one.index, lines if one.form == "coo" else offsets(lines, count))
        self._at.put(one.inner, one.index, places)
        self._at.put(one.values, one.dtype, kept.values)

    def look_through(self, _handle: int, a: int, b: int, *_: int) -> None:
        """Keep the elements of a dense matrix that are not 0."""
        dense = self._dense(a)
        by_columns = self._described[b].form == "csc"
        lines, places = np.nonzero(dense.T if by_columns else dense)
        rows, columns = (places, lines) if by_columns else (lines, places)
        self._products[b] = Entries(dense.shape, rows, columns, dense[rows, columns])
        self._described[b] = replace(self._described[b], count=len(rows))

    def copy_elements(self, handle: int, a: int, b: int, *_: int) -> None:
        """Write them; the description may be another one than before."""
        self.look_through(handle, a, b)
        self._write(b)

    def to_dense(self, _handle: int, a: int, b: int, *_: int) -> None:
        """The dense matrix of a sparse one."""
        self._dense(b, written=True)[...] = self._entries(a).dense()

    def gather(self, _handle: int, source: int, target: int) -> None:
        """The elements of a dense vector at the places of a sparse one."""
        one = self._described[target]
        places = self._at.vector(one.inner, one.count, 1, one.index)
        self._at.put(one.values, one.dtype, self._dense(source)[places])

    def compress(self, _handle: int, *given: int) -> None:
        """Where each row begins, of the rows of ordered elements."""
        rows, count, lines, out, _base = given
        self._at.put(out, np.int32, offsets(self._at.vector(rows, count, 1, np.int32), lines))

    def expand(self, _handle: int, *given: int) -> None:
        """The row of each element."""
        begins, _count, lines, out, _base = given
        self._at.put(out, np.int32, places_of(self._at.vector(begins, lines + 1, 1, np.int32)))

    def exchange(self, _handle: int, *given: int) -> None:
        """Compressed columns of compressed rows."""
        m, n, count, values, begins, inner, new_values, new_begins, new_inner, kind, *_ = given
        dtype = _DATA_TYPES[kind]
        rows = places_of(self._at.vector(begins, m + 1, 1, np.int32))
        columns = self._at.vector(inner, count, 1, np.int32)
        order = np.argsort(columns, kind="stable")
        self._at.put(new_values, dtype, self._at.vector(values, count, 1, dtype)[order])
        self._at.put(new_inner, np.int32, rows[order])
        self._at.put(new_begins, np.int32, offsets(columns[order], n))

    def count_up(self, _handle: int, count: int, out: int) -> None:
        """The places 0, 1, 2 …"""
        self._at.put(out, np.int32, np.arange(count))

    def order(self, first: int, _handle: int, *given: int) -> None:
        """Order elements by rows, or by columns, and with them their places."""
        _m, _n, count, *places, moved, _work = given
        keys = [self._at.vector(place, count, 1, np.int32, written=True) for place in places]
        order = np.lexsort((keys[1 - first], keys[first]))
        for one in (*keys, self._at.vector(moved, count, 1, np.int32, written=True)):
            one[...] = one[order]

    def order_within(self, rows: bool, _handle: int, *given: int) -> None:
        """Order the elements of each compressed row or column, and with them their places."""
        m, n, count, _description, begins, inner, moved, _work = given
        outer = places_of(self._at.vector(begins, (m if rows else n) + 1, 1, np.int32))
        places = self._at.vector(inner, count, 1, np.int32, written=True)
        order = np.lexsort((places, outer))
        for one in (places, self._at.vector(moved, count, 1, np.int32, written=True)):
            one[...] = one[order]

    def count_of_sum(self, _handle: int, *given: int) -> None:
        """How many elements a sum has, and where its rows begin."""
        m, n, _a, count_a, begins_a, inner_a, _b, count_b, begins_b, inner_b, _c, begins, total, _work = given
        parts = [
            self._compressed((m, n), count, begin, inner, 0, np.float32)
            for count, begin, inner in ((count_a, begins_a, inner_a), (count_b, begins_b, inner_b))
        ]
        found = parts[0].plus(parts[1])
        self._at.put(begins, np.int32, offsets(found.rows, m))
        self._at.put(total, np.int32, len(found.values))

    def sum(self, dtype: Any, _handle: int, *given: int) -> None:
        """alpha A + beta B, in compressed rows."""
        m, n, alpha, _a, count_a, values_a, begins_a, inner_a, beta, _b, *rest = given
        count_b, values_b, begins_b, inner_b, _c, values, begins, inner, _work = rest
        one = self._compressed((m, n), count_a, begins_a, inner_a, values_a, dtype)
        two = self._compressed((m, n), count_b, begins_b, inner_b, values_b, dtype)
        found = one.scaled(self._at.one(alpha, dtype)).plus(two.scaled(self._at.one(beta, dtype)))
        self._at.put(begins, np.int32, offsets(found.rows, m))
        self._at.put(inner, np.int32, found.columns)
        self._at.put(values, dtype, found.values)

    def _compressed(
        self, sizes: tuple[int, int], count: int, begins: int, inner: int, values: int, dtype: Any
    ) -> Entries:  # fmt: skip
        rows = places_of(self._at.vector(begins, sizes[0] + 1, 1, np.int32))
        numbers = self._at.vector(values, count, 1, dtype) if values else np.ones(count, dtype)
        return Entries(sizes, rows, self._at.vector(inner, count, 1, np.int32), numbers)
