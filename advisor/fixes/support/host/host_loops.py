"""Loops of host code: the one around a statement, and the edits that move a statement in front of it."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.inserted_lines import whole_lines
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.model.findings import Edit

Loop = ast.For | ast.While
_PAUSES = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)


def loop_around(module: SourceModule, statement: ast.stmt) -> Loop | None:
    """The loop whose body a statement belongs to directly, not by an `if` or `with` in it."""
    loop = module.parent(statement)
    return loop if isinstance(loop, Loop) and statement in loop.body else None


def pauses(module: SourceModule, node: ast.AST) -> bool:
    """Whether other code may run in between: at a `yield` or `await`."""
    inner = any(one.is_async for one in module.nodes_in(ast.comprehension, node))
    return inner or any(True for _ in module.nodes_in(_PAUSES, node))


def inside(module: SourceModule, node: ast.AST, outer: ast.AST) -> bool:
    """Whether a node is part of another one."""
    begin, end = module.range_of(outer)
    return begin <= module.range_of(node)[0] < end


def in_front_of(module: SourceModule, statement: ast.stmt, loop: ast.stmt) -> list[Edit] | None:
    """The edits that move a statement, with the comments right above it, in front of a loop around it.

    None where it is all that its block has, and where a text runs over several of its lines.
    """
    begin, end = with_comments(module, statement), whole_lines(module, statement)[1]
    text = module.text[begin:end]
    if len(module.block_of(statement)) < 2 or '"""' in text or "'''" in text:
        return None
    moved = indented_as(module, text, statement, loop)
    place = with_comments(module, loop)
    return [Edit(place, place, moved), Edit(begin, end, "")]


def indented_as(module: SourceModule, text: str, statement: ast.stmt, other: ast.stmt) -> str:
    """The lines of a statement, indented as another one; the last has a line end."""
    old, new = module.indentation(statement), module.indentation(other)
    lines = text.splitlines(keepends=True)
    if not lines[-1].endswith(("\n", "\r")):
        lines[-1] += module.line_end
    return "".join(new + one[len(old) :] if one.startswith(old) else one for one in lines)


def with_comments(module: SourceModule, statement: ast.stmt) -> int:
    """Where the comments begin that stand right above a statement, as far indented as it, else its line."""
    begin, indent = module.line_start(module.range_of(statement)[0]), module.indentation(statement)
    while begin > 0:
        start = module.line_start(begin - 1)
        above = module.text[start:begin]
        if not above.startswith(f"{indent}#"):
            break
        begin = start
    return begin
