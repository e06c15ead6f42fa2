"""What it costs to ask the time model for the gains of findings, and how many findings have one.

    python benchmarks/synthesis/asked_gains.py FILE...

Each file is checked by itself, with launches made up and for two devices, as without `--device`. Told are the
processor time of the check, its workers' with it, and the part of it in `Check.weigh`; of the findings about
speed those whose gain is predicted, those that keep their rule's estimate, and those that became louder or
quieter.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

from advisor.check.pipeline import Check
from advisor.model.findings import REMARK, WARNING, Finding
from advisor.model.settings.check_options import CheckOptions
from advisor.rules.policy import shipped_policy


class TimedCheck(Check):
    """A check that notes how long it asks for gains."""

    asking = 0.0

    def weigh(self, *args: Any) -> None:
        """Ask, by the clock."""
        begin = time.process_time()
        super().weigh(*args)
        self.asking += time.process_time() - begin


def _processor_time() -> float:
    return sum(os.times()[:4])


def _kinds(findings: list[Finding]) -> Counter[str]:
    found: Counter[str] = Counter()
    for one in findings:
        if one.category not in shipped_policy().gain.categories:
            continue
        found["of speed"] += 1
        found["no gain" if one.gain is None else one.gain.basis] += 1
        found["louder"] += any(text.startswith(f"{WARNING}:") for text in one.assumptions)
        quieter = (f"{REMARK}: removing it is predicted", f"{REMARK}: removing it saves")
        found["quieter"] += any(text.startswith(quieter) for text in one.assumptions)
    return found


def main() -> None:
    """Check the files and print a line for each, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    whole: Counter[str] = Counter()
    asking = checking = 0.0
    for file in parser.parse_args().files:
        options = CheckOptions(
            "a100-80gb", Path.cwd(), evidence="simulated", synthesis=True, any_device=True,
            workspace_files=(file,),
        )  # fmt: skip
        check = TimedCheck([file], options)
        begin = _processor_time()
        report = check.run().report
        spent = _processor_time() - begin
        kinds = _kinds(report.findings)
        print(f"{file}: {spent:.1f} s, asking {check.asking * 1e3:.0f} ms; {dict(kinds)}")
        whole += kinds
        asking, checking = asking + check.asking, checking + spent
    print(f"all: asking is {asking / checking:.2%} of {checking:.1f} s; {dict(whole)}")


if __name__ == "__main__":
    main()
