"""The kernels of the measurements that were added later, while the time model stayed as it was.

`LATER_WORKLOADS` is as `WORKLOADS` of published_kernels.py.
"""

from __future__ import annotations

from collections.abc import Callable

import later_arithmetic as arithmetic
import later_streams as streams
import later_tiles as tiles
from published_kernels import Launched

LATER_WORKLOADS: dict[str, Callable[[], dict[str, Launched]]] = {
    one.__name__: one
    for one in (
        streams.occupancy_sweep, streams.block_sizes_of_adds, streams.block_sizes_of_column_sums,
        streams.rows_of_a_thread, streams.pointer_chase_v100, streams.pointer_chase_l40,
        streams.constant_memory, arithmetic.arithmetic_by_type, arithmetic.few_warps,
        arithmetic.constants_of_float64, tiles.transposes_of_8192, tiles.coarsened_transposes,
        tiles.transposes_of_2048, tiles.histograms, tiles.vector_kernels, tiles.convolutions,
    )
}  # fmt: skip
