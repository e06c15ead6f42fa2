"""Whether the iterations of a loop may run in any order: none needs what another one left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import (
    ARRAY_QUESTIONS,
    around,
    assigned_in,
    indices_of,
    is_assigned,
    names_in,
    only_computes,
    same_code,
    terms_of,
    words_in,
)
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.values.joint_work import needs_all_threads

# With these the iterations that follow may be left out, or the code is not the kernel's own.
_REFUSED: tuple[type[cst.CSTNode], ...] = (
    cst.Return, cst.Raise, cst.Assert, cst.Try, cst.With, cst.Lambda, cst.FunctionDef, cst.BaseComp, cst.Del,
    cst.NamedExpr, cst.Yield, cst.While, cst.Match,
)  # fmt: skip


def iterations_are_independent(body: KernelBody, loop: cst.For, index: str) -> bool:
    """Whether each iteration only touches elements of its own and names that it gives a value first.

    `index` is the name that differs from iteration to iteration. Atomic additions may come in any order, as
    those of different threads do anyway. Other arrays are taken to overlap none of those stored to.
    """
    module = body.module
    if loop.orelse is not None or needs_all_threads(module, loop.body):
        return False
    if any(True for kind in _REFUSED for _ in module.nodes_in(kind, loop.body)):
        return False
    if any(not _only_ends(body, one, loop, index) for one in module.nodes_in(cst.Break, loop.body)):
        return False
    own = assigned_in(module, loop.body)
    if index in own and not _is_first(body, loop, index):
        return False
    outside = _named_outside(body, loop)
    if (own | {name.value for name in names_in(module, loop.target)}) & outside:
        return False
    return _values_come_first(body, loop, own) and _elements_are_own(body, loop, index)


def _is_first(body: KernelBody, loop: cst.For, index: str) -> bool:
    """Whether the index is bound once, by the loop's first statement."""
    bound = body.module.bindings(index, body.function)
    first = loop.body.body[0] if loop.body.body else None
    return len(bound) == 1 and isinstance(first, cst.SimpleStatementLine) and bound[0] in first.body


def _named_outside(body: KernelBody, loop: cst.For) -> frozenset[str]:
    begin, end = body.module.range_of(loop)
    names = names_in(body.module, body.function.body)
    outside = (one for one in names if not begin <= body.module.range_of(one)[0] < end)
    return frozenset(one.value for one in outside)


def _only_ends(body: KernelBody, node: cst.Break, loop: cst.For, index: str) -> bool:
    """Whether a `break` ends an inner loop, or this one at `if index >= limit: break` as its first statement,
    which holds for all greater indices too.
    """
    outer = around(body.module, node, loop)
    if any(isinstance(one, cst.For) for one in outer):
        return True
    check = next((one for one in outer if isinstance(one, cst.If)), None)
    lines = loop.body.body[1:] if _is_first(body, loop, index) else loop.body.body
    if check is None or check is not lines[0] or check.orelse is not None:
        return False
    test = check.test
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return False
    limit = test.comparisons[0]
    return (
        isinstance(test.left, cst.Name)
        and test.left.value == index
        and isinstance(limit.operator, cst.GreaterThan | cst.GreaterThanEqual)
        and only_computes(body.module, limit.comparator)
        and not words_in(body.module, limit.comparator) & (assigned_in(body.module, loop) | {index})
        and sum(1 for one in check.body.body) == 1
    )


def _values_come_first(body: KernelBody, loop: cst.For, own: frozenset[str]) -> bool:
    """Whether each name of the loop gets its value in an iteration before it is read there."""
    return _after(body, loop.body.body, frozenset(), own) is not None


def values_come_first(body: KernelBody, lines: Sequence[cst.CSTNode], index: str) -> bool:
    """Whether each name that statements give a value has it before it is read there, and no other statement
    of the kernel reads it, so that the statements may be done for one index after the other.
    """
    own = frozenset(name for line in lines for name in assigned_in(body.module, line))
    first = body.module.range_of(lines[0])[0]
    names = names_in(body.module, body.function.body)
    before = {one.value for one in names if body.module.range_of(one)[0] < first}
    if index in own or own & before or own & set(body.parameters):
        return False
    return _after(body, lines, frozenset({index}), own) is not None


def _after(
    body: KernelBody, lines: Iterable[cst.CSTNode], known: frozenset[str], own: frozenset[str]
) -> frozenset[str] | None:
    """The names that have a value behind some statements, None where one is read before it has."""
    for line in lines:
        if isinstance(line, cst.If):
            found = _after_if(body, line, known, own)
        elif isinstance(line, cst.For):
            inner = known | assigned_in(body.module, line.target) | _targets(line)
            reads_late = _read(body, line.iter) & own - known
            found = None if reads_late or _after(body, line.body.body, inner, own) is None else known
        elif isinstance(line, cst.SimpleStatementLine):
            found = _after(body, line.body, known, own)
        else:
            late = _read(body, line) & own - known
            found = None if late or isinstance(line, cst.BaseCompoundStatement) else known
            if isinstance(line, cst.AugAssign) and isinstance(line.target, cst.Name):
                found = None if line.target.value not in known else found
            found = found | assigned_in(body.module, line) if found is not None else None
        if found is None:
            return None
        known = found
    return known


