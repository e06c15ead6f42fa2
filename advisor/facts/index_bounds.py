"""Which indices a test bounds from above, so that what follows stays inside of an array."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from advisor.facts.forms import Atoms, Form, Monomial, atom
from advisor.facts.kernel_facts import Access, Condition, Scalar, Value

_POSITION = ("tid.", "bid.")
_Compared = Callable[[ast.Compare], "tuple[Value, ...] | None"]


def bounded_forms(test: ast.AST, holds: bool, compared: _Compared) -> frozenset[Form]:
    """Return the differences that are known to be below a bound where `test` has the value `holds`.

    `a < b` gives the form `a - b`. A conjunction that holds gives what each of its parts gives, one that does
    not hold only what all its parts give (De Morgan); `compared` gives the values that a comparison compared.
    """
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return bounded_forms(test.operand, not holds, compared)
    if isinstance(test, ast.BoolOp):
        parts = [bounded_forms(part, holds, compared) for part in test.values]
        all_hold = isinstance(test.op, ast.And) == holds
        return frozenset().union(*parts) if all_hold else frozenset.intersection(*parts)
    values = compared(test) if isinstance(test, ast.Compare) else None
    if not isinstance(test, ast.Compare) or values is None or (len(test.ops) > 1 and not holds):
        return frozenset()
    found: set[Form] = set()
    for operator, left, right in zip(test.ops, values, values[1:], strict=False):
        if isinstance(left, Scalar) and isinstance(right, Scalar):
            found |= _ordered(operator, holds, left.form, right.form)
    return frozenset(found)


def _ordered(operator: ast.cmpop, holds: bool, left: Form, right: Form) -> set[Form]:
    below, above = (ast.Lt, ast.LtE), (ast.Gt, ast.GtE)
    if isinstance(operator, below if holds else above):
        return {left - right}
    if isinstance(operator, above if holds else below):
        return {right - left}
    return {left - right, right - left} if isinstance(operator, ast.Eq if holds else ast.NotEq) else set()


def range_bound(item: Form, stop: Form, step: Form) -> frozenset[Form]:
    """Return what `range` bounds in its loop: the counter, where it does not count down."""
    rises = step.constant is None or step.constant > 0
    return frozenset({item - stop}) if rises else frozenset()


def is_guarded(access: Access, atoms: Atoms) -> bool:
    """Return whether conditions bound each index of an access that spans the grid from above.

    Where no index spans the grid: whether some condition asks for the thread's position.
    """
    conditions = access.place.conditions
    spanning = [index.form for index in access.indices if spans_the_grid(atoms.depends(index.form))]
    if not spanning:
        return any(name.startswith(_POSITION) for one in conditions for name in one.depends)
    return all(_is_bounded(form, conditions, atoms) for form in spanning)


def spans_the_grid(depends: Iterable[str]) -> bool:
    """Return whether an index follows the block and the thread in it: only such a grid can be rounded up."""
    names = tuple(depends)
    return all(any(name.startswith(kind) for name in names) for kind in _POSITION)


def _is_bounded(form: Form, conditions: Iterable[Condition], atoms: Atoms) -> bool:
    wanted = {name for name in atoms.depends(form) if name.startswith(_POSITION)}
    for condition in conditions:
        if condition.single_lane and any(name.startswith("bid.") for name in condition.depends):
            return True
        for difference in condition.bounds:
            wanted -= _bounded_positions(difference, form, atoms)
    return not wanted


def _bounded_positions(difference: Form, form: Form, atoms: Atoms) -> set[str]:
    """The thread and block indices that a difference below a bound keeps from growing."""
    found: set[str] = set()
    for monomial, coefficient in difference.terms:
        names = {name for factor in monomial for name in atoms.depends(atom(factor)) if _is_position(name)}
        # A product of two indices may stay small while one of them grows; so may a remainder.
        if coefficient > 0 and len({name[-1] for name in names}) == 1 and _follows(monomial, form, atoms):
            found |= names
    return found


def _follows(monomial: Monomial, form: Form, atoms: Atoms) -> bool:
    """Whether what the atoms were computed from grows with them, or the index is made of the same atoms."""
    for name in monomial:
        known = atoms.known.get(name)
        if known is None or name in form.atoms():
            continue
        if known.loaded or known.stem is not None:
            return False
    return True


def _is_position(name: str) -> bool:
    return name.startswith(_POSITION)
