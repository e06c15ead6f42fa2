"""Replaces an early return before a barrier by a flag, so that all threads of the block reach the barrier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from advisor.fixes.place import Place
from advisor.fixes.support.edits.inserted_lines import indented, line_before, whole_lines
from advisor.fixes.support.kernel.assigned_names import names_in, only_computes, value_of
from advisor.fixes.support.kernel.grid_indices import grid_indices
from advisor.fixes.support.kernel.kernel_body import KernelBody, own_kernel
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.fixes.support.values.joint_work import needs_all_threads
from advisor.model.findings import Edit

_OPPOSITE: dict[type[cst.BaseCompOp], str] = {
    cst.GreaterThanEqual: "<", cst.GreaterThan: "<=", cst.LessThan: ">=", cst.LessThanEqual: ">",
    cst.Equal: "!=", cst.NotEqual: "==",
}  # fmt: skip
# With these the code is not the kernel's own, or threads leave it in another way.
_REFUSED: tuple[type[cst.CSTNode], ...] = (
    cst.Raise, cst.Assert, cst.Try, cst.With, cst.Lambda, cst.FunctionDef, cst.ClassDef, cst.Yield,
)  # fmt: skip
_DEEPEST = 4


@dataclass(frozen=True)
class _Exit:
    """The `if …: return` of a kernel and its place among the kernel's statements."""

    check: cst.If
    number: int


def edits(place: Place) -> list[Edit] | None:
    """The edits that put the statements between barriers under the flag; None for other returns, and for
    barriers that are neither among the kernel's own statements nor in a loop that all threads run alike.
    """
    body = own_kernel(place)
    found = _exit(body) if body is not None else None
    if body is None or found is None or "#" in body.module.code_of(found.check):
        return None
    behind = body.statements[found.number + 1 :]
    groups = _groups(body, found, behind)
    if groups is None or not any(_meets(body, line) for line in behind):
        return None
    (flag,) = body.free_names("inside")
    edits = [body.module.replaced(found.check, f"{flag} = {_stays(body, found.check.test)}")]
    for group in groups:
        below = _under_flag(body, group, flag)
        if below is None:
            return None
        edits += below
    return edits


def _under_flag(body: KernelBody, group: list[cst.CSTNode], flag: str) -> list[Edit] | None:
    module = body.module
    begin, end = whole_lines(module, group[0])[0], whole_lines(module, group[-1])[1]
    deeper = indented(module, begin, end, body.step)
    first, _ = module.range_of(group[0])
    # A statement that does not begin its line stands behind a semicolon or a colon.
    if deeper is None or module.text[begin:first].strip():
        return None
    check = line_before(module, group[0], f"if {flag}:")
    return [
        Edit(check.start, check.end, check.text + body.step),
        *(one for one in deeper if one.start != begin),
    ]


def _exit(body: KernelBody) -> _Exit | None:
    """The only return of a kernel where it stands alone under a condition of the kernel's own statements."""
    returns = list(body.nodes(cst.Return))
    if len(returns) != 1 or any(True for kind in _REFUSED for _ in body.nodes(kind)):
        return None
    for number, line in enumerate(body.statements):
        if isinstance(line, cst.If) and line.orelse is None and len(line.body.body) == 1:
            inner = line.body.body[0]
            parts = inner.body if isinstance(inner, cst.SimpleStatementLine) else [inner]
            if list(parts) == returns and returns[0].value is None:
                return _Exit(line, number)
    return None


def _groups(
    body: KernelBody, found: _Exit, lines: Sequence[cst.CSTNode], inner: bool = False
) -> list[list[cst.CSTNode]] | None:
    """The runs of statements that go under the flag, between barriers and declarations of arrays; None where
    threads meet inside of another statement.
    """
    groups: list[list[cst.CSTNode]] = [[]]
    for line in lines:
        if _is_barrier(body, line) or _is_declaration(body, line):
            groups.append([])
        elif not _meets(body, line):
            groups[-1].append(line)
        elif isinstance(line, cst.For) and not inner and _is_common(body, found, line):
            below = _groups(body, found, line.body.body, inner=True)
            if below is None:
                return None
            groups += [*below, []]
        else:
            return None
    return [group for group in groups if group]


