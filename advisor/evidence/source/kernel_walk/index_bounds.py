"""Which indices a test bounds from above, so that what follows stays inside of an array."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from advisor.evidence.source.kernel_walk.affine_forms import (
    Atoms,
    Form,
    Monomial,
    Outcomes,
    atom,
    form,
    number,
    position_along,
)
from advisor.evidence.source.kernel_walk.fixed_indices import fixed_indices
from advisor.evidence.source.kernel_walk.kernel_facts import Access, Condition, LoopContext, Scalar, Value
from advisor.program.launches.block_shape import Thread

_POSITION = ("tid.", "bid.")
_AXES = {"tid.x": 0, "tid.y": 1, "tid.z": 2}
_THREADS = frozenset(_AXES)
_ONE = number(1)
UNKNOWN = Outcomes()


@dataclass(frozen=True, slots=True)
class Case:
    """A case in which a truth value is a given one, None where that is not known: what is at 0 or below
    whenever the case holds, and what the value then bounds.
    """

    path: frozenset[Form]
    value: bool | None
    outcomes: Outcomes = UNKNOWN


def of_comparison(operators: Sequence[ast.cmpop], values: Sequence[Value]) -> Outcomes:
    """Return what a comparison of integers keeps at 0 or below, where it holds and where it does not: `a - b`
    for `a <= b`, `a - b + 1` for `a < b`.
    """
    holds: set[Form] = set()
    fails: set[Form] = set()
    for operator, left, right in zip(operators, values, values[1:], strict=False):
        if not isinstance(left, Scalar) or not isinstance(right, Scalar):
            continue
        below, above = left.form - right.form, right.form - left.form
        if isinstance(operator, ast.Lt):
            holds, fails = holds | {below + _ONE}, fails | {above}
        elif isinstance(operator, ast.LtE):
            holds, fails = holds | {below}, fails | {above + _ONE}
        elif isinstance(operator, ast.Gt):
            holds, fails = holds | {above + _ONE}, fails | {below}
        elif isinstance(operator, ast.GtE):
            holds, fails = holds | {above}, fails | {below + _ONE}
        elif isinstance(operator, ast.Eq):
            holds |= {below, above}
        elif isinstance(operator, ast.NotEq):
            fails |= {below, above}
    # Of a chain that does not hold it is not known which of its comparisons fails.
    return Outcomes(frozenset(holds), frozenset(fails) if len(operators) == 1 else frozenset())


def of_parts(operator: ast.boolop, parts: Sequence[Outcomes]) -> Outcomes:
    """Return what parts joined by `and` or `or` bound: where an `and` holds all of them hold, where it fails
    only what each of them bounds when it fails is certain (De Morgan); an `or` the other way round.
    """
    holds, fails = [one.holds for one in parts], [one.fails for one in parts]
    if isinstance(operator, ast.And):
        all_hold: frozenset[Form] = frozenset().union(*holds)
        either = next((one.one_holds for one in parts if one.one_holds), ())
        one_holds = tuple(all_hold | one for one in either)
        return Outcomes(all_hold, _in_either_case(fails), one_holds, one_fails=tuple(fails))
    return Outcomes(_in_either_case(holds), frozenset().union(*fails), one_holds=tuple(holds))


def of_cases(cases: Sequence[Case]) -> Outcomes:
    """Return what a truth value bounds that is another one in each of several cases, of which one holds.

    Where it is true, one of the cases holds in which it can be true, and so where it is false.
    """
    true = [one.path | one.outcomes.holds for one in cases if one.value is not False]
    false = [one.path | one.outcomes.fails for one in cases if one.value is not True]
    return Outcomes(_in_either_case(true), _in_either_case(false)) if true and false else UNKNOWN


def _in_either_case(cases: Sequence[frozenset[Form]]) -> frozenset[Form]:
    """What is at 0 or below whichever case holds: of forms a constant apart the one that is less."""
    found = cases[0]
    for others in cases[1:]:
        pairs = ((one, other, (one - other).constant) for one in found for other in others)
        found = frozenset(other if apart >= 0 else one for one, other, apart in pairs if apart is not None)
    return found


def range_bound(item: Form, stop: Form, step: Form) -> frozenset[Form]:
    """Return what `range` bounds in its loop: the counter, where it does not count down."""
    rises = step.constant is None or step.constant > 0
    return frozenset({item - stop + _ONE}) if rises else frozenset()


def bounds_on_lanes(conditions: Iterable[Condition]) -> frozenset[Form]:
    """Return what conditions keep at 0 or below of nothing but thread indices and numbers.

    Where the place in the grid has to be a given one along an axis, one thread index of it is let through, in
    some of the blocks: 0 stands for it.
    """
    conditions = tuple(conditions)
    every = [form for condition in conditions for form in condition.bounds]
    found = {form for form in every if form.atoms() and form.atoms() <= _THREADS}
    numbered = {name for form in found for name in form.atoms()}
    for name in {name for one in conditions for name in fixed_indices(one)} - numbered:
        found |= {atom(name), -atom(name)}
    return frozenset(found)


def lanes_left(warp: Sequence[Thread], bounds: Iterable[Form]) -> dict[int, Thread]:
    """Return the lanes of a warp that conditions let through, by their places in it."""
    forms = tuple(bounds)
    return {number: thread for number, thread in enumerate(warp) if _lets_through(forms, thread)}


def _lets_through(bounds: Iterable[Form], thread: Thread) -> bool:
    return all(form.evaluate(lambda name: thread[_AXES[name]]) <= 0 for form in bounds)


def is_guarded(access: Access, atoms: Atoms) -> bool:
    """Return whether conditions bound each index of an access that spans the grid from above.

    Where no index spans the grid: whether some condition asks for the thread's position.
    """
    conditions = access.place.conditions
    if not any(spans_the_grid(atoms.depends(index.form)) for index in access.indices):
        return any(_is_position(name) for one in conditions for name in one.depends)
    return not unbounded_axes(access, atoms)


def unbounded_axes(access: Access, atoms: Atoms) -> frozenset[str]:
    """Return the axes of the grid, of `xyz`, along which an index of an access grows with the thread's
    position, and no condition bounds it from above.
    """
    forms = [index.form for index in access.indices if spans_the_grid(_growing(index.form, atoms))]
    conditions = access.place.conditions
    return frozenset(name[-1] for one in forms for name in _unbounded(one, conditions, atoms))


def half_guards(access: Access, atoms: Atoms) -> list[Condition]:
    """Return the conditions for which an access is not guarded although they bound its indices along several
    axes of the grid: they let a thread pass that is inside along one of them alone.
    """
    spanning = [index.form for index in access.indices if spans_the_grid(_growing(index.form, atoms))]
    found = [one for one in access.place.conditions if _bound_several_axes(one.alternatives)]
    if not found or not spanning or is_guarded(access, atoms):
        return []
    meant = [replace(one, bounds=one.bounds.union(*one.alternatives)) for one in found]
    conditions = [*access.place.conditions, *meant]
    return [] if any(_unbounded(form, conditions, atoms) for form in spanning) else found


def _bound_several_axes(alternatives: Sequence[frozenset[Form]]) -> bool:
    """Whether each alternative bounds the position along axes of its own."""
    axes = [
        frozenset(
            name[-1]
            for bound in bounds
            for monomial, factor in bound.terms
            if factor > 0
            for name in monomial
            if _is_position(name)
        )
        for bounds in alternatives
    ]
    return len(axes) > 1 and all(axes) and all(not one & other for one, other in combinations(axes, 2))


def spans_the_grid(depends: Iterable[str]) -> bool:
    """Return whether an index follows the block and the thread in it: only such a grid can be rounded up."""
    names = tuple(depends)
    return all(any(name.startswith(kind) for name in names) for kind in _POSITION)


def grid_axis(index: Form, loops: Sequence[LoopContext]) -> str | None:
    """Return the axis of the grid along which an index is the thread's position, in a loop also one advanced
    by the whole grid in each iteration; None for any other index.
    """
    for axis in "xyz":
        rest = index - position_along(axis)
        if not rest.terms or any(rest == _stride(loop, axis) for loop in loops if loop.steps_by_grid):
            return axis
    return None


def _stride(loop: LoopContext, axis: str) -> Form:
    """By how much a loop that takes steps of the grid's size has advanced along an axis."""
    return form({tuple(sorted((f"bdim.{axis}", f"gdim.{axis}", loop.counter))): 1})


