"""What products of matrices cost: one instruction of the tensor cores, and its multiply-adds of each lane."""

from __future__ import annotations

import pytest
from test_matrix_products import KINDS

from advisor.evidence.simulated.simt.instruction_costs import (
    cost_of,
    precision_of,
    product_operations,
    tensor_work,
)
from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction
from advisor.evidence.simulated.simt.vector.tensor.fragments import product_of


@pytest.mark.parametrize("kind", KINDS, ids=[one.name[17:] for one in KINDS])
def test_products(kind):
    parts = kind.name.split(".")
    item = Instruction("mma", tuple(parts[1:-4]), tuple(parts[-4:]), (), None, None, 1)
    product = product_of(item)
    assert product is not None
    cost = cost_of(item)
    assert (cost.unit, cost.slots) == ("tensor", 1)
    whole = 0 if kind.result == "s32" else 2 * kind.m * kind.n * kind.k
    assert cost.flops * 32 == whole
    assert precision_of(item) == kind.left
    assert product_operations(item) * 32 == 2 * kind.m * kind.n * kind.k
    assert tensor_work()[kind.left] > 0.0


@pytest.mark.parametrize("kind", ["f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"])
def test_products_of_warp_groups(kind):
    depth = {"f16": 16, "bf16": 16, "tf32": 8}.get(kind, 32)
    result = "s32" if kind in ("s8", "u8") else "f32"
    modifiers = ("mma_async", "sync", "aligned", f"m64n24k{depth}")
    item = Instruction("wgmma", modifiers, (result, kind, kind), (), None, None, 1)
    whole = 2 * 64 * 24 * depth
    assert (cost_of(item).unit, cost_of(item).slots) == ("tensor", 1)
    assert cost_of(item).flops * 128 == (0 if result == "s32" else whole)
    assert product_operations(item) * 128 == whole
    assert tensor_work()[precision_of(item)] == {"tf32": 2.0, "f16": 1.0, "bf16": 1.0}.get(kind, 0.5)


def test_what_only_orders_products_is_no_work_of_tensor_cores():
    item = Instruction("wgmma", ("fence", "sync", "aligned"), (), (), None, None, 1)
    assert (cost_of(item).unit, cost_of(item).flops) == ("integer", 0)
