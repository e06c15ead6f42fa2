"""The statements between two readings of the host's clock, of which the time between them is taken, and those
that a notebook's command measures.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from advisor.model.text.notebooks.joined_text import is_repeated_by_command, timed_by_command
from advisor.program.launches.timing_loops import CLOCKS
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.statement_places import begin
from advisor.program.syntax.tree_nodes import below

_OF_THE_HOST = ("compil", "codegen", "jit", "launch", "enqueue", "dispatch", "overhead", "cold", "first call")


@dataclass(frozen=True)
class Span:
    """The statements up to the one with the second reading, `end`, and some behind it; `repeated` where the
    first run of them does not count.
    """

    statements: Sequence[ast.stmt]
    end: ast.Call
    behind: Sequence[ast.stmt] = ()
    repeated: bool = False

    def is_of_the_host(self) -> bool:
        """Whether the text says that it is the time of a compilation or a launch that is measured."""
        for statement in (self.statements[-1], *self.behind):
            for node in below(statement):
                said = node.value if isinstance(node, ast.Constant) else getattr(node, "id", "")
                if isinstance(said, str) and any(word in said.lower() for word in _OF_THE_HOST):
                    return True
        return False

    def nodes(self) -> Iterator[ast.AST]:
        """The nodes between the two readings."""
        for statement in self.statements:
            for node in below(statement):
                if begin(node) < begin(self.end) or statement is not self.statements[-1]:
                    yield node


def clock_spans(module: ModuleSyntax) -> Iterator[Span]:
    """The spans of a module's host code between a first reading and the second one that it is taken from."""
    clocks = [call for call in module.calls if module.dotted(call.func) in CLOCKS]
    for first in clocks if len(clocks) > 1 else ():
        start = module.parents.get(first)
        if isinstance(start, ast.Assign) and isinstance(start.targets[0], ast.Name | ast.Attribute):
            span = _span(start, ast.unparse(start.targets[0]), clocks, module)
            if span is not None:
                yield span
    yield from _command_spans(module)


def _command_spans(module: ModuleSyntax) -> Iterator[Span]:
    """The statements that IPython's `time` and `timeit` measure: these read the clock before and behind.

    Left out is what another cell measures together with further statements: the two show what these take.
    """
    found = list(_measured_by_commands(module))
    longer = {ast.unparse(one.statements[0]) for one in found if len(one.statements) > 1}
    for span in found:
        if len(span.statements) > 1 or ast.unparse(span.statements[0]) not in longer:
            yield span


def _measured_by_commands(module: ModuleSyntax) -> Iterator[Span]:
    text, body = module.source.text, module.tree.body
    measured: set[ast.stmt] = set()
    for statement in body:
        if statement in measured or isinstance(statement, ast.Pass):
            continue
        lines = timed_by_command(text, statement.lineno)
        if lines is not None:
            # Before the code of a command stands a `pass` in the place of its name.
            together = [one for one in body if one.lineno in lines and not isinstance(one, ast.Pass)]
            measured.update(together)
            yield Span(together, _reading_behind(together[-1]), (), is_repeated_by_command(text, lines.start))


def _reading_behind(statement: ast.stmt) -> ast.Call:
    reading = ast.copy_location(ast.Call(ast.Name("clock", ast.Load()), [], []), statement)
    reading.lineno = statement.end_lineno or statement.lineno
    reading.col_offset = statement.end_col_offset or statement.col_offset
    return reading


def _span(start: ast.Assign, name: str, clocks: Collection[ast.Call], module: ModuleSyntax) -> Span | None:
    """The statements from a first reading to the second one that is taken from it, in one block."""
    block = module.block_of(start)
    at = block.index(start) if block else 0
    ends_in = _by_child(clocks, module.parents.get(start), module.parents)
    for number, statement in enumerate(block[at + 1 :], at + 1):
        if ends := ends_in.get(statement):
            whole = not isinstance(statement, ast.For | ast.While | ast.If | ast.With | ast.Try)
            taken = whole and _difference(block[number:], ends[0], name, module.parents)
            return (
                Span(block[at + 1 : number + 1], ends[0], block[number + 1 : number + 4]) if taken else None
            )
        if any(_stores(one) and ast.unparse(one) == name for one in below(statement)):
            return None
    return None


def _stores(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load)


def _by_child(
    calls: Iterable[ast.Call], node: ast.AST | None, parents: dict[ast.AST, ast.AST]
) -> dict[ast.AST, list[ast.Call]]:
    """The calls in a node by that child of it which holds them."""
    found: dict[ast.AST, list[ast.Call]] = {}
    for call in calls:
        child: ast.AST | None = call
        while child is not None and parents.get(child) is not node:
            child = parents.get(child)
        if child is not None:
            found.setdefault(child, []).append(call)
    return found


def _difference(
    statements: Sequence[ast.stmt], end: ast.Call, name: str, parents: dict[ast.AST, ast.AST]
) -> bool:
    """Whether the time between the readings is taken: `clock() - start`, or `end - start` behind it."""
    above = parents.get(end)
    named = ast.unparse(above.targets[0]) if isinstance(above, ast.Assign) else ""
    for statement in statements:
        for node in below(statement):
            if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)):
                continue
            if _is_named(node.right, name) and (node.left is end or _is_named(node.left, named)):
                return True
    return False


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) == name
