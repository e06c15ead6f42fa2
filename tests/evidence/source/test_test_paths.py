"""Which files are tests, in which nobody waits for a kernel, and which are benchmarks."""

from __future__ import annotations

import pytest

from advisor.evidence.source.test_paths import holds_tests


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("test_sum.py", True),
        ("tests/sums.py", True),
        ("package/test/sums.py", True),
        ("conftest.py", True),
        ("sums.py", False),
        ("attest/sums.py", False),
        ("bench_sum.py", False),
        ("tests/benchmarks/test_sum.py", False),
        ("benchmarks/tests/sum.py", False),
        ("tests/bench_sum.py", False),
        ("tests/benchmarked/sum.py", True),
    ],
)
def test_what_is_timed_is_no_test(path, expected):
    assert holds_tests(path) is expected
