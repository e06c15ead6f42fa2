"""Names that a piece of a kernel reads and assigns, and whether an expression stays the same meanwhile."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.program.syntax.assigned_values import value_given
from advisor.program.syntax.bound_names import bound_names
from advisor.program.syntax.module import FunctionNode

# Expressions that only compute: no call, no assignment, no part that may be left out.
_COMPUTING = (ast.Name, ast.Constant, ast.Attribute, ast.BinOp, ast.UnaryOp)
# What may be asked of an array without reading its elements.
ARRAY_QUESTIONS = ("shape", "size", "dtype", "ndim")


def names_in(module: SourceModule, part: ast.AST | list[ast.stmt]) -> list[ast.Name]:
    """The names of variables in a node or a block, in the order of the text."""
    return list(module.nodes_in(ast.Name, part))


def words_in(module: SourceModule, part: ast.AST | list[ast.stmt]) -> frozenset[str]:
    """The variables that a node or a block names."""
    if isinstance(part, list):
        return frozenset().union(*(words_in(module, one) for one in part))
    return module.answer(_words_in, part)


def _words_in(module: SourceModule, node: ast.AST) -> frozenset[str]:
    return frozenset(name.id for name in module.nodes_in(ast.Name, node))


def assigned_in(module: SourceModule, part: ast.AST | list[ast.stmt]) -> frozenset[str]:
    """The variables that a node or a block gives a value, as a whole: `a[i] = x` does not assign `a`."""
    if isinstance(part, list):
        return frozenset().union(*(assigned_in(module, one) for one in part))
    return module.answer(_assigned_in, part)


def _assigned_in(module: SourceModule, node: ast.AST) -> frozenset[str]:
    found = {one.id for one in module.nodes_in(ast.Name, node) if not isinstance(one.ctx, ast.Load)}
    found.update(one.arg for one in module.nodes_in(ast.arg, node))
    for one in module.nodes_in((ast.stmt, ast.ExceptHandler, ast.pattern), node):
        found.update(bound_names(one))
    return frozenset(found)


def only_computes(module: SourceModule, node: ast.AST, elements: bool = False) -> bool:
    """Whether an expression is made of names, numbers, attributes and operators only; with `elements` also of
    elements of arrays.
    """
    allowed = (*_COMPUTING, ast.Subscript, ast.Slice, ast.Tuple) if elements else _COMPUTING
    return all(
        isinstance(one, allowed) and not _is_text(one) and not _is_value(module, one)
        for one in module.nodes_in(ast.expr, node)
    )


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes | type(...))


def _is_value(module: SourceModule, node: ast.expr) -> bool:
    """Whether a node is a tuple that is no list of indices."""
    return isinstance(node, ast.Tuple) and not isinstance(module.parent(node), ast.Subscript)


def is_text(line: ast.AST) -> bool:
    """Whether a statement is nothing but a text, as a docstring is."""
    return (
        isinstance(line, ast.Expr)
        and isinstance(line.value, ast.Constant)
        and isinstance(line.value.value, str)
    )


def same_code(module: SourceModule, one: ast.AST, other: ast.AST) -> bool:
    """Whether two expressions are written alike, but for spaces and brackets that change nothing."""
    return module.code_of(one) == module.code_of(other) or ast.unparse(one) == ast.unparse(other)


def value_written(module: SourceModule, definition: ast.AST, name: str) -> ast.expr | None:
    """The expression whose value a definition gives a name, its part of a tuple that is written there too;
    None where no such expression stands in the text.
    """
    value = value_given(definition, name)
    return value if value is not None and module.parent(value) is not None else None


def value_of(module: SourceModule, function: FunctionNode | None, name: str) -> ast.expr | None:
    """The expression that a name of a function, or of the module for None, stands for.

    None unless it is bound once, by `name = …`.
    """
    bound = module.bindings(name, function)
    if len(bound) != 1 or not isinstance(bound[0], ast.Assign) or len(bound[0].targets) != 1:
        return None
    return bound[0].value if isinstance(bound[0].targets[0], ast.Name) else None


def around(module: SourceModule, node: ast.AST, outer: ast.AST) -> list[ast.AST]:
    """The nodes around a node, from the next one to those just below an outer one."""
    found: list[ast.AST] = []
    above = module.parent(node)
    while above is not None and above is not outer:
        found.append(above)
        above = module.parent(above)
    return found


def indices_of(subscript: ast.Subscript) -> list[ast.expr] | None:
    """The indices of an element, None where one is a slice or starred."""
    whole = subscript.slice
    found = whole.elts if isinstance(whole, ast.Tuple) else [whole]
    return None if any(isinstance(one, ast.Slice | ast.Starred) for one in found) else found
