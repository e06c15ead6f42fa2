"""Of a kernel that another compiler compiles only what types decide is known."""

from __future__ import annotations

from dataclasses import replace

from small_kernels import KERNELS

from advisor.evidence.compiled.placing import placed_kernel

SUMMED = {
    "candidate": 0,
    "resources": {"registers": 24, "stack_bytes": 0, "shared_bytes": 128},
    "instructions": {"instructions": 40, "fp64_instructions": 3, "conversion_instructions": 2},
    "lines": [[0, 4, {"fp64_instructions": 3, "instructions": 9, "global_loads": 1, "live_registers": 7}]],
    "promotions": [],
    "narrowings": [],
}


def test_registers_and_instructions_are_left_out_but_for_float64() -> None:
    unit = KERNELS["fast"]
    own = placed_kernel(unit, SUMMED)
    assert own.resources["registers"] == 24
    assert own.lines[0].counts == {
        "fp64_instructions": 3,
        "instructions": 9,
        "global_loads": 1,
        "live_registers": 7,
    }
    other = placed_kernel(replace(unit, other_compiler="other"), SUMMED)
    assert (other.resources, other.instructions) == ({}, {"fp64_instructions": 3})
    assert [one.counts for one in other.lines] == [{"fp64_instructions": 3}]
