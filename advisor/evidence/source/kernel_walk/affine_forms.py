"""Affine forms: integer polynomials over thread indices, loop counters and unknown but fixed symbols."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import takewhile
from typing import TypeAlias

Monomial: TypeAlias = tuple[str, ...]

THREAD = ("tid.x", "tid.y", "tid.z")
_THREADS = frozenset(THREAD)
_MAX_TERMS = 24
_MAX_DEGREE = 24


@dataclass(frozen=True, slots=True)
class Atom:
    """What an atom of a form depends on: thread and block indices and loops; `loaded` when from memory.

    `stem` is the number that a remainder was taken of: within one period the atom advances as that does.
    `made_of` is the only number that it was computed from beside constants. `many_to_one` says that threads
    with different data may well have the same value, as a quotient without its rest, and `truncated` that it
    is a fraction rounded toward zero. `quotient` is the division that it is the result of.
    """

    name: str
    depends: frozenset[str] = frozenset()
    loaded: bool = False
    stem: Form | None = None
    made_of: Form | None = None
    many_to_one: bool = False
    truncated: bool = False
    quotient: Quotient | None = None


@dataclass(frozen=True, slots=True)
class Quotient:
    """A division of two forms, its result rounded `up`, or down, or not at all."""

    dividend: Form
    divisor: Form
    up: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """A polynomial: coefficients by monomial (sorted atom names; the empty monomial is the constant)."""

    terms: tuple[tuple[Monomial, int], ...]

    @property
    def constant(self) -> int | None:
        """The value when the form is a plain number, else None."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and self.terms[0][0] == ():
            return self.terms[0][1]
        return None

    @property
    def offset(self) -> int:
        """The constant term."""
        return dict(self.terms).get((), 0)

    def atoms(self) -> set[str]:
        """The names of all atoms."""
        return {name for monomial, _ in self.terms for name in monomial}

    def without_offset(self) -> Form:
        """The same form with the constant term removed."""
        return Form(tuple(term for term in self.terms if term[0]))

    def __add__(self, other: Form) -> Form:
        terms = dict(self.terms)
        for monomial, coefficient in other.terms:
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return form(terms)

    def __neg__(self) -> Form:
        return Form(tuple((monomial, -coefficient) for monomial, coefficient in self.terms))

    def __sub__(self, other: Form) -> Form:
        return self + -other

    def __mul__(self, other: Form) -> Form:
        terms: dict[Monomial, int] = {}
        for left, a in self.terms:
            for right, b in other.terms:
                monomial = tuple(sorted(left + right))
                terms[monomial] = terms.get(monomial, 0) + a * b
        return form(terms)

    @property
    def too_large(self) -> bool:
        """Whether the form has grown beyond what is worth carrying."""
        terms = self.terms
        return len(terms) > _MAX_TERMS or any(len(monomial) > _MAX_DEGREE for monomial, _ in terms)

    def evaluate(self, value_of: Callable[[str], int]) -> int:
        """The number that results when each atom takes the given value."""
        total = 0
        for monomial, coefficient in self.terms:
            product = coefficient
            for name in monomial:
                product *= value_of(name)
            total += product
        return total


def form(terms: dict[Monomial, int]) -> Form:
    """The canonical form of the given terms."""
    return Form(tuple(sorted((monomial, c) for monomial, c in terms.items() if c)))


@lru_cache(1024)
def number(value: int) -> Form:
    """The form of a constant."""
    return Form((((), value),)) if value else Form(())


def polynomial(operator: ast.operator, left: Form, right: Form) -> Form | None:
    """The form of a sum, difference or product, None for any other operation."""
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    return left * right if isinstance(operator, ast.Mult) else None


_NOTHING: frozenset[str] = frozenset()


def atom(name: str) -> Form:
    """The form of one atom."""
    return Form((((name,), 1),))


