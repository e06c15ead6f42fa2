"""What an expression rests on: the expressions that its names stand for, through functions and modules."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.launches.launch_sites import assigned_once
from advisor.program.syntax.literals import written_integer
from advisor.program.syntax.module import FunctionNode


def reached_expressions(
    module: SourceModule, function: FunctionNode | None, start: Iterable[ast.expr]
) -> list[ast.expr]:
    """The expressions themselves, and those that their names stand for, and so on."""
    waiting, seen = list(start), set()
    found = []
    while waiting:
        expression = waiting.pop()
        found.append(expression)
        for name in module.nodes_in(ast.Name, expression):
            if name.id in seen:
                continue
            seen.add(name.id)
            value = assigned_once(module, function, name.id)
            if value is not None:
                waiting.append(value)
    return found


def integers_in(module: SourceModule, expressions: Iterable[ast.expr]) -> Iterator[ast.Constant]:
    """The integers that are written in expressions."""
    for expression in expressions:
        for constant in module.nodes_in(ast.Constant, expression):
            if written_integer(constant) is not None:
                yield constant


def number(integer: ast.Constant) -> int:
    """The value of an integer as it is written."""
    value = written_integer(integer)
    assert value is not None
    return value


def slot_name(module: SourceModule, integer: ast.Constant, fallback: str) -> str:
    """How a number is called: the name it is assigned to, with its index in a tuple; else the fallback."""
    index, above = "", module.parent(integer)
    if isinstance(above, ast.Tuple):
        index, above = f"[{above.elts.index(integer)}]", module.parent(above)
    match above:
        case ast.Assign([*_, ast.Name(name)]) | ast.AnnAssign(ast.Name(name)):
            return f"{name}{index}"
    return fallback
