"""Shares a sum that one thread of a block takes among its threads: strided loops and a shared-memory tree."""

# /// fix
# title = "Share the sum among the threads of the block, with a tree in shared memory"
# safety = "needs review"
# rules = ["single-thread-loop"]
# needs_kernel = true
# condition = """
# these files hold every launch of the kernel; the terms are added in another order, so the last bits of the \
# sum may differ"""
# ///

from __future__ import annotations

import ast
from dataclasses import dataclass

from advisor.fixes.place import Place
from advisor.fixes.support.edits.block_sums import SumNames, block_sizes, tree_lines
from advisor.fixes.support.edits.imported_names import name_of
from advisor.fixes.support.kernel.assigned_names import indices_of, value_of
from advisor.fixes.support.kernel.kernel_body import KernelBody, own_kernel
from advisor.fixes.support.kernel.walked_kernel import is_followed, walked_kernel
from advisor.model.findings import Edit
from advisor.program.syntax.calls import called_name, range_bounds
from advisor.program.syntax.literals import written_integer

_POSITIONS = ("blockIdx", "blockDim", "gridDim")
_PURE = ("abs", "float", "int", "min", "max")


@dataclass(frozen=True)
class _Sum:
    """`total = zero`, `for counter in range(…): total += term`, and the first statement behind the loop."""

    total: str
    zero: ast.expr
    counter: str
    bounds: list[ast.expr]
    term: ast.expr
    behind: ast.stmt


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
    shared = all(_same_for_block(body, one, cuda, found.counter) for one in (*found.bounds, found.term))
    if dtype is None or not shared or not _settled(body, branch) or not _own_names(body, branch, found):
        return None
    text = _text(body, branch, found, cuda, dtype, place)
    begin, end = body.module.range_of(branch)[0], body.module.range_of(found.behind)[0]
    return None if "#" in body.module.text[begin:end] else [Edit(begin, end, text)]


def _branch(place: Place, body: KernelBody) -> ast.If | None:
    """The branch whose condition the finding is about, where it stands among the kernel's own statements."""
    for statement in body.statements:
        if isinstance(statement, ast.If) and not statement.orelse:
            begin, end = body.module.range_of(statement.test)
            if begin >= place.begin and end <= place.end:
                return statement
    return None


