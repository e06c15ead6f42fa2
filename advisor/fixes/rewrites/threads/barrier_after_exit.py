"""Replaces an early return before a barrier by a flag, so that all threads of the block reach the barrier."""

# /// fix
# title = "Let all threads reach the barrier, with a flag in place of the early return"
# safety = "safe"
# rules = ["barrier-after-divergent-exit", "barrier-not-reached"]
# needs_kernel = true
# condition = """
# a barrier counts threads that have left the kernel as arrived, as GPUs do"""
# ///

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import only_computes
from advisor.fixes.support.kernel.grid_indices import grid_indices
from advisor.fixes.support.kernel.kernel_body import LEAVING, KernelBody, own_kernel
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.fixes.support.kernel.walked_kernel import has_one_value
from advisor.fixes.support.values.joint_work import threads_meet
from advisor.model.findings import Edit
from advisor.program.syntax.calls import range_bounds
from advisor.program.syntax.module import FunctionNode

_OPPOSITE: dict[type[ast.cmpop], str] = {
    ast.GtE: "<", ast.Gt: "<=", ast.Lt: ">=", ast.LtE: ">",
    ast.Eq: "!=", ast.NotEq: "==",
}  # fmt: skip
# Calls that give the same number for the same arguments.
_PURE = frozenset({"len", "min", "max", "int", "math.ceil", "math.floor"})


@dataclass(frozen=True)
class _Exit:
    """The `if …: return` of a kernel and its place among the kernel's statements."""

    check: ast.If
    number: int


def edits(place: Place) -> list[Edit] | None:
    """The edits that put the statements between barriers under the flag; None for other returns, and for
    barriers that are neither among the kernel's own statements nor in a loop that all threads run alike.
    """
    body = own_kernel(place)
    return None if body is None else body.module.answer(_edits, body.function)


def _edits(module: SourceModule, function: FunctionNode) -> list[Edit] | None:
    body = KernelBody(module, function)
    found = _exit(body)
    if found is None or "#" in module.code_of(found.check):
        return None
    behind = body.statements[found.number + 1 :]
    groups = _groups(body, found, behind)
    if groups is None or not any(threads_meet(module, line) for line in behind):
        return None
    (flag,) = body.free_names("inside")
    edits = [module.replaced(found.check, f"{flag} = {_stays(body, found.check.test)}")]
    for group in groups:
        below = body.under_head(group, f"if {flag}:")
        if below is None:
            return None
        edits += below
    return edits


def _exit(body: KernelBody) -> _Exit | None:
    """The only return of a kernel where it stands alone under a condition of the kernel's own statements."""
    returns = list(body.nodes(ast.Return))
    if list(body.nodes(LEAVING)) != returns or len(returns) != 1:
        return None
    for number, line in enumerate(body.statements):
        if isinstance(line, ast.If) and not line.orelse and line.body == returns and returns[0].value is None:
            return _Exit(line, number)
    return None


def _groups(
    body: KernelBody, found: _Exit, lines: Sequence[ast.stmt], inner: bool = False
) -> list[list[ast.stmt]] | None:
    """The runs of statements that go under the flag, between barriers and declarations of arrays; None where
    threads meet inside of another statement.
    """
    groups: list[list[ast.stmt]] = [[]]
    for line in lines:
        if _is_barrier(body, line) or _is_declaration(body, line):
            groups.append([])
        elif not threads_meet(body.module, line):
            groups[-1].append(line)
        elif isinstance(line, ast.For) and not inner and _is_common(body, found, line):
            below = _groups(body, found, line.body, inner=True)
            if below is None:
                return None
            groups += [*below, []]
        else:
            return None
    return [group for group in groups if group]


def _is_common(body: KernelBody, found: _Exit, loop: ast.For) -> bool:
    """Whether a loop has the same iterations in all threads, those that do not stay included."""
    module = body.module
    bounds = range_bounds(loop)
    if bounds is None or loop.orelse:
        return False
    if any(True for _ in module.nodes_in((ast.Break, ast.Continue), loop.body)):
        return False
    if not isinstance(loop.target, ast.Name) or len(module.bindings(loop.target.id, body.function)) != 1:
        # Another loop of that name may change it; a value from before would be lost in the others.
        return False
    return all(_same_for_all(body, found, one) for one in bounds)


def _same_for_all(body: KernelBody, found: _Exit, node: ast.expr) -> bool:
    """Whether an expression has the same value in all threads, those that do not stay included."""
    module = body.module
    called = {module.code_of(call.func) for call in module.nodes_in(ast.Call, node)}
    early = body.keeps_value(node, module.range_of(found.check)[0])
    return called <= _PURE and early and has_one_value(module, body.function, node)


def _is_barrier(body: KernelBody, line: ast.AST) -> bool:
    call = line.value if isinstance(line, ast.Expr) else None
    return isinstance(call, ast.Call) and cuda_attribute(body.module, call.func) == "syncthreads"


def _is_declaration(body: KernelBody, line: ast.AST) -> bool:
    call = line.value if isinstance(line, ast.Assign) else None
    function = call.func if isinstance(call, ast.Call) else None
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "array"
        and cuda_attribute(body.module, function.value) in ("shared", "local")
    )


def _stays(body: KernelBody, test: ast.expr) -> str:
    """The opposite of the condition under which threads return."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) else [test]
    turned = [_turned(body, one) for one in parts]
    if all(turned):
        return " and ".join(one for one in turned if one)
    code = body.module.code_of(test)
    return f"not {code}" if isinstance(test, ast.Name) else f"not ({code})"


def _turned(body: KernelBody, test: ast.expr) -> str | None:
    """The opposite comparison of a grid index, which is a whole number; None for another condition."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.left, ast.Name):
        return None
    opposite, bound = _OPPOSITE.get(type(test.ops[0])), test.comparators[0]
    code = body.module.outer_code_of(bound)
    index = test.left.id in grid_indices(body) and "\n" not in code
    if opposite is None or not index or not only_computes(body.module, bound, elements=True):
        return None
    parts = body.module.nodes_in(ast.Subscript, bound)
    if not all(isinstance(one.value, ast.Attribute) and one.value.attr == "shape" for one in parts):
        # An element may be no number (NaN), to which both comparisons are false.
        return None
    return f"{test.left.id} {opposite} {code}"
