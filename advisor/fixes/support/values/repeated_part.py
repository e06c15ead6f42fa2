"""The statements of a kernel that depend on the step a host loop passes it, which a loop would repeat."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.fixes.support.edits.inserted_lines import end_with_comments, indented
from advisor.fixes.support.host.host_loops import with_comments
from advisor.fixes.support.host.source_effects import known_call
from advisor.fixes.support.kernel.assigned_names import around, assigned_in, words_in
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.values.independent_iterations import values_come_first
from advisor.fixes.support.values.joint_work import threads_meet
from advisor.model.findings import Edit
from advisor.program.effects.callees import Known
from advisor.program.syntax.statement_places import COMPREHENSIONS, DEFINITIONS, TRIES

# With these a thread leaves more than one step, or the code is not the kernel's own.
_REFUSED: tuple[type[ast.AST], ...] = (
    ast.Raise, ast.Assert, *TRIES, ast.With, ast.Lambda, *DEFINITIONS, *COMPREHENSIONS, ast.Delete,
    ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Match, ast.Global, ast.Nonlocal,
)  # fmt: skip


def repeated_part(body: KernelBody, step: str) -> list[ast.stmt] | None:
    """The statements from the first that needs the step, or does more than naming numbers, to the last.

    They lie within checks of the thread's index where these are all that follows. None where a thread needs
    what an earlier step left in a variable, or waits for other threads.
    """
    module, function = body.module, body.function
    if any(True for _ in body.nodes(_REFUSED)) or threads_meet(module, function.body):
        return None
    if any(module.code_of(one.func) == "print" for one in body.nodes(ast.Call)):
        return None
    if step in assigned_in(module, function.body):
        return None
    found = _part(body, body.statements, step)
    return found if found and values_come_first(body, found, step) else None


def in_loop(body: KernelBody, part: Sequence[ast.stmt], head: str) -> list[Edit] | None:
    """The edits that put statements into a loop whose first line is given; a `return` goes on with the next
    iteration. None where one stands in an inner loop, and where a text runs over several lines.
    """
    module = body.module
    begin = with_comments(module, part[0])
    indent, owner = module.indentation(part[0]), module.parent(part[0])
    if owner is None:
        return None
    end = end_with_comments(module.text, module.range_of(part[-1])[1], module.indentation(owner))
    found = indented(module, begin, end, body.step)
    if not found or found[0].start != begin:
        return None
    found[0] = Edit(begin, begin, f"{indent}{head}{module.line_end}{body.step}")
    for line in part:
        for leave in module.nodes_in(ast.Return, line):
            outer = around(module, leave, body.function)
            if leave.value is not None or any(isinstance(one, ast.For | ast.While) for one in outer):
                return None
            found.append(module.replaced(leave, "continue"))
    return found


def _part(body: KernelBody, lines: Sequence[ast.stmt], step: str) -> list[ast.stmt]:
    for number, line in enumerate(lines):
        if _names_numbers(body, line, step):
            continue
        if isinstance(line, ast.If) and not line.orelse and _is_settled(body, line.test, step):
            if _leaves(line):
                continue
            if number == len(lines) - 1 and not body.module.on_header_line(line.body[0]):
                return _part(body, line.body, step)
        return list(lines[number:])
    return []


def _names_numbers(body: KernelBody, line: ast.stmt, step: str) -> bool:
    """Whether a statement only gives numbers names that they keep, or is the kernel's docstring."""
    if isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant):
        return True
    if not isinstance(line, ast.Assign) or not _is_settled(body, line.value, step):
        return False
    for target in line.targets:
        plain = isinstance(target, ast.Name | ast.Tuple)
        if not plain or any(True for _ in body.module.nodes_in(ast.Subscript, target)):
            return False
        names = words_in(body.module, target)
        if any(len(body.module.bindings(name, body.function)) != 1 for name in names):
            return False
    return True


def _is_settled(body: KernelBody, value: ast.expr, step: str) -> bool:
    """Whether an expression is the same in each step: it reads no elements of arrays."""
    module = body.module
    if step in words_in(module, value):
        return False
    for one in module.nodes_in(ast.Subscript, value):
        if not (isinstance(one.value, ast.Attribute) and one.value.attr == "shape"):
            return False
    calls = module.nodes_in(ast.Call, value)
    return all(known_call(module, one) in (Known.NUMBERS, Known.QUESTION) for one in calls)


def _leaves(line: ast.If) -> bool:
    inner = line.body[0]
    return isinstance(inner, ast.Return) and inner.value is None
