"""A kernel's body as a fix rewrites it: its statements, where code may be put, names that are free."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeVar

from advisor.fixes.place import Place
from advisor.fixes.support.edits.inserted_lines import end_with_comments, indented, line_before, whole_lines
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import assigned_in, words_in
from advisor.model.findings import Edit
from advisor.program.syntax.module import FunctionNode
from advisor.program.syntax.statement_places import COMPREHENSIONS, DEFINITIONS, TRIES

_Node = TypeVar("_Node", bound=ast.AST)

_LEAVING_OTHERWISE: tuple[type[ast.AST], ...] = (
    ast.Raise, ast.Assert, ast.Yield, ast.YieldFrom, ast.Await, *TRIES, ast.With, ast.AsyncWith, ast.Lambda,
    *DEFINITIONS,
)  # fmt: skip
# Nodes with which threads leave a kernel before its end, or whose code is not the kernel's own.
LEAVING: tuple[type[ast.AST], ...] = (ast.Return, *_LEAVING_OTHERWISE)
# The same but for `return`, and nodes that give names values within expressions, or take them away.
HIDDEN_FLOW: tuple[type[ast.AST], ...] = (*_LEAVING_OTHERWISE, ast.Delete, ast.NamedExpr, *COMPREHENSIONS)


class KernelBody:
    """The body of a kernel whose statements stand on lines of their own."""

    def __init__(self, module: SourceModule, function: FunctionNode) -> None:
        self.module, self.function = module, function
        self.statements = [] if module.on_header_line(function.body[0]) else function.body

    @property
    def indent(self) -> str:
        """The white space before the statements of the body."""
        return self.module.indentation(self.statements[0])

    @property
    def step(self) -> str:
        """The white space that a nested block has more than the block around it."""
        return self.indent[len(self.module.indentation(self.function)) :]

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters in order."""
        given = self.function.args
        return [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]

    def all_threads_reach_the_end(self) -> bool:
        """Whether no thread leaves the kernel early, as far as its own statements say."""
        return not any(True for _ in self.nodes(LEAVING))

    def nodes(self, kind: type[_Node] | tuple[type[_Node], ...]) -> Iterator[_Node]:
        """The nodes of some kinds in the kernel's statements, in the order of the text."""
        return self.module.nodes_in(kind, self.function.body)

    def top_statement(self, node: ast.AST) -> ast.stmt:
        """The statement of the body that a node lies in."""
        begin, end = self.module.range_of(node)
        for statement in self.statements:
            first, last = self.module.range_of(statement)
            if first <= begin and end <= last:
                return statement
        raise ValueError("the node lies outside of the body")

    def bound_once(self, name: str, before: int) -> bool:
        """Whether a name is given its value by one plain assignment among the body's own statements that
        ends before an offset."""
        bindings = self.module.bindings(name, self.function)
        if len(bindings) != 1 or not isinstance(bindings[0], ast.Assign):
            return False
        return bindings[0] in self.statements and self.module.range_of(bindings[0])[1] <= before

    def keeps_value(self, node: ast.expr, before: int) -> bool:
        """Whether the names of an expression keep from an offset on what they have there: nothing gives them
        a value, or one of the body's own statements did before.
        """
        bound = (name for name in words_in(self.module, node) if self.module.bindings(name, self.function))
        return all(name not in self.parameters and self.bound_once(name, before) for name in bound)

    def free_names(self, *wanted: str) -> list[str]:
        """The wanted names, with a number where a name of the kernel or of the module is in the way."""
        taken = {*words_in(self.module, self.function), *assigned_in(self.module, self.function)}
        found = []
        for name in wanted:
            number, free = 1, name
            while free in taken or self.module.bindings(free, None):
                number += 1
                free = f"{name}_{number}"
            taken.add(free)
            found.append(free)
        return found

    def under_head(self, statements: list[ast.stmt], head: str) -> list[Edit] | None:
        """The edits that put whole statements below a head such as `if …:`; None where a text in them runs
        over several lines, or where one shares its line.
        """
        module, first, last = self.module, statements[0], statements[-1]
        begin, end = whole_lines(module, first)[0], whole_lines(module, last)[1]
        deeper = indented(module, begin, end, self.step)
        if deeper is None or module.shares_line(first) or module.shares_line(last):
            return None
        opened = line_before(module, first, head)
        # The first line's own step follows the head on the same line.
        own = Edit(opened.start, opened.end, opened.text + self.step)
        return [own, *(one for one in deeper if one.start != begin)]

    def lines_before(self, statement: ast.stmt, lines: list[str]) -> Edit:
        """The edit that puts lines, indented as the body, before a statement of it."""
        begin, _ = self.module.range_of(statement)
        end = self.module.line_end
        return Edit(begin, begin, "".join(f"{line}{end}{self.indent}" for line in lines))

    def lines_at_end(self, lines: list[str]) -> Edit:
        """The edit that puts an empty line and lines, indented as the body, behind its last statement."""
        end = self.module.line_end
        text = "".join(f"{end}{self.indent}{line}" if line else end for line in ["", *lines])
        last, outer = self.module.range_of(self.statements[-1])[1], self.module.indentation(self.function)
        # Comments that belong to the last block stay with it.
        place = end_with_comments(self.module.text, last, outer)
        return Edit(place, place, text)


def own_kernel(place: Place) -> KernelBody | None:
    """The body of the kernel that a finding stands in; None where it stands in another function, where the
    kernel is also called as a device function, or where two of its statements share a line.
    """
    kernel = place.kernel()
    if kernel is None or kernel[0] is not place.module or place.function() is not kernel[1]:
        return None
    module, function = kernel
    return KernelBody(module, function) if module.answer(_can_be_rewritten, function) else None


def _can_be_rewritten(module: SourceModule, function: ast.FunctionDef) -> bool:
    """Whether a kernel has statements, each with lines of its own, and is no device function besides."""
    statements = KernelBody(module, function).statements
    shared = any(module.shares_line(one) for one in statements)
    return bool(statements) and function.name not in module.called_names and not shared
