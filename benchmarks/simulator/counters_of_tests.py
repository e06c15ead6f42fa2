"""Compares what two versions of the program count in each launch of numba-cuda's own tests.

    python benchmarks/simulator/counters_of_tests.py record FILE.json --advisor VENV/bin/advisor [--modules M]
    python benchmarks/simulator/counters_of_tests.py compare BEFORE.json AFTER.json [--show N]

`record` runs test modules (those of `MODULES` where none is named, `cudapy.test_sm` for
`numba.cuda.tests.cudapy.test_sm`) by `advisor run`, each in a process and a project of its own, with random
numbers that begin anew with each test, and writes the counts of all launches as JSON. It imports nothing of
the program, so any version's command can be given. Some modules need filecheck, cffi or ml_dtypes.

`compare` sets each launch of a test beside the one of the other record with the same kernel, grid, block and
arguments, and prints how many have equal counters, what differs by field, and what is modelled, not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import subprocess
import tempfile
import time
import unittest
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PACKAGE = "numba.cuda.tests"
_FILES = {
    "cudapy": (
        "alignment", "array", "array_args", "array_methods", "atomics", "blackscholes", "boolean",
        "casting", "complex", "constmem", "cooperative_groups", "device_func", "dispatcher", "exception",
        "fastmath", "forall", "freevar", "globals", "gufunc", "idiv", "intrinsics", "iterators", "laplace",
        "localmem", "mandel", "math", "matmul", "montecarlo", "multithreads", "nondet", "operator",
        "overload", "powi", "random", "record_dtype", "reduction", "slicing", "sm", "sm_creation", "sync",
        "transpose", "ufuncs", "vector_type", "vectorize", "warp_ops",
    ),
    "cudadrv": (
        "cuda_ndarray", "events", "streams",
    ),
    "doc_examples": (
        "cg", "cpointer", "cpu_gpu_compat", "ffi", "globals", "laplace", "matmul", "montecarlo", "random",
        "reduction", "sessionize", "ufunc", "vecadd",
    ),
}  # fmt: skip
MODULES = [f"{folder}.test_{name}" for folder, names in _FILES.items() for name in names]
# What follows from a model of the machine, or is seen only where a launch is looked at access by access.
MODELLED = frozenset({
    "balance", "chain_of_a_warp", "detailed", "joined_requests", "joined_wavefronts", "l1_hits",
    "l1_sectors", "l1_wavefronts", "l2_hits", "l2_sectors", "load_rounds_of_a_warp", "looked_up", "past_l1",
    "past_l2", "slots", "steps",
})  # fmt: skip
# What names an access or a branch within its launch.
_PLACE = ("path", "line", "array", "space", "kind")

Launch = dict[str, Any]


def main() -> None:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record")
    record.add_argument("into", type=Path)
    record.add_argument("--advisor", type=Path, required=True)
    record.add_argument("--seconds", type=float, default=120, help="of one module")
    record.add_argument("--modules", nargs="+", default=MODULES)
    compare = commands.add_parser("compare")
    compare.add_argument("before", type=Path)
    compare.add_argument("after", type=Path)
    compare.add_argument("--show", type=int, default=0, metavar="N", help="examples of each difference")
    tests = commands.add_parser("tests", help="run the tests of one module, noting them in a file")
    tests.add_argument("module")
    tests.add_argument("notes", type=Path)
    given = parser.parse_args()
    if given.command == "tests":
        _run_tests(given.module, given.notes)
    elif given.command == "record":
        found = dict(_recorded(given.advisor, given.modules, given.seconds))
        given.into.write_text(json.dumps(found), encoding="utf-8")
    else:
        records = [json.loads(path.read_text(encoding="utf-8")) for path in (given.before, given.after)]
        _print_comparison(*records, given.show)


class _NotedResult(unittest.TestResult):
    """Writes down when each test began and how it ended; random numbers begin anew with each."""

    def __init__(self, notes: Path) -> None:
        super().__init__()
        self._notes = notes
        self._begun = 0.0
        self._problems = 0

    def startTest(self, test: unittest.TestCase) -> None:
        """Begin a test."""
        import numpy as np

        super().startTest(test)
        random.seed(1)
        np.random.seed(1)
        self._begun = time.time()
        self._problems = len(self.failures) + len(self.errors)
        self._note(test, "not ended")

    def stopTest(self, test: unittest.TestCase) -> None:
        """Note how the test ended."""
        super().stopTest(test)
        skipped = any(one is test for one, _ in self.skipped)
        failed = len(self.failures) + len(self.errors) > self._problems
        end = "skipped" if skipped else "failed" if failed else "passed"
        self._note(test, end)

    def _note(self, test: unittest.TestCase, end: str) -> None:
        with self._notes.open("a", encoding="utf-8") as file:
            file.write(json.dumps([test.id(), self._begun, end]) + "\n")


def _run_tests(module: str, notes: Path) -> None:
    unittest.defaultTestLoader.loadTestsFromName(f"{PACKAGE}.{module}").run(_NotedResult(notes))


def _recorded(advisor: Path, modules: list[str], seconds: float) -> Iterator[tuple[str, list[Any]]]:
    """Each module with its tests: name, how it ended, its launches."""
    for module in modules:
        begun = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            root, notes = Path(folder), Path(folder) / "tests.jsonl"
            (root / "pyproject.toml").touch()
            command = [
                str(advisor),
                "run",
                "--threads",
                "1",
                "--quiet",
                __file__,
                "tests",
                module,
                str(notes),
            ]
            variables = {**os.environ, "PYTHONHASHSEED": "0"}
            try:
                done = subprocess.run(
                    command, cwd=root, env=variables, capture_output=True, text=True, timeout=seconds
                )
                end = done.stderr.strip().splitlines()[-1:] if done.returncode else []
            except subprocess.TimeoutExpired:
                end = ["not ended in time"]
            tests = _tests(notes, _launches(root / ".advisor" / "launches.sqlite"))
        launches = sum(len(one["launches"]) for one in tests)
        took = time.perf_counter() - begun
        print(f"{module}: {len(tests)} tests, {launches} launches, {took:.0f} s", *end, flush=True)
        yield module, tests


def _tests(notes: Path, launches: list[Launch]) -> list[Any]:
    """The tests that ended, each with the launches since it began."""
    lines = notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []
    tests = {begun: {"test": name, "end": end, "launches": []} for name, begun, end in map(json.loads, lines)}
    for launch in launches:
        begins = [begun for begun in tests if begun <= launch["started"]]
        if begins:
            tests[max(begins)]["launches"].append(launch)
    return [one for one in tests.values() if one["end"] != "not ended"]


def _launches(file: Path) -> list[Launch]:
    """The launches of a record, in the order in which they were made."""
    if not file.exists():
        return []
    query = (
        "SELECT kernel, path, line, grid, block, dynamic_shared, arguments, started, statistics, defects,"
        " problem, number FROM launches LEFT JOIN counts ON counts.id = launches.counts ORDER BY launches.id"
    )
    connection = sqlite3.connect(file)
    rows = connection.execute(query).fetchall()
    copies = _defects_of_copies(connection)
    connection.close()
    names = ("kernel", "path", "line", "grid", "block", "shared", "arguments", "started")
    return [
        {
            **dict(zip(names, row, strict=False)),
            "counts": json.loads(row[8]) if row[8] else None,
            "defects": sorted({one["kind"] for one in json.loads(row[9] or "[]")} | copies[row[0], row[11]]),
            "problem": row[10],
        }
        for row in rows
    ]


def _defects_of_copies(connection: sqlite3.Connection) -> dict[tuple[str, int], set[str]]:
    """What was wrong with copies to the host, by kernel and number of the launch; older records have none."""
    found: dict[tuple[str, int], set[str]] = defaultdict(set)
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'copies'").fetchone():
        for kernel, number, defect in connection.execute("SELECT kernel, number, defect FROM copies"):
            found[kernel, number].add(json.loads(defect)["kind"])
    return found


def _print_comparison(before: dict[str, Any], after: dict[str, Any], show: int) -> None:
    pairs, alone, tests = _pairs(before, after)
    counted = [(test, one, other) for test, one, other in pairs if one["counts"] and other["counts"]]
    differences = [
        (test, one, list(_differences(one["counts"], other["counts"]))) for test, one, other in counted
    ]
    fields = defaultdict(list)
    for test, launch, found in differences:
        for name in sorted({name for name, *_ in found}):
            examples = [one for one in found if one[0] == name]
            fields[name].append((test, launch, examples))
    in_counters = sum(any(name not in MODELLED for name, *_ in found) for _, _, found in differences)
    print(f"{sum(tests.values())} tests in {len(set(before) & set(after))} modules: {_named(tests)}.")
    print(f"{len(pairs)} launches that both records have, {alone} that only one has.")
    print(f"{len(counted)} with counts in both; all counters equal in {len(counted) - in_counters}.")
    alike = sum(one["problem"] == other["problem"] for _, one, other in pairs)
    print(f"{alike} run in both, or are refused with the same words.")
    print("\n| field | | launches that differ | first test |\n|---|---|---|---|")
    for name, found in sorted(fields.items(), key=lambda one: (one[0] in MODELLED, -len(one[1]))):
        kind = "modelled" if name in MODELLED else "counted"
        print(f"| {name} | {kind} | {len(found)} | {found[0][0]} |")
        for test, launch, examples in found[:show]:
            print(f"    {test} {launch['kernel']} {launch['grid']} {launch['block']}: {examples[:3]}")
    _print_defects(pairs)


def _print_defects(pairs: list[Any]) -> None:
    found: Counter[str] = Counter()
    for _, one, other in pairs:
        found.update(f"only before: {kind}" for kind in set(one["defects"]) - set(other["defects"]))
        found.update(f"only after: {kind}" for kind in set(other["defects"]) - set(one["defects"]))
        found.update(f"in both: {kind}" for kind in set(other["defects"]) & set(one["defects"]))
    print("\nDefects by launches: " + (_named(found) or "none") + ".")
    for test in sorted({test for test, one, other in pairs if set(other["defects"]) - set(one["defects"])}):
        print(f"    only after: {test}")


def _named(numbers: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(numbers.items()))


def _pairs(before: dict[str, Any], after: dict[str, Any]) -> tuple[list[Any], int, Counter[str]]:
    """Launches with their counterparts, the number of those without, and how tests ended in both records."""
    pairs, alone, ends = [], 0, Counter[str]()
    for module in before:
        others = {one["test"]: one for one in after.get(module, [])}
        for test in before[module]:
            other = others.get(test["test"])
            if other is None:
                continue
            same = test["end"] == other["end"]
            ends[test["end"] if same else f"{test['end']} before and {other['end']} after"] += 1
            ours, theirs = (_by_shape(one["launches"]) for one in (test, other))
            for key in ours.keys() | theirs.keys():
                both = list(zip(ours[key], theirs[key], strict=False))
                pairs += [(test["test"], *one) for one in both]
                alone += len(ours[key]) + len(theirs[key]) - 2 * len(both)
    return pairs, alone, ends


def _by_shape(launches: list[Launch]) -> dict[Any, list[Launch]]:
    found: dict[Any, list[Launch]] = defaultdict(list)
    for one in launches:
        found[tuple(one[name] for name in ("kernel", "line", "grid", "block", "shared", "arguments"))].append(
            one
        )
    return found


def _differences(before: dict[str, Any], after: dict[str, Any]) -> Iterator[tuple[str, Any, Any, Any]]:
    """Each count that differs: its name, its place, both values; what one version lacks is left out."""
    for name in before.keys() & after.keys() - {"accesses", "branches"}:
        if before[name] != after[name]:
            yield name, "", before[name], after[name]
    for table in ("accesses", "branches"):
        ours, theirs = ({_place(one): one for one in counts[table]} for counts in (before, after))
        if ours.keys() != theirs.keys():
            yield table, "", sorted(ours.keys() - theirs.keys()), sorted(theirs.keys() - ours.keys())
        for place in ours.keys() & theirs.keys():
            one, other = ours[place], theirs[place]
            for name in one.keys() & other.keys() - set(_PLACE):
                if one[name] != other[name]:
                    yield name, place, one[name], other[name]


def _place(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(Path(str(row[name])).name if name == "path" else str(row.get(name, "")) for name in _PLACE)


if __name__ == "__main__":
    main()
