"""What a workload declares, so that tests, benchmarks and other tools can find and run it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Sizes = Mapping[str, int]
Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Workload:
    """One computation in two versions that give the same result.

    `full` holds the sizes to measure at, `reduced` those small enough for a simulator, chosen so that
    the last block is only partly used. `first` and `improved` are the kernels; `run_first` and
    `run_improved` copy the inputs to the device, launch and copy the named outputs back. `reference`
    computes the same outputs with NumPy in float64. `tolerance` is the largest accepted deviation from
    the reference, relative to the largest magnitude in it.
    """

    name: str
    full: Sizes
    reduced: Sizes
    build_inputs: Callable[[Sizes], Arrays]
    first: Any
    improved: Any
    run_first: Callable[[Arrays], Arrays]
    run_improved: Callable[[Arrays], Arrays]
    reference: Callable[[Arrays], Arrays]
    tolerance: float

    def make_inputs(self, scale: str = "full") -> Arrays:
        """The seeded input arrays by name, at the scale "full" or "reduced"; raises ValueError on others."""
        sizes = {"full": self.full, "reduced": self.reduced}.get(scale)
        if sizes is None:
            raise ValueError(f'The scale is "full" or "reduced", not "{scale}".')
        return self.build_inputs(sizes)
