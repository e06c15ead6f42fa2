"""Kernels in which all that each thread does is one loop over independent iterations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from advisor.fixes.support.kernel.assigned_names import (
    ARRAY_QUESTIONS,
    assigned_in,
    indices_of,
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


@dataclass(frozen=True)
class ThreadNumber:
    """The assignment that gives a thread its number in the grid, the name that it gets, and what the file
    calls numba.cuda.
    """

    line: cst.Assign
    name: str
    cuda: str


@dataclass(frozen=True)
class ThreadLoop:
    """A loop `for index in range(start, end)` that each thread walks; `thread` is None where the threads have
    no numbers, so that all of them do the same.
    """

    loop: cst.For
    index: str
    start: int
    end: cst.BaseExpression
    thread: ThreadNumber | None


def thread_loop(body: KernelBody) -> ThreadLoop | None:
    """The loop that is all that a kernel does beside checks and names, None where there is more.

    Its iterations may have threads of their own, which then do what stands before the loop once more each.
    """
    loop = _only_loop(body, body.statements)
    if loop is None or not isinstance(loop.target, cst.Name):
        return None
    numbers = _thread_numbers(body)
    bounds = _bounds(body, loop)
    index = loop.target.value
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
        for one in body.nodes(cst.Attribute)
        if cuda_attribute(body.module, one) in (*INDEX_NAMES, "grid", "gridsize")
    ]
    lines = grid_indices(body)
    if not asked:
        return []
    if len(lines) != 1:
        return None
    name, line = next(iter(lines.items()))
    found = [one for one in body.module.nodes_in(cst.Assign, line) if _gives_to(one, name)]
    if len(found) != 1:
        return None
    begin, end = body.module.range_of(found[0])
    if not all(begin <= body.module.range_of(one)[0] < end for one in asked):
        return None
    along_x = all(_axis(body, one) == "x" for one in asked)
    if grid_call(body.module, found[0].value) != 1 and not along_x:
        return None
    return [ThreadNumber(found[0], name, body.module.written(asked[0].value))]


def _gives_to(line: cst.Assign, name: str) -> bool:
    target = line.targets[0].target
    return len(line.targets) == 1 and isinstance(target, cst.Name) and target.value == name


def _axis(body: KernelBody, node: cst.Attribute) -> str:
    above = body.module.parent(node)
    return above.attr.value if isinstance(above, cst.Attribute) and above.value is node else ""


def _only_loop(body: KernelBody, lines: Sequence[cst.CSTNode]) -> cst.For | None:
    """The loop that some statements end with, also under conditions, where those before it may be done by
    more threads.
    """
    if not lines or not all(_only_prepares(body, line) for line in lines[:-1]):
        return None
    last = lines[-1]
    if isinstance(last, cst.For):
        return last if isinstance(last.body, cst.IndentedBlock) else None
    if not isinstance(last, cst.If) or last.orelse is not None or not _only_reads(body, last.test):
        return None
    return _only_loop(body, last.body.body) if isinstance(last.body, cst.IndentedBlock) else None


def _only_prepares(body: KernelBody, line: cst.CSTNode) -> bool:
    """Whether a statement gives names their values, or lets the thread end."""
    if isinstance(line, cst.If):
        parts: list[cst.CSTNode] = [*line.body.body]
        if line.orelse is not None:
            parts += [line.orelse] if isinstance(line.orelse, cst.If) else line.orelse.body.body
        return _only_reads(body, line.test) and all(_only_prepares(body, one) for one in parts)
    if isinstance(line, cst.SimpleStatementLine):
        return all(_only_prepares(body, one) for one in line.body)
    if isinstance(line, cst.Expr):
        return isinstance(line.value, cst.SimpleString)
    if isinstance(line, cst.Return):
        return line.value is None
    if isinstance(line, cst.Assign):
        named = all(_is_named(one.target) for one in line.targets)
        return named and _only_reads(body, line.value)
    if isinstance(line, cst.AugAssign | cst.AnnAssign):
        return _is_named(line.target) and (line.value is None or _only_reads(body, line.value))
    return isinstance(line, cst.Pass)


def _is_named(target: cst.BaseExpression) -> bool:
    if isinstance(target, cst.Tuple):
        return all(isinstance(one.value, cst.Name) for one in target.elements)
    return isinstance(target, cst.Name)


def _only_reads(body: KernelBody, value: cst.CSTNode) -> bool:
    """Whether an expression has no effects."""
    if any(True for kind in (cst.NamedExpr, cst.Lambda) for _ in body.module.nodes_in(kind, value)):
        return False
    return all(gives_number(body, call) for call in body.module.nodes_in(cst.Call, value))


def _bounds(body: KernelBody, loop: cst.For) -> tuple[int, cst.BaseExpression] | None:
    """The first number and the end of `range(end)` and `range(start, end)`, on one line."""
    ranged = loop.iter
    if not isinstance(ranged, cst.Call) or body.module.written(ranged.func) != "range":
        return None
    values = [one.value for one in ranged.args if one.keyword is None and not one.star]
    if len(values) != len(ranged.args) or not 1 <= len(values) <= 2:
        return None
    start = values[0] if len(values) == 2 else cst.Integer("0")
    if not isinstance(start, cst.Integer) or "\n" in body.module.code_of(loop.iter):
        return None
    return start.evaluated_value, values[-1]


def _may_be_done_again(body: KernelBody, loop: cst.For) -> bool:
    """Whether nothing before the loop looks at elements that it changes, and no function that is called
    changes any.
    """
    begin, end = body.module.range_of(loop)
    changed = changed_arrays(body, loop)
    for name in names_in(body.module, body.function.body):
        inside = begin <= body.module.range_of(name)[0] < end
        above = body.module.parent(name)
        asked = isinstance(above, cst.Attribute) and above.attr.value in ARRAY_QUESTIONS
        if name.value in changed and not inside and not asked and not _is_length(body, above):
            return False
    return not any(_changes_elements(body, one) for one in called_functions(body.module, body.function))


def _stores_follow_threads(body: KernelBody, loop: cst.For, index: str) -> bool:
    """Whether each stored element has a name of the thread's own in it, so that it is not one for all."""
    counters = {one.target.value for one in body.nodes(cst.For) if isinstance(one.target, cst.Name)}
    own = assigned_in(body.module, body.function.body) - counters - {index}
    stores = (one for one in body.module.nodes_in(cst.Subscript, loop) if is_store(body.module, one))
    return all(words_in(body.module, one) & own for one in stores)


