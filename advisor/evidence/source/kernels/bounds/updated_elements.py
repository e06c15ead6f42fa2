"""How many different elements of an array an atomic can update, by the array's size and by its index."""

from __future__ import annotations

import ast
import math

from advisor.evidence.source.kernel_walk.kernel_facts import Array, AtomicUse, KernelFacts
from advisor.program.syntax.module import ModuleSyntax

# Values of the whole numbers that a byte holds; of others there are too many to matter.
_VALUES = {"uint8": 256, "int8": 256, "bool": 2, "bool_": 2, "boolean": 2}
_CONVERSIONS = frozenset({
    "int", "numpy.int8", "numpy.int16", "numpy.int32", "numpy.int64", "numpy.uint8", "numpy.uint16",
    "numpy.uint32", "numpy.uint64",
})  # fmt: skip
_DEPTH = 5


def updated_elements(atomic: AtomicUse, facts: KernelFacts) -> float | None:
    """Return the most elements that an atomic can update; None where neither the sizes of the array nor the
    values of its index are known.
    """
    call, sizes = atomic.place.node, _sizes(atomic.array)
    written = call.args[1] if isinstance(call, ast.Call) and len(call.args) > 1 else None
    indices = written.elts if isinstance(written, ast.Tuple) else [written] if written is not None else []
    if sizes and len(sizes) != len(indices):
        # Of a part of the array, or by an index that holds several.
        return None if None in sizes else float(math.prod(one or 0 for one in sizes))
    values = _Values(facts, atomic.place.module)
    counts = []
    for index, size in zip(indices, sizes or [None] * len(indices), strict=True):
        known = [one for one in (size, values.of(index)) if one is not None]
        if not known:
            return None
        counts.append(min(known))
    return float(math.prod(counts)) if counts else None


def _sizes(array: Array | None) -> tuple[int | None, ...]:
    return (array.dims or array.made) if array is not None else ()


class _Values:
    """How many values an expression of a kernel can have."""

    def __init__(self, facts: KernelFacts, module: ModuleSyntax) -> None:
        self._module = module
        self._loaded = {id(one.place.node): one.array for one in facts.accesses if one.kind == "load"}

    def of(self, node: ast.expr, depth: int = _DEPTH) -> int | None:
        """Return how many, None where they are not known to be few."""
        if depth <= 0:
            return None
        if isinstance(node, ast.Subscript):
            array = self._loaded.get(id(node))
            dtype = (array.dtype or "").rpartition(".")[2] if array is not None else ""
            return _VALUES.get(dtype)
        if isinstance(node, ast.Name):
            value = self._only_value(node)
            return None if value is None else self.of(value, depth - 1)
        if isinstance(node, ast.Call):
            return self._of_call(node, depth)
        return self._of_operation(node, depth) if isinstance(node, ast.BinOp) else None

    def _of_call(self, call: ast.Call, depth: int) -> int | None:
        name = self._module.dotted(call.func)
        if name in _CONVERSIONS and len(call.args) == 1:
            return self.of(call.args[0], depth - 1)
        if name == "min" and len(call.args) == 2:
            limits = [one for one in map(_number, call.args) if one is not None]
            return limits[0] + 1 if limits else None
        return None

    def _of_operation(self, node: ast.BinOp, depth: int) -> int | None:
        number = _number(node.right)
        if number is None or number <= 0:
            return None
        if isinstance(node.op, ast.Mod):
            return number
        if isinstance(node.op, ast.BitAnd):
            return number + 1
        if isinstance(node.op, ast.FloorDiv | ast.RShift):
            values = self.of(node.left, depth - 1)
            by = number if isinstance(node.op, ast.FloorDiv) else 2**number
            return None if values is None else -(-values // by)
        return None

    def _only_value(self, name: ast.Name) -> ast.expr | None:
        """What the only assignment of a name in its function gives it."""
        function = self._module.function_around(name)
        if function is None:
            return None
        stores = self._module.stores(name.id, function)
        parent = self._module.parents.get(stores[0]) if len(stores) == 1 else None
        return parent.value if isinstance(parent, ast.Assign) and parent.targets == [stores[0]] else None


def _number(node: ast.expr) -> int | None:
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None
