"""Quotients that only decide something: a product with the divisor would decide it without a division."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.kernel_facts import OperationUse
from advisor.program.syntax.module import FunctionNode, ModuleSyntax

_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_MAGNITUDES = frozenset({"abs", "math.fabs"})
_SCALES = (ast.Mult, ast.Div)


def only_compared(operation: OperationUse) -> bool:
    """Whether the quotient of a true division is compared by order, and used otherwise only where a condition
    on it holds; a factor, a sign or `abs` may stand between.
    """
    node, module = operation.place.node, operation.place.module
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)):
        return False
    whole = _scaled(node, module)
    above = module.parents.get(whole)
    if _is_order(above):
        return True
    if not (isinstance(above, ast.Assign) and above.value is whole and len(above.targets) == 1):
        return False
    target = above.targets[0]
    function = next((one for one in module.scopes(above) if isinstance(one, FunctionNode)), None)
    if not isinstance(target, ast.Name) or function is None:
        return False
    uses = [
        one
        for one in module.inside(function, ast.Name)
        if one.id == target.id and isinstance(one.ctx, ast.Load)
    ]
    compared = [_is_order(module.parents.get(_scaled(one, module))) for one in uses]
    return any(compared) and all(
        here or _where_it_holds(one, target.id, module) for one, here in zip(uses, compared, strict=True)
    )


def _scaled(node: ast.expr, module: ModuleSyntax) -> ast.expr:
    """The product, quotient or magnitude that an expression is the variable part of."""
    above = module.parents.get(node)
    while isinstance(above, ast.expr):
        scaled = isinstance(above, ast.BinOp) and isinstance(above.op, _SCALES)
        divides = isinstance(above, ast.BinOp) and isinstance(above.op, ast.Div) and above.right is node
        magnitude = isinstance(above, ast.Call) and module.dotted(above.func) in _MAGNITUDES
        if divides or not (scaled or magnitude or isinstance(above, ast.UnaryOp)):
            break
        node, above = above, module.parents.get(above)
    return node


def _is_order(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], _ORDERS)


def _where_it_holds(node: ast.AST, name: str, module: ModuleSyntax) -> bool:
    """Whether a node stands in the body of an `if` whose test compares the name."""
    inner, above = node, module.parents.get(node)
    while above is not None and not isinstance(above, FunctionNode):
        if isinstance(above, ast.If) and inner in above.body and _compares(above.test, name):
            return True
        inner, above = above, module.parents.get(above)
    return False


def _compares(test: ast.expr, name: str) -> bool:
    return any(
        _is_order(one) and any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(one))
        for one in ast.walk(test)
    )