def _is_common(body: KernelBody, found: _Exit, loop: cst.For) -> bool:
    """Whether a loop has the same iterations in all threads, those that do not stay included."""
    module = body.module
    ends = any(True for kind in (cst.Break, cst.Continue) for _ in module.nodes_in(kind, loop.body))
    called = isinstance(loop.iter, cst.Call) and module.written(loop.iter.func) == "range"
    if ends or not called or loop.orelse is not None or not isinstance(loop.body, cst.IndentedBlock):
        return False
    if not isinstance(loop.target, cst.Name) or len(module.bindings(loop.target.value, body.function)) != 1:
        # Another loop of that name may change it; a value from before would be lost in the others.
        return False
    return all(_same_for_all(body, found, one.value) for one in loop.iter.args)  # type: ignore[attr-defined]


def _same_for_all(body: KernelBody, found: _Exit, node: cst.BaseExpression, depth: int = 0) -> bool:
    """Whether an expression has the same value in all threads, also by names bound once before the return."""
    module = body.module
    for one in module.nodes_in(cst.Attribute, node):
        if cuda_attribute(module, one) is not None:
            return False
    for part in module.nodes_in(cst.Subscript, node):
        if not isinstance(part.value, cst.Attribute) or part.value.attr.value != "shape":
            return False
    before = module.range_of(found.check)[0]
    for name in names_in(module, node):
        if not module.bindings(name.value, body.function):
            continue
        value = value_of(module, body.function, name.value)
        early = name.value not in body.parameters and body.bound_once(name.value, before)
        if value is None or not early or depth > _DEEPEST:
            return False
        if not _same_for_all(body, found, value, depth + 1):
            return False
    return not any(_may_differ(body, call) for call in module.nodes_in(cst.Call, node))


def _may_differ(body: KernelBody, call: cst.Call) -> bool:
    return body.module.written(call.func) not in ("len", "min", "max", "int", "math.ceil", "math.floor")


def _is_barrier(body: KernelBody, line: cst.CSTNode) -> bool:
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        return False
    part = line.body[0]
    call = part.value if isinstance(part, cst.Expr) else None
    return isinstance(call, cst.Call) and cuda_attribute(body.module, call.func) == "syncthreads"


def _is_declaration(body: KernelBody, line: cst.CSTNode) -> bool:
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        return False
    part = line.body[0]
    call = part.value if isinstance(part, cst.Assign) else None
    function = call.func if isinstance(call, cst.Call) else None
    return (
        isinstance(function, cst.Attribute)
        and function.attr.value == "array"
        and cuda_attribute(body.module, function.value) in ("shared", "local")
    )


def _meets(body: KernelBody, line: cst.CSTNode) -> bool:
    """Whether threads may do something together in a statement, or a shared array is declared there."""
    attributes = body.module.nodes_in(cst.Attribute, line)
    shared = any(cuda_attribute(body.module, one) == "shared" for one in attributes)
    return shared or needs_all_threads(body.module, line)


def _stays(body: KernelBody, test: cst.BaseExpression) -> str:
    """The opposite of the condition under which threads return."""
    parts = _parts(test)
    turned = [_turned(body, one) for one in parts]
    if all(turned):
        return " and ".join(one for one in turned if one)
    written = body.module.code_of(test)
    return f"not {written}" if test.lpar or isinstance(test, cst.Name) else f"not ({written})"


def _parts(test: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The conditions that `or` joins."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.Or) and not test.lpar:
        return [*_parts(test.left), *_parts(test.right)]
    return [test]


def _turned(body: KernelBody, test: cst.BaseExpression) -> str | None:
    """The opposite comparison of a grid index, which is a whole number; None for another condition."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1 or test.lpar:
        return None
    part = test.comparisons[0]
    opposite = _OPPOSITE.get(type(part.operator))
    index = isinstance(test.left, cst.Name) and test.left.value in grid_indices(body)
    if opposite is None or not index or not only_computes(body.module, part.comparator, elements=True):
        return None
    parts = body.module.nodes_in(cst.Subscript, part.comparator)
    if not all(isinstance(one.value, cst.Attribute) and one.value.attr.value == "shape" for one in parts):
        # An element may be no number (NaN), to which both comparisons are false.
        return None
    return f"{body.module.written(test.left)} {opposite} {body.module.code_of(part.comparator)}"
