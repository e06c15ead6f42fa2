"""Kernels in which all that each thread does is one loop over independent iterations."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.fixes.support.kernel.assigned_names import assigned_in, is_text, words_in
from advisor.fixes.support.kernel.block_free_kernel import threads_ask_for_grid_only
from advisor.fixes.support.kernel.grid_indices import grid_indices
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import INDEX_NAMES, cuda_parts
from advisor.fixes.support.kernel.walked_kernel import is_in_loop, walked_kernel
from advisor.fixes.support.values.array_uses import changed_arrays
from advisor.fixes.support.values.independent_iterations import iterations_are_independent
from advisor.program.syntax.calls import range_bounds
from advisor.program.syntax.literals import written_integer

# The lane's number in its block, along x.
_LANE = "tid.x"


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
    thread = numbers[0] if numbers else None
    if not iterations_are_independent(body, loop, index) or not _may_be_done_again(body, loop, thread):
        return None
    return ThreadLoop(loop, index, *bounds, thread)


def _thread_numbers(body: KernelBody) -> list[ThreadNumber] | None:
    """The one number along x that threads have, or none; None where they look at their place otherwise."""
    module = body.module
    if not threads_ask_for_grid_only(module, body.function):
        return None
    asked = [one for one, name in cuda_parts(module, body.function.body) if name in (*INDEX_NAMES, "grid")]
    indices = grid_indices(body)
    if not asked:
        return []
    if len(indices) != 1:
        return None
    ((name, index),) = indices.items()
    alone = isinstance(index.line.targets[0], ast.Name) and index.axis == "x"
    here = all(module.statement_of(one) is index.line for one in asked)
    cuda = asked[0].value if isinstance(asked[0], ast.Attribute) else None
    return [ThreadNumber(index.line, name, module.code_of(cuda))] if alone and here and cuda else None


def _only_loop(body: KernelBody, lines: Sequence[ast.stmt]) -> ast.For | None:
    """The loop that some statements end with, also under conditions, where those before it only give names
    their values, or let the thread end.
    """
    if not lines or not all(_only_prepares(line) for line in lines[:-1]):
        return None
    last = lines[-1]
    if isinstance(last, ast.For):
        return None if body.module.on_header_line(last) else last
    return _only_loop(body, last.body) if isinstance(last, ast.If) and not last.orelse else None


def _only_prepares(line: ast.stmt) -> bool:
    if isinstance(line, ast.If):
        return all(_only_prepares(one) for one in (*line.body, *line.orelse))
    if isinstance(line, ast.Return):
        return line.value is None
    if isinstance(line, ast.Assign):
        return all(_is_named(one) for one in line.targets)
    if isinstance(line, ast.AugAssign | ast.AnnAssign):
        return _is_named(line.target)
    return isinstance(line, ast.Pass) or is_text(line)


def _is_named(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple):
        return all(isinstance(one, ast.Name) for one in target.elts)
    return isinstance(target, ast.Name)


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


def _may_be_done_again(body: KernelBody, loop: ast.For, thread: ThreadNumber | None) -> bool:
    """Whether threads may do more than once what stands around the loop, and share its iterations.

    Nothing outside of it looks at elements that it changes, no function that is called changes any, and each
    stored element follows the thread, so that it is not one for all.
    """
    facts = walked_kernel(body.module, body.function)
    stores = [one for one in facts.accesses if one.kind != "load"]
    changes = [one.place for one in stores] + [one.place for one in facts.atomics]
    if not all(body.module.scope_of(one.node) is body.function for one in changes):
        return False
    changed = changed_arrays(body, loop)
    outside = [one for one in facts.accesses if not is_in_loop(one.place, loop)]
    added = all(is_in_loop(one.place, loop) for one in facts.atomics)
    if not added or any(one.array.name in changed for one in outside):
        return False
    forms = ([index.form for index in one.indices] for one in stores)
    return thread is None or all(any(_LANE in facts.atoms.depends(one) for one in form) for form in forms)


def lanes_lie_along_the_loop(body: KernelBody, found: ThreadLoop) -> bool:
    """Whether neighbouring iterations use neighbouring elements, more than neighbouring threads do.

    What is used in the innermost loops decides.
    """
    votes: dict[int, int] = {}
    for one in walked_kernel(body.module, body.function).accesses:
        counter = next((loop.counter for loop in one.place.loops if loop.node is found.loop), "")
        if counter and one.indices:
            steps = dict(one.indices[-1].form.terms)
            vote = (steps.get((counter,)) == 1) - (steps.get((_LANE,)) == 1)
            depth = len(one.place.loops)
            votes[depth] = votes.get(depth, 0) + vote
    decided = [votes[depth] for depth in sorted(votes, reverse=True) if votes[depth]]
    return not decided or decided[0] > 0