def _first_thread(body: KernelBody, test: ast.expr) -> str | None:
    """The name of the module `cuda` in `cuda.threadIdx.x == 0`, also through a name for the left side."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    side = test.left
    if not isinstance(test.ops[0], ast.Eq) or written_integer(test.comparators[0]) != 0:
        return None
    if isinstance(side, ast.Name) and body.bound_once(side.id, body.module.range_of(test)[0]):
        side = value_of(body.module, body.function, side.id) or side
    cuda, dot, rest = body.module.code_of(side).partition(".threadIdx.x")
    return cuda if dot and not rest and cuda.isidentifier() else None


def _sum(body: KernelBody, branch: ast.If) -> _Sum | None:
    if len(branch.body) < 3 or any(body.module.shares_line(one) for one in branch.body):
        return None
    start, loop, behind = branch.body[:3]
    if not isinstance(start, ast.Assign) or not isinstance(loop, ast.For) or loop.orelse:
        return None
    step = loop.body[0]
    if len(loop.body) != 1 or not isinstance(step, ast.AugAssign):
        return None
    target, bounds = start.targets[0], range_bounds(loop)
    if not isinstance(step.op, ast.Add) or not isinstance(step.target, ast.Name):
        return None
    if len(start.targets) != 1 or not isinstance(target, ast.Name) or target.id != step.target.id:
        return None
    if bounds is None or len(bounds) > 2 or not isinstance(loop.target, ast.Name):
        return None
    return _Sum(target.id, start.value, loop.target.id, bounds, step.value, behind)


def _dtype(body: KernelBody, found: _Sum) -> str | None:
    """The element type that holds the sum: float64 from `0.0`, that of the array for a sum of its elements
    from a float32 zero; None where it is not known."""
    zero, term = found.zero, found.term
    cast = isinstance(zero, ast.Call) and called_name(zero) == "float32" and len(zero.args) == 1
    number = zero.args[0] if cast and isinstance(zero, ast.Call) else zero
    if not isinstance(number, ast.Constant) or type(number.value) not in (int, float) or number.value != 0:
        return None
    if cast:
        array = term.value if isinstance(term, ast.Subscript) else None
        return f"{array.id}.dtype" if isinstance(array, ast.Name) else None
    library = name_of(body.module, "numpy") or name_of(body.module, "numba")
    return f"{library}.float64" if library is not None and type(number.value) is float else None


def _settled(body: KernelBody, branch: ast.If) -> bool:
    """Whether all that was stored before the branch can be read by each thread: a barrier stands between."""
    place = body.statements.index(branch)
    before = body.statements[place - 1] if place else None
    if isinstance(before, ast.Expr) and body.module.code_of(before.value).endswith(".syncthreads()"):
        return True
    module, facts = body.module, walked_kernel(body.module, body.function)
    stores = [one.place.node for one in facts.accesses if one.kind != "load"]
    changes = [*stores, *(one.place.node for one in facts.atomics)]
    begin, _ = module.range_of(branch)
    # Where a function that is called stores, its call may stand before the branch.
    early = (module.scope_of(one) is not body.function or module.range_of(one)[0] < begin for one in changes)
    return is_followed(module, body.function) and not any(early)


def _own_names(body: KernelBody, branch: ast.If, found: _Sum) -> bool:
    """Whether nothing but the branch knows the sum and the counter, and the counter is not read behind."""
    begin, end = body.module.range_of(branch)
    behind = body.module.range_of(found.behind)[0]
    for name in body.nodes(ast.Name):
        place = body.module.range_of(name)[0]
        if name.id in (found.total, found.counter) and not begin <= place < end:
            return False
        if name.id == found.counter and place >= behind:
            return False
    return found.total not in body.parameters and found.counter not in body.parameters


def _text(body: KernelBody, branch: ast.If, found: _Sum, cuda: str, dtype: str, place: Place) -> str:
    written, sizes = body.module.outer_code_of, block_sizes(place)
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


def _same_for_block(body: KernelBody, node: ast.expr, cuda: str, free: str = "") -> bool:
    """Whether an expression is made of parameters, constants, elements of arrays that all threads see, and
    the block's position alone. `free` is a name that may stand in it, such as a loop's counter."""
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    if isinstance(node, ast.Name):
        return node.id == free or _name(body, node.id, cuda)
    inner: list[ast.expr]
    if isinstance(node, ast.Attribute):
        if body.module.code_of(node.value) in [f"{cuda}.{one}" for one in _POSITIONS]:
            return True
        inner = [node.value] if node.attr in ("shape", "size") else []
    elif isinstance(node, ast.BinOp):
        inner = [node.left, node.right]
    elif isinstance(node, ast.UnaryOp):
        inner = [node.operand]
    elif isinstance(node, ast.Subscript):
        indices = indices_of(node)
        inner = [node.value, *indices] if indices is not None else []
    elif isinstance(node, ast.Call):
        function = body.module.code_of(node.func)
        pure = function in _PURE or function.startswith("math.")
        inner = [*node.args, *(one.value for one in node.keywords)] if pure else []
    else:
        inner = []
    return bool(inner) and all(_same_for_block(body, one, cuda, free) for one in inner)


def _name(body: KernelBody, name: str, cuda: str) -> bool:
    bindings = body.module.bindings(name, body.function)
    if name in body.parameters or not bindings:
        return not bindings and name != cuda
    value = value_of(body.module, body.function, name)
    if value is None or bindings[0] not in body.statements:
        return False
    if isinstance(value, ast.Call) and body.module.code_of(value.func) == f"{cuda}.shared.array":
        return True
    return _same_for_block(body, value, cuda)
