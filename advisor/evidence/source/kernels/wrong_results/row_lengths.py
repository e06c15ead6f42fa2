"""Flat indices whose rows have the number of rows for their length: `i * height + j` where `j < width`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from advisor.evidence.source.kernel_walk.affine_forms import Form, atom, form
from advisor.evidence.source.kernel_walk.kernel_facts import Access, Condition, KernelFacts
from advisor.model.records import Record

_POSITION = ("tid.", "bid.")


def know_row_lengths(facts: KernelFacts, records: Sequence[Record]) -> None:
    """Say of each access, whose record stands at its place, which size its flat index takes for the length of
    a row although the conditions say that it is the number of rows, and which is the length of a row.
    """
    for access, record in zip(facts.accesses, records, strict=True):
        taken, length = _row_length(access) or ("", None)
        record.know("source", row_length_taken=taken, row_length=length)


def _row_length(access: Access) -> tuple[str, str] | None:
    if len(access.indices) != 1 or access.whole or access.array.space != "global":
        return None
    index = access.indices[0].form
    for size in sorted(index.atoms()):
        if not _is_size(size):
            continue
        row, column = _split(index, size)
        if not _follows_place(row) or not _follows_place(column):
            continue
        above_row = _sizes_above(row, access.place.conditions)
        above_column = _sizes_above(column, access.place.conditions)
        if above_row == {size} and len(above_column) == 1 and size not in above_column:
            return size, above_column.pop()
    return None


def _is_size(name: str) -> bool:
    """Whether an atom is a number that the kernel is given, or a size of an array."""
    return "#" not in name and not name.startswith((*_POSITION, "bdim.", "gdim."))


def _split(index: Form, size: str) -> tuple[Form, Form]:
    """The factor of a size in an index, and the rest of the index."""
    factor, rest = {}, {}
    for monomial, coefficient in index.terms:
        if monomial.count(size) == 1:
            factor[tuple(name for name in monomial if name != size)] = coefficient
        else:
            rest[monomial] = coefficient
    return form(factor), form(rest)


def _follows_place(part: Form) -> bool:
    """Whether a part of an index is a place that runs through rows or columns: the thread's, or a counter."""
    names = part.atoms()
    return (
        bool(names)
        and all(name.startswith((*_POSITION, "bdim.", "loop#")) for name in names)
        and any(name.startswith((*_POSITION, "loop#")) for name in names)
    )


def _sizes_above(part: Form, conditions: Iterable[Condition]) -> set[str]:
    """The sizes that conditions keep a part of an index below."""
    return {
        name
        for condition in conditions
        for bound in condition.bounds
        for name in bound.atoms()
        if _is_size(name) and _is_below(part, bound, name) and _is_plain(condition, name)
    }


def _is_below(part: Form, bound: Form, size: str) -> bool:
    """Whether a difference kept at 0 or below is that of a part of an index and a size, and a number."""
    return (bound - part + atom(size)).constant is not None


def _is_plain(condition: Condition, size: str) -> bool:
    """Whether a bound, of a loop at least, is a size of an array: another end may leave columns out."""
    return not isinstance(condition.node, ast.For) or ".shape[" in size
