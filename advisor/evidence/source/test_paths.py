"""Which files are tests, and which are benchmarks: they measure code that is there to be fast."""

from __future__ import annotations

_TESTS = frozenset({"tests", "test"})
_DOCUMENTATION = frozenset({"doc_examples", "docs"})
_BENCHMARKS = frozenset({"bench", "benches", "benchmark", "benchmarks"})


def holds_benchmarks(path: str) -> bool:
    """Whether a file is a benchmark by its name or a folder's, be it below a folder of tests."""
    *folders, name = path.lower().split("/")
    return name.startswith("bench") or not _BENCHMARKS.isdisjoint(folders)


def documents(path: str) -> bool:
    """Whether a file is an example of a documentation, which is tested but there to be read and copied."""
    return not _DOCUMENTATION.isdisjoint(path.lower().split("/")[:-1])


def holds_tests(path: str) -> bool:
    """Whether a file is a test by its name or a folder's, and neither a benchmark nor documentation."""
    *folders, name = path.lower().split("/")
    named = name.startswith(("test_", "conftest")) or not _TESTS.isdisjoint(folders)
    return named and not holds_benchmarks(path) and not documents(path)


def is_test_path(path: str) -> bool:
    """Whether a file is a test or a benchmark by its name."""
    return holds_tests(path) or holds_benchmarks(path)
