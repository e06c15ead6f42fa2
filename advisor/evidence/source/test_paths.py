"""Which files are tests or benchmarks."""

from __future__ import annotations

_TESTS = frozenset({"test", "tests"})
_BENCHMARKS = frozenset({"bench", "benches", "benchmark", "benchmarks"})


def holds_tests(path: str) -> bool:
    """Whether a file is a test by its name or a folder's, and no benchmark.

    What a benchmark runs is there to be timed, also where a test runner starts it.
    """
    *folders, name = path.lower().split("/")
    if name.startswith("bench") or _BENCHMARKS.intersection(folders):
        return False
    return name.startswith(("test_", "conftest")) or not _TESTS.isdisjoint(folders)


def is_test_path(path: str) -> bool:
    """Whether a file is a test or a benchmark by its name."""
    parts = path.lower().split("/")
    return parts[-1].startswith(("test_", "bench", "conftest")) or any(
        part in ("tests", "test", "benchmarks") for part in parts[:-1]
    )
