"""What a piece of a kernel does with an array: which elements it uses, and which it stores to."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import ARRAY_QUESTIONS, names_in
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.program.syntax.module import root_name


def array_elements(
    module: SourceModule, part: ast.AST | list[ast.stmt], array: str
) -> list[ast.Subscript] | None:
    """The elements of an array that a piece of a kernel uses; None where it does more with the array than
    that and asking for its sizes and type.
    """
    found = []
    for name in names_in(module, part):
        if name.id == array and not only_asks(module, name):
            above = module.parent(name)
            if not isinstance(above, ast.Subscript) or above.value is not name:
                return None
            found.append(above)
    return found


def only_asks(module: SourceModule, name: ast.Name) -> bool:
    """Whether an array is only asked for its shape, type or length where it is named."""
    above = module.parent(name)
    if isinstance(above, ast.Attribute):
        return above.attr in ARRAY_QUESTIONS
    return isinstance(above, ast.Call) and module.code_of(above.func) == "len"


def is_store(module: SourceModule, node: ast.Subscript) -> bool:
    """Whether something is stored to an element, or to a part of it."""
    whole: ast.Subscript | ast.Attribute = node
    above = module.parent(node)
    while isinstance(above, ast.Subscript | ast.Attribute) and above.value is whole:
        whole, above = above, module.parent(above)
    return not isinstance(whole.ctx, ast.Load)


def changed_arrays(body: KernelBody, part: ast.AST | list[ast.stmt]) -> frozenset[str]:
    """The names of the arrays that a piece of a kernel stores to itself, or adds to with atomics."""
    module = body.module
    stores = (one for one in module.nodes_in(ast.Subscript, part) if is_store(module, one))
    return frozenset(name for one in stores if (name := root_name(one))) | atomic_arrays(module, part)


def atomic_arrays(module: SourceModule, part: ast.AST | list[ast.stmt]) -> frozenset[str]:
    """The names of the arrays that a piece of a kernel updates with atomics."""
    calls = module.nodes_in(ast.Call, part)
    given = (one.args[0] for one in calls if ".atomic." in module.code_of(one.func) and one.args)
    return frozenset(name for one in given if (name := root_name(one)))
