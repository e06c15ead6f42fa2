"""The two long-lived processes of the soak beside the editor's server: a cluster's command, and a recorder.

    python benchmarks/editor/soak_parts.py cluster|history FOLDER

Each reads a number a line from standard input, does its work for it in the project FOLDER, and prints a line
when that is done.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT / "benchmarks" / "history"))

from commands import full_fingerprint  # noqa: E402

from advisor.check.pipeline import Check  # noqa: E402
from advisor.model.history.fingerprint import Fingerprint, RunFacts  # noqa: E402
from advisor.model.history.identity import functions  # noqa: E402
from advisor.model.history.store import HistoryStore  # noqa: E402
from advisor.model.settings.check_options import CheckOptions  # noqa: E402
from advisor.model.settings.config import load_config  # noqa: E402
from advisor.runs.fleet.opening import opened  # noqa: E402

_CHANGING = """\
from numba import cuda


@cuda.jit
def changing(a, b):
    i = cuda.grid(1)
    if i < a.size:
        b[i] = a[i] * {number} + a[i] ** 0.5
"""
_KERNELS = 12


def cluster(folder: Path) -> None:
    """One cluster of two workers, asked again and again by one command: each time a kernel is another one."""
    file = folder / "changing.py"
    with opened("local:2") as executor:

        def check(number: int) -> str:
            file.write_text(_CHANGING.format(number=number + 2), encoding="utf-8")
            settings = replace(load_config(folder), synthesis_seconds=120.0)
            options = CheckOptions(
                "a100-80gb", folder, "simulated", synthesis=True, settings=settings, executor=executor, jobs=2
            )
            report = Check([file], options).run().report
            if not report.findings or report.problems:
                raise SystemExit(f"the cluster's check found {report.findings} and {report.problems}")
            return f"{len(report.findings)} findings"

        _serve(check)


def history(folder: Path) -> None:
    """A recorder that keeps its history open: each time a run of twelve kernels, and questions about it."""
    text = (folder / "matrix_multiply.py").read_text("utf-8")
    definition = functions(text)[0]
    chance = random.Random(1)
    store = HistoryStore(folder)

    def one(at: int) -> Fingerprint:
        return full_fingerprint(at, "matrix_multiply.py", definition._replace(name=f"k{at}"), chance)

    def record(number: int) -> str:
        facts = RunFacts("profile", f"soak {number}", "soak", time.time(), "a100-80gb", "NVIDIA A100 80GB")
        run = store.begin(facts)
        for at in range(_KERNELS):
            store.add(run, one(at))
        store.end(run)
        latest = store.latest()
        kept = store.run(run)
        if len(kept.fingerprints) != _KERNELS or not latest or len(store.times("k3", most=100)) > 100:
            raise SystemExit(f"run {run} was not kept as it was recorded")
        return f"run {run}"

    _serve(record)
    store.close()


def _serve(work: Callable[[int], str]) -> None:
    for line in sys.stdin:
        said = work(int(line))
        # What waits for the collector would look like growth.
        gc.collect()
        print(said, flush=True)


def main() -> None:
    """Be the part that is named until standard input ends."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("part", choices=["cluster", "history"])
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    (cluster if given.part == "cluster" else history)(given.folder)


if __name__ == "__main__":
    main()
