"""Stores to elements that other threads of the same launch read, with nothing that orders the two."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence

from advisor.evidence.source.kernel_walk.affine_forms import THREAD, Atoms, Form, atom, form, number
from advisor.evidence.source.kernel_walk.index_bounds import grid_axis
from advisor.evidence.source.kernel_walk.kernel_facts import Access, Condition, KernelFacts, LoopContext
from advisor.evidence.source.warps.thread_use import is_given_size, single_thread
from advisor.model.records import Record
from advisor.program.syntax.module import ModuleSyntax

_IN_BLOCK = tuple(map(atom, THREAD))


def know_neighbour_reads(facts: KernelFacts, records: Sequence[Record]) -> None:
    """Say of each access, whose record stands at its place, whether it stores to an element that other
    threads read while it does.
    """
    told = {id(access) for access in _read_elsewhere(facts)}
    for access, record in zip(facts.accesses, records, strict=True):
        record.know("source", neighbours_read=id(access) in told)


def _read_elsewhere(facts: KernelFacts) -> list[Access]:
    if facts.calls_unknown or not facts.complete or (facts.threads_meet and not _meet_at_barriers(facts)):
        return []
    stores = [one for one in facts.accesses if one.kind != "load" and _is_own(one, facts.atoms)]
    if not stores:
        return []
    loads: dict[int, _Loads] = defaultdict(_Loads)
    for one in facts.accesses:
        if one.kind != "store" and _for_many(one, facts.atoms, loading=True):
            loads[id(one.array)].add(one)
    order = _Order(facts)
    return [
        one
        for one in stores
        if any(
            _meets_neighbour(one, load) and not order.divides(one, load) and not _are_apart(one, load)
            for load in loads[id(one.array)].near(one)
        )
    ]


def _meet_at_barriers(facts: KernelFacts) -> bool:
    """Whether threads wait for each other at barriers of the block alone, and not by what atomics return."""
    if not facts.barriers or facts.warp_barriers or any(one.of_grid for one in facts.barriers):
        return False
    parents = (one.place.module.parents.get(one.place.node) for one in facts.atomics)
    return all(isinstance(one, ast.Expr) for one in parents)


class _Order:
    """The places of a kernel's accesses between its barriers, in order of the walk."""

    def __init__(self, facts: KernelFacts) -> None:
        self._barriers = [one.accesses for one in facts.barriers]
        every = enumerate(facts.accesses) if self._barriers else ()
        self._places = {id(access): bisect_right(self._barriers, position) for position, access in every}

    def divides(self, one: Access, other: Access) -> bool:
        """Whether a barrier stands between two accesses."""
        return bool(self._barriers) and self._places[id(one)] != self._places[id(other)]


def _are_apart(store: Access, load: Access) -> bool:
    """Whether two accesses stand in the two branches of a test that all threads answer alike."""
    for one in store.place.conditions:
        test = store.place.module.parents.get(one.node)
        alike = not any(name.startswith(("tid.", "bid.")) for name in one.depends) and not one.loaded
        if not (alike and isinstance(test, ast.If) and test.orelse):
            continue
        if any(other.node is one.node for other in load.place.conditions):
            lines = (getattr(access.place.node, "lineno", 0) for access in (store, load))
            if len({line < test.orelse[0].lineno for line in lines}) > 1:
                return True
    return False


class _Loads:
    """The loads of an array, by their indices: of thousands, those are looked at that a store may meet."""

    def __init__(self) -> None:
        self._in_loops: list[Access] = []
        self._at: dict[tuple[int, Form], list[Access]] = defaultdict(list)

    def add(self, load: Access) -> None:
        if load.place.loops:
            self._in_loops.append(load)
            return
        for axis, index in enumerate(_forms(load)):
            self._at[axis, index].append(load)

    def near(self, store: Access) -> Iterator[Access]:
        """Those in loops, which may walk, and those that are one element away along an axis."""
        yield from self._in_loops
        for axis, index in enumerate(_forms(store)):
            for step in (number(1), number(-1)):
                yield from self._at.get((axis, index + step), ())


def _is_own(access: Access, atoms: Atoms) -> bool:
    """Whether each thread of the grid that has data stores to an element of its own of a parameter."""
    if not access.array.parameter or access.array.space != "global" or access.row is not None:
        return False
    loops = access.place.loops
    at_place = any(_is_position(one, loops) for one in _forms(access))
    return at_place and _for_many(access, atoms, loading=False)


def _is_position(index: Form, loops: Sequence[LoopContext]) -> bool:
    """Whether an index is the thread's place in its block, or in the grid along one axis, in a loop also one
    advanced by the whole grid in each iteration, with a constant beside it.
    """
    plain = index.without_offset()
    return plain in _IN_BLOCK or grid_axis(plain, loops) is not None