@lru_cache(3)
def position_along(axis: str) -> Form:
    """The form of the thread's position in the grid along an axis, x, y or z."""
    return form({(f"tid.{axis}",): 1, (f"bdim.{axis}", f"bid.{axis}"): 1})


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The forms that a test keeps at 0 or below where it holds, and where it does not.

    Where one of its parts is enough to hold, or to fail, `one_holds` and `one_fails` are what each part keeps
    there on its own.
    """

    holds: frozenset[Form] = frozenset()
    fails: frozenset[Form] = frozenset()
    one_holds: tuple[frozenset[Form], ...] = ()
    one_fails: tuple[frozenset[Form], ...] = ()

    def negated(self) -> Outcomes:
        """Return the outcomes of the opposite test."""
        return Outcomes(self.fails, self.holds, self.one_fails, self.one_holds)


@dataclass
class Atoms:
    """The atoms of one kernel: thread indices stand for themselves, others say what they depend on."""

    known: dict[str, Atom] = field(default_factory=dict)
    # What truth values bound, by their atoms.
    outcomes: dict[str, Outcomes] = field(default_factory=dict)
    _count: int = 0
    _depends: dict[Form, frozenset[str]] = field(default_factory=dict)

    def symbol(self, name: str) -> Form:
        """The form of a value that is the same for all threads (a scalar parameter, a size)."""
        self.known.setdefault(name, Atom(name))
        return atom(name)

    def opaque(
        self, depends: Iterable[str], loaded: bool = False, kind: str = "value", many_to_one: bool = False
    ) -> Form:
        """The form of a value about which only its dependences are known."""
        self._count += 1
        name = f"{kind}#{self._count}"
        self.known[name] = Atom(name, frozenset(depends), loaded, many_to_one=many_to_one)
        return atom(name)

    def many_to_one(self, value: Form) -> bool:
        """Whether all of `value` that differs from thread to thread is many-to-one, and some of it is."""
        found = False
        for name in value.atoms():
            known = self.known.get(name)
            if known is not None and known.many_to_one:
                found = True
            elif not _THREADS.isdisjoint((name,) if known is None else known.depends):
                return False
        return found

    def remainder(self, value: Form, stem: Form) -> None:
        """Note of an opaque value that it is a remainder of `stem`."""
        name = next(iter(value.atoms()))
        self.known[name] = replace(self.known[name], stem=stem)

    def truncate(self, value: Form) -> None:
        """Note of an opaque value that it is a fraction rounded toward zero."""
        name = next(iter(value.atoms()))
        self.known[name] = replace(self.known[name], truncated=True)

    def is_truncated(self, value: Form) -> bool:
        """Whether a value is a fraction rounded toward zero."""
        return any(known.truncated for name in value.atoms() if (known := self.known.get(name)))

    def computed(self, value: Form, made_of: Form) -> None:
        """Note of an opaque value that it was computed from constants and `made_of` alone."""
        name = next(iter(value.atoms()))
        self.known[name] = replace(self.known[name], made_of=made_of)

    def divides(self, value: Form, quotient: Quotient) -> None:
        """Note of an opaque value that it is the result of a division."""
        name = next(iter(value.atoms()))
        self.known[name] = replace(self.known[name], quotient=quotient)

    def quotient(self, value: Form) -> Quotient | None:
        """The division that a value is the result of, None for any other value."""
        names = value.atoms()
        known = self.known.get(next(iter(names))) if len(names) == 1 else None
        return known.quotient if known is not None and value == atom(known.name) else None

    def roots(self, value: Form) -> set[str]:
        """The names of the atoms that a value was computed from, as far as that is known."""
        found: set[str] = set()
        for name in value.atoms():
            known = self.known.get(name)
            made_of = known.made_of if known is not None else None
            found |= {name} if made_of is None else self.roots(made_of)
        return found

    def direct(self, value: Form) -> set[str]:
        """The thread and block indices that a value advances with, those of remainders included."""
        found: set[str] = set()
        for name in value.atoms():
            known = self.known.get(name)
            if known is None:
                found.add(name)
            elif known.stem is not None:
                found |= self.direct(known.stem)
        return found

    def loop(self, depends: Iterable[str] = ()) -> str:
        """The name of a new loop counter."""
        self._count += 1
        name = f"loop#{self._count}"
        self.known[name] = Atom(name, frozenset({name, *depends}))
        return name

    def is_older(self, value: Form, counter: str) -> bool:
        """Whether a value was known before a loop with its counter began, so that it stays in the loop."""
        older = frozenset(takewhile(lambda name: name != counter, self.known))
        return all("#" not in name or name in older for name in value.atoms())

    def depends(self, value: Form) -> frozenset[str]:
        """Thread indices, block indices and loops that `value` depends on."""
        terms = value.terms
        if not terms:
            return _NOTHING
        if len(terms) == 1 and len(terms[0][0]) == 1:
            single = self.known.get(terms[0][0][0])
            if single is not None:
                return single.depends
        known = self._depends.get(value)
        if known is None:
            known = self._depends[value] = self._dependences(value)
        return known

    def _dependences(self, value: Form) -> frozenset[str]:
        found: set[str] = set()
        for name in value.atoms():
            known = self.known.get(name)
            if known is None:
                found.add(name)
            else:
                found |= known.depends
        return frozenset(found)

    def loaded(self, value: Form) -> bool:
        """Whether part of `value` was read from memory."""
        terms = value.terms
        if len(terms) == 1 and len(terms[0][0]) == 1:
            single = self.known.get(terms[0][0][0])
            return single is not None and single.loaded
        return any(known.loaded for name in value.atoms() if (known := self.known.get(name)))

    def is_opaque(self, name: str) -> bool:
        """Whether the atom's value is unknown (neither a thread index nor a loop counter nor a symbol)."""
        return "#" in name and not name.startswith("loop#")
