"""What a module changes of arrays in place: their shape and the type of their elements."""

from __future__ import annotations

import ast
from dataclasses import replace

from advisor.program.arrays.host_values import Array, Value
from advisor.program.syntax.module import ModuleSyntax


def with_changes(value: Value, module: ModuleSyntax) -> Value:
    """A value without what a module changes of arrays in place, perhaps of this one by another name."""
    changed = module.once(_changed_in_place, module.tree) if isinstance(value, Array) else frozenset()
    if not changed or not isinstance(value, Array):
        return value
    return replace(value, sizes=None, order="unknown", dtype=None if "dtype" in changed else value.dtype)


def _changed_in_place(module: ModuleSyntax, tree: ast.Module) -> frozenset[str]:
    """The attributes of named arrays that a module sets, `x.shape = …`, or calls, `x.resize(…)`.

    A class has its own of `self`; of a part, as `x[0]` is, only a view is changed.
    """
    called = [one.value.func for one in module.inside(tree, ast.Expr) if isinstance(one.value, ast.Call)]
    stored = [one for one in module.inside(tree, ast.Attribute) if isinstance(one.ctx, ast.Store)]
    return frozenset(
        one.attr
        for one in (*called, *stored)
        if isinstance(one, ast.Attribute)
        and one.attr in ("shape", "strides", "dtype", "resize")
        and isinstance(one.value, ast.Name | ast.Attribute)
        and not (isinstance(one.value, ast.Name) and one.value.id == "self")
    )


def set_from_outside(module: ModuleSyntax, tree: ast.Module) -> frozenset[str]:
    """The attributes that a module sets of anything but `self`."""
    stored = (one for one in module.inside(tree, ast.Attribute) if isinstance(one.ctx, ast.Store))
    return frozenset(one.attr for one in stored if ast.unparse(one.value) != "self")
