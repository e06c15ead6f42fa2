"""Whether two elements of an array are surely different: their indices never have the difference zero."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.kernel.assigned_names import around, indices_of, value_of
from advisor.fixes.support.kernel.kernel_body import KernelBody

# An index as a sum: the factor of each name, and of 1 under the empty name.
Linear = dict[str, int]
_DEEPEST = 8


def surely_different(body: KernelBody, loop: cst.CSTNode, one: cst.Subscript, other: cst.Subscript) -> bool:
    """Whether an element whose index does not change in a loop, and another that is used in the loop, are not
    the same one, provided no index is negative.
    """
    first, second = indices_of(one), indices_of(other)
    if first is None or second is None or len(first) != len(second):
        return False
    return any(_never_equal(body, loop, left, right) for left, right in zip(first, second, strict=True))


def _never_equal(
    body: KernelBody, loop: cst.CSTNode, left: cst.BaseExpression, right: cst.BaseExpression
) -> bool:
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
    return bool(bound) and name not in body.parameters and all(_is_count(body, one) for one in bound)


def _is_count(body: KernelBody, loop: cst.CSTNode) -> bool:
    return (
        isinstance(loop, cst.For)
        and isinstance(loop.target, cst.Name)
        and isinstance(loop.iter, cst.Call)
        and body.module.written(loop.iter.func) == "range"
        and len(loop.iter.args) == 1
        and not loop.iter.args[0].star
    )


def linear(body: KernelBody, loop: cst.CSTNode, node: cst.BaseExpression, depth: int = 0) -> Linear | None:
    """An index as a sum of names with whole factors, None where it is none.

    A name stands for its value where it gets it in the loop each time before it is used here.
    """
    if isinstance(node, cst.Integer):
        return {"": int(node.value.replace("_", ""), 0)}
    if isinstance(node, cst.Name):
        value = _value_before(body, loop, node) if depth < _DEEPEST else None
        inner = linear(body, loop, value, depth + 1) if isinstance(value, cst.BinaryOperation) else None
        return inner or {node.value: 1}
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        return _plus({}, linear(body, loop, node.expression, depth), -1)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add | cst.Subtract):
        left, right = linear(body, loop, node.left, depth), linear(body, loop, node.right, depth)
        return _plus(left, right, 1 if isinstance(node.operator, cst.Add) else -1)
    return None


def _value_before(body: KernelBody, loop: cst.CSTNode, name: cst.Name) -> cst.BaseExpression | None:
    value = value_of(body.module, body.function, name.value)
    if value is None or body.module.range_of(value)[1] > body.module.range_of(name)[0]:
        return None
    line = body.module.parent(value)
    block = body.module.parent(line) if line is not None else None
    block = body.module.parent(block) if isinstance(block, cst.SimpleStatementLine) else None
    inside = around(body.module, name, loop)
    return value if block is not None and block in inside else None


def _plus(left: Linear | None, right: Linear | None, sign: int) -> Linear | None:
    if left is None or right is None:
        return None
    return {name: left.get(name, 0) + sign * right.get(name, 0) for name in {*left, *right}}
