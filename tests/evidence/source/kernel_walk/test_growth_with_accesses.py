"""The work of a check grows with the accesses of one kernel, not with their square: calls are counted."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.check.pipeline import check
from advisor.model.settings.check_options import CheckOptions

BENCHMARK = runpy.run_path(str(Path(__file__).parents[4] / "benchmarks" / "source_cost.py"))
BODIES = ("neighbours", "guarded", "chained", "loops", "staged")


def calls(work: Callable[[], object]) -> int:
    """The calls of functions, of Python and of C, that work makes."""
    count = 0

    def count_calls(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(count_calls)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def calls_of_check(folder: Path, accesses: int, body: str) -> int:
    file = folder / "kernels.py"
    file.write_text(BENCHMARK["one_kernel"](BENCHMARK[body], accesses))
    options = CheckOptions(device="a100-80gb", root=folder, evidence="source")
    return calls(lambda: check([file], options))


@pytest.mark.parametrize("body", BODIES)
def test_twice_the_accesses_make_twice_the_calls(tmp_path: Path, body: str) -> None:
    # Rules are loaded, and what each kind of node asks for is imported.
    calls_of_check(tmp_path, 100, body)
    small, middle, large = (calls_of_check(tmp_path, accesses, body) for accesses in (250, 500, 1000))
    # What does not depend on the accesses falls out; the square would be 4, a tenth of it at the end 2.2.
    assert (large - middle) / (middle - small) < 2.1
