"""Accesses of different threads of a block to the same element of shared memory, with no barrier between."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from advisor.evidence.source.kernel_walk.affine_forms import Form, atom, number
from advisor.evidence.source.kernel_walk.kernel_facts import Access, Condition, KernelFacts, Place
from advisor.evidence.source.warps.thread_use import is_bounds_exit, is_bounds_guard
from advisor.model.records import Record
from advisor.program.launches.block_shape import WARP, BlockShape

Scope = Literal["block", "warp"]
_THREAD = atom("tid.x")
_THREADS = frozenset({"tid.x", "tid.y", "tid.z"})
_ONE = number(1)
_ASSUMED_BLOCK = 256
# Of unrolled code, accesses further apart are not compared.
_NEAR = 24


class _Step(NamedTuple):
    """An access by its place in the walk, its element, the bounds on the threads of the block that do it, and
    the tests that all of these answer alike.
    """

    number: int
    access: Access
    form: Form
    bounds: frozenset[Form]
    common: frozenset[ast.AST]


def know_unordered(facts: KernelFacts, shapes: Sequence[BlockShape], records: Sequence[Record]) -> None:
    """Say of each access, whose record stands at its place, among which threads nothing orders it: those of
    the block or of one warp; nothing of others.
    """
    found = _unordered(facts, shapes)
    known = bool(shapes) and all(shape.x is not None for shape in shapes)
    assumptions = () if known else (f"blocks of {_ASSUMED_BLOCK} threads",)
    for position, record in enumerate(records):
        among = found.get(position)
        if among is not None:
            record.know("source", assumptions, unordered=True, unordered_among=among)
        else:
            record.know("source", unordered=False)


def _unordered(facts: KernelFacts, shapes: Sequence[BlockShape]) -> dict[int, Scope]:
    shared = any(array.space == "shared" and not array.parameter for array in facts.arrays)
    if not shared or facts.calls_unknown or not facts.complete or facts.thread_dimensions != {"x"}:
        return {}
    if any((shape.y or 1) * (shape.z or 1) != 1 for shape in shapes):
        return {}
    threads = min((shape.x or _ASSUMED_BLOCK for shape in shapes), default=_ASSUMED_BLOCK)
    found = dict(_in_loops(facts, threads))
    meetings = _Meetings(threads)
    barriers = [one.accesses for one in facts.barriers]
    for steps in _steps(facts).values():
        for place, later in enumerate(steps):
            for earlier in reversed(steps[max(place - _NEAR, 0) : place]):
                if _is_between(barriers, earlier, later):
                    break
                among = _among(earlier, later, facts, meetings)
                if among is not None and found.get(later.number) != "block":
                    found[later.number] = among
    return found


class _Meetings:
    """The threads among which two elements are the same one; of unrolled code each pair is looked at once."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._lanes: dict[frozenset[Form], tuple[int, ...]] = {}
        self._known: dict[tuple[Form, frozenset[Form], Form, frozenset[Form]], Scope | None] = {}

    def lanes(self, bounds: frozenset[Form]) -> tuple[int, ...]:
        """The threads of a full block that bounds let through."""
        if bounds not in self._lanes:
            every = range(self._threads)
            self._lanes[bounds] = tuple(
                lane for lane in every if all(_at(form, lane) <= 0 for form in bounds)
            )
        return self._lanes[bounds]

    def among(self, earlier: _Step, later: _Step) -> Scope | None:
        """Whether different threads meet in an element: of several warps, or of one alone."""
        key = earlier.form, earlier.bounds, later.form, later.bounds
        if key not in self._known:
            self._known[key] = self._scope(earlier, later)
        return self._known[key]

    def _scope(self, earlier: _Step, later: _Step) -> Scope | None:
        by_element: dict[int, list[int]] = defaultdict(list)
        for lane in self.lanes(earlier.bounds):
            by_element[_at(earlier.form, lane)].append(lane)
        meeting = [
            (lane, other)
            for lane in self.lanes(later.bounds)
            for other in by_element.get(_at(later.form, lane), ())
            if other != lane
        ]
        if any(lane // WARP != other // WARP for lane, other in meeting):
            return "block"
        return "warp" if meeting else None


def _steps(facts: KernelFacts) -> dict[int, list[_Step]]:
    """The accesses to each shared array whose element and threads are known, in order."""
    found: dict[int, list[_Step]] = defaultdict(list)
    for position, access in enumerate(facts.accesses):
        form = _element(access)
        if form is None or not form.atoms() <= {"tid.x"}:
            continue
        bounds = _bounds(access.place)
        if bounds is not None:
            common = (one.node for one in access.place.conditions if one.depends.isdisjoint(_THREADS))
            found[id(access.array)].append(_Step(position, access, form, bounds, frozenset(common)))
    return found


def _element(access: Access) -> Form | None:
    """The only index of an element of shared memory; None for other accesses."""
    if access.array.space != "shared" or access.array.parameter or access.whole or access.row is not None:
        return None
    if len(access.indices) != 1 or access.indices[0].is_slice:
        return None
    return access.indices[0].form


def _bounds(place: Place) -> frozenset[Form] | None:
    """The bounds on the threads of a full block that get to a place; None where they are not known."""
    bounds: set[Form] = set()
    for condition in place.conditions:
        if condition.depends.isdisjoint(_THREADS):
            continue
        if condition.loaded:
            return None
        if any(name.startswith("bid.") for name in condition.depends):
            # In a full block all threads are inside of the data.
            inside = is_bounds_exit if condition.exit else is_bounds_guard
            if not inside(condition, place.module):
                return None
        elif _is_described(condition):
            bounds |= condition.bounds
        else:
            return None
    return frozenset(bounds)


def _at(form: Form, lane: int) -> int:
    return form.evaluate(lambda _name: lane)


def _is_described(condition: Condition) -> bool:
    """Whether the bounds of a condition are all that it asks, and of nothing but the thread's index."""
    if isinstance(condition.node, ast.For | ast.While):
        return False
    asked = [
        operator for one in ast.walk(condition.node) if isinstance(one, ast.Compare) for operator in one.ops
    ]
    wanted = sum(2 if isinstance(one, ast.Eq) else 1 for one in asked)
    return (
        0 < wanted == len(condition.bounds)
        and all(form.atoms() == {"tid.x"} for form in condition.bounds)
        and not any(isinstance(one, ast.NotEq) for one in asked)
    )


def _among(earlier: _Step, later: _Step, facts: KernelFacts, meetings: _Meetings) -> Scope | None:
    """The threads among which two accesses meet in an element, with no barrier between; None for none."""
    kinds = {earlier.access.kind, later.access.kind}
    if kinds in ({"load"}, {"store"}) or earlier.access.place.loops != later.access.place.loops:
        return None
    if not (_stores_own(earlier, meetings) or _stores_own(later, meetings)) or _are_apart(earlier, later):
        return None
    among = meetings.among(earlier, later)
    return None if among == "warp" and _is_between(facts.warp_barriers, earlier, later) else among


def _is_between(barriers: Sequence[int], earlier: _Step, later: _Step) -> bool:
    """Whether one of some barriers, in order, stands between two accesses."""
    return bisect_right(barriers, earlier.number) < bisect_right(barriers, later.number)


def _are_apart(earlier: _Step, later: _Step) -> bool:
    """Whether a block may do only one of two accesses, for a test that all of its threads answer alike."""
    if not (earlier.common <= later.common or later.common <= earlier.common):
        return True
    module = earlier.access.place.module
    tests = [module.parents.get(node) for node in earlier.common & later.common]
    branches = [one for one in tests if isinstance(one, ast.If) and one.orelse]
    return any(_branch(one, earlier) != _branch(one, later) for one in branches)


def _branch(test: ast.If, step: _Step) -> bool | None:
    """Whether an access stands in the body of a test, None for one of a function that is called there."""
    line = getattr(step.access.place.node, "lineno", 0)
    if not test.lineno <= line <= (test.end_lineno or test.lineno):
        return None
    return line < test.orelse[0].lineno


def _stores_own(step: _Step, meetings: _Meetings) -> bool:
    """Whether each thread that stores has an element of its own."""
    return step.access.kind != "load" and (bool(step.form.atoms()) or len(meetings.lanes(step.bounds)) == 1)


def _in_loops(facts: KernelFacts, threads: int) -> Iterator[tuple[int, Scope]]:
    """The loads in steps of a reduction, `if t < h: s[t] += s[t + h]`, in a loop without a barrier."""
    for position, access in enumerate(facts.accesses):
        form = _element(access)
        if form is None or access.kind != "load" or not access.place.loops:
            continue
        apart = form - _THREAD
        if apart.constant is not None or not apart.atoms().isdisjoint(_THREADS):
            continue
        loop = access.place.loops[-1]
        if any(one is loop for barrier in facts.barriers for one in barrier.place.loops):
            continue
        bounds = [bound for condition in access.place.conditions for bound in condition.bounds]
        if _THREAD - apart + _ONE not in bounds or not _is_updated(access, facts):
            continue
        small = threads <= WARP or any(bound == _THREAD - number(WARP - 1) for bound in bounds)
        if not small:
            yield position, "block"
        elif not facts.warp_barriers:
            yield position, "warp"


def _is_updated(load: Access, facts: KernelFacts) -> bool:
    return any(
        one.array is load.array and one.kind != "load" and _element(one) == _THREAD
        and one.place.loops == load.place.loops
        for one in facts.accesses
    )  # fmt: skip
