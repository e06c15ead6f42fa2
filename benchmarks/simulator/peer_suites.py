"""The tests of CuPy and Triton on the simulated GPU: how many pass, fail, are refused or skipped, and why.

    python benchmarks/simulator/peer_suites.py CHECKOUT [--every 20] [--seconds 120] [--area core …]

CHECKOUT is a checkout of CuPy or Triton at the version that is installed; its tests are copied to a folder
without its package. Every n-th collected test of each file runs, each file in a process of its own.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

# The folder of all tests in a checkout, and below it the files of each area.
SUITES = {
    "tests": {
        "core": "cupy_tests/core_tests/test_*.py",
        "indexing": "cupy_tests/indexing_tests/test_*.py",
        "statistics": "cupy_tests/statistics_tests/test_*.py",
        "sorting": "cupy_tests/sorting_tests/test_*.py",
        "ndimage": "cupyx_tests/scipy_tests/ndimage_tests/test_*.py",
    },
    "python/test": {
        "core": "unit/language/test_core.py",
        "language": "unit/language/test_[!c]*.py",
        "conversions": "unit/language/test_conversions.py",
        "runtime": "unit/runtime/test_*.py",
    },
}
AREAS = sorted({area for areas in SUITES.values() for area in areas})
# What the program says where it does not go on.
_REFUSED = re.compile(r"NotSupported|NOT_SUPPORTED|not supported|is not available on the simulated GPU")
# A session that is out of time ends with its running test, and reports; the process is killed after that.
_TO_END_S = 90.0
_NUMBER = re.compile(r"0x[0-9a-f]+|\d+")


@dataclass
class Counts:
    """The tests of an area by how they ended, and the reasons of those that did not pass."""

    ended: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    files_out_of_time: list[str] = field(default_factory=list)

    def add(self, report: Path) -> None:
        for case in ElementTree.parse(report).iter("testcase"):
            problem = next((one for one in case if one.tag in ("failure", "error")), None)
            if problem is None:
                self.ended["skipped" if case.find("skipped") is not None else "passed"] += 1
                continue
            whole = f"{problem.get('message', '')}\n{problem.text or ''}"
            kind = "refused" if _REFUSED.search(whole) else "failed"
            kind = "out of time" if "from pytest-timeout" in whole else kind
            self.ended[kind] += 1
            said = problem.get("message", "").partition("\n")[0]
            name = f"{case.get('classname', '').rpartition('.')[2]}.{case.get('name', '').partition('[')[0]}"
            self.reasons[f"{kind}: {name}: {_NUMBER.sub('N', said)[:120]}"] += 1


def run_area(name: str, tests: Path, files: str, every: int, seconds: float) -> Counts:
    counts = Counts()
    environment = {**os.environ, "EVERY_NTH_TEST": str(every), "PYTHONPATH": str(Path(__file__).parent)}
    for file in sorted(tests.glob(files)):
        report = tests / f"{name}-{file.stem}.xml"
        command = [
            sys.executable, "-m", "advisor", "run", "-m", "pytest", "-q", "-p", "sampled_tests", "-p",
            "no:cacheprovider", "-p", "no:randomly", "--timeout", "45", "--timeout-method", "signal",
            f"--session-timeout={seconds:g}", f"--junitxml={report}", str(file),
        ]  # fmt: skip
        try:
            subprocess.run(
                command, cwd=tests, env=environment, timeout=seconds + _TO_END_S, check=False,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            counts.files_out_of_time.append(file.name)
        if report.is_file():
            counts.add(report)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--area", choices=AREAS, action="append")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tests = Path(folder) / "tests"
        suite = next((one for one in SUITES if (asked.checkout / one).is_dir()), None)
        if suite is None:
            parser.error(f"{asked.checkout} is no checkout of CuPy or Triton")
        shutil.copytree(asked.checkout / suite, tests)
        (tests / "pyproject.toml").touch()
        areas = SUITES[suite]
        for name in asked.area or areas:
            counts = run_area(name, tests, areas[name], asked.every, asked.seconds)
            print(
                name, dict(sorted(counts.ended.items())), "out of time:", counts.files_out_of_time, flush=True
            )
            for reason, number in counts.reasons.most_common():
                print(f"  {number} {reason}", flush=True)


if __name__ == "__main__":
    main()
