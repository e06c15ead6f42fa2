"""What an index, a bound or an array can be for the relations between sizes: sums of terms, views, tuples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from advisor.program.index_relations.relations import Extent, ScalarSize, Size, Unit
from advisor.program.syntax.definition_flow import State

_MOST_TERMS = 8
_MOST_WIDTHS = 6
_MOST_BOUNDS = 16


@dataclass(frozen=True, slots=True)
class LaunchSize:
    """The threads of a block, or the blocks of the grid, along an axis."""

    of: Unit
    axis: int


@dataclass(frozen=True, slots=True)
class Elements:
    """What the elements of an array are, whichever of them."""

    array: str


@dataclass(frozen=True, slots=True)
class Share:
    """One of so many parts: of a loop over tiles, `range(n // 16)`, the count is n's 16th."""

    parts: int


Factor: TypeAlias = "Size | LaunchSize | Share | int"


@dataclass(frozen=True, slots=True)
class Bound:
    """A number stays below the product of factors, or below the elements of an array, and `beyond`."""

    of: tuple[Factor, ...] | Elements
    beyond: int = 0

    def moved(self, by: int) -> Bound:
        """The bound of the number and `by`."""
        if isinstance(self.of, tuple) and len(self.of) == 1 and isinstance(self.of[0], int):
            return Bound((self.of[0] + self.beyond + by,))
        return Bound(self.of, self.beyond + by)


@dataclass(frozen=True, slots=True)
class Variable:
    """The value that a name has where certain definitions of it reach."""

    function: str
    name: str
    definitions: State


@dataclass(frozen=True, slots=True)
class Root:
    """A number that is a variable's value, divided by the product of `divisor`, and `offset`."""

    variable: Variable
    offset: int = 0
    divisor: tuple[Factor, ...] = ()


@dataclass(frozen=True, slots=True)
class Position:
    """That a number runs along an axis of the launch: it counts threads of the grid, blocks, or threads of a
    block.
    """

    axis: int
    unit: Unit


@dataclass(frozen=True, slots=True)
class Term:
    """`x * w * …`: what bounds x, the variables that x is, where it runs, the arrays that x is an element of
    or the difference of two elements of, and the factors w.
    """

    bounds: frozenset[Bound] = frozenset()
    roots: frozenset[Root] = frozenset()
    position: Position | None = None
    elements: frozenset[str] = frozenset()
    differences: frozenset[str] = frozenset()
    widths: tuple[Factor, ...] = ()


@dataclass(frozen=True, slots=True)
class Number:
    """A number: the product `uniform` of sizes or the sum of `terms`, and `offset`; neither for one of which
    nothing is known.

    `roots` are variables that the whole number is. `floats` are the floating point parameters that it is
    computed from; `real` says whether it is itself a floating point number.
    """

    uniform: tuple[Factor, ...] = ()
    offset: int = 0
    terms: tuple[Term, ...] = ()
    roots: frozenset[Root] = frozenset()
    floats: frozenset[str] = frozenset()
    real: bool = False

    @property
    def constant(self) -> int | None:
        """The value of a number that is written out."""
        only = self.uniform[0] if len(self.uniform) == 1 else None
        return only + self.offset if isinstance(only, int) else None

    @property
    def position(self) -> Position | None:
        """The only axis of the launch that the number runs along."""
        found = [one.position for one in self.terms if one.position is not None]
        return found[0] if found and len({one.axis for one in found}) == 1 else None

    @property
    def single(self) -> Term | None:
        """The only term of a number that has no factors."""
        return self.terms[0] if len(self.terms) == 1 and not self.terms[0].widths else None

    @property
    def elements(self) -> frozenset[str]:
        """The arrays of which the number is an element, a constant added."""
        return self.single.elements if self.single is not None else frozenset()


@dataclass(frozen=True, slots=True)
class View:
    """An array parameter, or part of it that is left with `axes` of it; `integer` and `real` say what its
    elements are, neither for records and other types.
    """

    array: str
    axes: tuple[int, ...]
    integer: bool = False
    real: bool = False


@dataclass(frozen=True, slots=True)
class LocalArray:
    """An array that the kernel makes, by its place; what a `constant` one holds stands in the source."""

    place: tuple[str, int, int]
    constant: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """A tuple."""

    items: tuple[Value, ...]


Value: TypeAlias = "Number | View | LocalArray | Items"
UNKNOWN = Number()


def constant(value: int) -> Number:
    """The number that is written out."""
    return Number(uniform=(value,))


def size_number(size: Size) -> Number:
    """The number that is a size."""
    return Number(uniform=(size,))


def along(position: Position) -> Number:
    """The number of a thread or of a block."""
    return Number(terms=(Term(position=position),))


def below(bounds: Iterable[Bound], position: Position | None = None, real: bool = False) -> Number:
    """A number of which its bounds are known."""
    kept = frozenset(sorted(bounds, key=repr)[:_MOST_BOUNDS])
    return Number(terms=(Term(bounds=kept, position=position),), real=real)


