"""How a function uses one parameter: as an array, an index, a complex number, a record."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Use:
    """What the code shows of one parameter; `dims` is 0 while nothing shows that it is an array.

    `integer` holds for a scalar, or for an array's elements, that must be integers (an index, a bound of
    `range`, an operand of a bit operation); `likely_integer` where elements are compared with thread indices
    or divided as integers are, `maybe_integer` where they are only counted up. `record` names a field that is
    read.
    """

    dims: int = 0
    integer: bool = False
    likely_integer: bool = False
    maybe_integer: bool = False
    complex: bool = False
    random_states: bool = False
    tuple_length: int = 0
    record: str = ""

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
        self.record = self.record or other.record
        if not consumed:
            self.random_states |= other.random_states
            self.tuple_length = self.tuple_length or other.tuple_length


@dataclass(frozen=True, slots=True)
class View:
    """A parameter, or the part of it that is left after `consumed` dimensions were indexed."""

    parameter: str
    consumed: int = 0
