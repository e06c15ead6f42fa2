"""What host code makes of the result of a launch, which is None."""

from __future__ import annotations

import ast

from advisor.program.launches.launches import Launch
from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.module import ModuleSyntax


def used_result(launch: Launch) -> str:
    """The expression that asks for something of what a launch returns, as it is written; empty where nothing
    does.
    """
    if launch.kernel is None or launch.in_helper or launch.kernel.form != "decorator":
        return ""
    module, node = launch.module, launch.node
    if not isinstance(node.func, ast.Subscript):
        return ""
    parent = module.parents.get(node)
    if _asks(node, module):
        return ast.unparse(parent) if parent is not None else ""
    if not isinstance(parent, ast.Assign) or len(parent.targets) != 1:
        return ""
    target = parent.targets[0]
    if not isinstance(target, ast.Name):
        return ast.unparse(parent) if isinstance(target, ast.Tuple | ast.List) else ""
    scope = module.scope_of(node) or module.tree
    for one in module.loads(target.id, scope):
        if _asks(one, module) and values_at(module, one) == [node]:
            return ast.unparse(module.parents[one])
    return ""


def _asks(node: ast.expr, module: ModuleSyntax) -> bool:
    """Whether an attribute, an item or a sum is asked of a value, or another step of a loop."""
    parent = module.parents.get(node)
    if isinstance(parent, ast.Attribute):
        return True
    if isinstance(parent, ast.Subscript):
        return parent.value is node
    if isinstance(parent, ast.For):
        return parent.iter is node
    return isinstance(parent, ast.BinOp | ast.UnaryOp | ast.AugAssign) and not isinstance(
        getattr(parent, "op", None), ast.Not
    )
