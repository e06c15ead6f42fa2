"""Shares a sum that one thread of a block takes among its threads: strided loops and a shared-memory tree."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from advisor.fixes.place import Place
from advisor.fixes.support.edits.block_sums import SumNames, block_sizes, tree_lines
from advisor.fixes.support.kernel.kernel_body import KernelBody, own_kernel
from advisor.fixes.support.values.same_for_block import same_for_block
from advisor.model.findings import Edit

# Calls that store nothing which another thread could read.
_STORING_NOTHING = ("cuda.grid", "cuda.gridsize", ".shared.array", "len", "range")


@dataclass(frozen=True)
class _Sum:
    """`total = zero`, `for counter in range(…): total += term`, and the first statement behind the loop."""

    total: str
    zero: cst.BaseExpression
    counter: str
    bounds: list[cst.BaseExpression]
    term: cst.BaseExpression
    behind: cst.BaseStatement


def edits(place: Place) -> list[Edit] | None:
    """The edit of `if cuda.threadIdx.x == 0:` around a loop that sums, among the kernel's own statements."""
    body, sizes = own_kernel(place), block_sizes(place)
    branch = _branch(place, body) if body else None
    if body is None or sizes is None or branch is None or sizes.most == 1 or sizes.dimensions > 1:
        return None
    cuda, found = _first_thread(body, branch.test), _sum(body, branch)
    if cuda is None or found is None or not body.all_threads_reach_the_end():
        return None
    dtype = _dtype(body, found)
    shared = all(same_for_block(body, one, cuda, found.counter) for one in (*found.bounds, found.term))
    if dtype is None or not shared or not _settled(body, branch) or not _own_names(body, branch, found):
        return None
    text = _text(body, branch, found, cuda, dtype, place)
    begin, end = body.module.range_of(branch)[0], body.module.range_of(found.behind)[0]
    return None if "#" in body.module.text[begin:end] else [Edit(begin, end, text)]


def _branch(place: Place, body: KernelBody) -> cst.If | None:
    """The branch whose condition the finding is about, where it stands among the kernel's own statements."""
    for statement in body.statements:
        if isinstance(statement, cst.If) and statement.orelse is None:
            begin, end = body.module.range_of(statement.test)
            if begin >= place.begin and end <= place.end:
                return statement
    return None


