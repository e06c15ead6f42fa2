"""What numbers sizes are."""

from __future__ import annotations

import operator

import pytest

from advisor.evidence.source.host.data_flow.grids.sizes import Computed, Known, Leaf, whole

N = Leaf("n", "n")


@pytest.mark.parametrize(
    ("function", "number", "size"),
    [
        (operator.lshift, 3, 64),
        (operator.lshift, 60, None),
        (operator.lshift, 1_000_003, None),
        (operator.floordiv, 2, 4),
        (operator.truediv, 16, None),
        (operator.sub, 8, None),
        (operator.floordiv, 0, None),
    ],
)
def test_a_number_of_blocks_or_threads(function: object, number: int, size: int | None) -> None:
    assert whole(Computed(function, (Known(8), N)), {N: number}) == size  # type: ignore[arg-type]
