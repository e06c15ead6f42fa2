"""Code to execute that comes with the numbers is kept, so that nobody compiles a kernel again for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from small_kernels import F32, elementwise

from advisor.evidence.compiled import Target, compile_units
from advisor.evidence.compiled.compile_requests import code_keys
from advisor.evidence.compiled.compilers.worker_pool import own_stock
from advisor.evidence.compiled.kernel_codes import KernelCodes
from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit

TARGET = Target((9, 0))
ASSUMED = ArgumentTypes((F32, F32, "int32"), ("Assumed.",), ("a", "out"))


def known(typing: ArgumentTypes) -> CompilationUnit:
    return elementwise(
        "out[i] = x",
        types=None,  # type: ignore[arg-type]
        candidates=(typing,),
        parameters=("a", "out", "n"),
    )


@pytest.mark.skipif(sys.platform not in ("linux", "win32"), reason="NVIDIA publishes no compiler for it")
@pytest.mark.parametrize(
    ("typing", "other_typings", "kept"),
    [
        (ArgumentTypes((F32, F32, "int32")), False, 1),
        (ArgumentTypes((F32, F32, "int32"), launch="app.py:30"), False, 1),
        (ASSUMED, False, None),
        (ASSUMED, True, 2),
    ],
)
def test_what_is_kept_beside_the_numbers(
    tmp_path: Path, typing: ArgumentTypes, other_typings: bool, kept: int | None
) -> None:
    unit, codes = known(typing), KernelCodes(tmp_path)
    made = compile_units(
        [unit],
        TARGET,
        cache=None,
        timeout=120,
        jobs=1,
        stock=own_stock(),
        codes=codes,
        other_typings=other_typings,
    )
    assert unit.kernel in made.by_kernel
    (key,) = code_keys([unit], TARGET)
    found = codes.of(key, unit)
    assert (None if found is None else len(found)) == kept