def moved(number: Number, by: int) -> Number:
    """The number and a constant."""
    if number.constant is not None:
        return constant(number.constant + by)
    roots = frozenset(replace(one, offset=one.offset + by) for one in number.roots)
    return replace(number, offset=number.offset + by, roots=roots)


def add(left: Number, right: Number) -> Number:
    """The sum."""
    if left.constant is not None:
        left, right = right, left
    if right.constant is not None:
        return moved(left, right.constant)
    floats, real = left.floats | right.floats, left.real or right.real
    terms = _merged((*_terms(left), *_terms(right)))
    return Number((), left.offset + right.offset, terms, floats=floats, real=real)


def subtract(left: Number, right: Number) -> Number:
    """The difference, of which the first number bounds the value."""
    if right.constant is not None:
        return moved(left, -right.constant)
    floats, real = left.floats | right.floats, left.real or right.real
    if left.uniform:
        bound = Bound(left.uniform, left.offset + 1).moved(0)
        # `n - 1 - i` runs along the same axis as i does, backwards.
        position = right.position
        return replace(below({bound}, position), floats=floats, real=real)
    terms = tuple(_lowered(one, left.elements & right.elements) for one in _terms(left))
    return Number((), left.offset, terms, floats=floats, real=real)


def _lowered(term: Term, differences: frozenset[str]) -> Term:
    """The term less something; an element of an array is then below those."""
    bounds = term.bounds | {Bound(Elements(name), 1) for name in term.elements}
    return replace(term, bounds=bounds, elements=frozenset(), differences=differences)


def multiply(left: Number, right: Number) -> Number:
    """The product; of two variables what bounds the second one is taken for it."""
    if not right.uniform:
        left, right = right, left
    floats, real = left.floats | right.floats, left.real or right.real
    if left.constant is not None and right.constant is not None:
        return constant(left.constant * right.constant)
    if real and right.uniform:
        bounds = (Bound(right.uniform, right.offset).moved(0),) if (right.constant or 2) > 1 else ()
        kept = left.single.bounds if left.single is not None else frozenset()
        return replace(below({*kept, *bounds}), floats=floats, real=True)
    if left.uniform and right.uniform:
        return Number(_factors((*left.uniform, *right.uniform)))
    if not right.uniform:
        widths = _largest_of(right)
        if not widths:
            return replace(UNKNOWN, floats=floats, real=real)
        right = Number(widths)
    scale = right.constant if right.constant is not None else None
    widths = (scale,) if scale is not None else right.uniform
    if scale is not None and scale <= 0:
        return replace(left, floats=floats, offset=0, roots=frozenset())
    terms = [_scaled(one, widths) for one in _terms(left)]
    offset = left.offset * scale if scale is not None else 0
    if scale is None and left.offset > 0:
        terms.append(Term(frozenset({Bound((left.offset + 1,))}), widths=widths))
    return Number((), offset, _merged(terms), floats=floats, real=real)


