"""How much of a kernel's traffic an array takes, and which accesses only some of the lanes do at a time."""

from __future__ import annotations

import ast
import math
from collections import defaultdict
from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.fixed_indices import is_on_line_of_grid
from advisor.evidence.source.kernel_walk.kernel_facts import Access, Condition, KernelFacts, Place
from advisor.model.records import Record
from advisor.program.launches.block_shape import WARP
from advisor.program.syntax.tree_nodes import below

# How often a loop of unknown length is taken to run when accesses inside and outside of it are weighed.
_REPEATS = 32


def know_traffic(facts: KernelFacts, records: Sequence[Record]) -> None:
    """Note with each access of global memory the share that its cause takes, and whether it is
    `picked_by_data`, and with the facts the sectors of all.

    `records` are those of `facts.accesses`, in that order. A cause is what one change would repair: the order
    of the thread indices, or the order of an array. Its share is that of its sectors in these and what all
    other accesses need at least: several bad accesses do not make each other small. Elements that a kernel
    touches several times in the same way count once, in the deepest loop; accesses of unknown pattern count a
    sector for each lane.
    """
    heaviest: dict[object, float] = {}
    needed: dict[object, float] = {}
    causes: dict[object, object] = {}
    inside = Insides()
    for access, record in zip(facts.accesses, records, strict=True):
        if access.array.space == "global":
            element: object = (access.kind, access.element)
            heaviest[element] = max(_sectors(record) * _runs(access), heaviest.get(element, 0.0))
            needed[element] = max(_least_sectors(record) * _runs(access), needed.get(element, 0.0))
            causes[element] = _cause(access, record)
    taken: dict[object, float] = defaultdict(float)
    least: dict[object, float] = defaultdict(float)
    for element, cause in causes.items():
        taken[cause] += heaviest[element]
        least[cause] += needed[element]
    facts.estimated_sectors = sum(heaviest.values())
    least_of_all = sum(needed.values())
    for access, record in zip(facts.accesses, records, strict=True):
        if access.array.space == "global":
            cause = _cause(access, record)
            share = taken[cause] / (taken[cause] + max(least_of_all - least[cause], 0.0))
            sparse = picked_by_data(access, inside) or is_on_line_of_grid(access.place)
            record.know("source", traffic_share=share, sparse=sparse)


class Insides:
    """What stands inside of loops."""

    def __init__(self) -> None:
        self._inside: dict[int, frozenset[int]] = {}

    def holds(self, loop: ast.AST, node: ast.AST) -> bool:
        """Whether a node stands inside of a loop."""
        known = self._inside.get(id(loop))
        if known is None:
            known = self._inside[id(loop)] = frozenset(map(id, below(loop)))
        return id(node) in known


def _cause(access: Access, record: Record) -> object:
    """What accesses share that one change repairs: an exchange of thread indices, or the array's order."""
    axis, exchange = record.value("lane_axis"), record.value("exchange")
    if axis == "slow" and exchange is not None and record.value("exchange_moves_problem") is not True:
        return "exchange", exchange
    return id(access.array), axis


def _sectors(record: Record) -> float:
    if record.value("single_thread"):
        return 1.0
    sectors = record.value("sectors_per_request")
    return float(WARP) if sectors is None else float(sectors)


def _least_sectors(record: Record) -> float:
    """The sectors of a request of the same elements in the best order; all of them where that is unknown."""
    ideal = record.value("ideal_sectors_per_request")
    return _sectors(record) if ideal is None else min(_sectors(record), float(ideal))


def _runs(access: Access) -> float:
    return float(math.prod(loop.trip_count or _REPEATS for loop in access.place.loops))


def picked_by_data(access: Access, inside: Insides) -> bool:
    """Whether data decides in each iteration of a loop which lanes do the access, so that few may do it at a
    time: a store at a place that does not advance with the loop, what is done for an element that is equal to
    another one or where a search ends.
    """
    return any(_picks(condition, access, inside) for condition in access.place.conditions)


def _picks(condition: Condition, access: Access, inside: Insides) -> bool:
    if condition.exit or not condition.loaded:
        return False
    loops = [loop for loop in access.place.loops if inside.holds(loop.node, condition.node)]
    if not loops:
        return False
    if _ends_the_loop(condition.node, access.place):
        return True
    if _asks_for_bounds(condition.node):
        return False
    advances = any(loop.counter in index.form.atoms() for loop in loops for index in access.indices)
    return (access.kind != "load" and not advances) or _equal_to_another(condition)


def leaves_the_loop(place: Place) -> bool:
    """Whether a test around a place ends the loop there, so that a thread gets to it once at most."""
    return any(_ends_the_loop(condition.node, place) for condition in place.conditions)


def _ends_the_loop(test: ast.AST, place: Place) -> bool:
    """Whether what a test encloses ends with a `break`: each lane gets there once, at a time of its own."""
    branch = place.module.parents.get(test)
    if not (isinstance(branch, ast.If) and branch.test is test and isinstance(branch.body[-1], ast.Break)):
        return False
    return branch.body[0].lineno <= getattr(place.node, "lineno", 0) <= branch.body[-1].lineno


def _asks_for_bounds(test: ast.AST) -> bool:
    """Whether a test only asks of values whether they lie between 0 and something, as places inside of an
    array do: most of them do.
    """
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    from_zero: set[str] = set()
    below_something: set[str] = set()
    for part in parts:
        if not isinstance(part, ast.Compare):
            return False
        sides = [part.left, *part.comparators]
        for first, order, second in zip(sides, part.ops, sides[1:], strict=False):
            low, high = (first, second) if isinstance(order, ast.Lt | ast.LtE) else (second, first)
            if not isinstance(order, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
                return False
            if isinstance(low, ast.Constant) and low.value == 0:
                from_zero.add(ast.unparse(high))
            else:
                below_something.add(ast.unparse(low))
    return bool(from_zero) and from_zero == below_something


def _equal_to_another(condition: Condition) -> bool:
    """Whether a place is reached where two values are equal, which few are; where they differ, most are."""
    test, order = condition.node, ast.NotEq if condition.negated else ast.Eq
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], order)
        and not any(isinstance(side, ast.Constant | ast.UnaryOp) for side in (test.left, *test.comparators))
    )
