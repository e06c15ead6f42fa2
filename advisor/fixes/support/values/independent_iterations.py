"""Whether the iterations of a loop may run in any order: none needs what another one left."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.affine_forms import Form, atom, number
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import (
    around,
    assigned_in,
    names_in,
    only_computes,
    words_in,
)
from advisor.fixes.support.kernel.kernel_body import HIDDEN_FLOW, KernelBody
from advisor.fixes.support.kernel.walked_kernel import element_indices, walked_kernel
from advisor.fixes.support.values.array_uses import (
    array_elements,
    atomic_arrays,
    is_store,
    only_asks,
)
from advisor.fixes.support.values.joint_work import needs_all_threads
from advisor.program.syntax.reaching_definitions import START, ReachingDefinitions

# With these the iterations that follow may be left out, or the code is not the kernel's own.
_REFUSED: tuple[type[ast.AST], ...] = (*HIDDEN_FLOW, ast.Return, ast.While, ast.Match)


def iterations_are_independent(body: KernelBody, loop: ast.For, index: str) -> bool:
    """Whether each iteration only touches elements of its own and names that it gives a value first.

    `index` is the name that differs from iteration to iteration. Atomic additions may come in any order, as
    those of different threads do anyway. Other arrays are taken to overlap none of those stored to.
    """
    module = body.module
    if loop.orelse or needs_all_threads(module, loop.body):
        return False
    if any(True for _ in module.nodes_in(_REFUSED, loop.body)):
        return False
    if any(not _only_ends(body, one, loop, index) for one in module.nodes_in(ast.Break, loop.body)):
        return False
    own = assigned_in(module, loop.body)
    if index in own and not _is_first(body, loop, index):
        return False
    outside = _named_outside(body, loop)
    if (own | words_in(module, loop.target)) & outside:
        return False
    return _have_values_first(module, loop.body, own) and _elements_are_own(body, loop)


def _is_first(body: KernelBody, loop: ast.For, index: str) -> bool:
    """Whether the index is bound once, by the loop's first statement."""
    bound = body.module.bindings(index, body.function)
    return len(bound) == 1 and bound[0] is loop.body[0]


def _named_outside(body: KernelBody, loop: ast.For) -> frozenset[str]:
    begin, end = body.module.range_of(loop)
    names = names_in(body.module, body.function.body)
    outside = (one for one in names if not begin <= body.module.range_of(one)[0] < end)
    return frozenset(one.id for one in outside)


def _only_ends(body: KernelBody, node: ast.Break, loop: ast.For, index: str) -> bool:
    """Whether a `break` ends an inner loop, or this one at `if index >= limit: break` as its first statement,
    which holds for all greater indices too.
    """
    outer = around(body.module, node, loop)
    if any(isinstance(one, ast.For) for one in outer):
        return True
    check = next((one for one in outer if isinstance(one, ast.If)), None)
    lines = loop.body[1:] if _is_first(body, loop, index) else loop.body
    if check is None or check is not lines[0] or check.orelse or len(check.body) != 1:
        return False
    test = check.test
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    (limit,) = test.comparators
    return (
        isinstance(test.left, ast.Name)
        and test.left.id == index
        and isinstance(test.ops[0], ast.Gt | ast.GtE)
        and only_computes(body.module, limit)
        and not words_in(body.module, limit) & (assigned_in(body.module, loop) | {index})
    )


def values_come_first(body: KernelBody, lines: list[ast.stmt], index: str) -> bool:
    """Whether each name that statements give a value has it before it is read there, and no other statement
    of the kernel reads it, so that the statements may be done for one index after the other.
    """
    own = assigned_in(body.module, lines)
    first = body.module.range_of(lines[0])[0]
    names = names_in(body.module, body.function.body)
    before = {one.id for one in names if body.module.range_of(one)[0] < first}
    if index in own or own & before or own & set(body.parameters):
        return False
    return _have_values_first(body.module, lines, own)


def _have_values_first(module: SourceModule, lines: list[ast.stmt], names: frozenset[str]) -> bool:
    """Whether names get their values in some statements before they are read there."""
    flow = ReachingDefinitions(ast.Module(lines, []))
    reads: list[tuple[str, ast.expr]] = [
        (one.id, one) for one in names_in(module, lines) if isinstance(one.ctx, ast.Load)
    ]
    reads += [
        (one.target.id, one.value)
        for one in module.nodes_in(ast.AugAssign, lines)
        if isinstance(one.target, ast.Name)
    ]
    return not any(
        name in names and START in (flow.reaching(name, place) or {START}) for name, place in reads
    )


def _elements_are_own(body: KernelBody, loop: ast.For) -> bool:
    """Whether each array that is stored to is a parameter, and each iteration only uses elements of it that
    no other one does.
    """
    module, block = body.module, loop.body
    stored = [one.value for one in module.nodes_in(ast.Subscript, block) if is_store(module, one)]
    arrays, added = {one.id for one in stored if isinstance(one, ast.Name)}, atomic_arrays(module, block)
    if arrays & added or not arrays | added <= set(body.parameters):
        return False
    named = (one for one in names_in(module, block) if one.id in added and not only_asks(module, one))
    if not all(isinstance(one, ast.Name) for one in stored):
        return False
    if not all(isinstance(module.parent(one), ast.Call) for one in named):
        return False
    uses = [array_elements(module, block, one) for one in arrays]
    if not all(one is not None and _differ(body, one, loop) for one in uses):
        return False
    return all(_is_plain(body, call) for call in module.nodes_in(ast.Call, block))


def _differ(body: KernelBody, elements: list[ast.Subscript], loop: ast.For) -> bool:
    """Whether the elements of one array that an iteration uses are others than those of all the others: one
    index is the same in all uses, and is another in each iteration.
    """
    found = [element_indices(body.module, body.function, one) for one in elements]
    places = [one for one in found if one is not None]
    return len(places) == len(found) and any(
        len(set(forms)) == 1 and _moves(body, loop, forms[0]) for forms in zip(*places, strict=False)
    )


def _moves(body: KernelBody, loop: ast.For, index: Form) -> bool:
    """Whether an index is a multiple of the number of the iteration plus what is the same in all of them."""
    facts = walked_kernel(body.module, body.function)
    counter = next((one.context.counter for one in facts.loops if one.context.node is loop), "")
    factor = dict(index.terms).get((counter,), 0)
    return factor != 0 and facts.atoms.is_older(index - number(factor) * atom(counter), counter)


def _is_plain(body: KernelBody, call: ast.Call) -> bool:
    """Whether a call gets no whole array, but for atomic additions whose result is not used."""
    written = body.module.code_of(call.func)
    if ".atomic." in written:
        return written.endswith(".atomic.add") and isinstance(body.module.parent(call), ast.Expr)
    given = (*call.args, *(one.value for one in call.keywords))
    return not any(isinstance(one, ast.Name) and one.id in body.parameters for one in given)
