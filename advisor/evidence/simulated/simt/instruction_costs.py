"""What PTX instructions cost: issue slots, the unit they run on, floating point operations of a lane."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

from advisor.evidence.simulated.simt.counts import WARP
from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction
from advisor.model.data_files import knowledge_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True, slots=True)
class Cost:
    """One instruction: `slots` machine instructions of a warp, on a unit, with `flops` of each lane."""

    unit: str = "integer"
    slots: int = 1
    flops: int = 0


_PLAIN = Cost()
_EXTENTS = re.compile(r"\d+")
# The lanes of a group of four warps.
_GROUP, _GROUP_PRODUCT = 4 * WARP, "wgmma.mma_async"
_INTEGERS = ("s8", "u8")


@cache
def _table() -> dict[str, Any]:
    path = knowledge_folder() / "machine" / "instructions.toml"
    found: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return found


def load_round_slots() -> int:
    """The issue slots that a warp could use while it waits for loads once."""
    return int(_table()["waits"]["load_round"])


@cache
def reference_latencies() -> dict[str, float]:
    """The cycles that dependent instructions wait for each other on compute capability 8.0, by kind."""
    return {name: float(value) for name, value in _table()["latencies"].items() if name != "source"}


@cache
def tensor_work() -> dict[str, float]:
    """How many operations of float16 factors take tensor cores the time of one, by the type of A."""
    return {name: float(value) for name, value in _table()["tensor_work"].items() if name != "source"}


@cache
def _costs() -> dict[str, Cost]:
    entries = _table()["instruction"]
    return {
        name: Cost(entry["unit"], int(entry.get("slots", 1)), int(entry.get("flops", 0)))
        for entry in entries
        for name in entry["names"]
    }


def precision_of(item: Instruction) -> str:
    """The type whose floating point operations an instruction makes; of a product of matrices that of A."""
    return item.types[1] if is_product(item) else item.types[0]


def is_product(item: Instruction) -> bool:
    """Whether an instruction multiplies matrices on tensor cores, by a warp or a group of warps."""
    return item.opcode == "mma" or (item.opcode == "wgmma" and "mma_async" in item.modifiers)


def product_operations(item: Instruction) -> int:
    """A lane's share of the 2 m n k operations of a product of matrices by a warp or a group of four."""
    shape, lanes = (item.modifiers[2], WARP) if item.opcode == "mma" else (item.modifiers[3], _GROUP)
    m, n, k = (int(extent) for extent in _EXTENTS.findall(shape))
    return 2 * m * n * k // lanes


def cost_of(item: Instruction) -> Cost:
    """The cost of an instruction; one that the table does not name takes a slot of the integer unit."""
    costs = _costs()
    if item.opcode == "ld" and "param" in item.modifiers:
        return costs["ld.param"]
    if item.opcode == "mma":
        return costs[f"mma.{item.modifiers[2]}.{precision_of(item)}"]
    if is_product(item):
        # Group products have many shapes, so their operations are worked out.
        operations = 0 if item.types[1] in _INTEGERS else product_operations(item)
        return Cost(costs[_GROUP_PRODUCT].unit, costs[_GROUP_PRODUCT].slots, operations)
    exact = ".".join((item.opcode, *item.types))
    for name in (exact, ".".join((item.opcode, *item.types[-1:])), item.opcode):
        if name in costs:
            return costs[name]
    return _PLAIN
