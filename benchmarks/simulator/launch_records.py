"""How the time of reading a record of launches grows with their number.

    python benchmarks/simulator/launch_records.py [--launches 5000] [--different 250]

Two records of one kernel are written, one with four times the launches of the other and as many different
counts, and read in turn. The ratio of the least times is printed: about 4 where the time is linear.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from advisor.evidence.simulated.launches.judged_launch import counted_launches  # noqa: E402
from advisor.evidence.simulated.launches.store import LaunchRow, LaunchStore  # noqa: E402
from advisor.evidence.simulated.simt.counts import Statistics  # noqa: E402

_TIMES = 4
_ROUNDS = 3


def main() -> None:
    """Print the times and their ratio."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--launches", type=int, default=5000)
    parser.add_argument("--different", type=int, default=250)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sizes = (given.launches, given.launches * _TIMES)
        stores = [_record(Path(folder) / str(size), size, given.different) for size in sizes]
        times = [min(_seconds(store) for _ in range(_ROUNDS)) for store in stores]
        for store in stores:
            store.close()
    for size, seconds in zip(sizes, times, strict=True):
        print(f"{size:,} launches: {seconds:.3f} s")
    print(f"{_TIMES} times the launches: {times[1] / times[0]:.2f} times the time")


def _record(root: Path, launches: int, different: int) -> LaunchStore:
    """A record of so many launches of one kernel."""
    root.mkdir()
    store = LaunchStore(root)
    run = store.begin_run("main.py", "a100-80gb", "simt")
    rows = [_row(number, number % different) for number in range(launches)]
    counts = [store.add_counts(row) for row in rows[:different]]
    store.add(run, [(row, counts[row.number % different]) for row in rows])
    return store


def _row(number: int, kind: int) -> LaunchRow:
    counted = Statistics((64, 1, 1), (256, 1, 1), 64, 64, 4, True, warps=512, warp_instructions=kind + 1)
    arguments = [{"name": "a", "type": "array(float32, 1d, C)", "dtype": "float32", "shape": [16384]}]
    return LaunchRow(
        number, "k", "main.py", 1, "0123456789abcdef", "main.py", 9, (64, 1, 1), (256, 1, 1), 0, arguments,
        0, 0.0, 0.0, statistics=counted.as_data(),
    )  # fmt: skip


def _seconds(store: LaunchStore) -> float:
    """The seconds in which the different launches of the record are found."""
    begun = time.perf_counter()
    for rows in store.latest(["main.py"]).values():
        counted_launches([row for _, row in rows])
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
