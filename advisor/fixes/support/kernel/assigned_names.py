"""Names that a piece of a kernel reads and assigns, and whether an expression stays the same meanwhile."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule

# Expressions that only compute: no call, no assignment, no part that may be left out.
_COMPUTING = (cst.Name, cst.Integer, cst.Float, cst.Attribute, cst.BinaryOperation, cst.UnaryOperation)
# What may be asked of an array without reading its elements.
ARRAY_QUESTIONS = ("shape", "size", "dtype", "ndim")


def names_in(module: SourceModule, node: cst.CSTNode) -> list[cst.Name]:
    """The names of variables in a node, neither attributes nor keywords of calls."""
    return module.answer(_names_in, node)


def _names_in(module: SourceModule, node: cst.CSTNode) -> list[cst.Name]:
    found = []
    for name in module.nodes_in(cst.Name, node):
        above = module.parent(name)
        attribute = isinstance(above, cst.Attribute) and above.attr is name
        keyword = isinstance(above, cst.Arg) and above.keyword is name
        if not attribute and not keyword:
            found.append(name)
    return found


def words_in(module: SourceModule, node: cst.CSTNode) -> frozenset[str]:
    """The variables that a node names."""
    return module.answer(_words_in, node)


def _words_in(module: SourceModule, node: cst.CSTNode) -> frozenset[str]:
    return frozenset(name.value for name in names_in(module, node))


def is_assigned(module: SourceModule, name: cst.Name) -> bool:
    """Whether a name stands where it is given a value (or taken one away), an element's array not."""
    node: cst.CSTNode = name
    above = module.parent(node)
    while isinstance(above, cst.Element | cst.Tuple | cst.List | cst.StarredElement):
        node, above = above, module.parent(above)
    if isinstance(above, cst.AssignTarget | cst.AsName | cst.Del | cst.NameItem | cst.Param):
        return True
    if isinstance(above, cst.AugAssign | cst.AnnAssign | cst.NamedExpr | cst.For | cst.CompFor):
        return above.target is node
    return False


def assigned_in(module: SourceModule, node: cst.CSTNode) -> frozenset[str]:
    """The variables that a node gives a value, as a whole: `a[i] = x` does not assign `a`."""
    return module.answer(_assigned_in, node)


def _assigned_in(module: SourceModule, node: cst.CSTNode) -> frozenset[str]:
    return frozenset(name.value for name in names_in(module, node) if is_assigned(module, name))


def only_computes(module: SourceModule, node: cst.CSTNode, elements: bool = False) -> bool:
    """Whether an expression is made of names, numbers, attributes and operators only; with `elements` also of
    elements of arrays.
    """
    allowed = (*_COMPUTING, cst.Subscript) if elements else _COMPUTING
    return all(isinstance(one, allowed) for one in module.nodes_in(cst.BaseExpression, node))  # type: ignore[type-abstract]


def same_code(module: SourceModule, one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Whether two expressions are written alike, but for spaces."""
    return "".join(module.written(one).split()) == "".join(module.written(other).split())


def terms_of(value: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The terms of a sum, or the expression itself."""
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Add):
        return [*terms_of(value.left), *terms_of(value.right)]
    return [value]


def value_of(module: SourceModule, function: cst.FunctionDef, name: str) -> cst.BaseExpression | None:
    """The expression that a name of a function stands for, None unless it is bound once, by `name = …`."""
    bound = module.bindings(name, function)
    if len(bound) != 1 or not isinstance(bound[0], cst.Assign) or len(bound[0].targets) != 1:
        return None
    return bound[0].value if isinstance(bound[0].targets[0].target, cst.Name) else None


def around(module: SourceModule, node: cst.CSTNode, outer: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes around a node, from the next one to those just below an outer one."""
    found: list[cst.CSTNode] = []
    above = module.parent(node)
    while above is not None and above is not outer:
        found.append(above)
        above = module.parent(above)
    return found


def indices_of(subscript: cst.Subscript) -> list[cst.BaseExpression] | None:
    """The indices of an element, None where one is a slice or starred.

    A tuple `a[(i, j)]` counts as its parts.
    """
    found = [one.slice.value for one in subscript.slice if isinstance(one.slice, cst.Index)]
    starred = any(isinstance(one.slice, cst.Index) and one.slice.star for one in subscript.slice)
    if len(found) != len(subscript.slice) or starred:
        return None
    if len(found) == 1 and isinstance(found[0], cst.Tuple):
        parts = found[0].elements
        return None if any(isinstance(one, cst.StarredElement) for one in parts) else [p.value for p in parts]
    return found
