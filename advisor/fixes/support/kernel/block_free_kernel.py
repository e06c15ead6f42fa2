"""Whether a kernel does the same with blocks of any size: threads look at their place in the grid only."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.fixes.rewrites.host.grid_follows_device import any_grid_will_do
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import is_text, names_in, words_in
from advisor.fixes.support.kernel.grid_indices import grid_indices
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import (
    INDEX_NAMES,
    calls_are_axis_free,
    cuda_attribute,
    grid_call,
    thread_index,
)
from advisor.program.syntax.module import FunctionNode

# Parts of numba.cuda that neither join the threads of a block nor tell where a thread is.
_FREE = frozenset({
    "atomic", "local", "const", "libdevice", "fma", "cbrt", "popc", "brev", "clz", "ffs", "selp", "fp16",
})  # fmt: skip
_NUMBERS = frozenset({"abs", "bool", "float", "int", "len", "max", "min", "round"})


def covers_with_any_grid(module: SourceModule, kernel: FunctionNode) -> bool:
    """Whether a kernel does all its work in grid-stride loops, so that block and grid may be of any size."""
    return calls_are_axis_free(module, kernel) and any_grid_will_do(KernelBody(module, kernel))


def checked_axes(module: SourceModule, kernel: FunctionNode) -> frozenset[str]:
    """The axes of the grid that a kernel uses, x, y and z, where it checks each of them against a bound
    before it touches an array; empty where it does not, or where it depends on the block in another way.
    """
    body = KernelBody(module, kernel)
    axes = _axes(body)
    if not axes or not _looks_at_grid_only(body, axes) or not calls_are_axis_free(module, kernel):
        return frozenset()
    return frozenset(axes.values()) if _is_guarded(body, frozenset(axes)) else frozenset()


def threads_ask_for_grid_only(module: SourceModule, kernel: FunctionNode) -> bool:
    """Whether threads look at nothing but grid indices, if at these, also in functions that are called."""
    body = KernelBody(module, kernel)
    return _looks_at_grid_only(body, _axes(body)) and calls_are_axis_free(module, kernel)


def _axes(body: KernelBody) -> dict[str, str]:
    """The grid indices of a kernel with the axis that each runs along."""
    found: dict[str, str] = {}
    for name, line in grid_indices(body).items():
        assert isinstance(line, ast.Assign)
        target = line.targets[0]
        if isinstance(target, ast.Tuple) and grid_call(body.module, line.value) is not None:
            names = [one.id for one in target.elts if isinstance(one, ast.Name)]
            found[name] = "xyz"[names.index(name)]
        else:
            indices = (thread_index(body.module, one) for one in _all_parts(body, line.value))
            axes = {index[1] for index in indices if index is not None}
            found[name] = axes.pop() if len(axes) == 1 else "x"
    return found


def _all_parts(body: KernelBody, value: ast.expr, depth: int = 4) -> Iterator[ast.expr]:
    """The attributes of an expression, also those behind names that are bound once."""
    yield from body.module.nodes_in(ast.Attribute, value)
    for word in words_in(body.module, value) if depth else ():
        bound = body.module.bindings(word, body.function)
        if len(bound) == 1 and isinstance(bound[0], ast.Assign):
            yield from _all_parts(body, bound[0].value, depth - 1)


def _looks_at_grid_only(body: KernelBody, axes: dict[str, str]) -> bool:
    """Whether threads ask for nothing but their grid indices, also in the functions that are called."""
    index_lines = {id(one) for one in grid_indices(body).values()}
    helpers = _index_helpers(body, axes)
    for node in body.nodes(ast.Attribute):
        name = cuda_attribute(body.module, node)
        if name is None or name in _FREE:
            continue
        line = body.top_statement(node)
        if name not in (*INDEX_NAMES, "grid") or not (id(line) in index_lines or id(line) in helpers):
            return False
    return all(_is_free(body.module, one) for one in called_functions(body.module, body.function))


def _index_helpers(body: KernelBody, axes: dict[str, str]) -> set[int]:
    """The statements such as `tx = cuda.threadIdx.x` whose name is used for grid indices only."""
    found = set()
    lines = list(grid_indices(body).values())
    for line in body.statements:
        if not isinstance(line, ast.Assign) or thread_index(body.module, line.value) is None:
            continue
        target = line.targets[0]
        if isinstance(target, ast.Name) and target.id not in axes:
            names = names_in(body.module, body.function.body)
            uses = [one for one in names if one.id == target.id and one is not target]
            if all(body.top_statement(one) in lines for one in uses):
                found.add(id(line))
    return found


def called_functions(module: SourceModule, function: FunctionNode, depth: int = 6) -> Iterator[FunctionNode]:
    """The functions of the file that a function calls, and those that these call."""
    for call in module.nodes_in(ast.Call, function.body) if depth else ():
        bound = module.bindings(call.func.id, None) if isinstance(call.func, ast.Name) else []
        for one in bound:
            if isinstance(one, ast.FunctionDef):
                yield one
                yield from called_functions(module, one, depth - 1)


def _is_free(module: SourceModule, function: FunctionNode) -> bool:
    found = (cuda_attribute(module, node) for node in module.nodes_in(ast.Attribute, function.body))
    return all(name is None or name in _FREE for name in found)


def _is_guarded(body: KernelBody, indices: frozenset[str]) -> bool:
    """Whether nothing but numbers is computed before each of the grid indices has been checked."""
    left = set(indices)
    for number, line in enumerate(body.statements):
        if isinstance(line, ast.If) and not line.orelse and not _has_walrus(body, line.test):
            if _returns(line):
                left -= _bounded(body, line.test, indices, leaving=True)
                if not left:
                    return True
                if _elements(body, line.test):
                    return False
                continue
            enclosed = left <= _bounded(body, line.test, indices, leaving=False)
            return enclosed and all(_is_harmless(body, one) for one in body.statements[number + 1 :])
        if not _is_harmless(body, line):
            return False
    return False


def _returns(line: ast.If) -> bool:
    inner = line.body[0]
    return len(line.body) == 1 and isinstance(inner, ast.Return) and inner.value is None


def _has_walrus(body: KernelBody, test: ast.expr) -> bool:
    return any(True for _ in body.module.nodes_in(ast.NamedExpr, test))


def _is_harmless(body: KernelBody, line: ast.stmt) -> bool:
    """Whether a statement only gives names to numbers, or says something."""
    plain = isinstance(line, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Pass) or is_text(line)
    calls = body.module.nodes_in(ast.Call, line)
    return plain and not _elements(body, line) and all(gives_number(body, call) for call in calls)


def gives_number(body: KernelBody, call: ast.Call) -> bool:
    """Whether a call is one of a builtin or a library that only computes, or tells the thread's place."""
    if isinstance(call.func, ast.Name):
        return call.func.id in _NUMBERS and not body.module.bindings(call.func.id, None)
    root = call.func
    while isinstance(root, ast.Attribute):
        if cuda_attribute(body.module, root) in ("grid", "local", "const"):
            return True
        root = root.value
    return isinstance(root, ast.Name) and root.id in ("np", "numpy", "math", "numba")