def _is_length(body: KernelBody, above: cst.CSTNode | None) -> bool:
    call = body.module.parent(above) if isinstance(above, cst.Arg) else None
    return isinstance(call, cst.Call) and body.module.written(call.func) == "len"


def _changes_elements(body: KernelBody, function: cst.FunctionDef) -> bool:
    module = body.module
    if any(is_store(module, one) for one in module.nodes_in(cst.Subscript, function.body)):
        return True
    return any(
        cuda_attribute(module, one) == "atomic" for one in module.nodes_in(cst.Attribute, function.body)
    )


def lanes_lie_along_the_loop(body: KernelBody, found: ThreadLoop) -> bool:
    """Whether neighbouring iterations use neighbouring elements, more than neighbouring threads do.

    What is used in the innermost loops decides.
    """
    votes: dict[int, int] = {}
    thread = found.thread.name if found.thread is not None else ""
    for node in body.module.nodes_in(cst.Subscript, found.loop.body):
        indices = indices_of(node)
        if not indices or isinstance(node.value, cst.Attribute):
            continue
        terms = {one.value for one in terms_of(indices[-1]) if isinstance(one, cst.Name)}
        vote = (found.index in terms) - (thread in terms)
        depth = sum(
            1 for one in body.module.nodes_in(cst.For, found.loop.body) if _is_around(body, one.body, node)
        )
        votes[depth] = votes.get(depth, 0) + vote
    decided = [votes[depth] for depth in sorted(votes, reverse=True) if votes[depth]]
    return not decided or decided[0] > 0


def _is_around(body: KernelBody, outer: cst.CSTNode, node: cst.CSTNode) -> bool:
    begin, end = body.module.range_of(outer)
    return begin <= body.module.range_of(node)[0] < end
