"""Searches the best configuration of reference kernels, nothing cached, and times the trials.

    python benchmarks/commands/tune.py                        conv2d_first and matrix_multiply_improved
    python benchmarks/commands/tune.py kernels/FILE.py::KERNEL …

Prints a Markdown table. The trials counted and timed are those after the current configuration's.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from pathlib import Path

from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import load_config
from advisor.runs.tuning.numbers import tuning_numbers
from advisor.runs.tuning.search import TuningRequest, TuningResult, tune

_ROOT = Path(__file__).resolve().parents[2]
_USUAL = ("kernels/conv2d.py::conv2d_first", "kernels/matrix_multiply.py::matrix_multiply_improved")
_HEADER = (
    "kernel", "trials", "differ / failed", "s before", "s of trials", "trials/s", "current µs", "best µs",
    "ratio", "edit",
)  # fmt: skip


@dataclass
class Clock:
    """A listener to progress that notes when the first trial begins."""

    begun: float = field(default_factory=time.perf_counter)
    first: float | None = None

    def __call__(self, phase: str, done: int, total: int) -> None:
        del phase, done, total
        if self.first is None:
            self.first = time.perf_counter()


def searched(target: str, seconds: float, tolerance: float) -> tuple[TuningResult, float, float]:
    """The result of a search, the seconds before its first trial, and those of its trials."""
    path, _, kernel = target.partition("::")
    config = load_config(_ROOT)
    options = CheckOptions(
        device=config.device, root=_ROOT, evidence="source", no_run=True, settings=config, cache_folder=None
    )
    clock = Clock()
    result = tune(TuningRequest(_ROOT / path, kernel, options, seconds, tolerance), clock)
    end = time.perf_counter()
    first = clock.first or end
    return result, first - clock.begun, end - first


def row(target: str, result: TuningResult, before: float, took: float) -> str:
    """The result as a row of the table."""
    present, best = result.present, result.best
    pairs = zip(present.configuration.values, best.configuration.values, strict=True)
    changes = ", ".join(f"{name} {before} → {now}" for (name, before), (_, now) in pairs if before != now)
    trials = len(result.trials) - 1
    outcomes = [
        sum(trial.outcome == kind for trial in result.trials[1:]) for kind in ("results differ", "failed")
    ]
    cells = (
        f"`{target}`",
        f"{trials}{'' if result.complete else ' (cut short)'}",
        f"{outcomes[0]} / {outcomes[1]}",
        f"{before:.1f}",
        f"{took:.1f}",
        f"{trials / took:.2f}" if took else "",
        f"{1e3 * (present.predicted_ms or 0.0):.2f}",
        f"{1e3 * (best.predicted_ms or 0.0):.2f}",
        f"{(present.predicted_ms or 0.0) / (best.predicted_ms or 1.0):.2f}",
        changes or "nothing worth an edit",
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Times searches of the best configuration.")
    parser.add_argument("targets", nargs="*", default=_USUAL)
    parser.add_argument("--seconds", type=float, default=tuning_numbers().seconds)
    parser.add_argument("--tolerance", type=float, default=tuning_numbers().tolerance)
    args = parser.parse_args()
    print(f"| {' | '.join(_HEADER)} |")
    print("|---" * len(_HEADER) + "|")
    for target in args.targets:
        print(row(target, *searched(target, args.seconds, args.tolerance)), flush=True)


if __name__ == "__main__":
    main()
