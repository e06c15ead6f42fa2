"""Whether a function has asked for a size of the value that a name has at a place.

A single element has no axis to ask for: `z.shape[0]` tells an array from a number, but only for the value
that `z` has there, and only where that expression is evaluated whenever the place is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.statement_places import COMPREHENSIONS, LOOPS, TRIES, begin

# What is evaluated whenever the statement or expression that holds it is; all else of these may be left out.
_ALWAYS: dict[type[ast.AST], frozenset[str]] = {
    ast.If: frozenset({"test"}),
    ast.IfExp: frozenset({"test"}),
    **dict.fromkeys((ast.For, ast.AsyncFor), frozenset({"iter"})),
    ast.While: frozenset({"test"}),
    **dict.fromkeys((ast.With, ast.AsyncWith), frozenset({"items"})),
    ast.Match: frozenset({"subject"}),
    ast.Assert: frozenset({"test"}),
    ast.Compare: frozenset({"left", "comparators 0"}),
    ast.BoolOp: frozenset({"values 0"}),
    **dict.fromkeys((*TRIES, ast.ExceptHandler, ast.match_case, *COMPREHENSIONS), frozenset[str]()),
}


def asks_for_a_size(module: ModuleSyntax, function: FunctionNode, node: ast.Name) -> bool:
    """Whether whoever evaluates a name in a function has asked its value for the size of an axis."""
    definitions = module.definitions(function)
    here = definitions.reaching(node.id, node)
    if here is None or module.scope_of(node) is not function:
        return False
    return any(
        definitions.reaching(node.id, one) == here and _is_evaluated_with(module, function, one, node)
        for one in module.once(_asked, function).get(node.id, ())
    )


def _asked(module: ModuleSyntax, function: FunctionNode) -> dict[str, list[ast.Name]]:
    """Where a function asks for the size of an axis of what a name stands for, by the name."""
    found: dict[str, list[ast.Name]] = {}
    for size in module.inside(function, ast.Subscript):
        shape = size.value
        if not (isinstance(shape, ast.Attribute) and shape.attr == "shape"):
            continue
        if isinstance(shape.value, ast.Name) and module.scope_of(size) is function:
            found.setdefault(shape.value.id, []).append(shape.value)
    return found


def _is_evaluated_with(module: ModuleSyntax, function: FunctionNode, asked: ast.Name, node: ast.Name) -> bool:
    """Whether `asked` has been evaluated, with the same value of the name, whenever `node` is."""
    if begin(asked) > begin(node):
        return False
    own, around = dict(_steps(module, asked, function)), dict(_steps(module, node, function))
    if any(around.get(outer) != field for outer, field in own.items() if _may_be_left_out(outer, field)):
        return False
    loops = [outer for outer in around if isinstance(outer, LOOPS) and outer not in own]
    inside = {id(one) for loop in loops for one in ast.walk(loop)}
    for one in module.definitions(function).of(node.id):
        if id(one) in inside or _binds_between(asked, one, node):
            return False
    return True


def _steps(module: ModuleSyntax, node: ast.AST, function: FunctionNode) -> Iterator[tuple[ast.AST, str]]:
    """The nodes around one, up to its function, each with the part of it that holds the node."""
    inner = node
    while inner is not function:
        outer = module.parents[inner]
        yield outer, _part(outer, inner)
        inner = outer


def _part(outer: ast.AST, inner: ast.AST) -> str:
    """The field that a node lies in, with its number among operands of comparisons, `and` and `or`."""
    for field, value in ast.iter_fields(outer):
        if value is inner:
            return field
        for number, one in enumerate(value if isinstance(value, list) else ()):
            if one is inner:
                return f"{field} {number}" if isinstance(outer, ast.Compare | ast.BoolOp) else field
    return ""


def _may_be_left_out(outer: ast.AST, field: str) -> bool:
    return type(outer) in _ALWAYS and field not in _ALWAYS[type(outer)]


def _binds_between(first: ast.AST, definition: ast.AST, last: ast.AST) -> bool:
    """Whether a definition binds its name after `first` and before `last` are evaluated."""
    if isinstance(definition, ast.Assign | ast.AugAssign | ast.AnnAssign):
        held = set(map(id, ast.walk(definition)))
        if id(last) in held:
            return False
        if id(first) in held:
            return True
    return begin(first) < begin(definition) < begin(last)