def asks_for_size_alone(condition: Condition) -> bool:
    """Return whether a condition only asks whether the thread's position is below sizes, each one parameter
    of the kernel or size of an array: a grid with threads for all leaves out nothing.
    """
    compared = [len(one.ops) for one in ast.walk(condition.node) if isinstance(one, ast.Compare)]
    sizes = [_size_above(bound) for bound in condition.bounds]
    return 0 < sum(compared) == len(sizes) and not condition.loaded and all(sizes)


def _size_above(bound: Form) -> bool:
    """Whether a difference that is kept at 0 or below is that of a position and a size, and one."""
    for axis in "xyz":
        size = position_along(axis) + _ONE - bound
        for name in size.atoms():
            if size == atom(name):
                return "#" not in name and not name.startswith(("tid.", "bid.", "bdim.", "gdim."))
    return False


def _unbounded(form: Form, conditions: Iterable[Condition], atoms: Atoms) -> set[str]:
    """The thread and block indices that a form grows with, and that no condition bounds."""
    conditions = tuple(conditions)
    wanted = {name for name in _growing(form, atoms) if _is_position(name)} - _whole_blocks(form)
    wanted -= _before_the_block(form, conditions)
    for condition in conditions:
        if condition.single_lane and any(name.startswith("bid.") for name in condition.depends):
            return set()
        for difference in condition.bounds:
            wanted -= _bounded_positions(difference, form, atoms)
    return wanted


