"""Calls in host code: methods of arrays, functions that make arrays, small functions of the workspace."""

from __future__ import annotations

import ast
import math
from abc import abstractmethod
from collections.abc import Mapping

from advisor.evidence.source.triton.units.host_expressions import Expressions, element_bytes, turned, whole
from advisor.evidence.source.triton.units.host_values import (
    TYPES,
    Array,
    DType,
    Host,
    Nothing,
    contiguous,
    is_number,
)
from advisor.program.names.scope_names import parameters
from advisor.program.syntax.module import FunctionNode, ModuleSyntax

_SAME = frozenset({
    "contiguous", "clone", "detach", "cuda", "requires_grad_", "cpu", "to_device", "zero_", "fill_",
    "normal_", "uniform_", "data", "pin_memory", "abs", "neg", "exp", "sqrt",
})  # fmt: skip
_MADE = frozenset({"empty", "zeros", "ones", "full", "rand", "randn", "randint", "empty_strided"})
_LIKE = frozenset({"empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like"})
_MATH = {
    "ceil": math.ceil, "floor": math.floor, "sqrt": math.sqrt, "log2": math.log2, "log": math.log,
    "exp": math.exp,
}  # fmt: skip
_QUOTIENTS = frozenset({"cdiv", "ceil_div", "ceildiv"})
_PYTHONS = {
    "min": min, "max": max, "int": int, "float": float, "abs": abs, "round": round, "bool": bool,
    "len": len,
}  # fmt: skip


class Returned(Exception):
    """A function has returned."""

    def __init__(self, value: Host) -> None:
        super().__init__()
        self.value = value


class Refused(Exception):
    """The program does not take these values; the message says what it asks for."""