def _meets_neighbour(store: Access, load: Access) -> bool:
    """Whether threads load, at least among others, elements of an array that other threads store to."""
    if load.row is not None:
        return False
    own, read = _forms(store), _forms(load)
    if not own or len(own) != len(read):
        return False
    beside = [
        _is_position(mine, store.place.loops) and _is_beside(mine, other, load.place.loops)
        for mine, other in zip(own, read, strict=True)
    ]
    same = [
        mine == other or _same_walk(mine, other, store, load) for mine, other in zip(own, read, strict=True)
    ]
    return any(beside) and all(one or another for one, another in zip(beside, same, strict=True))


def _is_beside(mine: Form, other: Form, loops: Sequence[LoopContext]) -> bool:
    """Whether an index is that of the next thread, or walks over those of threads nearby, or of all."""
    apart = other - mine
    if apart.constant is not None:
        return abs(apart.constant) == 1
    return any(_walks(walk.without_offset(), loops) for walk in (apart, other))


def _walks(walk: Form, loops: Sequence[LoopContext]) -> bool:
    return any(
        loop.over_range
        and loop.trip_count != 1
        and not any(name.startswith(("tid.", "bid.")) for name in loop.trips)
        and walk in (form({(loop.counter,): 1}), form({(loop.counter,): -1}))
        for loop in loops
    )


def _same_walk(mine: Form, other: Form, store: Access, load: Access) -> bool:
    """Whether two loops of the same constant length walk along an axis."""
    lengths = [
        next((one.trip_count for one in access.place.loops if index == form({(one.counter,): 1})), None)
        for index, access in ((mine, store), (other, load))
    ]
    return lengths[0] is not None and lengths[0] == lengths[1]


def _for_many(access: Access, atoms: Atoms, *, loading: bool) -> bool:
    """Whether all threads that have data get to an access; to a load also those for which it is another's."""
    if single_thread(access.place):
        return False
    return all(
        _asks_for_bounds(one, access.place.module, atoms) or (loading and _asks_for_another(one))
        for one in access.place.conditions
    )


def _asks_for_another(condition: Condition) -> bool:
    node = condition.node
    return isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.NotEq)


def _asks_for_bounds(condition: Condition, module: ModuleSyntax, atoms: Atoms) -> bool:
    """Whether a condition is the same for all threads, or leaves those inside of the data."""
    if isinstance(condition.node, ast.For):
        # Threads with something to walk over get there.
        return True
    if condition.loaded:
        return _is_limit_of_block(condition, atoms)
    if not any(name.startswith(("tid.", "bid.")) for name in condition.depends):
        return True
    return _is_bound(condition.node, condition.exit, module)


def _is_limit_of_block(condition: Condition, atoms: Atoms) -> bool:
    """Whether a condition leaves the first threads of a block: it keeps their places below a number that was
    loaded, the same for all of them.
    """
    return bool(condition.bounds) and all(
        any(
            bound.without_offset() - place == -limit for place in _IN_BLOCK for limit in _loaded(bound, atoms)
        )
        for bound in condition.bounds
    )


def _loaded(bound: Form, atoms: Atoms) -> Iterator[Form]:
    """What of a bound was loaded and does not depend on the thread."""
    for name in bound.atoms():
        value = atom(name)
        if atoms.loaded(value) and atoms.depends(value).isdisjoint(THREAD):
            yield value


def _is_bound(test: ast.AST, leaves: bool, module: ModuleSyntax) -> bool:
    """Whether a test keeps to what lies below a size and above a number, or leaves from anywhere else."""
    if isinstance(test, ast.While):
        return _is_bound(test.test, leaves, module)
    if isinstance(test, ast.BoolOp):
        joined = isinstance(test.op, ast.Or if leaves else ast.And)
        return joined and all(_is_bound(one, leaves, module) for one in test.values)
    if not isinstance(test, ast.Compare):
        return False
    sides = [test.left, *test.comparators]
    return all(
        _bounds(left, operator, right, leaves, module)
        for left, operator, right in zip(sides, test.ops, sides[1:], strict=False)
    )


def _bounds(left: ast.expr, operator: ast.cmpop, right: ast.expr, leaves: bool, module: ModuleSyntax) -> bool:
    ascending = isinstance(operator, ast.Lt | ast.LtE)
    if not ascending and not isinstance(operator, ast.Gt | ast.GtE):
        return False
    low, high = (left, right) if ascending != leaves else (right, left)
    if isinstance(low, ast.Constant):
        return not isinstance(high, ast.Constant)
    if isinstance(high, ast.BinOp) and isinstance(high.right, ast.Constant):
        high = high.left
    return is_given_size(high, module) and not is_given_size(low, module)


def _forms(access: Access) -> list[Form]:
    """The indices of one element, none where only a part of them is known."""
    if access.whole or any(index.is_slice for index in access.indices):
        return []
    return [index.form for index in access.indices]
