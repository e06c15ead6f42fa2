"""The arrays that calls of NumPy, CuPy and Numba make, by the sizes that they are given."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from advisor.evidence.source.host.data_flow.grid_extents import HostFrame
from advisor.evidence.source.host.data_flow.grids.sizes import HostArray, Known, Leaf, Size
from advisor.program.syntax.calls import called_name, keyword_value

if TYPE_CHECKING:
    from advisor.evidence.source.host.data_flow.grids.size_reader import Read, SizeReader

_OF_A_SHAPE = frozenset({
    "zeros", "ones", "empty", "full", "device_array", "pinned_array", "mapped_array", "managed_array",
    "random_sample", "random", "standard_normal", "ndarray",
})  # fmt: skip
_OF_SIZES = frozenset({"rand", "randn"})
# Behind how many arguments the sizes stand.
_OF_A_THIRD = frozenset({"normal", "uniform", "randint", "integers"})
_LIKE = frozenset({
    "to_device", "asarray", "ascontiguousarray", "asfortranarray", "array", "copy", "zeros_like", "ones_like",
    "empty_like", "full_like", "device_array_like", "pinned_array_like", "mapped_array_like", "as_cuda_array",
    "sqrt", "exp", "sin", "cos", "square", "abs", "log",
})  # fmt: skip
_METHODS_LIKE = frozenset({
    "astype", "copy", "copy_to_host", "clip", "cuda", "cpu", "to", "contiguous", "float", "double", "get",
})  # fmt: skip
_LIBRARIES = frozenset({"numpy", "cupy", "torch", "numba"})


class ArrayMakers:
    """Reads the calls that make arrays."""

    def __init__(self, reader: SizeReader) -> None:
        self._reader = reader

    def made(self, node: ast.Call, frame: HostFrame, depth: int) -> HostArray | None:
        """The array that a call makes, None for any other call."""
        name = called_name(node)
        if self._of_library(node, frame):
            return self._by_library(node, name, frame, depth)
        if not isinstance(node.func, ast.Attribute):
            return None
        size = keyword_value(node, "size")
        if size is not None or name in _OF_A_THIRD | _OF_A_SHAPE:
            return self._by_library(node, name, frame, depth)
        whole = self._reader.as_array(self._reader.read(node.func.value, frame, depth))
        if whole is None:
            return None
        if name in _METHODS_LIKE:
            return whole
        if name in ("ravel", "flatten"):
            elements = whole.elements
            return None if elements is None else HostArray((whole.key, "flat"), whole.written, (elements,))
        if name == "reshape":
            return self._reshaped(node, whole, frame, depth)
        return None

    def _of_library(self, node: ast.Call, frame: HostFrame) -> bool:
        root = (frame.module.dotted(node.func) or "").split(".")[0]
        return root in _LIBRARIES or root == "cuda"

    def _by_library(self, node: ast.Call, name: str, frame: HostFrame, depth: int) -> HostArray | None:
        if name in _LIKE and node.args:
            return self._reader.as_array(self._reader.read(node.args[0], frame, depth))
        size = keyword_value(node, "size") or keyword_value(node, "shape")
        if size is not None:
            return self._of(node, self._reader.read(size, frame, depth))
        if name in _OF_A_SHAPE and node.args:
            return self._of(node, self._reader.read(node.args[0], frame, depth))
        if name in _OF_SIZES and node.args:
            return self._of(node, tuple(self._reader.read(one, frame, depth) for one in node.args))
        if name in _OF_A_THIRD and len(node.args) > 2:
            return self._of(node, self._reader.read(node.args[2], frame, depth))
        if name == "arange" and len(node.args) == 1:
            return self._of(node, (self._reader.read(node.args[0], frame, depth),))
        if name == "linspace" and len(node.args) > 2:
            return self._of(node, (self._reader.read(node.args[2], frame, depth),))
        return None

    def _of(self, node: ast.Call, sizes: Read) -> HostArray | None:
        written = ast.unparse(node.func)
        if isinstance(sizes, tuple):
            return HostArray(node, written, tuple(map(_size, sizes)))
        if isinstance(sizes, Leaf):
            return _for_leaf(node, written, sizes)
        return None if sizes is None or isinstance(sizes, HostArray) else HostArray(node, written, (sizes,))

    def _reshaped(self, node: ast.Call, whole: HostArray, frame: HostFrame, depth: int) -> HostArray | None:
        given = node.args
        if len(given) == 1:
            read = self._reader.read(given[0], frame, depth)
            sizes = read if isinstance(read, tuple) else (read,)
        else:
            sizes = tuple(self._reader.read(one, frame, depth) for one in given)
        if sizes == (Known(-1),):
            elements = whole.elements
            return None if elements is None else HostArray((whole.key, "flat"), whole.written, (elements,))
        shape = tuple(None if one == Known(-1) else _size(one) for one in sizes)
        return HostArray(node, whole.written, shape)


def _for_leaf(node: ast.Call, written: str, size: Leaf) -> HostArray:
    """An array that is made for what may be one size or all of them."""
    if isinstance(size.array, HostArray):
        return size.array
    return HostArray(node, written, of=size) if size.array is None else HostArray(node, written, (size,))


def _size(found: Read) -> Size | None:
    return None if isinstance(found, HostArray | tuple) else found
