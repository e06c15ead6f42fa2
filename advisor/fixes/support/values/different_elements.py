"""Whether two elements of an array are surely different: their indices never have the difference zero."""

from __future__ import annotations

import ast

from advisor.fixes.support.kernel.assigned_names import around, indices_of, value_of
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.program.syntax.calls import range_bounds

# An index as a sum: the factor of each name, and of 1 under the empty name.
Linear = dict[str, int]
_DEEPEST = 8


def surely_different(body: KernelBody, loop: ast.AST, one: ast.Subscript, other: ast.Subscript) -> bool:
    """Whether an element whose index does not change in a loop, and another that is used in the loop, are not
    the same one, provided no index is negative.
    """
    first, second = indices_of(one), indices_of(other)
    if first is None or second is None or len(first) != len(second):
        return False
    return any(_never_equal(body, loop, left, right) for left, right in zip(first, second, strict=True))


def _never_equal(body: KernelBody, loop: ast.AST, left: ast.expr, right: ast.expr) -> bool:
    one, other = linear(body, loop, left), linear(body, loop, right)
    if one is None or other is None:
        return False
    difference = {name: other.get(name, 0) - one.get(name, 0) for name in {*one, *other}}
    constant = difference.pop("", 0)
    rest = {name: factor for name, factor in difference.items() if factor}
    if not all(_counts_from_zero(body, name) for name in rest):
        return False
    if constant > 0:
        return all(factor > 0 for factor in rest.values())
    return constant < 0 and all(factor < 0 for factor in rest.values())


def _counts_from_zero(body: KernelBody, name: str) -> bool:
    """Whether a name is nothing but the counter of loops `range(n)`."""
    bound = body.module.bindings(name, body.function)
    return bool(bound) and name not in body.parameters and all(_is_count(one) for one in bound)


def _is_count(loop: ast.AST) -> bool:
    bounds = range_bounds(loop)
    return bounds is not None and len(bounds) == 1 and isinstance(loop.target, ast.Name)


def linear(body: KernelBody, loop: ast.AST, node: ast.expr, depth: int = 0) -> Linear | None:
    """An index as a sum of names with whole factors, None where it is none.

    A name stands for its value where it gets it in the loop each time before it is used here.
    """
    if isinstance(node, ast.Constant):
        return {"": node.value} if type(node.value) is int else None
    if isinstance(node, ast.Name):
        value = _value_before(body, loop, node) if depth < _DEEPEST else None
        inner = linear(body, loop, value, depth + 1) if isinstance(value, ast.BinOp) else None
        return inner or {node.id: 1}
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _plus({}, linear(body, loop, node.operand, depth), -1)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        left, right = linear(body, loop, node.left, depth), linear(body, loop, node.right, depth)
        return _plus(left, right, 1 if isinstance(node.op, ast.Add) else -1)
    return None


def _value_before(body: KernelBody, loop: ast.AST, name: ast.Name) -> ast.expr | None:
    module = body.module
    value = value_of(module, body.function, name.id)
    if value is None or module.range_of(value)[1] > module.range_of(name)[0]:
        return None
    block = module.block_of(module.statement_of(value))
    return value if any(one in block for one in around(module, name, loop)) else None


def _plus(left: Linear | None, right: Linear | None, sign: int) -> Linear | None:
    if left is None or right is None:
        return None
    return {name: left.get(name, 0) + sign * right.get(name, 0) for name in {*left, *right}}
