"""Whether a kernel does the same with blocks of any size: threads look at their place in the grid only."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from advisor.fixes.rewrites.host.grid_follows_device import any_grid_will_do
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import names_in, words_in
from advisor.fixes.support.kernel.grid_indices import grid_indices
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import (
    INDEX_NAMES,
    calls_are_axis_free,
    cuda_attribute,
    grid_call,
    thread_index,
)

# Parts of numba.cuda that neither join the threads of a block nor tell where a thread is.
_FREE = frozenset({
    "atomic", "local", "const", "libdevice", "fma", "cbrt", "popc", "brev", "clz", "ffs", "selp", "fp16",
})  # fmt: skip
_NUMBERS = frozenset({"abs", "bool", "float", "int", "len", "max", "min", "round"})


def covers_with_any_grid(module: SourceModule, kernel: cst.FunctionDef) -> bool:
    """Whether a kernel does all its work in grid-stride loops, so that block and grid may be of any size."""
    return calls_are_axis_free(module, kernel) and any_grid_will_do(KernelBody(module, kernel))


def checked_axes(module: SourceModule, kernel: cst.FunctionDef) -> frozenset[str]:
    """The axes of the grid that a kernel uses, x, y and z, where it checks each of them against a bound
    before it touches an array; empty where it does not, or where it depends on the block in another way.
    """
    body = KernelBody(module, kernel)
    axes = _axes(body)
    if not axes or not _looks_at_grid_only(body, axes) or not calls_are_axis_free(module, kernel):
        return frozenset()
    return frozenset(axes.values()) if _is_guarded(body, frozenset(axes)) else frozenset()


def threads_ask_for_grid_only(module: SourceModule, kernel: cst.FunctionDef) -> bool:
    """Whether threads look at nothing but grid indices, if at these, also in functions that are called."""
    body = KernelBody(module, kernel)
    return _looks_at_grid_only(body, _axes(body)) and calls_are_axis_free(module, kernel)


def _axes(body: KernelBody) -> dict[str, str]:
    """The grid indices of a kernel with the axis that each runs along."""
    found: dict[str, str] = {}
    for name, line in grid_indices(body).items():
        lines = [one for one in body.module.nodes_in(cst.Assign, line) if name in words_in(body.module, one)]
        assignment = lines[0] if lines else None
        if assignment is None:
            return {}
        target = assignment.targets[0].target
        if isinstance(target, cst.Tuple) and grid_call(body.module, assignment.value) is not None:
            names = [one.value.value for one in target.elements if isinstance(one.value, cst.Name)]
            found[name] = "xyz"[names.index(name)]
        else:
            indices = (thread_index(body.module, one) for one in _all_parts(body, assignment.value))
            axes = {index[1] for index in indices if index is not None}
            found[name] = axes.pop() if len(axes) == 1 else "x"
    return found


def _all_parts(body: KernelBody, value: cst.BaseExpression, depth: int = 4) -> Iterator[cst.BaseExpression]:
    """The attributes of an expression, also those behind names that are bound once."""
    yield from body.module.nodes_in(cst.Attribute, value)
    for word in words_in(body.module, value) if depth else ():
        bound = body.module.bindings(word, body.function)
        if len(bound) == 1 and isinstance(bound[0], cst.Assign):
            yield from _all_parts(body, bound[0].value, depth - 1)


def _looks_at_grid_only(body: KernelBody, axes: dict[str, str]) -> bool:
    """Whether threads ask for nothing but their grid indices, also in the functions that are called."""
    index_lines = {id(one) for one in grid_indices(body).values()}
    helpers = _index_helpers(body, axes)
    for node in body.nodes(cst.Attribute):
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
        part = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
        if not isinstance(part, cst.Assign) or thread_index(body.module, part.value) is None:
            continue
        target = part.targets[0].target
        if isinstance(target, cst.Name) and target.value not in axes:
            names = names_in(body.module, body.function.body)
            uses = [one for one in names if one.value == target.value and one is not target]
            if all(body.top_statement(one) in lines for one in uses):
                found.add(id(line))
    return found


def called_functions(
    module: SourceModule, function: cst.FunctionDef, depth: int = 6
) -> Iterator[cst.FunctionDef]:
    """The functions of the file that a function calls, and those that these call."""
    for call in module.nodes_in(cst.Call, function.body) if depth else ():
        bound = module.bindings(call.func.value, None) if isinstance(call.func, cst.Name) else []
        for one in bound:
            if isinstance(one, cst.FunctionDef):
                yield one
                yield from called_functions(module, one, depth - 1)


def _is_free(module: SourceModule, function: cst.FunctionDef) -> bool:
    found = (cuda_attribute(module, node) for node in module.nodes_in(cst.Attribute, function.body))
    return all(name is None or name in _FREE for name in found)


def _is_guarded(body: KernelBody, indices: frozenset[str]) -> bool:
    """Whether nothing but numbers is computed before each of the grid indices has been checked."""
    left = set(indices)
    for number, line in enumerate(body.statements):
        if isinstance(line, cst.If) and line.orelse is None and not _has_walrus(body, line.test):
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


def _returns(line: cst.If) -> bool:
    part = line.body.body[0] if len(line.body.body) == 1 else None
    inner = part.body[0] if isinstance(part, cst.SimpleStatementLine) and len(part.body) == 1 else part
    return isinstance(inner, cst.Return) and inner.value is None


def _has_walrus(body: KernelBody, test: cst.BaseExpression) -> bool:
    return any(True for _ in body.module.nodes_in(cst.NamedExpr, test))


def _is_harmless(body: KernelBody, line: cst.CSTNode) -> bool:
    """Whether a statement only gives names to numbers, or says something."""
    if not isinstance(line, cst.SimpleStatementLine) or _elements(body, line):
        return False
    for part in line.body:
        said = isinstance(part, cst.Expr) and isinstance(part.value, cst.SimpleString)
        if not said and not isinstance(part, cst.Assign | cst.AnnAssign | cst.AugAssign | cst.Pass):
            return False
    return all(gives_number(body, call) for call in body.module.nodes_in(cst.Call, line))


def gives_number(body: KernelBody, call: cst.Call) -> bool:
    """Whether a call is one of a builtin or a library that only computes, or tells the thread's place."""
    if isinstance(call.func, cst.Name):
        return call.func.value in _NUMBERS and not body.module.bindings(call.func.value, None)
    root = call.func
    while isinstance(root, cst.Attribute):
        if cuda_attribute(body.module, root) in ("grid", "local", "const"):
            return True
        root = root.value
    return isinstance(root, cst.Name) and root.value in ("np", "numpy", "math", "numba")


