"""Times a program of many launches: counts of each launch, beside one set of counts for each shape.

    python benchmarks/simulator/many_launches.py [--launches N] [--repeat N]

The former way looked access by access at the first launch of a shape and kept its counts for all others. Both
run in turn in processes of their own, on launches that are all equal and on ones that all differ in a scalar,
of 4 and of 256 blocks. Prints a Markdown table of processor time for a launch and bytes of the record, with
ratios.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
warnings.simplefilter("ignore")
PROGRAMS = [(blocks, kind) for blocks in (4, 256) for kind in ("equal", "different")]


def main() -> None:
    """Print the table, or with --part what one process measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--launches", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--part", nargs=3, metavar=("WAY", "BLOCKS", "KIND"), help="run one program")
    given = parser.parse_args()
    if given.part:
        way, blocks, kind = given.part
        print(*_part(way, int(blocks), kind, given.launches))
        return
    print("| program | former, µs | now, µs | ratio | former, bytes | now, bytes |")
    print("|---|---|---|---|---|---|")
    for blocks, kind in PROGRAMS:
        found: dict[str, list[tuple[float, int]]] = {"former": [], "now": []}
        for _ in range(given.repeat):
            for way, results in found.items():
                results.append(_measured(way, blocks, kind, given.launches))
        before, after = (statistics.median(one[0] for one in found[way]) for way in ("former", "now"))
        sizes = [f"{found[way][0][1]:,}" for way in ("former", "now")]
        times = f"{before * 1e6:,.0f} | {after * 1e6:,.0f} | {after / before:.2f}"
        print(f"| {given.launches:,} {kind} launches, {blocks} blocks | {times} | {' | '.join(sizes)} |")


def _measured(way: str, blocks: int, kind: str, launches: int) -> tuple[float, int]:
    command = [sys.executable, __file__, "--launches", str(launches), "--part", way, str(blocks), kind]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(said[0]), int(said[1])


def _part(way: str, blocks: int, kind: str, launches: int) -> tuple[float, int]:
    """Seconds of processor time for a launch, and the size of the record in bytes."""
    import numpy as np
    from numba import cuda

    from advisor.evidence.simulated.driver.device_properties import device_properties
    from advisor.evidence.simulated.driver.install import install
    from advisor.evidence.simulated.launches import simt_executor
    from advisor.evidence.simulated.launches.recording import recorder as recording
    from advisor.evidence.simulated.launches.store import LaunchStore
    from advisor.model.devices import find_device

    if way == "former":
        simt_executor.CloseLooks = _FirstOfEachShape  # type: ignore[misc,assignment]
        recording.KeptCounts = _OnceForEachShape  # type: ignore[misc,assignment]
    with tempfile.TemporaryDirectory() as folder:
        store = LaunchStore(Path(folder))
        recorder = recording.Recorder(store, store.begin_run("many", "a100-80gb", "simt"))
        device = find_device("a100-80gb")
        limits = simt_executor.Limits(threads=1)
        install(simt_executor.SimtExecutor(device, recorder, limits), device_properties(device))

        @cuda.jit
        def gathered(a, o, s):
            i = cuda.grid(1)
            if i < o.size:
                o[i] = a[(i * (s & 31)) & 32767] * s

        a = cuda.to_device(np.arange(1 << 15, dtype=np.float32))
        o = cuda.to_device(np.zeros(256 * blocks, np.float32))
        gathered[1, 32](a, o, 1)
        begin = time.process_time()
        for number in range(launches):
            gathered[blocks, 256](a, o, number if kind == "different" else 1)
        recorder.close()
        seconds = time.process_time() - begin
        store.close()
        return seconds / launches, store.file.stat().st_size


class _FirstOfEachShape:
    def __init__(self) -> None:
        self._seen: set[object] = set()

    def wants(self, shape: object, scalars: bytes) -> bool:
        del scalars
        return shape not in self._seen

    def ran(self, shape: object, scalars: bytes, counted: object) -> None:
        del scalars, counted
        self._seen.add(shape)


class _OnceForEachShape:
    def __init__(self, store: object) -> None:
        self._store = store
        self._numbers: dict[object, int] = {}

    def number(self, row, outcome, complete):  # type: ignore[no-untyped-def]
        complete(row, outcome)  # the rows of all launches had their counts, of which most were not kept
        key = (row.kernel, row.path, row.line, row.grid, row.block, str(row.arguments), bool(outcome.defects))
        if key not in self._numbers:
            self._numbers[key] = self._store.add_counts(complete(row, outcome))  # type: ignore[attr-defined]
        return self._numbers[key]


if __name__ == "__main__":
    main()
