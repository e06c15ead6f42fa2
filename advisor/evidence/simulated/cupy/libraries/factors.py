"""Factors of matrices as LAPACK keeps them: LU with exchanges of rows, QR as reflections."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.evidence.simulated.cupy.device_arrays import Array


def lu_in_place(matrix: Array, pivoted: bool = True) -> tuple[Array, int]:
    """The rows, from 1, that were exchanged with each row, and the first column, from 1, without a pivot.

    The matrix becomes its factors: below the diagonal the left one, whose diagonal is 1, else the right one.
    """
    rows, columns = matrix.shape
    count = min(rows, columns)
    order = np.arange(1, count + 1, dtype=np.int32)
    state = 0
    for column in range(count):
        if pivoted:
            best = column + int(np.argmax(np.abs(matrix[column:, column])))
            order[column] = best + 1
            if best != column:
                matrix[[column, best]] = matrix[[best, column]]
        if matrix[column, column] == 0:
            state = state or column + 1
            continue
        matrix[column + 1 :, column] /= matrix[column, column]
        left, right = matrix[column + 1 :, column], matrix[column, column + 1 :]
        matrix[column + 1 :, column + 1 :] -= np.outer(left, right)
    return order, state


def product_of_factors(factors: Array, order: Array | None) -> Array:
    """The square matrix of which these are the factors."""
    size = len(factors)
    product = (np.tril(factors, -1) + np.eye(size, dtype=factors.dtype)) @ np.triu(factors)
    for row in reversed(range(size)) if order is not None else ():
        other = int(order[row]) - 1 if order is not None else row
        product[[row, other]] = product[[other, row]]
    return product


def inverse_of_factors(factors: Array, order: Array | None) -> Array:
    """The inverse of the matrix of which these are the factors."""
    size = len(factors)
    left = np.linalg.inv(np.tril(factors, -1) + np.eye(size, dtype=factors.dtype))
    inverse = np.linalg.inv(np.triu(factors)) @ left
    for row in reversed(range(size)) if order is not None else ():
        other = int(order[row]) - 1 if order is not None else row
        inverse[:, [row, other]] = inverse[:, [other, row]]
    return np.asarray(inverse)


def reflections(matrix: Array) -> tuple[Array, Array]:
    """The matrix with the right factor above its diagonal and reflections below, and their scales."""
    packed, scales = np.linalg.qr(matrix, mode="raw")
    return packed.T, scales


def left_factor(packed: Array, scales: Array, columns: int) -> Array:
    """So many columns of the left factor, of the first `len(scales)` reflections."""
    found = np.eye(packed.shape[0], columns, dtype=packed.dtype)
    return reflected(packed, scales, found, conjugated=False)


def reflected(packed: Array, scales: Array, matrix: Array, conjugated: bool) -> Array:
    """The left factor, or its conjugate transpose, times a matrix."""
    found = np.array(matrix)
    numbers: Any = range(len(scales))
    for number in numbers if conjugated else reversed(numbers):
        direction = np.array(packed[:, number])
        direction[:number] = 0
        direction[number] = 1
        scale = scales[number].conj() if conjugated else scales[number]
        found -= scale * np.outer(direction, direction.conj() @ found)
    return found
