"""How a function uses one parameter: as an array, an index, a complex number, a record."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Use:
    """What the code shows of one parameter; `dims` is 0 while nothing shows that it is an array.

    `integer` holds for a scalar, or for an array's elements, that must be integers (an index, a bound of
    `range`, an operand of a bit operation); `likely_integer` where elements are compared with thread indices
    or divided as integers are, `maybe_integer` where they are only counted up. `tested` holds where a value
    is tested or written as the result of a test, `tested_as_number` where it is compared with or written as
    0, 1 or 255, and `computed` where it is used in any other way. `fields` are those of records; the `dims`
    of a field count the indices before and after its name.
    """

    dims: int = 0
    integer: bool = False
    likely_integer: bool = False
    maybe_integer: bool = False
    complex: bool = False
    random_states: bool = False
    tuple_length: int = 0
    tested: bool = False
    tested_as_number: bool = False
    computed: bool = False
    fields: dict[str, Use] = field(default_factory=dict)

    @property
    def is_truth(self) -> bool:
        """Whether all that the code shows of it is a truth value."""
        return self.tested and not self.computed and not self.integer and not self.complex

    def part(self, name: str) -> Use:
        """The use of a field, of the parameter itself without a name."""
        return self.fields.setdefault(name, Use()) if name else self

    def see_dims(self, dims: int) -> None:
        """Note that the parameter has at least so many dimensions."""
        self.dims = max(self.dims, dims)

    def absorb(self, other: Use, consumed: int) -> None:
        """Note what a called function does with the value left after `consumed` dimensions were indexed."""
        if other.dims:
            self.see_dims(consumed + other.dims)
        self.integer |= other.integer
        self.likely_integer |= other.likely_integer
        self.maybe_integer |= other.maybe_integer
        self.complex |= other.complex
        self.tested |= other.tested
        self.tested_as_number |= other.tested_as_number
        self.computed |= other.computed
        if other.fields:
            self.see_dims(consumed)
        for name, inner in other.fields.items():
            self.part(name).absorb(inner, consumed)
        if not consumed:
            self.random_states |= other.random_states
            self.tuple_length = self.tuple_length or other.tuple_length


@dataclass(frozen=True, slots=True)
class View:
    """A parameter, or the part of it that is left after `consumed` dimensions were indexed; with a `field`
    what records hold under that name.
    """

    parameter: str
    consumed: int = 0
    field: str = ""
