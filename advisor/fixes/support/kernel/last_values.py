"""Whether the value that a loop leaves in its counter is read."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import names_in
from advisor.program.syntax.module import FunctionNode


def is_read_after(module: SourceModule, function: FunctionNode, loop: ast.For, name: str) -> bool:
    """Whether a place outside of a loop's body may read the value that `name` has when the loop ends."""
    definitions = module.syntax.definitions(function)
    begin, end = module.block_range(loop.body)
    given = [one for one in definitions.of(name) if one is loop or begin <= module.range_of(one)[0] < end]
    reads = (one for one in names_in(module, function) if one.id == name and _is_read(module, one))
    outside = (one for one in reads if not begin <= module.range_of(one)[0] < end)
    reaching = (definitions.reaching(name, one) for one in outside)
    return any(found is None or not found.isdisjoint(given) for found in reaching)


def _is_read(module: SourceModule, name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load) or isinstance(module.parent(name), ast.AugAssign)
