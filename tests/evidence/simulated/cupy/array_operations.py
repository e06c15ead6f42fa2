"""Operations that CuPy and NumPy both have. As a program it computes each with both and says what differs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Operation: TypeAlias = "Callable[[Any, Any], Any]"

_made = np.random.default_rng(7)
VALUES = _made.random((40, 50), dtype=np.float32) + np.float32(0.1)
OTHERS = _made.random((40, 50), dtype=np.float32) + np.float32(0.1)
LONG = _made.random(1000)
WHOLE = _made.integers(-50, 50, 300).astype(np.int32)
SQUARE = np.eye(5) * 3 + 0.1 * _made.random((5, 5))


def _of_values(name: str) -> Operation:
    return lambda xp, given: getattr(xp, name)(given(VALUES))


def _of_two(name: str) -> Operation:
    return lambda xp, given: getattr(xp, name)(given(VALUES), given(OTHERS))


def _along(name: str) -> Operation:
    return lambda xp, given: getattr(xp, name)(given(VALUES), axis=1)


def _stored(xp: Any, given: Any) -> Any:
    found = given(VALUES).copy()
    found[::2] = 7
    found[:, 3] += 1
    found[found > 6] = 0
    return found


def _scattered(xp: Any, given: Any) -> Any:
    found = xp.zeros(60, np.float32)
    xp.add.at(found, given(np.abs(WHOLE)), given(np.float32(1)))
    return found


# What has one right result, to the last bit.
EXACT: dict[str, Operation] = {
    **{name: _of_values(name) for name in ("sqrt", "floor", "ceil", "rint", "sign", "square", "isnan")},
    **{name: _of_two(name) for name in ("add", "subtract", "multiply", "divide", "maximum", "greater")},
    **{name: _of_values(name) for name in ("max", "min", "argmax", "argmin", "any", "all", "count_nonzero")},
    **{f"{name} of rows": _along(name) for name in ("max", "argmax", "sort", "argsort")},
    "sort": lambda xp, given: xp.sort(given(LONG)),
    "argsort": lambda xp, given: xp.argsort(given(LONG)),
    "lexsort": lambda xp, given: xp.lexsort(xp.stack([given(WHOLE), given(WHOLE)[::-1]])),
    "unique": lambda xp, given: xp.unique(given(WHOLE)),
    "cumsum of whole numbers": lambda xp, given: xp.cumsum(given(WHOLE)),
    "sum of whole numbers": lambda xp, given: given(WHOLE).sum(),
    "where": lambda xp, given: xp.where(given(VALUES) > 0.5, given(VALUES), given(OTHERS)),
    "nonzero": lambda xp, given: xp.nonzero(given(WHOLE) > 0)[0],
    "mask": lambda xp, given: given(VALUES)[given(VALUES) > 0.5],
    "take": lambda xp, given: xp.take(given(LONG), given(np.abs(WHOLE))),
    "store": _stored,
    "scatter": _scattered,
    "histogram": lambda xp, given: xp.histogram(given(LONG), bins=16)[0],
    "bincount": lambda xp, given: xp.bincount(given(np.abs(WHOLE))),
    "searchsorted": lambda xp, given: xp.searchsorted(xp.sort(given(LONG)), given(LONG[:20])),
    "concatenate": lambda xp, given: xp.concatenate([given(VALUES), given(OTHERS)]),
    "transpose": lambda xp, given: xp.ascontiguousarray(given(VALUES).T),
    "roll": lambda xp, given: xp.roll(given(VALUES), 3, 1),
    "float16": lambda xp, given: given(VALUES.astype(np.float16)) * np.float16(2) + np.float16(1),
    "bits": lambda xp, given: (given(WHOLE) & 15) << 2,
    "median": lambda xp, given: xp.median(given(LONG)),
}
# What is rounded in another order, or by another library.
ROUNDED: dict[str, Operation] = {
    **{name: _of_values(name) for name in ("sin", "exp", "log", "tanh", "sum", "mean", "std", "var")},
    **{f"{name} of rows": _along(name) for name in ("sum", "mean", "cumsum")},
    "power": _of_two("power"),
    "cumsum": lambda xp, given: xp.cumsum(given(LONG)),
    "percentile": lambda xp, given: xp.percentile(given(LONG), [10, 50, 90]),
    "interp": lambda xp, given: xp.interp(
        given(LONG[:50]), given(np.arange(9.0)), given(np.arange(9.0) ** 2)
    ),
    "norm": lambda xp, given: xp.linalg.norm(given(VALUES)),
}


def main() -> None:
    """Print as JSON what differs, by operation: an empty text where nothing does."""
    import cupy

    chosen = {**EXACT, **ROUNDED}
    said = {name: _difference(name, operation, cupy) for name, operation in chosen.items()}
    json.dump(said, sys.stdout)


def _difference(name: str, operation: Operation, cupy: Any) -> str:
    wanted = np.asarray(operation(np, np.asarray))
    try:
        found = cupy.asnumpy(operation(cupy, cupy.asarray))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if found.shape != wanted.shape:
        return f"shape {found.shape} instead of {wanted.shape}"
    alike = np.array_equal(found, wanted) if name in EXACT else np.allclose(found, wanted, 2e-5, 1e-6)
    return "" if alike else f"{found.ravel()[:4]} instead of {wanted.ravel()[:4]}"


if __name__ == "__main__":
    main()
