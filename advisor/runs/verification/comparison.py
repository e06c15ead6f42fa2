"""Outputs before and after: equal bit by bit, equal within a tolerance, or different, and where."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Agreement: TypeAlias = Literal["equal", "within tolerance", "different", "not comparable"]


@dataclass(frozen=True)
class Comparison:
    """How outputs agree; `largest` is the largest difference relative to its array's largest magnitude, and
    `detail` says in words what decided.
    """

    agreement: Agreement
    arrays: int = 0
    largest: float = 0.0
    detail: str = ""


def compare(
    before: Mapping[str, npt.NDArray[Any]],
    after: Mapping[str, npt.NDArray[Any]],
    tolerance: Mapping[str, float],
    launched_otherwise: Collection[str] = (),
) -> Comparison:
    """The comparison of outputs by name. `tolerance` is by dtype; types without one must be equal.

    What a workload returns is compared where it returns something on both sides; else the arrays that the
    launches of each kernel wrote. Arrays that only one side wrote are different, but for those of kernels
    that are `launched_otherwise`: another number of times, which leaves nothing to set side by side.
    """
    returned = [name for name in before if name.startswith("result")]
    if returned:
        before = {name: before[name] for name in returned}
        after = {name: value for name, value in after.items() if name.startswith("result")}
    if not before and not after:
        return Comparison("not comparable", detail="nothing that could be compared was written")
    if set(before) != set(after):
        return _one_sided(before, after, launched_otherwise)
    largest, exact = 0.0, True
    for name, one in before.items():
        difference = _difference(one, after[name], tolerance)
        if isinstance(difference, str):
            return Comparison("different", len(before), detail=f"{_said(name)}: {difference}")
        exact = exact and difference == 0.0
        largest = max(largest, difference)
    return Comparison("equal" if exact else "within tolerance", len(before), largest)


def _one_sided(
    before: Mapping[str, object], after: Mapping[str, object], launched_otherwise: Collection[str]
) -> Comparison:
    """The comparison where some arrays were written on one side only."""
    missing = sorted(set(before) ^ set(after))
    changed = sorted({name.partition(":")[0] for name in missing} & set(launched_otherwise))
    if changed:
        detail = (
            f"{changed[0]} is launched another number of times, so that what its launches wrote cannot be "
            "set side by side; what a workload returns can be compared"
        )
        return Comparison("not comparable", len(before), detail=detail)
    side = "before" if missing[0] in before else "after"
    detail = f"only {side} the change {_said(missing[0])} was written"
    return Comparison("different", len(before), detail=detail)


def _said(name: str) -> str:
    """An output's name in words."""
    kernel, _, rest = name.partition(":")
    number, _, parameter = rest.partition(":")
    if not parameter:
        return f"`{name}`"
    return f"`{parameter}` of {kernel}" + (f" in launch {number}" if number != "1" else "")


def _difference(
    one: npt.NDArray[Any], other: npt.NDArray[Any], tolerance: Mapping[str, float]
) -> float | str:
    """The largest relative difference, or in words why the arrays are different. NaN equals NaN."""
    if one.shape != other.shape:
        return f"shape {one.shape} became {other.shape}"
    if one.tobytes() == other.tobytes() and one.dtype == other.dtype:
        return 0.0
    allowed = tolerance.get(one.dtype.name)
    if allowed is None or one.dtype.kind not in "fc" or other.dtype.kind not in "fc":
        return _first_difference(one, other)
    with np.errstate(all="ignore"):
        same = (one == other) | (np.isnan(one) & np.isnan(other))
        distance = np.where(same, 0.0, np.abs(one.astype(np.complex128) - other.astype(np.complex128)))
        finite = np.abs(one[np.isfinite(one)])
    scale = float(finite.max()) if finite.size else 0.0
    largest = float(np.max(distance)) if distance.size else 0.0
    if not np.isfinite(largest) or largest > allowed * scale:
        return _first_difference(one, other, distance)
    return largest / scale if scale else 0.0


def _first_difference(
    one: npt.NDArray[Any], other: npt.NDArray[Any], distance: npt.NDArray[Any] | None = None
) -> str:
    if distance is None:
        distance = (one != other).astype(np.float64)
    at = np.unravel_index(int(np.argmax(np.where(np.isnan(distance), np.inf, distance))), one.shape)
    place = ", ".join(str(int(index)) for index in at)
    count = int(np.count_nonzero(distance))
    elements = f"{count:,} of {one.size:,} elements differ"
    return f"{elements}, most at [{place}]: {one[at]} before, {other[at]} after"
