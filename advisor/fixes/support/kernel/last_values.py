"""Whether the value that a loop leaves in its counter is read."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import around, is_assigned, names_in


def is_read_after(module: SourceModule, function: cst.FunctionDef, loop: cst.For, name: str) -> bool:
    """Whether a place outside of a loop's body may read the value that `name` has when the loop ends."""
    body = module.range_of(loop.body)
    for one in names_in(module, function):
        if one.value != name or body[0] <= module.range_of(one)[0] < body[1]:
            continue
        if _only_assigns(module, one) or _is_counter_there(module, function, one, name):
            continue
        if _is_reached(module, function, loop, one) and not _is_new_there(module, function, loop, one):
            return True
    return False


def _only_assigns(module: SourceModule, name: cst.Name) -> bool:
    above = module.parent(name)
    added = isinstance(above, cst.AugAssign) and above.target is name
    return is_assigned(module, name) and not added


def _is_counter_there(module: SourceModule, function: cst.FunctionDef, read: cst.Name, name: str) -> bool:
    """Whether a place lies in the body of a loop that gives the name its value."""
    above = around(module, read, function)
    return any(
        isinstance(one, cst.For)
        and isinstance(one.target, cst.Name)
        and one.target.value == name
        and one.body in above
        for one in above
    )


def _is_reached(module: SourceModule, function: cst.FunctionDef, loop: cst.For, read: cst.Name) -> bool:
    """Whether a place may be run after the loop: it stands below, or a loop around both comes back to it."""
    return _is_below(module, loop, read) or _loop_around(module, function, loop, read) is not None


def _is_below(module: SourceModule, loop: cst.For, read: cst.CSTNode) -> bool:
    return module.range_of(read)[0] >= module.range_of(loop)[1]


def _loop_around(
    module: SourceModule, function: cst.FunctionDef, loop: cst.For, read: cst.CSTNode
) -> cst.CSTNode | None:
    """The innermost loop around both a loop and a place."""
    above = around(module, read, function)
    outer = (one for one in around(module, loop, function) if isinstance(one, cst.For | cst.While))
    return next((one for one in outer if one in above), None)


def _is_new_there(module: SourceModule, function: cst.FunctionDef, loop: cst.For, read: cst.Name) -> bool:
    """Whether the name is always given another value between the loop's end and a place."""
    (name, begin) = read.value, module.range_of(read)[0]
    outer = _loop_around(module, function, loop, read)
    first = module.range_of(loop)[1]
    if not _is_below(module, loop, read) and outer is not None:
        first = module.range_of(outer)[0]
    blocks = [one for one in around(module, read, function) if isinstance(one, cst.IndentedBlock)]
    # A statement of a block around the place, above it: whoever comes to the place has run it.
    return any(
        first <= module.range_of(line)[0] and module.range_of(line)[1] <= begin and _assigns(line, name)
        for block in blocks
        for line in block.body
    )


def _assigns(line: cst.CSTNode, name: str) -> bool:
    """Whether a statement is `name = …`."""
    if not isinstance(line, cst.SimpleStatementLine) or not isinstance(line.body[0], cst.Assign):
        return False
    targets = [one.target for one in line.body[0].targets]
    return any(isinstance(one, cst.Name) and one.value == name for one in targets)