def divide(left: Number, right: Number) -> Number:
    """The quotient, below what the dividend is below, without a factor that the divisor is."""
    floats = left.floats | right.floats
    if left.constant is not None and right.constant is not None:
        return constant(left.constant // right.constant) if right.constant else UNKNOWN
    if left.uniform:
        rest = _without(left.uniform, right.uniform)
        if rest is not None:
            return Number(rest)
        if right.constant is not None and right.constant > 1:
            return Number(_factors((*left.uniform, Share(right.constant))), floats=floats, real=left.real)
        return replace(below({Bound(left.uniform, left.offset + 1)}), floats=floats, real=left.real)
    terms = []
    for one in _terms(left):
        rest = _without(one.widths, right.uniform)
        bounds = frozenset(divided(bound, right.uniform) for bound in one.bounds)
        bounds |= {Bound(Elements(name), 1) for name in one.elements}
        inner = frozenset(_divided_root(root, right.uniform) for root in one.roots)
        terms.append(
            replace(
                one,
                bounds=bounds,
                roots=inner,
                widths=one.widths if rest is None else rest,
                elements=frozenset(),
            )
        )
    if len(terms) > 1:
        # The middle of two numbers is below what the larger one is below.
        middle = right.constant is not None and len(terms) <= right.constant
        largest = {bound for one in terms for bound in one.bounds} if middle else set()
        return replace(below(largest, left.position), floats=floats, real=left.real)
    roots = frozenset(_divided_root(root, right.uniform) for root in left.roots)
    return Number((), 0, tuple(terms), roots, floats, left.real)


def remainder(right: Number) -> Number:
    """A number below a divisor."""
    if right.uniform:
        return below({Bound(right.uniform, right.offset).moved(0)})
    return below(right.single.bounds if right.single is not None else ())


def either(values: Iterable[Value]) -> Value:
    """What several values that one expression may have know together."""
    found = list(dict.fromkeys(values))
    if len(found) == 1:
        return found[0]
    numbers = [one for one in found if isinstance(one, Number)]
    if len(numbers) == len(found):
        return _either_number(numbers)
    if found and all(isinstance(one, Items) for one in found):
        tuples = [one.items for one in found if isinstance(one, Items)]
        if len({len(one) for one in tuples}) == 1:
            return Items(tuple(either(parts) for parts in zip(*tuples, strict=True)))
    return UNKNOWN


def _either_number(numbers: list[Number]) -> Number:
    floats = frozenset[str]().union(*(one.floats for one in numbers))
    real = any(one.real for one in numbers)
    # A counter's beginning says nothing of how far it counts.
    varied = [one for one in numbers if one.constant is None]
    if not varied:
        return replace(UNKNOWN, real=real)
    offset = max((one.offset for one in varied if not one.uniform), default=0)
    parts = [part for one in varied for part in _terms(one)]
    if all(one.uniform or one.single is not None or not one.terms for one in varied):
        positions = [part.position for part in parts if part.position is not None]
        alone = [one for one in varied if one.uniform]
        bounds = {bound for part in parts if not part.widths for bound in part.bounds}
        bounds |= {Bound(one.uniform, one.offset + 1) for one in alone}
        roots = {root for part in parts for root in part.roots}
        elements = frozenset(name for part in parts for name in part.elements)
        differences = frozenset(name for part in parts for name in part.differences)
        position = positions[0] if positions else None
        term = Term(frozenset(bounds), frozenset(roots), position, elements, differences)
        return Number((), offset, (term,), floats=floats, real=real)
    return Number((), offset, _merged(parts), floats=floats, real=real)


def _terms(number: Number) -> tuple[Term, ...]:
    """The terms of a number, its offset apart; one of a size, which is there once."""
    if number.uniform:
        return (Term(frozenset({Bound((2,))}), widths=number.uniform),)
    if number.single is not None:
        roots = {replace(one, offset=one.offset - number.offset) for one in number.roots}
        return (replace(number.single, roots=number.single.roots | roots),)
    return number.terms or (Term(),)


def _scaled(term: Term, widths: tuple[Factor, ...]) -> Term:
    product = _factors((*term.widths, *widths))
    where = term.position
    if where is not None and where.unit == "block" and LaunchSize("thread", where.axis) in product:
        rest = list(product)
        rest.remove(LaunchSize("thread", where.axis))
        return replace(term, position=Position(where.axis, "grid"), widths=tuple(rest))
    return replace(term, widths=product)


def _merged(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Each term once; the thread in its block belongs to that of the grid."""
    found = list(dict.fromkeys(terms))
    for one in [one for one in found if one.position is not None and one.position.unit == "grid"]:
        assert one.position is not None
        beside = replace(one, position=Position(one.position.axis, "thread"))
        found = [
            other for other in found if (other.position, other.widths) != (beside.position, beside.widths)
        ]
    return tuple(found) if len(found) <= _MOST_TERMS else (Term(),)


def _factors(factors: tuple[Factor, ...]) -> tuple[Factor, ...]:
    """The factors with one number at most, in one order."""
    number, parts = 1, 1
    sizes: list[Factor] = []
    for one in factors:
        if isinstance(one, int):
            number *= one
        elif isinstance(one, Share):
            parts *= one.parts
        else:
            sizes.append(one)
    if number % parts == 0:
        number, parts = number // parts, 1
    if parts != 1:
        sizes.append(Share(parts))
    sizes.sort(key=repr)
    kept = sizes[:_MOST_WIDTHS]
    return (*kept, number) if number != 1 or not kept else tuple(kept)


def _without(factors: tuple[Factor, ...], divisor: tuple[Factor, ...]) -> tuple[Factor, ...] | None:
    rest = list(factors)
    for one in divisor:
        if one not in rest:
            return None
        rest.remove(one)
    return tuple(rest) if divisor and rest else None


def _divided_root(root: Root, divisor: tuple[Factor, ...]) -> Root:
    return Root(root.variable, 0, (*root.divisor, *divisor))


def divided(bound: Bound, divisor: tuple[Factor, ...]) -> Bound:
    """The bound of a quotient: without a factor that the divisor is."""
    rest = _without(bound.of, divisor) if isinstance(bound.of, tuple) else None
    return bound if rest is None else Bound(rest)


def _largest_of(number: Number) -> tuple[Factor, ...]:
    """The sizes whose product bounds a variable, () where none does."""
    single = number.single
    bounds = single.bounds if single is not None else ()
    products = [one.of for one in bounds if isinstance(one.of, tuple)]
    return min(products, key=repr, default=())


def is_size(factor: object) -> bool:
    """Whether a factor is an extent or a scalar of the kernel."""
    return isinstance(factor, Extent | ScalarSize)


def wholes(factors: Iterable[Factor]) -> tuple[Factor, ...]:
    """The factors of the whole of which a product is a share."""
    return tuple(one for one in factors if not isinstance(one, Share))
