"""The statements of a kernel that depend on the step a host loop passes it, which a loop would repeat."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from advisor.fixes.support.edits.inserted_lines import end_with_comments, indented
from advisor.fixes.support.host.host_loops import with_comments
from advisor.fixes.support.kernel.assigned_names import around, is_assigned, names_in, words_in
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.fixes.support.values.independent_iterations import values_come_first
from advisor.fixes.support.values.joint_work import needs_all_threads
from advisor.model.findings import Edit

# With these a thread leaves more than one step, or the code is not the kernel's own.
_REFUSED: tuple[type[cst.CSTNode], ...] = (
    cst.Raise, cst.Assert, cst.Try, cst.With, cst.Lambda, cst.FunctionDef, cst.ClassDef, cst.BaseComp,
    cst.Del, cst.NamedExpr, cst.Yield, cst.Match, cst.Global, cst.Nonlocal,
)  # fmt: skip
_NUMBERS = ("abs", "bool", "float", "int", "len", "max", "min", "round")
_PLACES = ("grid", "gridsize", "local")


def repeated_part(body: KernelBody, step: str) -> list[cst.BaseStatement] | None:
    """The statements from the first that needs the step, or does more than naming numbers, to the last.

    They lie within checks of the thread's index where these are all that follows. None where a thread needs
    what an earlier step left in a variable, or waits for other threads.
    """
    module, function = body.module, body.function
    if any(True for kind in _REFUSED for _ in body.nodes(kind)) or needs_all_threads(module, function.body):
        return None
    if any(cuda_attribute(module, one) == "shared" for one in body.nodes(cst.Attribute)):
        return None
    if any(module.written(one.func) == "print" for one in body.nodes(cst.Call)):
        return None
    if any(one.value == step and is_assigned(module, one) for one in names_in(module, function.body)):
        return None
    found = _part(body, body.statements, step)
    return found if found and values_come_first(body, found, step) else None


def in_loop(body: KernelBody, part: Sequence[cst.BaseStatement], head: str) -> list[Edit] | None:
    """The edits that put statements into a loop whose first line is given; a `return` goes on with the next
    iteration. None where one stands in an inner loop, and where a text runs over several lines.
    """
    module = body.module
    begin = with_comments(module, part[0])
    indent, block = module.indentation(part[0]), module.parent(part[0])
    owner = module.parent(block) if block is not None else None
    if owner is None:
        return None
    end = end_with_comments(module.text, module.range_of(part[-1])[1], module.indentation(owner))
    found = indented(module, begin, end, body.step)
    if not found or found[0].start != begin:
        return None
    found[0] = Edit(begin, begin, f"{indent}{head}{module.line_end}{body.step}")
    for line in part:
        for leave in module.nodes_in(cst.Return, line):
            outer = around(module, leave, body.function)
            if leave.value is not None or any(isinstance(one, cst.For | cst.While) for one in outer):
                return None
            found.append(module.replaced(leave, "continue"))
    return found


def _part(body: KernelBody, lines: Sequence[cst.CSTNode], step: str) -> list[cst.BaseStatement]:
    for number, line in enumerate(lines):
        if _names_numbers(body, line, step):
            continue
        if isinstance(line, cst.If) and line.orelse is None and _is_settled(body, line.test, step):
            if _leaves(line):
                continue
            if number == len(lines) - 1 and isinstance(line.body, cst.IndentedBlock):
                return _part(body, line.body.body, step)
        return [one for one in lines[number:] if isinstance(one, cst.BaseStatement)]
    return []


def _names_numbers(body: KernelBody, line: cst.CSTNode, step: str) -> bool:
    """Whether a statement only gives numbers names that they keep, or is the kernel's docstring."""
    if not isinstance(line, cst.SimpleStatementLine):
        return False
    for part in line.body:
        if isinstance(part, cst.Expr) and isinstance(part.value, cst.SimpleString):
            continue
        if not isinstance(part, cst.Assign) or not _is_settled(body, part.value, step):
            return False
        for target in part.targets:
            names = words_in(body.module, target.target)
            plain = isinstance(target.target, cst.Name | cst.Tuple)
            if not plain or any(True for _ in body.module.nodes_in(cst.Subscript, target.target)):
                return False
            if any(len(body.module.bindings(name, body.function)) != 1 for name in names):
                return False
    return True


def _is_settled(body: KernelBody, value: cst.BaseExpression, step: str) -> bool:
    """Whether an expression is the same in each step: it reads no elements of arrays."""
    module = body.module
    if step in words_in(module, value):
        return False
    for one in module.nodes_in(cst.Subscript, value):
        if not (isinstance(one.value, cst.Attribute) and one.value.attr.value == "shape"):
            return False
    return all(_gives_number(body, call) for call in module.nodes_in(cst.Call, value))


def _gives_number(body: KernelBody, call: cst.Call) -> bool:
    if isinstance(call.func, cst.Name):
        return call.func.value in _NUMBERS and not body.module.bindings(call.func.value, None)
    root = call.func
    while isinstance(root, cst.Attribute):
        if cuda_attribute(body.module, root) in _PLACES:
            return True
        root = root.value
    return isinstance(root, cst.Name) and root.value in ("np", "numpy", "math")


def _leaves(line: cst.If) -> bool:
    part = line.body.body[0] if len(line.body.body) == 1 else None
    inner = part.body[0] if isinstance(part, cst.SimpleStatementLine) and len(part.body) == 1 else part
    return isinstance(inner, cst.Return) and inner.value is None