def _first_thread(body: KernelBody, test: cst.BaseExpression) -> str | None:
    """The name of the module `cuda` in `cuda.threadIdx.x == 0`, also through a name for the left side."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return None
    side, zero = test.left, test.comparisons[0]
    if not isinstance(zero.operator, cst.Equal) or body.module.written(zero.comparator) != "0":
        return None
    if isinstance(side, cst.Name) and body.bound_once(side.value, body.module.range_of(test)[0]):
        bound = body.module.bindings(side.value, body.function)[0]
        side = bound.value if isinstance(bound, cst.Assign) and len(bound.targets) == 1 else side
    cuda, dot, rest = body.module.written(side).partition(".threadIdx.x")
    return cuda if dot and not rest and cuda.isidentifier() else None


def _sum(body: KernelBody, branch: cst.If) -> _Sum | None:
    statements = list(branch.body.body) if isinstance(branch.body, cst.IndentedBlock) else []
    if len(statements) < 3 or not isinstance(statements[1], cst.For) or statements[1].orelse is not None:
        return None
    start, loop, behind = _only(statements[0]), statements[1], statements[2]
    inner = list(loop.body.body) if isinstance(loop.body, cst.IndentedBlock) else []
    step = _only(inner[0]) if len(inner) == 1 else None
    if not isinstance(start, cst.Assign) or not isinstance(step, cst.AugAssign):
        return None
    target, call = start.targets[0].target, loop.iter
    if not isinstance(step.operator, cst.AddAssign) or not isinstance(step.target, cst.Name):
        return None
    if len(start.targets) != 1 or not isinstance(target, cst.Name) or target.value != step.target.value:
        return None
    if not isinstance(call, cst.Call) or body.module.written(call.func) != "range":
        return None
    plain = len(call.args) in (1, 2) and not any(one.keyword or one.star for one in call.args)
    if not plain or not isinstance(loop.target, cst.Name) or not isinstance(behind, cst.BaseStatement):
        return None
    bounds = [one.value for one in call.args]
    return _Sum(target.value, start.value, loop.target.value, bounds, step.value, behind)


def _only(statement: cst.CSTNode) -> cst.BaseSmallStatement | None:
    alone = isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1
    return statement.body[0] if alone and isinstance(statement, cst.SimpleStatementLine) else None


def _dtype(body: KernelBody, found: _Sum) -> str | None:
    """The element type that holds the sum: float64 from `0.0`, that of the array for a sum of its elements
    from a float32 zero; None where it is not known."""
    written = body.module.written
    if written(found.zero) in ("0.0", "0."):
        return _float64(body)
    name, _, zero = written(found.zero).partition("(")
    cast = name.rpartition(".")[2] == "float32" and zero in ("0)", "0.0)", "0.)")
    if not cast or not isinstance(found.term, cst.Subscript) or not isinstance(found.term.value, cst.Name):
        return None
    return f"{found.term.value.value}.dtype"


def _float64(body: KernelBody) -> str | None:
    for statement in body.module.nodes(cst.Import):
        for alias in statement.names:
            if body.module.written(alias.name) in ("numpy", "numba"):
                known = body.module.written(alias.asname.name) if alias.asname else None
                return f"{known or body.module.written(alias.name)}.float64"
    return None


def _settled(body: KernelBody, branch: cst.If) -> bool:
    """Whether all that was stored before the branch can be read by each thread: a barrier stands between."""
    place = body.statements.index(branch)
    before = _only(body.statements[place - 1]) if place else None
    if isinstance(before, cst.Expr) and body.module.written(before.value).endswith(".syncthreads()"):
        return True
    begin = body.module.range_of(branch)[0]
    targets = [one.target for one in body.nodes(cst.AssignTarget)]
    targets += [one.target for one in body.nodes(cst.AugAssign)]
    calls = [one.func for one in body.nodes(cst.Call) if body.module.range_of(one)[0] < begin]
    early = [one for one in targets if body.module.range_of(one)[0] < begin]
    return not any(isinstance(one, cst.Subscript) for one in early) and all(
        body.module.written(one).endswith(_STORING_NOTHING) for one in calls
    )


def _own_names(body: KernelBody, branch: cst.If, found: _Sum) -> bool:
    """Whether nothing but the branch knows the sum and the counter, and the counter is not read behind."""
    begin, end = body.module.range_of(branch)
    behind = body.module.range_of(found.behind)[0]
    for name in body.nodes(cst.Name):
        place = body.module.range_of(name)[0]
        if name.value in (found.total, found.counter) and not begin <= place < end:
            return False
        if name.value == found.counter and place >= behind:
            return False
    return found.total not in body.parameters and found.counter not in body.parameters


def _text(body: KernelBody, branch: cst.If, found: _Sum, cuda: str, dtype: str, place: Place) -> str:
    written, sizes = body.module.written, block_sizes(place)
    assert sizes is not None
    names = SumNames(*body.free_names("partial", "thread", "threads", "stride"))
    first, count = f"{cuda}.threadIdx.x", f"{cuda}.blockDim.x"
    begin = first if len(found.bounds) == 1 else f"{written(found.bounds[0])} + {first}"
    lines = [
        f"{found.total} = {written(found.zero)}",
        f"for {found.counter} in range({begin}, {written(found.bounds[-1])}, {count}):",
        f"{body.step}{found.total} += {written(found.term)}",
        *tree_lines(cuda, body.step, sizes, names, dtype, found.total),
        f"if {written(branch.test)}:",
        f"{body.step}{found.total} = {names.partial}[0]",
    ]
    inner = body.module.indentation(found.behind)
    return (body.module.line_end + body.indent).join(lines) + body.module.line_end + inner
