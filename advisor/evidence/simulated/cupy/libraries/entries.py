"""The elements of a sparse matrix with their rows and columns, and what is computed with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from advisor.evidence.simulated.cupy.device_arrays import Array

# cusparse.h: cusparseOperation_t.
_CONJUGATED = 2


@dataclass(frozen=True)
class Entries:
    """Elements in any order; of one place there may be several, which are added."""

    sizes: tuple[int, ...]
    rows: Array
    columns: Array
    values: Array

    def turned(self, operation: int) -> Entries:
        """The matrix as it is, transposed, or conjugated and transposed."""
        if not operation:
            return self
        values = self.values.conj() if operation == _CONJUGATED else self.values
        return Entries(self.sizes[::-1], self.columns, self.rows, values)

    def scaled(self, by: Any) -> Entries:
        """The matrix times a number."""
        return replace(self, values=self.values * by)

    def dense(self) -> Array:
        """The matrix with all of its elements."""
        found = np.zeros(self.sizes, self.values.dtype)
        np.add.at(found, (self.rows, self.columns), self.values)
        return found

    def times(self, right: Array) -> Array:
        """The product with a dense vector or matrix."""
        found = np.zeros((self.sizes[0], *right.shape[1:]), np.result_type(self.values, right))
        values = self.values if right.ndim == 1 else self.values[:, None]
        np.add.at(found, self.rows, values * right[self.columns])
        return found

    def plus(self, other: Entries) -> Entries:
        """The sum, one element for each place that either has, ordered by rows and columns."""
        return Entries(
            self.sizes,
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.columns, other.columns]),
            np.concatenate([self.values, other.values]),
        ).joined()

    def joined(self) -> Entries:
        """One element for each place, ordered by rows and columns."""
        places = self.rows.astype(np.int64) * self.sizes[1] + self.columns
        kept, number = np.unique(places, return_inverse=True)
        values = np.zeros(len(kept), self.values.dtype)
        np.add.at(values, number.ravel(), self.values)
        return Entries(self.sizes, kept // self.sizes[1], kept % self.sizes[1], values)

    def product(self, other: Entries, by: Any) -> Entries:
        """The product with another sparse matrix, times a number; places that cancel out are kept."""
        order = np.argsort(other.rows, kind="stable")
        begins = offsets(other.rows[order], other.sizes[0])
        counts = np.diff(begins)[self.columns]
        left = np.repeat(np.arange(len(self.values)), counts)
        within = np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts)
        right = order[begins[self.columns[left]] + within]
        values = by * self.values[left] * other.values[right]
        sizes = self.sizes[0], other.sizes[1]
        return Entries(sizes, self.rows[left], other.columns[right], values).joined()


def offsets(lines: Array, count: int) -> Array:
    """Where each of so many lines begins, and the last ends, of the lines of ordered elements."""
    return np.concatenate([[0], np.cumsum(np.bincount(lines, minlength=count))]).astype(np.int64)


def places_of(begins: Array) -> Array:
    """The line of each element, of where each line begins and the last ends."""
    return np.repeat(np.arange(len(begins) - 1), np.diff(begins))
