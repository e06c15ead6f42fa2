"""Operations that CuPy leaves to NVIDIA's libraries, and NumPy's beside them; prints what differs as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Operation: TypeAlias = "Callable[[Any, Any], Any]"

_made = np.random.default_rng(3)
TALL = _made.random((6, 5))
SQUARE = np.eye(5) * 3 + 0.1 * _made.random((5, 5))
WHOLE = SQUARE + SQUARE.T
COMPLEX = SQUARE + 1j * _made.random((5, 5))
HERMITIAN = COMPLEX + COMPLEX.conj().T + 9 * np.eye(5)
BATCH = _made.random((4, 5, 5)) + 3 * np.eye(5)
VECTOR = _made.random(5)
ROWS = _made.random((8, 16))


def _again(parts: Any) -> Any:
    """The matrix of its singular values and vectors, which are not unique themselves."""
    left, values, right = parts
    return (left[:, : len(values)] * values) @ right[: len(values)]


def _from_eigen(parts: Any) -> Any:
    values, vectors = parts
    return (vectors * values) @ vectors.conj().T


def _product(parts: Any) -> Any:
    return parts[0] @ parts[1]


def _products(dtype: str) -> dict[str, Operation]:
    return {
        f"product {dtype}": lambda xp, given: given(TALL.astype(dtype)) @ given(TALL.T.astype(dtype)),
        f"products {dtype}": lambda xp, given: given(BATCH.astype(dtype)) @ given(BATCH.astype(dtype)),
        f"vector {dtype}": lambda xp, given: given(TALL.astype(dtype)) @ given(VECTOR.astype(dtype)),
        f"dot {dtype}": lambda xp, given: xp.dot(given(VECTOR.astype(dtype)), given(VECTOR.astype(dtype))),
    }


OPERATIONS: dict[str, Operation] = {
    **{name: one for dtype in "fdFDei" for name, one in _products(dtype).items()},
    "parts of rows": lambda xp, given: given(ROWS)[::2, ::2] @ given(ROWS)[::2, ::2].T,
    "outer": lambda xp, given: xp.outer(given(VECTOR), given(VECTOR)),
    "vdot": lambda xp, given: xp.vdot(given(COMPLEX[0]), given(COMPLEX[1])),
    "einsum": lambda xp, given: xp.einsum("bij,bjk,k->i", given(BATCH), given(BATCH), given(VECTOR)),
    "tensordot": lambda xp, given: xp.tensordot(given(BATCH), given(BATCH), ([0, 1], [0, 1])),
    "cov": lambda xp, given: xp.cov(given(TALL)),
    "solve": lambda xp, given: xp.linalg.solve(given(SQUARE), given(TALL.T[:, :3])),
    "solve batch": lambda xp, given: xp.linalg.solve(given(BATCH), given(BATCH[:, :, :2])),
    "inv": lambda xp, given: xp.linalg.inv(given(COMPLEX)),
    "inv batch": lambda xp, given: xp.linalg.inv(given(BATCH)),
    "det": lambda xp, given: xp.linalg.det(given(SQUARE)),
    "det batch": lambda xp, given: xp.linalg.det(given(BATCH)),
    "slogdet": lambda xp, given: xp.linalg.slogdet(given(SQUARE))[1],
    "cholesky": lambda xp, given: xp.linalg.cholesky(given(HERMITIAN)),
    "cholesky batch": lambda xp, given: xp.linalg.cholesky(given(np.stack([WHOLE, WHOLE + np.eye(5)]))),
    "eigvalsh": lambda xp, given: xp.linalg.eigvalsh(given(np.triu(WHOLE)), UPLO="U"),
    "eigvalsh batch": lambda xp, given: xp.linalg.eigvalsh(given(np.stack([WHOLE, 2 * WHOLE]))),
    "eigh": lambda xp, given: _from_eigen(xp.linalg.eigh(given(HERMITIAN))),
    "svd": lambda xp, given: _again(xp.linalg.svd(given(TALL), full_matrices=False)),
    "svd of all": lambda xp, given: _again(xp.linalg.svd(given(TALL.T))),
    "svd complex": lambda xp, given: _again(xp.linalg.svd(given(COMPLEX))),
    "qr": lambda xp, given: _product(xp.linalg.qr(given(TALL))),
    "qr complete": lambda xp, given: _product(xp.linalg.qr(given(COMPLEX), mode="complete")),
    "lstsq": lambda xp, given: xp.linalg.lstsq(given(TALL), given(np.arange(6.0)), rcond=None)[0],
    "pinv": lambda xp, given: xp.linalg.pinv(given(TALL)),
    "polyfit": lambda xp, given: xp.polyfit(given(np.arange(9.0)), given(np.arange(9.0) ** 2), 2),
    "fft": lambda xp, given: xp.fft.fft(given(ROWS)),
    "fft of fewer": lambda xp, given: xp.fft.fft(given(ROWS), n=12),
    "fft of columns": lambda xp, given: xp.fft.fft(given(ROWS), axis=0),
    "fft of float32": lambda xp, given: xp.fft.fft(given(ROWS.astype("f"))),
    "ifft": lambda xp, given: xp.fft.ifft(given(ROWS)),
    "fft2": lambda xp, given: xp.fft.fft2(given(ROWS)),
    "fftn of two axes": lambda xp, given: xp.fft.fftn(given(BATCH), axes=(0, 2)),
    "rfft": lambda xp, given: xp.fft.rfft(given(ROWS)),
    "irfft of odd length": lambda xp, given: xp.fft.irfft(xp.fft.rfft(given(ROWS)), n=15),
    "rfftn": lambda xp, given: xp.fft.rfftn(given(BATCH)),
    "irfftn": lambda xp, given: xp.fft.irfftn(xp.fft.rfftn(given(BATCH)), s=BATCH.shape, axes=(0, 1, 2)),
    "convolve": lambda xp, given: xp.convolve(given(ROWS[0]), given(VECTOR)),
}


def main() -> None:
    """Print what differs by operation: an empty text where nothing does."""
    import cupy

    json.dump({name: _difference(operation, cupy) for name, operation in OPERATIONS.items()}, sys.stdout)


def _difference(operation: Operation, cupy: Any) -> str:
    wanted = np.asarray(operation(np, np.asarray))
    try:
        found = cupy.asnumpy(operation(cupy, cupy.asarray))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if found.shape != wanted.shape:
        return f"shape {found.shape} instead of {wanted.shape}"
    near = {"f": 1e-5, "F": 1e-5, "e": 1e-2}.get(found.dtype.char, 1e-9)
    alike = np.allclose(found, wanted, near, near)
    return "" if alike else f"{found.ravel()[:4]} instead of {wanted.ravel()[:4]}"


if __name__ == "__main__":
    main()
