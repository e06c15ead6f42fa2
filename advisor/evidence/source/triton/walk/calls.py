"""Calls in a Triton kernel: functions of triton.language, methods of blocks, functions of the project."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace

from advisor.evidence.source.triton.declarations import TritonFunction
from advisor.evidence.source.triton.names import short_name
from advisor.evidence.source.triton.walk.blocks import cast
from advisor.evidence.source.triton.walk.expressions import turned
from advisor.evidence.source.triton.walk.notes import PrintNote
from advisor.evidence.source.triton.walk.quantities import Quantity, Value
from advisor.evidence.source.triton.walk.reductions import REDUCTIONS, Reductions
from advisor.program.syntax.calls import keyword_value
from advisor.program.syntax.tree_nodes import dotted_root

_SAME = frozenset({"multiple_of", "max_contiguous", "max_constancy", "assume"})
_PRINTS = frozenset({"device_print", "static_print", "debug_barrier", "device_assert"})
# Blocks of another shape, and descriptors, whose lanes are not followed.
_RESHAPED = frozenset({"split", "join", "cat", "gather", "make_tensor_descriptor", "inline_asm_elementwise"})
_METHODS = frozenset(
    {"reshape", "view", "permute", "ravel", "expand_dims", "broadcast_to", "split", "gather"}
)
_NUMBERS = frozenset({"min", "max", "float", "int", "len"})
_MAGNITUDES = frozenset({"abs", "fabs", "fast_absf"})
_DEPTH = 3


class Calls(Reductions):
    """Every call of a kernel."""

    def _call(self, node: ast.Call) -> Value:
        name = self.names.of(node.func)
        if ast.unparse(node.func).rpartition(".")[2] in _MAGNITUDES and len(node.args) == 1:
            return self._tl_abs(node)
        if name is not None and name.startswith("tl."):
            return self._library(node, name[3:])
        if isinstance(node.func, ast.Attribute) and not self._is_module(node.func):
            return self._method(node, node.func)
        if isinstance(node.func, ast.Name) and node.func.id in _NUMBERS:
            return replace(self.opaque([self.value(one) for one in node.args]), pointer=None)
        target = self._function(node.func)
        if target is not None:
            return self._helper(node, target)
        values = [self.value(one) for one in node.args if not isinstance(one, ast.Starred)]
        values += [self.value(one.value) for one in node.keywords]
        found = self.opaque(values)
        return replace(found, shape=found.shape if name is not None else None, pointer=None)

    def _is_module(self, function: ast.Attribute) -> bool:
        root = dotted_root(function)
        return root is not None and root.id not in self.env

    def _function(self, node: ast.expr) -> TritonFunction | None:
        dotted = self.function.module.dotted(node)
        return None if dotted is None or short_name(dotted) else self.find(dotted, self.function)

    @abstractmethod
    def run_function(self, target: TritonFunction, bound: dict[str, Value]) -> Value:
        """The value that another function returns for given arguments."""

    def _helper(self, node: ast.Call, target: TritonFunction) -> Value:
        self.notes.called.add(target.key)
        given = [self.value(one) for one in node.args if not isinstance(one, ast.Starred)]
        named = {one.arg: self.value(one.value) for one in node.keywords if one.arg}
        if self.inside >= _DEPTH or any(isinstance(one, ast.Starred) for one in node.args):
            return replace(self.opaque([*given, *named.values()]), shape=None, undefined=frozenset())
        bound: dict[str, Value] = dict(zip(target.parameters, given, strict=False)) | {
            name: value for name, value in named.items() if name in target.parameters
        }
        for name, default in target.defaults().items():
            if name not in bound:
                bound[name] = self.value(default)
        return self.run_function(target, bound)

    def _library(self, node: ast.Call, name: str) -> Value:
        method: Callable[[ast.Call], Value] | None = getattr(self, f"_tl_{name}", None)
        if method is not None:
            return method(node)
        if name in REDUCTIONS:
            return self._reduced(node, name, [self.value(one) for one in node.args])
        if name.startswith("atomic_"):
            return self._atomic(node, name.removeprefix("atomic_"))
        if name in _PRINTS:
            self.notes.prints.append(PrintNote(node, self.where(), name))
        values = [self.value(one) for one in node.args if not isinstance(one, ast.Starred)]
        values += [self.value(one.value) for one in node.keywords]
        if name in _SAME and values:
            self.notes.assumed |= name != "max_constancy"
            return values[0]
        if name in _RESHAPED:
            return replace(self.opaque(values), shape=None, undefined=frozenset())
        return replace(self.opaque(values), pointer=None)

    def _method(self, node: ast.Call, function: ast.Attribute) -> Value:
        value = self.value(function.value)
        if not isinstance(value, Quantity):
            return self.unknown()
        name = function.attr
        if name == "to":
            return cast(value, node.args[0] if node.args else None)
        if name in REDUCTIONS:
            written = node.args[0] if node.args else keyword_value(node, "axis")
            like = ast.Call(function, [function.value, *([written] if written is not None else [])],
                            [k for k in node.keywords if k.arg != "axis"])  # fmt: skip
            return self._reduced(like, name, [value])
        if name == "trans":
            return turned(value)
        if name in ("load", "store") or name.startswith("atomic"):
            # A tensor descriptor, which checks its bounds by itself.
            for one in node.args:
                self.value(one)
            return replace(self.opaque([value], "loaded"), shape=None, loaded=True)
        if name in _METHODS:
            return replace(value, shape=None, undefined=frozenset())
        values = [self.value(one) for one in node.args]
        return replace(self.opaque([value, *values]), pointer=None)
