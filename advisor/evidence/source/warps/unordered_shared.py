"""Accesses of different threads of a block to the same element of shared memory, with no barrier between."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from advisor.evidence.source.kernel_walk.affine_forms import Form, atom, number
from advisor.evidence.source.kernel_walk.kernel_facts import Access, Condition, KernelFacts
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
    """An access by its place in the walk, its element and the threads of the block that do it."""

    number: int
    access: Access
    form: Form
    lanes: tuple[int, ...]


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
    for steps in _steps(facts, threads).values():
        for place, later in enumerate(steps):
            for earlier in steps[max(place - _NEAR, 0) : place]:
                among = _among(earlier, later, facts)
                if among is not None and found.get(later.number) != "block":
                    found[later.number] = among
    return found


def _steps(facts: KernelFacts, threads: int) -> dict[int, list[_Step]]:
    """The accesses to each shared array whose element and threads are known, in order."""
    found: dict[int, list[_Step]] = defaultdict(list)
    for position, access in enumerate(facts.accesses):
        form = _element(access)
        if form is None or not form.atoms() <= {"tid.x"}:
            continue
        lanes = _lanes(access.place.conditions, threads)
        if lanes:
            found[id(access.array)].append(_Step(position, access, form, lanes))
    return found


def _element(access: Access) -> Form | None:
    """The only index of an element of shared memory; None for other accesses."""
    if access.array.space != "shared" or access.array.parameter or access.whole or access.row is not None:
        return None
    if len(access.indices) != 1 or access.indices[0].is_slice:
        return None
    return access.indices[0].form


def _lanes(conditions: Iterable[Condition], threads: int) -> tuple[int, ...]:
    """The threads of a full block that conditions let through; none where that is not known."""
    bounds: list[Form] = []
    for condition in conditions:
        if condition.depends.isdisjoint(_THREADS) or any(one.startswith("bid.") for one in condition.depends):
            # The whole block decides alike, or asks whether it is inside of the data.
            continue
        if condition.loaded or not _is_described(condition):
            return ()
        bounds += condition.bounds
    return tuple(lane for lane in range(threads) if all(_at(form, lane) <= 0 for form in bounds))


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


def _among(earlier: _Step, later: _Step, facts: KernelFacts) -> Scope | None:
    """The threads among which two accesses meet in an element, with no barrier between; None for none."""
    kinds = {earlier.access.kind, later.access.kind}
    if kinds in ({"load"}, {"store"}) or earlier.access.place.loops != later.access.place.loops:
        return None
    if not (_stores_own(earlier) or _stores_own(later)):
        return None
    if any(earlier.number < one.accesses <= later.number for one in facts.barriers):
        return None
    by_element: dict[int, list[int]] = defaultdict(list)
    for lane in earlier.lanes:
        by_element[_at(earlier.form, lane)].append(lane)
    meeting = [
        (lane, other)
        for lane in later.lanes
        for other in by_element.get(_at(later.form, lane), ())
        if other != lane
    ]
    if any(lane // WARP != other // WARP for lane, other in meeting):
        return "block"
    ordered = any(earlier.number < place <= later.number for place in facts.warp_barriers)
    return "warp" if meeting and not ordered else None


def _stores_own(step: _Step) -> bool:
    """Whether each thread that stores has an element of its own."""
    return step.access.kind != "load" and (bool(step.form.atoms()) or len(step.lanes) == 1)


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
