"""Writes what recorded launches of public programs count, as the truth that made-up launches are set beside.

    python benchmarks/synthesis/record_true_launches.py FOLDER [--further later|latest|newest|sixth]

FOLDER holds one checkout for each repository, as OWNER+NAME, in which the programs of `data/programs.toml`,
or of a further set's list, were run by `advisor run`. The counts are read as `advisor check` reads
them: those of the launch that a kernel is judged by.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from programs import (
    FURTHER,
    HALVES,
    METRICS,
    TrueKernel,
    TrueLine,
    folder_name,
    half_of,
    programs,
    write_true_kernels,
)

from advisor.evidence.metrics.launch_weight import launch_weight
from advisor.evidence.simulated.launches.judged_launch import (
    Counted,
    counted_launches,
    judged_launch,
    weighed_launches,
)
from advisor.evidence.simulated.launches.readings.line_readings import line_readings
from advisor.evidence.simulated.launches.store import LaunchStore
from advisor.model.devices import Device, find_device

_DEVICE = "a100-80gb"
_Lanes = Mapping[tuple[str, int, str, str], float]


def main() -> int:
    """0 when every repository has launches."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--further", choices=FURTHER, help="a further set, not the two halves")
    options = parser.parse_args()
    device = find_device(_DEVICE)
    found: dict[str, list[TrueKernel]] = defaultdict(list)
    without = []
    for repository in dict.fromkeys(one.repository for one in programs(options.further)):
        kernels = _kernels(repository, options.folder / folder_name(repository), device)
        found[options.further or half_of(repository)] += kernels
        print(f"{repository}: {len(kernels)} kernels, {sum(len(one.lines) for one in kernels)} lines")
        if not kernels:
            without.append(repository)
    for which in (options.further,) if options.further else HALVES:
        write_true_kernels(which, found[which])
    return 1 if without else 0


def _kernels(repository: str, root: Path, device: Device) -> list[TrueKernel]:
    """The kernels of a repository's files that were launched, each with its judged launch."""
    store = LaunchStore(root)
    if not store.exists():
        return []
    paths = sorted({path for run in store.runs() for path in store.kernel_files(run.id)})
    found = []
    own = [one for one in paths if not one.startswith(("/", ".."))]
    for (path, name), rows in store.latest(own).items():
        counted = counted_launches([row for _, row in rows])
        if counted:
            judged = judged_launch(weighed_launches(counted, partial(launch_weight, device=device)))
            found.append(_kernel(repository, path, name, judged))
    store.close()
    return found


def _kernel(repository: str, path: str, name: str, judged: Counted) -> TrueKernel:
    row = judged.row
    arguments = [
        f"{one['name']}: {one.get('type')} {one.get('shape') or ''}".strip() for one in row.arguments
    ]
    lanes = _lanes(judged)
    lines = []
    for one in line_readings("", judged.statistics, (), lambda path, line: (path, line), ()):
        values = {key: float(value) for key in METRICS if (value := one.values.get(key)) is not None}
        if values and not one.path.startswith(("/", "..")):
            active = lanes.get((one.path, one.line, one.array, one.space))
            values = {key: round(value, 5) for key, value in values.items()}
            lines.append(
                TrueLine(one.entity, one.path, one.line, one.array, one.space, one.kind, values, active)
            )
    return TrueKernel(
        repository, path, name, row.line, tuple(row.grid), tuple(row.block), tuple(arguments), tuple(lines)
    )


def _lanes(judged: Counted) -> _Lanes:
    """The active lanes of a request, on average, by place."""
    sums: dict[tuple[str, int, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for one in judged.statistics.accesses:
        both = sums[one.path, one.line, one.array, one.space]
        both[0] += one.lanes
        both[1] += one.requests
    return {place: round(lanes / requests, 3) for place, (lanes, requests) in sums.items() if requests}


if __name__ == "__main__":
    sys.exit(main())