def _growing(form: Form, atoms: Atoms) -> set[str]:
    """What a form depends on otherwise than through a remainder, which stays below its divisor."""
    known = {name: atoms.known.get(name) for name in form.atoms()}
    kept = [name for name, one in known.items() if one is None or one.stem is None]
    return {inner for name in kept for inner in atoms.depends(atom(name))}


def _whole_blocks(form: Form) -> set[str]:
    """The block indices that count on their own, as where each block has a row: no launch rounds these up.

    A tile of constant length that the threads of a block walk is no row: the last one may pass the end.
    """
    if any("#" in name and not name.startswith("loop#") for name in form.atoms()):
        return set()
    walked = any("#" in name for name in form.atoms())
    blocks: set[str] = set()
    parts: set[str] = set()
    for monomial, factor in form.terms:
        own = {name for name in monomial if name.startswith("bid.")}
        tile = walked and len(monomial) == 1 and factor != 1
        blocks |= own
        parts |= {name for name in own if tile or f"bdim.{name[-1]}" in monomial}
    return blocks - parts


def _before_the_block(form: Form, conditions: Iterable[Condition]) -> set[str]:
    """The thread and block indices of an axis along which a form is at most the position of the block's first
    thread, which has data in each block of a grid that is rounded up: so the halo before a block.
    """
    for axis in "xyz":
        rest = form - _block_start(axis)
        if rest.atoms() <= {f"tid.{axis}"}:
            bounds = [number(0), *(bound for one in conditions for bound in one.bounds)]
            apart = [(rest - bound).constant for bound in bounds]
            if any(one is not None and one <= 0 for one in apart):
                return {f"tid.{axis}", f"bid.{axis}"}
    return set()


def _block_start(axis: str) -> Form:
    return position_along(axis) - atom(f"tid.{axis}")


def _bounded_positions(difference: Form, form: Form, atoms: Atoms) -> set[str]:
    """The thread and block indices that a difference below a bound keeps from growing."""
    found: set[str] = set()
    for monomial, coefficient in difference.terms:
        names = {name for factor in monomial for name in atoms.depends(atom(factor)) if _is_position(name)}
        # A product of two indices may stay small while one of them grows.
        if coefficient > 0 and len({name[-1] for name in names}) == 1 and _follows(monomial, form, atoms):
            found |= names
    return found


def _follows(monomial: Monomial, form: Form, atoms: Atoms) -> bool:
    """Whether the factors grow with what they were computed from, or the index is made of the same ones."""
    for name in monomial:
        known = atoms.known.get(name)
        if known is not None and name not in form.atoms() and (known.loaded or known.stem is not None):
            return False
    return True


def _is_position(name: str) -> bool:
    return name.startswith(_POSITION)
