"""Times launches that are looked at access by access, with races in global memory looked for and without.

    python benchmarks/simulator/followed_elements.py [--repeat N] [NAME…]

Both take turns, and the least of N runs counts. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]
warnings.simplefilter("ignore")


class _AlwaysClosely:
    """Looks at every launch access by access."""

    def wants(self, *_: Any) -> bool:
        """Whether the next launch is looked at."""
        return True

    def ran(self, *_: Any) -> None:
        """Note nothing."""


def main() -> None:
    """Print the table."""
    from simt_speed import _launches

    from advisor.evidence.simulated.driver import device_properties, install
    from advisor.evidence.simulated.launches.outcome import Outcome
    from advisor.evidence.simulated.launches.simt_executor import Limits, SimtExecutor
    from advisor.evidence.simulated.simt import machine
    from advisor.model.devices import find_device

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    device = find_device("A100")
    outcomes: list[Outcome] = []
    executor = SimtExecutor(device, outcomes.append, Limits(threads=1))
    executor._looks = _AlwaysClosely()  # type: ignore[assignment]
    install(executor, device_properties(device))
    ways: dict[str, Any] = {"with": machine.follow_elements, "without": lambda *_: []}
    print("| kernel | with, ms | without, ms | ratio |\n|---|---|---|---|")
    ratios = []
    for name, (full, _) in _launches():
        if given.names and name not in given.names:
            continue
        least = dict.fromkeys(ways, math.inf)
        for _ in range(given.repeat):
            for way, follow in ways.items():
                machine.follow_elements = follow
                outcomes.clear()
                full()
                least[way] = min(least[way], sum(one.seconds for one in outcomes))
        ratios.append(least["with"] / least["without"])
        print(
            f"| {name} | {least['with'] * 1e3:.1f} | {least['without'] * 1e3:.1f} | {ratios[-1]:.2f} |",
            flush=True,
        )
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\nGeometric mean of the ratios: {mean:.2f}.")


if __name__ == "__main__":
    main()
