"""How many of a block's threads a kernel gives something to do."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.affine_forms import THREAD
from advisor.evidence.source.kernel_walk.kernel_facts import Condition, KernelFacts, Place, Scalar, Value
from advisor.program.syntax.module import ModuleSyntax

_INDICES = frozenset((name,) for name in THREAD)
_COUNTS = ("tid.", "bid.", "bdim.", "gdim.")


def one_thread_works(facts: KernelFacts) -> bool:
    """Whether a single thread of each block stores all that the kernel stores, and no other can help it."""
    if facts.threads_meet or not facts.complete or len(facts.thread_dimensions) != 1:
        return False
    changes = [
        access.place for access in facts.accesses if access.kind != "load" and access.array.space == "global"
    ]
    changes += [atomic.place for atomic in facts.atomics]
    return bool(changes) and all(single_thread(place) for place in changes)


def single_thread(place: Place) -> bool:
    """Whether only one thread of the block gets to a place."""
    return any(condition.single_lane for condition in place.conditions)


def counts_threads(value: Value | None) -> bool:
    """Whether a value is a thread's place in its block or in the grid, counted from 0: the thread's index and
    nothing beside it but what is 0 or more, so that one thread of the block at most has 0 there.
    """
    if not isinstance(value, Scalar):
        return False
    terms = value.form.terms
    return any(monomial in _INDICES for monomial, _ in terms) and all(
        coefficient > 0 and monomial and all(name.startswith(_COUNTS) for name in monomial)
        for monomial, coefficient in terms
    )


def is_bounds_guard(condition: Condition, module: ModuleSyntax) -> bool:
    """Whether a condition only asks if the thread is inside of the data: comparisons by order of its place in
    the grid, joined by `and`, or of its place in the block with a size that the program around the kernel
    gives, and may give as large as the block. A number divides every larger block.
    """
    if not _compares_by_order(condition.node):
        return False
    if condition.loaded and not all(_has_place(one, module) for one in _comparisons(condition.node)):
        return False
    in_grid = any(name.startswith("bid.") for name in condition.depends)
    return in_grid or all(_with_given_size(one, module) for one in _comparisons(condition.node))


def is_bounds_exit(condition: Condition, module: ModuleSyntax) -> bool:
    """Whether a condition only lets threads leave that are past the data: comparisons by order with a size
    that the program around the kernel gives, joined by `or`. Full blocks then have all of their threads.
    """
    return (
        not condition.loaded
        and _compares_by_order(condition.node, ast.Or)
        and all(_with_given_size(one, module) for one in _comparisons(condition.node))
    )


def _comparisons(test: ast.AST) -> list[ast.Compare]:
    return [inner for inner in ast.walk(test) if isinstance(inner, ast.Compare)]


def _has_place(test: ast.Compare, module: ModuleSyntax) -> bool:
    """Whether a side of a comparison may be the thread's place: no element, no number, no given size."""
    return any(
        not isinstance(side, ast.Constant)
        and not is_given_size(side, module)
        and all(_is_size_of_array(one) for one in ast.walk(side) if isinstance(one, ast.Subscript))
        for side in (test.left, *test.comparators)
    )


def _with_given_size(test: ast.Compare, module: ModuleSyntax) -> bool:
    return any(is_given_size(side, module) for side in (test.left, *test.comparators))


def is_given_size(side: ast.expr, module: ModuleSyntax) -> bool:
    """Whether an expression is a parameter, a size of an array or a name that is bound to such a size alone,
    or a name of the module for no literal.
    """
    if not isinstance(side, ast.Name):
        return _is_size_of_array(side)
    scope = module.scope_of(side)
    if not isinstance(scope, ast.FunctionDef):
        return False
    bound = module.stores(side.id, scope)
    if bound:
        value = module.parents.get(bound[0])
        if isinstance(value, ast.Tuple):
            # `rows, columns = a.shape`
            value = module.parents.get(value)
        return len(bound) == 1 and isinstance(value, ast.Assign) and _is_size_of_array(value.value)
    if side.id in {argument.arg for argument in scope.args.args}:
        return True
    return not any(isinstance(value, ast.Constant) for value in module.assigned.get(side.id, []))


def _is_size_of_array(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "len"
    if isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Attribute) and node.attr in ("shape", "size")


def _compares_by_order(test: ast.AST, joined_by: type[ast.boolop] = ast.And) -> bool:
    if isinstance(test, ast.BoolOp):
        return isinstance(test.op, joined_by) and all(
            _compares_by_order(item, joined_by) for item in test.values
        )
    return isinstance(test, ast.Compare) and all(
        isinstance(one, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for one in test.ops
    )


def alike_axes(facts: KernelFacts) -> frozenset[str]:
    """The axes of a block, x, y or z, along which all threads do the same: nothing that the kernel stores,
    and no place or condition of it, depends on the thread's index there. None where threads meet or add to an
    element, or a function is not known.
    """
    stores = [one for one in facts.accesses if one.kind != "load" and one.array.space == "global"]
    if not (facts.complete and stores) or facts.threads_meet or facts.calls_unknown or facts.atomics:
        return frozenset()
    depends: set[str] = set()
    for access in facts.accesses:
        depends |= access.value_depends
        depends |= {name for index in access.indices for name in facts.atoms.depends(index.form)}
        depends |= {name for condition in access.place.conditions for name in condition.depends}
        depends |= {name for loop in access.place.loops for name in loop.trips}
    return frozenset(axis for axis in "xyz" if f"tid.{axis}" not in depends)