def _elements(body: KernelBody, node: ast.AST) -> list[ast.Subscript]:
    """The elements of arrays that a node names; those of shapes do not count."""
    return [
        one
        for one in body.module.nodes_in(ast.Subscript, node)
        if not (isinstance(one.value, ast.Attribute) and one.value.attr in ("shape", "strides"))
    ]


def _bounded(body: KernelBody, test: ast.expr, indices: frozenset[str], leaving: bool) -> set[str]:
    """The indices that a condition limits: by `i < n and …`, or with `leaving` by `i >= n or …`."""
    joined = ast.Or if leaving else ast.And
    found: set[str] = set()
    for term in _terms(test, joined):
        chain = isinstance(term, ast.Compare) and len(term.ops) > 1
        if isinstance(term, ast.Compare) and not (leaving and chain):
            sides = [term.left, *term.comparators]
            for left, operator, right in zip(sides, term.ops, sides[1:], strict=False):
                found |= _limited(body, left, operator, right, indices, leaving)
        if _elements(body, term) and indices - found:
            return set()
    return found


def _terms(test: ast.expr, joined: type[ast.boolop]) -> list[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, joined):
        return [term for value in test.values for term in _terms(value, joined)]
    return [test]


def _limited(
    body: KernelBody,
    left: ast.expr,
    operator: ast.cmpop,
    right: ast.expr,
    indices: frozenset[str],
    leaving: bool,
) -> set[str]:
    """The index that `left operator right` limits: `i < n`, `n > i`, or with `leaving` `i >= n`, `n <= i`."""
    straight = isinstance(operator, ast.GtE if leaving else ast.Lt)
    turned = isinstance(operator, ast.LtE if leaving else ast.Gt)
    for index, bound, holds in ((left, right, straight), (right, left, turned)):
        if holds and isinstance(index, ast.Name) and index.id in indices:
            return {index.id} if _same_for_all(body, bound, indices) else set()
    return set()


def _same_for_all(body: KernelBody, value: ast.expr, indices: frozenset[str], depth: int = 4) -> bool:
    """Whether an expression has the same value in all threads, as far as its names tell."""
    calls = [body.module.code_of(one.func) for one in body.module.nodes_in(ast.Call, value)]
    if depth == 0 or _elements(body, value) or set(calls) - {"len"}:
        return False
    for word in words_in(body.module, value):
        for one in body.module.bindings(word, body.function):
            if not isinstance(one, ast.Assign) or word in indices:
                return False
            if not _same_for_all(body, one.value, indices, depth - 1):
                return False
    return True
