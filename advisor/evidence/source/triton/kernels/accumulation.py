"""Numbers that a loop loads one by one and only adds up."""

from __future__ import annotations

import ast

from advisor.program.syntax.module import ModuleSyntax

_CHANGES = frozenset({"to", "abs", "float", "exp", "log", "sqrt", "cast"})
_COLLECTS = frozenset({"max", "min", "maximum", "minimum"})


def only_collected(load: ast.Call, module: ModuleSyntax, loop: ast.AST) -> bool:
    """Whether what a load gives does nothing but to enter a sum, product, maximum or minimum of the loop."""
    if _enters(load, module):
        return True
    statement = _assigned(load, module)
    if statement is None:
        return False
    name = statement.targets[0]
    if not isinstance(name, ast.Name):
        return False
    uses = [
        one for one in ast.walk(loop)
        if isinstance(one, ast.Name) and one.id == name.id and isinstance(one.ctx, ast.Load)
    ]  # fmt: skip
    return bool(uses) and all(_enters(one, module) for one in uses)


def _enters(node: ast.expr, module: ModuleSyntax) -> bool:
    """Whether an expression is part of `acc += …`, or of `acc = max(acc, …)`."""
    above: ast.AST | None = module.parents.get(node)
    child: ast.AST = node
    while above is not None:
        if isinstance(above, ast.AugAssign):
            return child is above.value
        if isinstance(above, ast.Assign):
            return _collects(above)
        plain = isinstance(above, ast.BinOp | ast.UnaryOp | ast.Attribute)
        if not plain and not (isinstance(above, ast.Call) and _name(above) in _CHANGES | _COLLECTS):
            return False
        child, above = above, module.parents.get(above)
    return False


def _collects(statement: ast.Assign) -> bool:
    target = statement.targets[0]
    if not isinstance(target, ast.Name):
        return False
    value = statement.value
    own = isinstance(value, ast.BinOp) or (isinstance(value, ast.Call) and _name(value) in _COLLECTS)
    parts = [value.left, value.right] if isinstance(value, ast.BinOp) else getattr(value, "args", [])
    return own and any(isinstance(one, ast.Name) and one.id == target.id for one in parts)


def _assigned(node: ast.expr, module: ModuleSyntax) -> ast.Assign | None:
    """The assignment of a load to a name, converted at most."""
    above = module.parents.get(node)
    while isinstance(above, ast.Attribute) or (isinstance(above, ast.Call) and _name(above) in _CHANGES):
        above = module.parents.get(above)
    return above if isinstance(above, ast.Assign) and len(above.targets) == 1 else None


def _name(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
