"""Record types of the workspace that have the fields which a kernel uses of a parameter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from advisor.program.effects.parameter_use import Use
from advisor.program.resolution.record_types import DeclaredRecord


@dataclass(frozen=True, slots=True)
class DeclaredLayout:
    """The Numba type of a parameter's records in an array of `dims` axes, one record where that is 0; `other`
    is a second one, the same where the workspace declares only one with these fields.
    """

    record: str
    other: str
    dims: int
    said: str

    def in_words(self, parameter: str) -> str:
        """The type as an assumption."""
        subject = f"{'Array parameter' if self.dims else 'Parameter'} {parameter}"
        return f"{subject} is taken to hold records of {self.said}."


def declared_layout(use: Use, records: Iterable[DeclaredRecord]) -> DeclaredLayout | None:
    """The layout that declared record types give what has these fields; None where none of them has all."""
    found: dict[str, tuple[DeclaredRecord, int]] = {}
    for one in records:
        dims = _dims(use, one.dtype)
        if dims is not None:
            found.setdefault(one.numba_type, (one, dims))
    if not found:
        return None
    (first, dims), *others = found.values()
    if not others:
        return DeclaredLayout(first.numba_type, first.numba_type, dims, first.in_words())
    second = others[0][0]
    said = f"{first.in_words()}; what is otherwise with those of {second.in_words()} is left out"
    return DeclaredLayout(first.numba_type, second.numba_type, dims, said)


def _dims(use: Use, dtype: np.dtype[np.void]) -> int | None:
    """The axes of an array of such records, None where these have not the fields that are used."""
    own = {name: field[0] for name, field in (dtype.fields or {}).items()}
    if not use.fields or not use.fields.keys() <= own.keys():
        return None
    dims = use.dims or max(inner.dims - own[name].ndim for name, inner in use.fields.items())
    fits = all(_fits(inner, own[name], max(dims, 0)) for name, inner in use.fields.items())
    return max(dims, 0) if fits else None


def _fits(use: Use, dtype: np.dtype[np.generic], around: int) -> bool:
    """Whether a field below so many axes can be used as it is: with no more indices than it has axes, as a
    record if it is one, as an integer if it is one.
    """
    if use.random_states or use.dims > around + dtype.ndim:
        return False
    base = dtype.base
    if bool(use.fields) != bool(base.names):
        return False
    if base.names:
        inner = {name: field[0] for name, field in (base.fields or {}).items()}
        below = around + dtype.ndim
        return use.fields.keys() <= inner.keys() and all(
            _fits(one, inner[name], below) for name, one in use.fields.items()
        )
    return not (use.integer and base.kind not in "biu")
