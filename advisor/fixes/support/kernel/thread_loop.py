"""Kernels in which all that each thread does is one loop over independent iterations."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from advisor.fixes.support.kernel.assigned_names import (
    ARRAY_QUESTIONS,
    around,
    assigned_in,
    indices_of,
    is_text,
    names_in,
    terms_of,
    words_in,
)
from advisor.fixes.support.kernel.block_free_kernel import (
    called_functions,
    gives_number,
    threads_ask_for_grid_only,
)
from advisor.fixes.support.kernel.grid_indices import grid_indices
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import INDEX_NAMES, cuda_attribute, grid_call
from advisor.fixes.support.values.independent_iterations import (
    changed_arrays,
    is_store,
    iterations_are_independent,
)
from advisor.program.syntax.calls import range_bounds
from advisor.program.syntax.literals import written_integer
from advisor.program.syntax.module import FunctionNode


@dataclass(frozen=True)
class ThreadNumber:
    """The assignment that gives a thread its number in the grid, the name that it gets, and what the file
    calls numba.cuda.
    """

    line: ast.Assign
    name: str
    cuda: str


@dataclass(frozen=True)
class ThreadLoop:
    """A loop `for index in range(start, end)` that each thread walks; `thread` is None where the threads have
    no numbers, so that all of them do the same.
    """

    loop: ast.For
    index: str
    start: int
    end: ast.expr
    thread: ThreadNumber | None


def thread_loop(body: KernelBody) -> ThreadLoop | None:
    """The loop that is all that a kernel does beside checks and names, None where there is more.

    Its iterations may have threads of their own, which then do what stands before the loop once more each.
    """
    loop = _only_loop(body, body.statements)
    if loop is None or not isinstance(loop.target, ast.Name):
        return None
    numbers = _thread_numbers(body)
    bounds = _bounds(body, loop)
    index = loop.target.id
    if numbers is None or bounds is None or words_in(body.module, bounds[1]) & assigned_in(body.module, loop):
        return None
    if not iterations_are_independent(body, loop, index) or not _may_be_done_again(body, loop):
        return None
    if numbers and not _stores_follow_threads(body, loop, index):
        return None
    return ThreadLoop(loop, index, *bounds, numbers[0] if numbers else None)


def _thread_numbers(body: KernelBody) -> list[ThreadNumber] | None:
    """The one number along x that threads have, or none; None where they look at their place otherwise."""
    if words_in(body.module, body.function.body) & INDEX_NAMES:
        return None
    if not threads_ask_for_grid_only(body.module, body.function):
        return None
    asked = [
        one
        for one in body.nodes(ast.Attribute)
        if cuda_attribute(body.module, one) in (*INDEX_NAMES, "grid", "gridsize")
    ]
    lines = grid_indices(body)
    if not asked:
        return []
    if len(lines) != 1:
        return None
    name, line = next(iter(lines.items()))
    if not isinstance(line, ast.Assign) or not isinstance(line.targets[0], ast.Name):
        return None
    begin, end = body.module.range_of(line)
    if not all(begin <= body.module.range_of(one)[0] < end for one in asked):
        return None
    along_x = all(_axis(body, one) == "x" for one in asked)
    if grid_call(body.module, line.value) != 1 and not along_x:
        return None
    return [ThreadNumber(line, name, body.module.code_of(asked[0].value))]


def _axis(body: KernelBody, node: ast.Attribute) -> str:
    above = body.module.parent(node)
    return above.attr if isinstance(above, ast.Attribute) else ""


def _only_loop(body: KernelBody, lines: Sequence[ast.stmt]) -> ast.For | None:
    """The loop that some statements end with, also under conditions, where those before it may be done by
    more threads.
    """
    if not lines or not all(_only_prepares(body, line) for line in lines[:-1]):
        return None
    last = lines[-1]
    if isinstance(last, ast.For):
        return None if body.module.on_header_line(last.body[0]) else last
    if not isinstance(last, ast.If) or last.orelse or not _only_reads(body, last.test):
        return None
    return _only_loop(body, last.body)


def _only_prepares(body: KernelBody, line: ast.AST) -> bool:
    """Whether a statement gives names their values, or lets the thread end."""
    if isinstance(line, ast.If):
        parts = [*line.body, *line.orelse]
        return _only_reads(body, line.test) and all(_only_prepares(body, one) for one in parts)
    if isinstance(line, ast.Return):
        return line.value is None
    if isinstance(line, ast.Assign):
        named = all(_is_named(one) for one in line.targets)
        return named and _only_reads(body, line.value)
    if isinstance(line, ast.AugAssign | ast.AnnAssign):
        return _is_named(line.target) and (line.value is None or _only_reads(body, line.value))
    return isinstance(line, ast.Pass) or is_text(line)


def _is_named(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple):
        return all(isinstance(one, ast.Name) for one in target.elts)
    return isinstance(target, ast.Name)


def _only_reads(body: KernelBody, value: ast.AST) -> bool:
    """Whether an expression has no effects."""
    if any(True for _ in body.module.nodes_in((ast.NamedExpr, ast.Lambda), value)):
        return False
    return all(gives_number(body, call) for call in body.module.nodes_in(ast.Call, value))


def _bounds(body: KernelBody, loop: ast.For) -> tuple[int, ast.expr] | None:
    """The first number and the end of `range(end)` and `range(start, end)`, on one line."""
    values = range_bounds(loop)
    if values is None or len(values) > 2:
        return None
    start = values[0] if len(values) == 2 else ast.Constant(0)
    first = written_integer(start)
    if first is None or "\n" in body.module.code_of(loop.iter):
        return None
    return first, values[-1]


def _may_be_done_again(body: KernelBody, loop: ast.For) -> bool:
    """Whether nothing before the loop looks at elements that it changes, and no function that is called
    changes any.
    """
    begin, end = body.module.range_of(loop)
    changed = changed_arrays(body, loop)
    for name in names_in(body.module, body.function.body):
        inside = begin <= body.module.range_of(name)[0] < end
        above = body.module.parent(name)
        asked = isinstance(above, ast.Attribute) and above.attr in ARRAY_QUESTIONS
        if name.id in changed and not inside and not asked and not _is_length(body, above):
            return False
    return not any(_changes_elements(body, one) for one in called_functions(body.module, body.function))


def _stores_follow_threads(body: KernelBody, loop: ast.For, index: str) -> bool:
    """Whether each stored element has a name of the thread's own in it, so that it is not one for all."""
    counters = {one.target.id for one in body.nodes(ast.For) if isinstance(one.target, ast.Name)}
    own = assigned_in(body.module, body.function.body) - counters - {index}
    stores = (one for one in body.module.nodes_in(ast.Subscript, loop) if is_store(body.module, one))
    return all(words_in(body.module, one) & own for one in stores)


