"""One compilation of all the small kernels whose machine code is known; none of it needs a GPU."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from small_kernels import KERNELS

from advisor.evidence.compiled import CompiledEvidence, Target, compile_units
from advisor.evidence.compiled.compilers.worker_pool import own_stock


@pytest.fixture(scope="session")
def evidence() -> Iterator[CompiledEvidence]:
    if sys.platform not in ("linux", "win32"):
        pytest.skip("NVIDIA publishes no compiler packages for this system")
    yield compile_units(
        list(KERNELS.values()), Target((9, 0)), cache=None, timeout=120, jobs=2, stock=own_stock()
    )
