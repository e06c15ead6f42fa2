"""Which files are tests or benchmarks."""

from __future__ import annotations


def holds_tests(path: str) -> bool:
    """Whether a file is a test by its name, and no benchmark."""
    parts = path.lower().split("/")
    return parts[-1].startswith(("test_", "conftest")) or any(
        part in ("tests", "test") for part in parts[:-1]
    )


def is_test_path(path: str) -> bool:
    """Whether a file is a test or a benchmark by its name."""
    parts = path.lower().split("/")
    return parts[-1].startswith(("test_", "bench", "conftest")) or any(
        part in ("tests", "test", "benchmarks") for part in parts[:-1]
    )