def _is_length(body: KernelBody, above: ast.AST | None) -> bool:
    return isinstance(above, ast.Call) and body.module.code_of(above.func) == "len"


def _changes_elements(body: KernelBody, function: FunctionNode) -> bool:
    module = body.module
    if any(is_store(module, one) for one in module.nodes_in(ast.Subscript, function.body)):
        return True
    return any(
        cuda_attribute(module, one) == "atomic" for one in module.nodes_in(ast.Attribute, function.body)
    )


def lanes_lie_along_the_loop(body: KernelBody, found: ThreadLoop) -> bool:
    """Whether neighbouring iterations use neighbouring elements, more than neighbouring threads do.

    What is used in the innermost loops decides.
    """
    votes: dict[int, int] = {}
    thread = found.thread.name if found.thread is not None else ""
    for node in body.module.nodes_in(ast.Subscript, found.loop.body):
        indices = indices_of(node)
        if not indices or isinstance(node.value, ast.Attribute):
            continue
        terms = {one.id for one in terms_of(indices[-1]) if isinstance(one, ast.Name)}
        vote = (found.index in terms) - (thread in terms)
        depth = sum(
            isinstance(outer, ast.For) and inner in outer.body
            for inner, outer in pairwise([node, *around(body.module, node, found.loop)])
        )
        votes[depth] = votes.get(depth, 0) + vote
    decided = [votes[depth] for depth in sorted(votes, reverse=True) if votes[depth]]
    return not decided or decided[0] > 0
