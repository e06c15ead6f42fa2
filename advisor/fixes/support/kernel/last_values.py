"""Whether the value that a loop leaves in its counter is read."""

from __future__ import annotations

import ast
from itertools import pairwise

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import around, is_assigned, names_in
from advisor.program.syntax.module import FunctionNode


def is_read_after(module: SourceModule, function: FunctionNode, loop: ast.For, name: str) -> bool:
    """Whether a place outside of a loop's body may read the value that `name` has when the loop ends."""
    body = module.block_range(loop.body)
    for one in names_in(module, function):
        if one.id != name or body[0] <= module.range_of(one)[0] < body[1]:
            continue
        if _only_assigns(module, one) or _is_counter_there(module, function, one, name):
            continue
        if _is_reached(module, function, loop, one) and not _is_new_there(module, function, loop, one):
            return True
    return False


def _only_assigns(module: SourceModule, name: ast.Name) -> bool:
    above = module.parent(name)
    added = isinstance(above, ast.AugAssign) and above.target is name
    return is_assigned(module, name) and not added


def _is_counter_there(module: SourceModule, function: FunctionNode, read: ast.Name, name: str) -> bool:
    """Whether a place lies in the body of a loop that gives the name its value."""
    nodes = [read, *around(module, read, function)]
    return any(
        isinstance(outer, ast.For)
        and isinstance(outer.target, ast.Name)
        and outer.target.id == name
        and inner in outer.body
        for inner, outer in pairwise(nodes)
    )


def _is_reached(module: SourceModule, function: FunctionNode, loop: ast.For, read: ast.Name) -> bool:
    """Whether a place may be run after the loop: it stands below, or a loop around both comes back to it."""
    return _is_below(module, loop, read) or _loop_around(module, function, loop, read) is not None


def _is_below(module: SourceModule, loop: ast.For, read: ast.AST) -> bool:
    return module.range_of(read)[0] >= module.range_of(loop)[1]


def _loop_around(
    module: SourceModule, function: FunctionNode, loop: ast.For, read: ast.AST
) -> ast.AST | None:
    """The innermost loop around both a loop and a place."""
    above = around(module, read, function)
    outer = (one for one in around(module, loop, function) if isinstance(one, ast.For | ast.While))
    return next((one for one in outer if one in above), None)


def _is_new_there(module: SourceModule, function: FunctionNode, loop: ast.For, read: ast.Name) -> bool:
    """Whether the name is always given another value between the loop's end and a place."""
    name, begin = read.id, module.range_of(read)[0]
    outer = _loop_around(module, function, loop, read)
    first = module.range_of(loop)[1]
    if not _is_below(module, loop, read) and outer is not None:
        first = module.range_of(outer)[0]
    inside = [one for one in (read, *around(module, read, function)) if isinstance(one, ast.stmt)]
    # A statement of a block around the place, above it: whoever comes to the place has run it.
    return any(
        first <= module.range_of(line)[0] and module.range_of(line)[1] <= begin and _assigns(line, name)
        for one in inside
        for line in module.block_of(one)
    )


def _assigns(line: ast.AST, name: str) -> bool:
    """Whether a statement is `name = …`."""
    targets = line.targets if isinstance(line, ast.Assign) else ()
    return any(isinstance(one, ast.Name) and one.id == name for one in targets)
