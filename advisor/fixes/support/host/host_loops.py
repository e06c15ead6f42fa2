"""Loops of host code: the one around a statement, and the edits that move a statement in front of it."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.edits.inserted_lines import whole_lines
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.model.findings import Edit


def line_of(module: SourceModule, part: cst.CSTNode) -> cst.SimpleStatementLine | None:
    """The statement line that holds a part and nothing else, None where it shares the line."""
    above = module.parent(part)
    return above if isinstance(above, cst.SimpleStatementLine) and len(above.body) == 1 else None


def loop_around(module: SourceModule, line: cst.BaseStatement) -> cst.For | cst.While | None:
    """The loop whose body a statement belongs to directly, not by an `if` or `with` in it."""
    block = module.parent(line)
    loop = module.parent(block) if block is not None else None
    if not isinstance(loop, cst.For | cst.While) or loop.body is not block:
        return None
    return None if isinstance(loop, cst.For) and loop.asynchronous else loop


def pauses(module: SourceModule, node: cst.CSTNode) -> bool:
    """Whether other code may run in between: at a `yield` or `await`."""
    return any(True for kind in (cst.Yield, cst.Await) for _ in module.nodes_in(kind, node))


def siblings(module: SourceModule, line: cst.BaseStatement) -> list[cst.BaseStatement]:
    """The statements of the block that a statement belongs to, itself included."""
    block = module.parent(line)
    body = block.body if isinstance(block, cst.IndentedBlock | cst.Module) else ()
    return [one for one in body if isinstance(one, cst.BaseStatement)]


def inside(module: SourceModule, node: cst.CSTNode, outer: cst.CSTNode) -> bool:
    """Whether a node is part of another one."""
    begin, end = module.range_of(outer)
    return begin <= module.range_of(node)[0] < end


def in_front_of(module: SourceModule, line: cst.BaseStatement, loop: cst.CSTNode) -> list[Edit] | None:
    """The edits that move a statement, with the comments right above it, in front of a loop around it.

    None where it is all that its block has, and where a text runs over several of its lines.
    """
    begin, end = with_comments(module, line), whole_lines(module, line)[1]
    text = module.text[begin:end]
    if len(siblings(module, line)) < 2 or '"""' in text or "'''" in text:
        return None
    moved = indented_as(module, text, line, loop)
    place = with_comments(module, loop)
    return [Edit(place, place, moved), Edit(begin, end, "")]


def indented_as(module: SourceModule, text: str, line: cst.CSTNode, other: cst.CSTNode) -> str:
    """The lines of a statement, indented as another one; the last has a line end."""
    old, new = module.indentation(line), module.indentation(other)
    lines = text.splitlines(keepends=True)
    if not lines[-1].endswith(("\n", "\r")):
        lines[-1] += module.line_end
    return "".join(new + one[len(old) :] if one.startswith(old) else one for one in lines)


def with_comments(module: SourceModule, line: cst.CSTNode) -> int:
    """Where the comments begin that stand right above a statement, as far indented as it, else its line."""
    begin, indent = module.line_start(module.range_of(line)[0]), module.indentation(line)
    while begin > 0:
        start = module.line_start(begin - 1)
        above = module.text[start:begin]
        if not above.startswith(f"{indent}#"):
            break
        begin = start
    return begin
