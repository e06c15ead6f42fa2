"""Layouts of records of which the code shows no more than the fields that it uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.program.effects.parameter_use import Use

# NumPy's codes of the likely types of fields; NumPy packs the fields of a record unless told otherwise.
_INTEGER, _FLOAT, _COMPLEX = (
    "<i4",
    {"float32": "<f4", "float64": "<f8"},
    {"float32": "<c8", "float64": "<c16"},
)
_IN_WORDS = {
    "<i4": "int32",
    "<f4": "float32",
    "<f8": "float64",
    "<c8": "complex64",
    "<c16": "complex128",
}
# The length of an axis of a field that is an array, in each layout.
_LENGTHS = (32, 48)
# A record has more fields than a kernel uses, as a rule; these names are none of a program's.
_FURTHER = (("further_1", "<f8", ()), ("further_2", "<i4", ()))

Field = tuple[str, str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """One layout that the uses of fields allow: records of `fields` in an array of `dims` axes, one record
    where that is 0.
    """

    fields: tuple[Field, ...]
    dims: int

    def element_type(self) -> str:
        """The Numba type of a record as text, `from_dtype([('x', '<f4')], False)`."""
        inner = ", ".join(f"({_field_text(field)})" for field in self.fields)
        return f"from_dtype([{inner}], False)"

    def in_words(self) -> str:
        """The fields with their types, as `x (float32), n (int32)`."""
        return ", ".join(
            f"{name} ({_IN_WORDS[code]}{f' times {lengths}' if lengths else ''})"
            for name, code, lengths in self.fields
        )


def record_layouts(use: Use, floats: str) -> tuple[RecordLayout, RecordLayout] | None:
    """The layout with the used fields alone by name, and one with them in another order behind others.

    What is the same in both hangs neither on the fields that are not seen nor on their order. None for fields
    that are records themselves. `floats` is the element of arrays of floats.
    """
    if any(inner.fields or inner.random_states for inner in use.fields.values()):
        return None
    dims = use.dims or max(inner.dims for inner in use.fields.values())
    fields = [(name, inner, max(0, inner.dims - dims)) for name, inner in sorted(use.fields.items())]
    alone, among = (
        tuple((name, _code(inner, floats), (length,) * axes) for name, inner, axes in fields)
        for length in _LENGTHS
    )
    return RecordLayout(alone, dims), RecordLayout((*_FURTHER, *_reversed(among)), dims)


def _reversed(fields: Sequence[Field]) -> tuple[Field, ...]:
    return tuple(reversed(fields))


def _code(use: Use, floats: str) -> str:
    if use.integer or use.likely_integer:
        return _INTEGER
    return (_COMPLEX if use.complex else _FLOAT)[floats]


def _field_text(field: Field) -> str:
    name, code, lengths = field
    return f"{name!r}, {code!r}" + (f", {lengths!r}" if lengths else "")
