"""What names, attributes and constants mean in a kernel."""

from __future__ import annotations

import ast
from dataclasses import replace

from advisor.evidence.source.kernel_walk.affine_forms import atom, number
from advisor.evidence.source.kernel_walk.kernel_facts import Array, Opaque, Scalar, Tuple, Value, View
from advisor.evidence.source.kernel_walk.walk_state import WalkState
from advisor.program.kernels.declarations import cuda_member

_AXES = {"x": "x", "y": "y", "z": "z"}
_INDEX_OBJECTS = {"threadIdx": "tid", "blockIdx": "bid", "blockDim": "bdim", "gridDim": "gdim"}


class Names(WalkState):
    """Constants, names and attributes."""

    def _constant(self, node: ast.Constant) -> Value:
        value = node.value
        if isinstance(value, bool):
            return Scalar(number(int(value)), "bool", constant=float(value))
        if isinstance(value, int):
            return Scalar(number(value), "int", constant=value)
        if isinstance(value, float):
            return Scalar(self.atoms.symbol(f"={value!r}"), "float", constant=value)
        return Scalar(self.atoms.symbol("=text"), None, constant=value if isinstance(value, str) else None)

    def _name(self, node: ast.Name) -> Value:
        if node.id in self.env:
            return self.env[node.id]
        dotted = self.workspace.library_name(self.module.dotted(node) or node.id, self.module)
        if "." in dotted:
            return self._library(dotted) or Opaque(dotted)
        return self._fixed(node) or Opaque(node.id)

    def _fixed(self, node: ast.expr) -> Value | None:
        return self._known(self.constants.value(node))

    def _known(self, value: object) -> Value | None:
        if isinstance(value, bool | int):
            return Scalar(
                number(int(value)), "bool" if isinstance(value, bool) else "int", constant=int(value)
            )
        if isinstance(value, float):
            return Scalar(self.atoms.symbol(f"={value!r}"), "float", constant=value)
        if isinstance(value, tuple):
            items = [self._known(item) or self.opaque([]) for item in value]
            return Tuple(tuple(items))
        return None

    def _library(self, dotted: str) -> Value | None:
        member = cuda_member(dotted)
        if member is None:
            return None
        head, _, axis = member.partition(".")
        if head in _INDEX_OBJECTS and axis in _AXES:
            name = f"{_INDEX_OBJECTS[head]}.{axis}"
            if head == "threadIdx":
                self.facts.thread_dimensions.add(axis)
            self.facts.block_index_read |= head in ("blockIdx", "gridDim")
            return Scalar(atom(name) if head in ("threadIdx", "blockIdx") else self.atoms.symbol(name), "int")
        if member == "laneid":
            self.facts.thread_dimensions.add("x")
            return self.opaque([Scalar(atom("tid.x"))], "int")
        if member == "warpsize":
            return Scalar(self.atoms.symbol("warpsize"), "int")
        return None

    def _attribute(self, node: ast.Attribute) -> Value:
        root = node.value
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and root.id not in self.env:
            dotted = self.module.dotted(node)
            if dotted is not None:
                dotted = self.workspace.library_name(dotted, self.module)
                return self._library(dotted) or self._fixed(node) or Opaque(dotted)
        base = self.value(node.value)
        view = self.view(base)
        if view is not None and node.attr in ("shape", "size", "ndim", "T", "strides", "dtype"):
            return self._property(view, node.attr)
        if node.attr in ("real", "imag"):
            return replace(base, constant=None) if isinstance(base, Scalar) else view or self.opaque([base])
        if node.attr in ("x", "y", "z", "w") and isinstance(base, Scalar):
            return Scalar(base.form, base.kind)
        return self.opaque([base], loaded=True)

    def _property(self, view: View, name: str) -> Value:
        given = len(view.prefix)
        if name == "shape":
            count = max(len(view.array.dims) - given, 0) or 4
            return Tuple(tuple(self.extent(view.array, given + axis) for axis in range(count)))
        if name == "size":
            return (
                self.extent(view.array, given)
                if view.array.dims
                else Scalar(self.atoms.symbol(f"{view.array.name}.size"), "int")
            )
        return Opaque(f"{view.array.name}.{name}")

    def extent(self, array: Array, axis: int) -> Scalar:
        """The size of an array along an axis: a number where it is constant, else a symbol."""
        if axis < len(array.dims) and array.dims[axis] is not None:
            known = array.dims[axis]
            assert known is not None
            return Scalar(number(known), "int", constant=known)
        return Scalar(self.atoms.symbol(f"{array.name}.shape[{axis}]"), "int")

    def _tuple(self, node: ast.Tuple) -> Value:
        return Tuple(tuple(self.value(item) for item in node.elts))

    _list = _tuple