def _elements(body: KernelBody, node: cst.CSTNode) -> list[cst.Subscript]:
    """The elements of arrays that a node names; those of shapes do not count."""
    found = []
    for one in body.module.nodes_in(cst.Subscript, node):
        shape = isinstance(one.value, cst.Attribute) and one.value.attr.value in ("shape", "strides")
        if not shape:
            found.append(one)
    return found


def _bounded(body: KernelBody, test: cst.BaseExpression, indices: frozenset[str], leaving: bool) -> set[str]:
    """The indices that a condition limits: by `i < n and …`, or with `leaving` by `i >= n or …`."""
    joined = cst.Or if leaving else cst.And
    found: set[str] = set()
    for term in _terms(test, joined):
        chain = isinstance(term, cst.Comparison) and len(term.comparisons) > 1
        if isinstance(term, cst.Comparison) and not (leaving and chain):
            left = term.left
            for target in term.comparisons:
                found |= _limited(body, left, target.operator, target.comparator, indices, leaving)
                left = target.comparator
        if _elements(body, term) and indices - found:
            return set()
    return found


def _terms(test: cst.BaseExpression, joined: type[cst.BaseBooleanOp]) -> list[cst.BaseExpression]:
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, joined):
        return [*_terms(test.left, joined), *_terms(test.right, joined)]
    return [test]


def _limited(
    body: KernelBody,
    left: cst.BaseExpression,
    operator: cst.BaseCompOp,
    right: cst.BaseExpression,
    indices: frozenset[str],
    leaving: bool,
) -> set[str]:
    """The index that `left operator right` limits: `i < n`, `n > i`, or with `leaving` `i >= n`, `n <= i`."""
    straight = isinstance(operator, cst.GreaterThanEqual if leaving else cst.LessThan)
    turned = isinstance(operator, cst.LessThanEqual if leaving else cst.GreaterThan)
    for index, bound, holds in ((left, right, straight), (right, left, turned)):
        if holds and isinstance(index, cst.Name) and index.value in indices:
            return {index.value} if _same_for_all(body, bound, indices) else set()
    return set()


def _same_for_all(
    body: KernelBody, value: cst.BaseExpression, indices: frozenset[str], depth: int = 4
) -> bool:
    """Whether an expression has the same value in all threads, as far as its names tell."""
    calls = [body.module.written(one.func) for one in body.module.nodes_in(cst.Call, value)]
    if depth == 0 or _elements(body, value) or set(calls) - {"len"}:
        return False
    for word in words_in(body.module, value):
        for one in body.module.bindings(word, body.function):
            plain = isinstance(one, cst.Assign) and word not in indices
            if not plain or not _same_for_all(body, one.value, indices, depth - 1):  # type: ignore[attr-defined]
                return False
    return True