def _targets(loop: cst.For) -> frozenset[str]:
    return frozenset({loop.target.value}) if isinstance(loop.target, cst.Name) else frozenset()


def _after_if(
    body: KernelBody, line: cst.If, known: frozenset[str], own: frozenset[str]
) -> frozenset[str] | None:
    if _read(body, line.test) & own - known:
        return None
    first = _after(body, line.body.body, known, own)
    if isinstance(line.orelse, cst.If):
        other = _after_if(body, line.orelse, known, own)
    else:
        other = _after(body, line.orelse.body.body, known, own) if line.orelse else known
    return None if first is None or other is None else first & other


def _read(body: KernelBody, node: cst.CSTNode) -> frozenset[str]:
    names = names_in(body.module, node)
    return frozenset(one.value for one in names if not is_assigned(body.module, one))


def _elements_are_own(body: KernelBody, loop: cst.For, index: str) -> bool:
    """Whether each array that is stored to is a parameter, and each iteration only uses elements of it that
    no other one does.
    """
    stores = [one for one in body.module.nodes_in(cst.Subscript, loop.body) if is_store(body.module, one)]
    if not all(isinstance(one.value, cst.Name) and one.value.value in body.parameters for one in stores):
        return False
    uses: dict[str, list[cst.Subscript]] = {name: [] for name in _names_of(stores)}
    added = _names_of(_atomic_arrays(body, loop))
    if not added <= set(body.parameters):
        return False
    for name in names_in(body.module, loop.body):
        above = body.module.parent(name)
        if (name.value not in uses and name.value not in added) or _is_asked(above):
            continue
        if isinstance(above, cst.Subscript) and above.value is name and name.value not in added:
            uses[name.value].append(above)
        elif not isinstance(above, cst.Arg) or name.value in uses:
            return False
    if not all(_differ(body, elements, loop, index) for elements in uses.values()):
        return False
    return all(_is_plain(body, call) for call in body.module.nodes_in(cst.Call, loop.body))


def changed_arrays(body: KernelBody, node: cst.CSTNode) -> frozenset[str]:
    """The names of the arrays that a piece of a kernel stores to itself, or adds to with atomics."""
    stores = (one for one in body.module.nodes_in(cst.Subscript, node) if is_store(body.module, one))
    return _names_of([*stores, *_atomic_arrays(body, node)])


def _names_of(nodes: Iterable[cst.CSTNode]) -> frozenset[str]:
    """The names of the arrays whose elements some expressions are."""
    found = []
    for node in nodes:
        root = node
        while isinstance(root, cst.Subscript | cst.Attribute):
            root = root.value
        found += [root.value] if isinstance(root, cst.Name) else []
    return frozenset(found)


def _atomic_arrays(body: KernelBody, node: cst.CSTNode) -> list[cst.BaseExpression]:
    calls = body.module.nodes_in(cst.Call, node)
    return [one.args[0].value for one in calls if ".atomic." in body.module.written(one.func) and one.args]


def _is_asked(above: cst.CSTNode | None) -> bool:
    return isinstance(above, cst.Attribute) and above.attr.value in ARRAY_QUESTIONS


def _differ(body: KernelBody, elements: list[cst.Subscript], loop: cst.For, index: str) -> bool:
    """Whether the elements of one array that an iteration uses are others than those of all the others: all
    have the loop's index in one place, or they are one element at a sum with it.
    """
    places = [indices_of(one) for one in elements]
    if any(one is None for one in places):
        return False
    known = [one for one in places if one is not None]
    for position in range(min(map(len, known))):
        if all(_is(one[position], index) for one in known):
            return True
    alike = all(same_code(body.module, one, elements[0]) for one in elements)
    changing = assigned_in(body.module, loop)
    return alike and any(_moves_with(body, one, index, changing) for one in known[0])


def _moves_with(body: KernelBody, value: cst.BaseExpression, index: str, changing: frozenset[str]) -> bool:
    """Whether a value is the loop's index plus what is the same in all iterations."""
    terms = terms_of(value)
    others = [one for one in terms if not _is(one, index)]
    return len(others) == len(terms) - 1 and all(
        only_computes(body.module, one) and not words_in(body.module, one) & (changing | {index})
        for one in others
    )


def _is(node: cst.BaseExpression, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def is_store(module: SourceModule, node: cst.Subscript) -> bool:
    """Whether something is stored to an element, or to a part of it."""
    above: cst.CSTNode | None = node
    while isinstance(above, cst.Subscript | cst.Attribute | cst.Element | cst.Tuple):
        below, above = above, module.parent(above)
    if isinstance(above, cst.AugAssign | cst.AnnAssign):
        return above.target is below
    return isinstance(above, cst.AssignTarget)


def _is_plain(body: KernelBody, call: cst.Call) -> bool:
    """Whether a call gets no whole array, but for atomic additions whose result is not used."""
    written = body.module.written(call.func)
    if ".atomic." in written:
        return written.endswith(".atomic.add") and isinstance(body.module.parent(call), cst.Expr)
    return not any(
        isinstance(one.value, cst.Name) and one.value.value in body.parameters for one in call.args
    )
