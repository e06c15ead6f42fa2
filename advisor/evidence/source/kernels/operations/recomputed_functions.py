"""Functions that a loop computes of the same values in each iteration, where no compiler may move them out.

It moves what does not change out of a loop by itself, but for what is loaded from memory in a loop that
stores, updates or waits: what it loads may be another value each time, as far as it can know.
"""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.kernel_facts import (
    Access,
    Array,
    AtomicUse,
    DrawUse,
    KernelFacts,
    LoopContext,
    OperationUse,
    Place,
)
from advisor.evidence.source.warps.single_iterations import in_one_iteration
from advisor.program.arrays.element_types import COSTLY, FLOAT_CASTS, INTEGER_CASTS
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.tree_nodes import below

# What others of the block, or of the grid, may read and write.
_MEMORY = frozenset({"global", "shared", "unknown"})
_LIBRARIES = ("math.", "numpy.", "cmath.")
_PURE = frozenset({"abs", "min", "max", "float", "int", "round"})
_CASTS = FLOAT_CASTS | INTEGER_CASTS
_VALUES = (
    ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context, ast.Tuple,
)  # fmt: skip


def is_recomputed(operation: OperationUse, facts: KernelFacts) -> bool | None:
    """Whether each iteration of the innermost loop around a function or a power computes it of the same
    values, some of which it loads in the loop from what nothing changes there; None outside of loops.
    """
    place = operation.place
    if not place.loops:
        return None
    loop = place.loops[-1]
    node = place.node
    if operation.operator not in ("call", "power") or not isinstance(node, ast.expr):
        return False
    if operation.operands.exponent == "integer literal" or loop.counter in operation.depends:
        return False
    if _is_conditional(place, loop) or in_one_iteration(place, loop) or loop.trip_count == 1:
        return False
    computed = _Computed(place, loop, facts)
    return computed.is_of_same_values(node) and computed.loads and _keeps_loads(loop, facts)


def inner_iterations(operation: OperationUse, facts: KernelFacts) -> float | None:
    """How many iterations the loops have together that stand in the innermost loop around an operation, 0
    where there are none; None where that is not known.
    """
    around = operation.place.loops[-1].node if operation.place.loops else None
    inner = [
        one
        for one in facts.loops
        if any(loop.node is around for loop in one.place.loops) and around is not None
    ]
    written = [one for one in below(around) if isinstance(one, ast.For | ast.While)] if around else []
    counts = [_iterations(one.place, one.context, around) for one in inner]
    if around is None or None in counts or len({id(one.place.node) for one in inner}) < len(written) - 1:
        return None
    return float(sum(count for count in counts if count is not None))


def _iterations(place: Place, loop: LoopContext, around: ast.AST | None) -> int | None:
    """The iterations of a loop in one of a loop around it."""
    product = loop.trip_count
    for outer in reversed(place.loops):
        if outer.node is around or product is None:
            break
        product = None if outer.trip_count is None else product * outer.trip_count
    return product


def _is_conditional(place: Place, loop: LoopContext) -> bool:
    """Whether a branch in the loop decides if an iteration gets to a place."""
    module = place.module
    above = module.parents.get(place.node)
    while above is not None and above is not loop.node:
        if isinstance(above, ast.If | ast.IfExp | ast.BoolOp | FunctionNode):
            return True
        above = module.parents.get(above)
    return above is None


def _keeps_loads(loop: LoopContext, facts: KernelFacts) -> bool:
    """Whether something in a loop may change what the compiler knows of memory."""
    places = [
        *(one.place for one in facts.accesses if one.kind != "load" and one.array.space in _MEMORY),
        *(one.place for one in facts.atomics),
        *(one.place for one in facts.barriers),
        *(one.place for one in facts.draws),
    ]
    return any(_stands_in(place, loop) for place in places)


def _stands_in(place: Place, loop: LoopContext) -> bool:
    return any(one.node is loop.node for one in place.loops)


class _Computed:
    """What an expression in a loop is computed from; `loads` says that some of it is loaded there."""

    def __init__(self, place: Place, loop: LoopContext, facts: KernelFacts) -> None:
        self.loads = False
        self._module: ModuleSyntax = place.module
        self._loop, self._facts = loop, facts
        self._line = place.node.lineno if isinstance(place.node, ast.expr) else 0
        self._read = {id(one.place.node): one.array for one in facts.accesses if one.kind == "load"}
        self._bound: dict[str, list[ast.AST]] = {}
        for node in below(loop.node):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._bound.setdefault(node.id, []).append(node)

    def is_of_same_values(self, node: ast.AST) -> bool:
        """Whether the same values come of an expression in each iteration, as far as its text says."""
        if isinstance(node, ast.Name):
            return self._is_same_name(node)
        if isinstance(node, ast.Subscript):
            array = self._read.get(id(node))
            if array is None or self._changes(array):
                return False
            self.loads = self.loads or array.space in _MEMORY
            return self.is_of_same_values(node.slice)
        if isinstance(node, ast.Call):
            return self._is_pure(node) and all(map(self.is_of_same_values, node.args)) and not node.keywords
        if isinstance(node, ast.Attribute):
            return self.is_of_same_values(node.value)
        return isinstance(node, _VALUES) and all(map(self.is_of_same_values, ast.iter_child_nodes(node)))

    def _is_same_name(self, node: ast.Name) -> bool:
        """Whether a name is bound outside of the loop, or once in it, before, to what stays the same."""
        bound = self._bound.get(node.id, [])
        if not bound:
            return True
        statement = self._module.parents.get(bound[0])
        if len(bound) > 1 or not isinstance(statement, ast.Assign) or statement.targets != [bound[0]]:
            return False
        return statement.lineno < self._line and self.is_of_same_values(statement.value)

    def _is_pure(self, call: ast.Call) -> bool:
        dotted = self._module.dotted(call.func) or ""
        name = dotted.rpartition(".")[2]
        return dotted in _PURE or name in _CASTS or (dotted.startswith(_LIBRARIES) and name in COSTLY | _PURE)

    def _changes(self, array: Array) -> bool:
        """Whether the kernel stores to an array where the loop, or the threads that it meets, may see it."""
        facts, loop = self._facts, self._loop
        # Behind a barrier other threads have stored what they store anywhere; a `while` may wait for them.
        others = loop.is_while or any(_stands_in(one.place, loop) for one in facts.barriers)
        stores = [one for one in facts.accesses if one.kind != "load"]
        changes: list[Access | AtomicUse | DrawUse] = [*stores, *facts.atomics, *facts.draws]
        return any(one.array is array and (others or _stands_in(one.place, loop)) for one in changes)
