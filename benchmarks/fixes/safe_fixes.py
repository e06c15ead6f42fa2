"""What safe fixes do to the results of generated programs, and how often each is applied.

    python benchmarks/fixes/safe_fixes.py [--programs 2000] [--first 1000]

Programs are those of `tests/fixes/generated/generated_programs.py`, from a seed on. Each is run on the
simulated GPU before and after its safe fixes; what it prints and the arrays that it leaves are compared. A
program that does something else then is shown. The exit status is 1 where there was one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/fixes"), str(ROOT / "tests/fixes/generated")]

from generated_programs import program  # noqa: E402
from safe_fixes import SAFE, Losses  # noqa: E402
from simulated_runs import SimulatedRuns  # noqa: E402

_BATCH = 25


def main() -> int:
    """1 where a program did something else after its fixes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--first", type=int, default=1000, help="the first seed")
    given = parser.parse_args()
    lost, begun = 0, time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        runs = SimulatedRuns(Path(name))
        losses = Losses(Path(name), runs)
        last = given.first + given.programs
        for begin in range(given.first, last, _BATCH):
            for text in losses.of([program(seed) for seed in range(begin, min(begin + _BATCH, last))]):
                lost += 1
                print(f"--- of the programs from {begin} on\n{text}", flush=True)
        runs.close()
    print(f"{given.programs} programs, {lost} with a loss, {time.monotonic() - begun:.0f} s")
    for fix in SAFE:
        print(f"{fix.id}: {losses.edits[fix.id]} times in {losses.programs[fix.id]} programs")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
