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