class Calls(Expressions):
    """The values of calls."""

    def called(self, node: ast.Call) -> Host:
        """The value of a call."""
        name = self.names.of(node.func) or self.module.dotted(node.func) or ""
        last = name.rpartition(".")[2] or getattr(node.func, "attr", "")
        if name.startswith(("triton.", "tl.")) or last in _QUOTIENTS or last == "next_power_of_2":
            return self._of_triton(last, node)
        if name.startswith("torch."):
            return self._of_torch(last, node)
        if name.startswith("math.") and last in _MATH:
            number = self.number(self.value(node.args[0]))
            return _MATH[last](number) if isinstance(number, int | float) else Nothing(ast.unparse(node))
        if isinstance(node.func, ast.Name) and node.func.id not in self.env:
            if node.func.id in _PYTHONS:
                return self._of_python(node)
            if node.func.id == "range":
                return range(*(whole(self.number(self.value(one))) for one in node.args))
        function = self._function(node.func)
        if function is not None:
            return self._of_workspace(*function, node)
        if isinstance(node.func, ast.Attribute):
            return self._method(node, node.func)
        return Nothing(ast.unparse(node))

    def _of_triton(self, name: str, node: ast.Call) -> Host:
        given = [self.number(self.value(one)) for one in node.args]
        if name in _QUOTIENTS and len(given) == 2:
            return -(-whole(given[0]) // whole(given[1]))
        if name == "next_power_of_2" and given:
            return 1 << max(0, whole(given[0]) - 1).bit_length()
        return Nothing(ast.unparse(node))

    def _of_torch(self, name: str, node: ast.Call) -> Host:
        dtype = self._dtype_of(node)
        if name in _LIKE and node.args:
            like = self.array(self.value(node.args[0]))
            return Nothing() if like is None else contiguous(like.shape, dtype or like.dtype)
        if name in _MADE:
            first = node.args[1:] if name == "randint" and len(node.args) > 2 else node.args
            first = [one for one in first if isinstance(one, ast.Tuple | ast.List)] or first
            if (size := _keyword(node, "size")) is not None:
                first = [size]
            default = "i64" if name == "randint" else ""
            return self._shaped(first[:1] if name == "full" else first, dtype or default)
        if name == "arange" and node.args:
            stop = self.number(self.value(node.args[-1 if len(node.args) < 3 else 1]))
            return contiguous((whole(stop),), dtype or "i64")
        if name in ("cdiv", "finfo", "iinfo"):
            return Nothing()
        for one in node.args:
            if isinstance(array := self.value(one), Array):
                return array
        return Nothing(ast.unparse(node))

    def _shaped(self, given: list[ast.expr], dtype: str) -> Host:
        values = self._tuple(ast.Tuple(given, ast.Load()))
        if not isinstance(values, tuple):
            return Nothing()
        if len(values) == 1 and isinstance(values[0], tuple):
            values = values[0]
        return contiguous(tuple(whole(self.number(one)) for one in values), dtype)

    def _dtype_of(self, node: ast.Call) -> str:
        written = _keyword(node, "dtype")
        value = self.value(written) if written is not None else None
        return value.name if isinstance(value, DType) else ""

    def _of_python(self, node: ast.Call) -> Host:
        assert isinstance(node.func, ast.Name)
        values = [self.value(one) for one in node.args]
        if node.func.id == "len":
            array = self.array(values[0]) if not isinstance(values[0], tuple) else None
            return array.shape[0] if array is not None else len(values[0])  # type: ignore[arg-type]
        numbers = [self.number(one) for one in values]
        if not all(map(is_number, numbers)):
            return Nothing(ast.unparse(node))
        found: Host = _PYTHONS[node.func.id](*numbers)  # type: ignore[operator]
        return found

    def _function(self, called: ast.expr) -> tuple[ModuleSyntax, FunctionNode] | None:
        if isinstance(called, ast.Name):
            own = self.env.get(called.id)
            if isinstance(own, ast.FunctionDef):
                return self.module, own
        dotted = self.module.dotted(called)
        if dotted is None or self.depth <= 0 or (isinstance(called, ast.Name) and called.id in self.env):
            return None
        place = self.workspace.member(dotted, self.module)
        found = place[0].top_level.get(place[1]) if place is not None else None
        if place is None or not isinstance(found, ast.FunctionDef):
            return None
        return place[0], found

    def _of_workspace(self, module: ModuleSyntax, function: FunctionNode, node: ast.Call) -> Host:
        given = {
            name: self.value(one)
            for name, one in zip([one.arg for one in parameters(function)], node.args, strict=False)
            if not isinstance(one, ast.Starred)
        }
        given |= {one.arg: self.value(one.value) for one in node.keywords if one.arg}
        return self.result(module, function, given)

    def result(self, module: ModuleSyntax, function: FunctionNode, given: Mapping[str, Host]) -> Host:
        """What a function gives for some arguments; one that is nested sees the names around it."""
        if self.depth <= 0:
            return Nothing()
        inner = self.fresh(module)
        if module is self.module:
            inner.env.update(self.env if module.function_around(function) is not None else {})
        inner.taken = self.taken
        return inner.run(function, given)

    @abstractmethod
    def run(self, function: FunctionNode, given: Mapping[str, Host]) -> Host:
        """The value that a function returns for some arguments."""

    @abstractmethod
    def fresh(self, module: ModuleSyntax) -> Calls:
        """A walk through a function that is called."""

    def _method(self, node: ast.Call, function: ast.Attribute) -> Host:
        value, name = self.value(function.value), function.attr
        if not isinstance(value, Array | Nothing) or (isinstance(value, Nothing) and not value.name):
            return Nothing()
        array = self.array(value)
        assert array is not None
        given = [self.value(one) for one in node.args if not isinstance(one, ast.Starred)]
        if name in ("size", "stride"):
            every = array.shape if name == "size" else array.strides
            return every[whole(given[0])] if given else every
        if name == "numel":
            return array.count
        if name in ("dim", "ndimension"):
            return len(array.shape)
        if name == "element_size":
            return element_bytes(array)
        if name == "is_contiguous":
            return True
        if name in _SAME:
            return array if isinstance(value, Array) or name in ("contiguous", "clone", "detach") else value
        if name in ("to", "type"):
            known = next((one.name for one in given if isinstance(one, DType)), self._dtype_of(node))
            return array.of_type(known) if known else array
        if name in TYPES and not given:
            return array.of_type(TYPES[name])
        return self._reshaped(array, name, given, node)

    def _reshaped(self, array: Array, name: str, given: list[Host], node: ast.Call) -> Host:
        if given and isinstance(given[0], tuple):
            given = list(given[0])
        if name in ("view", "reshape") and given and not isinstance(given[0], DType):
            sizes = [whole(self.number(one)) for one in given]
            rest = math.prod(one for one in sizes if one >= 0)
            return contiguous(
                tuple(array.count // max(1, rest) if one < 0 else one for one in sizes), array.dtype
            )
        if name in ("transpose", "swapaxes"):
            return turned(array, whole(given[0]), whole(given[1]))
        if name == "t":
            return turned(array, 0, 1)
        if name == "permute":
            order = [whole(one) for one in given]
            return Array(
                tuple(array.shape[axis] for axis in order),
                tuple(array.strides[axis] for axis in order),
                array.dtype,
            )
        if name == "flatten" and not given:
            return contiguous((array.count,), array.dtype)
        if name in ("new_empty", "new_zeros", "new_ones"):
            return self._shaped(node.args, self._dtype_of(node) or array.dtype)
        return Nothing(ast.unparse(node))


def _keyword(node: ast.Call, name: str) -> ast.expr | None:
    return next((one.value for one in node.keywords if one.arg == name), None)
