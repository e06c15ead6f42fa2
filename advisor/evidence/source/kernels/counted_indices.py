"""Local arrays that are filled like a stack or a list: at an index that only some iterations move on."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from advisor.evidence.source.kernel_walk.kernel_facts import Access
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below

_LOOPS = (ast.For, ast.While)


def is_filled_by_data(accesses: Sequence[Access]) -> bool:
    """Whether elements are stored at a counter that conditions in a loop move on: which one is next hangs on
    the data, whatever the compiler unrolls.
    """
    stores = [one for one in accesses if one.kind != "load"]
    return any(_moves_by_data(name, one.place.module) for one in stores for name in _names(one))


def _names(access: Access) -> Iterator[ast.Name]:
    """The names in the brackets of an access."""
    node = access.place.node
    if isinstance(node, ast.Subscript):
        yield from (one for one in (node.slice, *below(node.slice)) if isinstance(one, ast.Name))


def _moves_by_data(index: ast.Name, module: ModuleSyntax) -> bool:
    function = module.function_around(index)
    changes = [] if function is None else module.inside(function, ast.AugAssign)
    return any(
        isinstance(one.target, ast.Name)
        and one.target.id == index.id
        and isinstance(one.value, ast.Constant)
        and _is_chosen_in_loop(one, module)
        for one in changes
    )


def _is_chosen_in_loop(change: ast.AugAssign, module: ModuleSyntax) -> bool:
    """Whether a condition stands between a statement and the loop around it."""
    chosen = False
    node: ast.AST | None = module.parents.get(change)
    while node is not None and not isinstance(node, ast.FunctionDef):
        if isinstance(node, _LOOPS):
            return chosen
        chosen = chosen or isinstance(node, ast.If)
        node = module.parents.get(node)
    return False
